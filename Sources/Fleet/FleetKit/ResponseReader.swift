import NIOCore

/// Reads the answers on one HTTP/1.1 connection, one after the other: only what a hub sends, as cheap as can be, so that the client is
/// not what is measured.
struct ResponseReader {
    enum Part: Equatable {
        case head(status: Int)
        case body(ByteBuffer)
        case end
    }

    private enum Phase {
        case head
        case fixed(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailer
    }

    private var phase = Phase.head
    private var buffer = ByteBuffer()

    /// The longest head, and the longest line of a chunk's size.
    static let headMax = 16_384

    mutating func append(_ bytes: inout ByteBuffer) {
        if buffer.readableBytes == 0 { swap(&buffer, &bytes) } else { buffer.writeBuffer(&bytes) }
    }

    /// The next part; nil when more bytes are needed.
    mutating func next() throws -> Part? {
        while true {
            switch phase {
            case .head: return try head()
            case .fixed(let left), .chunk(let left):
                if left == 0, case .fixed = phase {
                    phase = .head
                    return .end
                }
                guard let part = buffer.readSlice(length: min(left, buffer.readableBytes)), part.readableBytes > 0 else { return nil }
                let rest = left - part.readableBytes
                if case .fixed = phase { phase = .fixed(left: rest) } else { phase = rest == 0 ? .chunkEnd : .chunk(left: rest) }
                return .body(part)
            case .chunkSize:
                guard let line = try line() else { return nil }
                let digits = line.prefix { $0 != ";" }
                guard let size = Int(digits, radix: 16), size >= 0 else { throw FleetError("The hub sent a chunk without a size.") }
                phase = size == 0 ? .trailer : .chunk(left: size)
            case .chunkEnd:
                guard try line() != nil else { return nil }
                phase = .chunkSize
            case .trailer:
                guard let line = try line() else { return nil }
                if line.isEmpty {
                    phase = .head
                    return .end
                }
            }
        }
    }

    private mutating func head() throws -> Part? {
        let view = buffer.readableBytesView
        let found = buffer.withUnsafeReadableBytes { Self.endOfHead($0) }
        guard let length = found else {
            guard view.count <= Self.headMax else { throw FleetError("The hub's answer has a head without end.") }
            return nil
        }
        let (status, framing) = try buffer.withUnsafeReadableBytes { bytes in
            try Self.parse(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
        }
        buffer.moveReaderIndex(forwardBy: length)
        phase = framing
        return .head(status: status)
    }

    /// The length of a head with its empty line.
    private static func endOfHead(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var index = 3
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"):
                if bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 { return index + 1 }
                index += 2
            case UInt8(ascii: "\r"): index += 1
            default: index += 4
            }
        }
        return nil
    }

    private static func parse(_ head: UnsafeRawBufferPointer) throws -> (Int, Phase) {
        // HTTP/1.1 SSS: the status stands at 9.
        guard head.count > 12, head.starts(with: "HTTP/1.".utf8), let status = number(head, from: 9) else {
            throw FleetError("What answered does not speak HTTP/1.1.")
        }
        var start = 0
        while let end = head[start...].firstIndex(of: 10) {
            let line = UnsafeRawBufferPointer(rebasing: head[start..<end])
            if has(line, "content-length:"), let length = number(line, from: 15) { return (status, .fixed(left: length)) }
            if has(line, "transfer-encoding: chunked") { return (status, .chunkSize) }
            start = end + 1
        }
        return (status, .fixed(left: 0))
    }

    private static func has(_ line: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
        guard line.count >= prefix.utf8CodeUnitCount else { return false }
        for index in 0..<prefix.utf8CodeUnitCount where line[index] | 0x20 != prefix.utf8Start[index] | 0x20 { return false }
        return true
    }

    /// A decimal number behind spaces, of up to nine digits.
    private static func number(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var value: Int?
        for byte in bytes[start...].drop(while: { $0 == 0x20 }).prefix(9) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            value = (value ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }

    private mutating func line() throws -> String? {
        guard let end = buffer.readableBytesView.firstIndex(of: 10) else {
            guard buffer.readableBytes <= Self.headMax else { throw FleetError("The hub sent a line without end.") }
            return nil
        }
        let line = buffer.readString(length: end - buffer.readerIndex) ?? ""
        buffer.moveReaderIndex(forwardBy: 1)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
    }
}
