import Glibc
import Sensing
import SourceThread

/// Where gpsd listens.
public struct GPSDAddress: Sendable, Hashable, CustomStringConvertible {
    public var host: String
    public var port: UInt16

    /// gpsd's registered port is 2947.
    public init(host: String = "localhost", port: UInt16 = 2947) {
        self.host = host
        self.port = port
    }

    /// Reads "HOST", "HOST:PORT", "[IPv6]:PORT"; nil when the port is no number from 1 to 65,535 or the host is empty.
    public init?(_ text: String) {
        var host = Substring(text), port: UInt16 = 2947
        if let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon || text[..<colon].last == "]" {
            guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else { return nil }
            (host, port) = (text[..<colon], number)
        }
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: port)
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// A TCP connection to gpsd that gives whole lines. For one thread.
struct GPSDConnection: ~Copyable {
    enum Line: Equatable {
        case line([UInt8])
        case timedOut
        case stopped
    }

    private let address: GPSDAddress
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var scanned = 0

    /// Connects to the first of the host's addresses that answers within `limit` milliseconds. nil when stopped meanwhile.
    init?(_ address: GPSDAddress, limit: Int64, stop: StopSignal) throws(SourceProblem) {
        self.address = address
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(address.host, String(address.port), &hints, &list)
        guard status == 0 else { throw .unknownHost(address, reason: String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        var code = EHOSTUNREACH
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            switch Self.connect(to: entry, limit: limit, stop: stop) {
            case .success(let descriptor):
                guard let descriptor else { return nil }
                self.descriptor = descriptor
                return
            case .failure(let failure): code = failure.code
            }
        }
        throw .unreachable(address, code: code)
    }

    deinit { close(descriptor) }

    private struct Failure: Error { var code: Int32 }

    private static func connect(to entry: addrinfo, limit: Int64, stop: StopSignal) -> Result<Int32?, Failure> {
        let descriptor = socket(entry.ai_family, entry.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .failure(Failure(code: errno)) }
        if Glibc.connect(descriptor, entry.ai_addr, entry.ai_addrlen) != 0 {
            var code = errno
            if code == EINPROGRESS {
                switch stop.wait(for: descriptor, events: POLLOUT, milliseconds: limit) {
                case .stopped:
                    close(descriptor)
                    return .success(nil)
                case .timedOut: code = ETIMEDOUT
                case .ready:
                    var length = socklen_t(MemoryLayout<Int32>.size)
                    if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) != 0 { code = errno }
                }
            }
            guard code == 0 else {
                close(descriptor)
                return .failure(Failure(code: code))
            }
        }
        setKeepAlive(descriptor)
        return .success(descriptor)
    }

    /// gpsd is silent while its receiver is, so only the kernel's probes find out that a remote gpsd is gone.
    private static func setKeepAlive(_ descriptor: Int32) {
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 10)
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    }

    /// Sends a short command.
    func send(_ command: String) throws(SourceProblem) {
        let bytes = Array(command.utf8)
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw .closed(address, code: errno)
        }
    }

    /// The next line without its end, waiting at most `milliseconds`.
    mutating func line(milliseconds: Int64, stop: StopSignal) throws(SourceProblem) -> Line {
        if let line = takeLine() { return .line(line) }
        switch stop.wait(for: descriptor, events: POLLIN, milliseconds: milliseconds) {
        case .stopped: return .stopped
        case .timedOut: return .timedOut
        case .ready: break
        }
        var received = 0
        var code: Int32 = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            code = errno
            count = max(0, received)
        }
        guard received > 0 else {
            if received < 0, code == EAGAIN || code == EINTR { return .timedOut }
            throw .closed(address, code: received == 0 ? 0 : code)
        }
        buffer += chunk
        if let line = takeLine() { return .line(line) }
        guard buffer.count <= GPSDDecoder.lineBytesMax else { throw .foreignProtocol(address, sent: buffer) }
        return .timedOut
    }

    private mutating func takeLine() -> [UInt8]? {
        guard let end = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) else {
            scanned = buffer.count
            return nil
        }
        var line = Array(buffer[..<end])
        buffer.removeSubrange(...end)
        scanned = 0
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    /// The arrived part of a line that did not end.
    var partialLine: [UInt8] { buffer }
}
