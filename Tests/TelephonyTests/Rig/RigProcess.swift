import Foundation

/// A program of the rig, in a folder of its own, which ends with this value.
final class RigProcess: Sendable {
    let folder: URL
    private let process: Process
    private let input: FileHandle

    /// - Parameter files: what stands in its folder before it starts, by name.
    init(_ program: String, _ arguments: [String], files: [String: String] = [:], in given: URL? = nil) throws {
        let folder = given ?? FileManager.default.temporaryDirectory.appending(path: "voice-\(UUID().uuidString)")
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let log = folder.appending(path: "log"), keys = Pipe()
        try Data().write(to: log)
        process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments.map { $0.replacingOccurrences(of: "FOLDER", with: folder.path) }
        process.currentDirectoryURL = folder
        process.environment = ["PATH": "/usr/bin:/bin:/usr/sbin", "HOME": folder.path, "TERM": "dumb", "LANG": "C.UTF-8"]
        process.standardInput = keys
        let out = try FileHandle(forWritingTo: log)
        (process.standardOutput, process.standardError) = (out, out)
        input = keys.fileHandleForWriting
        try process.run()
    }

    deinit {
        end()
        try? FileManager.default.removeItem(at: folder)
    }

    /// At once and with its children, as a machine that loses its power.
    func end() {
        guard process.isRunning else { return }
        let id = process.processIdentifier
        let children = (try? String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)) ?? ""
        for id in [id] + children.split(separator: " ").compactMap({ pid_t($0) }) { kill(id, SIGKILL) }
        // Its ports are free when it is gone; Foundation's own wait needs a run loop.
        for _ in 0..<100 where kill(id, 0) == 0 && process.isRunning { usleep(20_000) }
    }

    func type(_ text: String) throws { try input.write(contentsOf: Data(text.utf8)) }

    var isRunning: Bool { process.isRunning }
    var status: Int32 { process.terminationStatus }

    var log: String { text("log") }

    func text(_ file: String) -> String {
        (try? String(decoding: Data(contentsOf: folder.appending(path: file)), as: UTF8.self)) ?? ""
    }

    /// Files whose names begin so.
    func files(_ prefix: String) -> [URL] {
        ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [])
            .filter { $0.lastPathComponent.hasPrefix(prefix) }
    }
}

/// Waits until something holds, a minute at most; says whether it did.
func comes(within seconds: Int = 60, _ body: () throws -> Bool) async throws -> Bool {
    for _ in 0..<seconds * 20 {
        if try body() { return true }
        try await Task.sleep(for: .milliseconds(50))
    }
    return try body()
}

/// A UDP port that is free now.
func freePort() -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = bind(descriptor, $0, length)
            _ = getsockname(descriptor, $0, &length)
        }
    }
    return Int(UInt16(bigEndian: address.sin_port))
}

func sendDatagram(_ text: String, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let bytes = Array(text.utf8)
    withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
