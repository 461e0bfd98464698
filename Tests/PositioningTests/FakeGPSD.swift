import Foundation
import Glibc

/// A TCP server on this machine that greets every client with lines and, where asked to, hangs up after them.
final class FakeGPSD: Sendable {
    let port: UInt16
    private let listener: Int32
    private let clients: AsyncStream<Void>

    /// Waits until so many clients came.
    func accepted(_ count: Int) async {
        var left = count
        for await _ in clients {
            left -= 1
            if left == 0 { return }
        }
    }

    /// nil when this machine allows no listening socket.
    convenience init?(greeting: [String], hangsUp: Bool) {
        self.init(greeting: { _ in greeting }, hangsUp: { _ in hangsUp })
    }

    /// - Parameters:
    ///   - greeting: what a client gets; they are counted from 0.
    ///   - hangsUp: whether that is all.
    ///   - answer: what a client gets who asks for the devices; the next one is served when that one is gone. nil for no answer.
    init?(greeting: @escaping @Sendable (Int) -> [String], hangsUp: @escaping @Sendable (Int) -> Bool, answer: String? = nil) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (descriptor, size) = (listener, length)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(descriptor, raw, size) == 0 && listen(descriptor, 8) == 0 ? getsockname(descriptor, raw, &length) : -1
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        clients = stream
        guard status == 0 else { return nil }
        let thread = Thread {
            var count = 0
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { break }
                FakeGPSD.send(greeting(count), to: client)
                let isOver = hangsUp(count)
                if isOver { close(client) }
                continuation.yield()
                if !isOver, let answer { FakeGPSD.serve(client, answer) }
                count += 1
            }
            // Not before: the next server would get this number, and its clients this greeting.
            close(descriptor)
        }
        thread.start()
    }

    private static func send(_ lines: [String], to client: Int32) {
        let text = Array(lines.map { $0 + "\n" }.joined().utf8)
        Glibc.send(client, text, text.count, Int32(MSG_NOSIGNAL))
    }

    /// Until the client hangs up.
    private static func serve(_ client: Int32, _ answer: String) {
        var bytes = [UInt8](repeating: 0, count: 1024)
        while true {
            let count = recv(client, &bytes, bytes.count, 0)
            guard count > 0 else { break }
            if String(decoding: bytes.prefix(count), as: UTF8.self).contains("?DEVICES;") { send([answer], to: client) }
        }
        close(client)
    }

    /// Ends the server; clients that are connected stay so.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
