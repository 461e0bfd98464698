import Foundation
import Testing

/// A control room played by SIPp, a SIP implementation that is not ours, on a port of this machine.
final class ControlRoom: Sendable {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/sipp")
    static let hasTLS =
        isInstalled && ["stunnel4", "openssl"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    static let why: Comment = "sipp (Debian: sip-tester), stunnel4 and openssl are needed: `make test-sip`"

    let port: Int
    let folder: URL
    private let process: Process

    /// - Parameters:
    ///   - steps: what it does, as elements of a scenario of SIPp.
    ///   - transport: `u1` or `t1`.
    init(_ transport: String, steps: [String]) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sipp-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let scenario = "<?xml version=\"1.0\"?>\n<scenario name=\"test\">\n" + steps.joined(separator: "\n") + "\n</scenario>\n"
        try Data(scenario.utf8).write(to: folder.appending(path: "scenario.xml"))
        port = freePort(stream: transport == "t1")
        process = try start(
            "/usr/bin/sipp",
            [
                "-sf", "scenario.xml", "-i", "127.0.0.1", "-p", "\(port)", "-t", transport, "-m", "1", "-nostdin", "-trace_msg",
                "-message_file",
                "messages.log", "-trace_err", "-error_file", "errors.log", "-timeout", "60s", "-timeout_error",
            ], in: folder)
        try await waitForListener(port, stream: transport == "t1")
    }

    deinit {
        // Asked politely, SIPp waits for the end of its call.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Waits for the end of the scenario. True when everything went as it says.
    func ended() async throws -> Bool {
        for _ in 0..<400 where process.isRunning { try await Task.sleep(for: .milliseconds(50)) }
        return !process.isRunning && process.terminationStatus == 0
    }

    /// What it received and sent, word for word.
    var messages: String {
        (try? String(decoding: Data(contentsOf: folder.appending(path: "messages.log")), as: UTF8.self)) ?? ""
    }

    var received: Int { messages.components(separatedBy: "message received").count - 1 }

    static let take = "<recv request=\"MESSAGE\"/>"

    /// - Parameter body: with its type.
    static func answer(_ status: String, headers: [String] = [], body: (type: String, text: String)? = nil) -> String {
        let content = body.map { "Content-Type: \($0.type)\nContent-Length: [len]\n\n\($0.text)" } ?? "Content-Length: 0\n"
        let lines = [
            "SIP/2.0 \(status)", "[last_Via:]", "[last_From:]", "[last_To:];tag=room", "[last_Call-ID:]", "[last_CSeq:]", "Server: SIPp",
        ]
        return "<send><![CDATA[\n\n" + (lines + headers).joined(separator: "\n") + "\n\(content)\n]]></send>"
    }
}

/// TLS in front of a control room, which SIPp of Debian does not speak itself.
final class Tunnel: Sendable {
    let port: Int
    let certificate: String, key: String
    private let process: Process
    private let folder: URL

    /// - Parameter names: subject alternative names of the certificate, as openssl writes them.
    init(to inner: Int, names: String, wantsCertificate: Bool = false) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "stunnel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let openssl = try start(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem", "-out",
                "cert.pem",
                "-days", "2", "-subj", "/CN=room", "-addext", "subjectAltName=\(names)",
            ], in: folder)
        openssl.waitUntilExit()
        (certificate, key) = (folder.appending(path: "cert.pem").path, folder.appending(path: "key.pem").path)
        port = freePort(stream: true)
        let settings = """
            foreground = yes
            pid =
            [sip]
            accept = 127.0.0.1:\(port)
            connect = 127.0.0.1:\(inner)
            cert = \(certificate)
            key = \(key)
            \(wantsCertificate ? "verifyPeer = yes\nCAfile = \(certificate)" : "")
            """
        try Data(settings.utf8).write(to: folder.appending(path: "stunnel.conf"))
        process = try start("/usr/bin/stunnel4", ["stunnel.conf"], in: folder)
        try await waitForListener(port, stream: true)
    }

    deinit {
        process.terminate()
        try? FileManager.default.removeItem(at: folder)
    }
}

private func start(_ program: String, _ arguments: [String], in folder: URL) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ["TERM": "dumb", "PATH": "/usr/bin:/bin"]
    (process.standardInput, process.standardOutput, process.standardError) = (
        FileHandle.nullDevice, FileHandle.nullDevice, FileHandle.nullDevice
    )
    try process.run()
    return process
}

/// A port that is free now. Bound for a moment, so that the system chooses.
func freePort(stream: Bool) -> Int {
    let socket = silentSocket(stream: stream, listens: false)
    defer { close(socket.descriptor) }
    return socket.port
}

/// Somebody who is there and says nothing.
func silentSocket(stream: Bool, listens: Bool = true) -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(stream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = bind(descriptor, $0, length)
            _ = getsockname(descriptor, $0, &length)
        }
    }
    if stream, listens { listen(descriptor, 100) }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}

/// Looks at the kernel's table: a try to connect would be taken for the call.
private func waitForListener(_ port: Int, stream: Bool) async throws {
    let wanted = ":" + String(String(port, radix: 16, uppercase: true).reversed() + "0000").prefix(4).reversed() + " "
    for _ in 0..<200 {
        let table = try String(contentsOfFile: "/proc/net/\(stream ? "tcp" : "udp")", encoding: .utf8)
        if table.split(separator: "\n").contains(where: { $0.contains(wanted + "00000000:0000 \(stream ? "0A" : "07")") }) { return }
        try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("nothing listens on port \(port)")
}
