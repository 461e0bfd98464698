import Foundation
import Glibc

/// A TCP server on this machine that greets every client with `lines` and, where asked to, hangs up after them.
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
    init?(greeting: [String], hangsUp: Bool) {
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
        let text = Array(greeting.map { $0 + "\n" }.joined().utf8)
        let thread = Thread {
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { break }
                send(client, text, text.count, Int32(MSG_NOSIGNAL))
                if hangsUp { close(client) }
                continuation.yield()
            }
            // Not before: the next server would get this number, and its clients this greeting.
            close(descriptor)
        }
        thread.start()
    }

    /// Ends the server; clients that are connected stay so.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
