/// A message of the other side: a response, or a request of its own.
struct SIPIncoming: Sendable, Equatable {
    enum Start: Sendable, Equatable {
        case response(status: Int, reason: String)
        case request(method: String)
    }

    let start: Start
    /// Names in lower case and in their long form, in the order in which they came.
    let headers: [(name: String, value: String)]
    var body: [UInt8]

    static func == (left: SIPIncoming, right: SIPIncoming) -> Bool {
        left.start == right.start && left.body == right.body && left.headers.map(\.name) == right.headers.map(\.name)
            && left.headers.map(\.value) == right.headers.map(\.value)
    }

    /// The first of that name.
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// Of the topmost Via: names the transaction.
    var branch: String? {
        let first = header("via")?.split(separator: ",").first
        return first?.split(separator: ";").map { $0.drop { $0 == " " } }.first { $0.hasPrefix("branch=") }.map { String($0.dropFirst(7)) }
    }

    /// The method of CSeq.
    var method: String? { header("cseq")?.split(separator: " ").last.map(String.init) }

    /// Seconds (RFC 3261, 20.33); a comment and parameters behind them are left away.
    var retryAfter: Int? { header("retry-after").flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) } }

    /// Start line and headers; nil for what is no SIP.
    init?(head: String) {
        var lines: [Substring] = []
        // A line that begins with a blank goes on with the one before (RFC 3261, 7.3.1). CR LF is one character here.
        for line in head.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
            if let last = lines.last, line.first == " " || line.first == "\t" {
                lines[lines.count - 1] = last + " " + line.drop { $0 == " " || $0 == "\t" }
            } else {
                lines.append(line)
            }
        }
        guard let first = lines.first, lines.count <= Self.headersMax, let start = Self.start(first) else { return nil }
        self.start = start
        headers = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = line[..<colon].filter { !$0.isWhitespace }.lowercased()
            return (Self.compact[name] ?? name, line[line.index(after: colon)...].trimmed)
        }
        body = []
    }

    static let headersMax = 200

    private static func start(_ line: Substring) -> Start? {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2 else { return nil }
        if words[0] == "SIP/2.0", let status = Int(words[1]), (100...699).contains(status) {
            return .response(status: status, reason: words.count > 2 ? String(words[2]) : "")
        }
        return words.count == 3 && words[2] == "SIP/2.0" ? .request(method: String(words[0])) : nil
    }

    /// RFC 3261, 7.3.3.
    private static let compact = [
        "v": "via", "f": "from", "t": "to", "i": "call-id", "l": "content-length", "c": "content-type", "m": "contact", "s": "subject",
        "k": "supported", "e": "content-encoding",
    ]
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

/// Cuts messages out of datagrams and streams.
struct SIPReader: Sendable {
    enum Failure: Error, Equatable {
        /// Larger than anything that answers an alarm.
        case tooLarge
        case malformed
    }

    static let headMax = 16_384, bodyMax = 65_536
    private var bytes: [UInt8] = []

    /// A datagram is one message; nil for none. A body may be shorter than the datagram, never longer.
    static func message(datagram: [UInt8]) -> SIPIncoming? {
        var reader = SIPReader()
        reader.bytes = datagram
        guard let (head, rest) = reader.head(), var message = SIPIncoming(head: head), rest.count <= bodyMax else { return nil }
        let length = message.header("content-length").map { Int($0) } ?? rest.count
        guard let length, length >= 0, length <= rest.count else { return nil }
        message.body = Array(rest.prefix(length))
        return message
    }

    /// Takes what arrived on a stream, and gives the messages that are whole. A stream must say how long its bodies are (RFC 3261, 18.3).
    mutating func append(_ new: some Sequence<UInt8>) throws(Failure) -> [SIPIncoming] {
        bytes.append(contentsOf: new)
        var messages: [SIPIncoming] = []
        while true {
            // Empty lines between messages keep the connection alive (RFC 5626, 3.5.1).
            bytes.removeFirst(bytes.prefix { $0 == 13 || $0 == 10 }.count)
            guard let (head, rest) = head() else {
                if bytes.count > Self.headMax { throw .tooLarge }
                return messages
            }
            guard var message = SIPIncoming(head: head) else { throw .malformed }
            let length = message.header("content-length").map { Int($0) } ?? 0
            guard let length, length >= 0 else { throw .malformed }
            if length > Self.bodyMax { throw .tooLarge }
            if rest.count < length { return messages }
            message.body = Array(rest.prefix(length))
            bytes = Array(rest.dropFirst(length))
            messages.append(message)
        }
    }

    /// What stands before the first empty line, and what behind it.
    private func head() -> (String, ArraySlice<UInt8>)? {
        for index in bytes.indices where bytes[index] == 10 {
            let next = index + 1
            if next < bytes.count, bytes[next] == 10 { return part(index, next + 1) }
            if next + 1 < bytes.count, bytes[next] == 13, bytes[next + 1] == 10 { return part(index, next + 2) }
        }
        return nil
    }

    private func part(_ end: Int, _ start: Int) -> (String, ArraySlice<UInt8>)? {
        end > Self.headMax ? nil : (String(decoding: bytes[..<end], as: UTF8.self), bytes[start...])
    }
}
