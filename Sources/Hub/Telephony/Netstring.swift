/// Cuts a stream of bytes into netstrings (`5:hello,`), which frame the messages of baresip's control connection.
struct Netstring {
    /// The other side does not speak netstrings.
    struct Malformed: Error {}

    /// Bytes; baresip's longest message, the help text, has about 2,000.
    static let lengthMax = 1 << 20

    private var bytes: [UInt8] = []

    static func encoded(_ payload: [UInt8]) -> [UInt8] {
        Array("\(payload.count):".utf8) + payload + [UInt8(ascii: ",")]
    }

    /// - Returns: the messages that are whole now, in their order.
    mutating func take(_ new: some Sequence<UInt8>) throws(Malformed) -> [[UInt8]] {
        bytes += new
        var messages: [[UInt8]] = [], start = 0
        while let head = try head(from: start), bytes.count > head.end {
            guard bytes[head.end] == UInt8(ascii: ",") else { throw Malformed() }
            messages.append(Array(bytes[head.start..<head.end]))
            start = head.end + 1
        }
        bytes.removeFirst(start)
        return messages
    }

    /// Where the payload begins and ends; nil while its length is not whole.
    private func head(from start: Int) throws(Malformed) -> (start: Int, end: Int)? {
        var length = 0
        for index in start..<bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: ":"), index > start { return (index + 1, index + 1 + length) }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw Malformed() }
            length = length * 10 + Int(byte - UInt8(ascii: "0"))
            guard length <= Self.lengthMax else { throw Malformed() }
        }
        return nil
    }
}
