import Foundation

/// A message as a reader's program takes it apart, written apart from what makes it.
struct ParsedMail {
    var headers: [String: String] = [:]
    var text = ""

    init(_ bytes: [UInt8]) {
        let message = String(decoding: bytes, as: UTF8.self)
        guard let end = message.range(of: "\n\n") else { return }
        var name = ""
        for line in message[..<end.lowerBound].components(separatedBy: "\n") {
            if line.hasPrefix(" ") {
                headers[name, default: ""] += line
            } else if let colon = line.range(of: ": ") {
                name = String(line[..<colon.lowerBound])
                headers[name] = (headers[name].map { $0 + " TWICE " } ?? "") + line[colon.upperBound...]
            }
        }
        let lines = message[end.upperBound...].replacingOccurrences(of: "=\n", with: "")
        text = Self.unescaped(lines)
    }

    /// With encoded words read: those beside each other lose the space between them.
    func decoded(_ name: String) -> String? {
        guard var rest = headers[name]?.replacingOccurrences(of: "?= =?", with: "?==?") else { return nil }
        var result = ""
        while let start = rest.range(of: "=?UTF-8?Q?"), let end = rest.range(of: "?=", range: start.upperBound..<rest.endIndex) {
            result += rest[..<start.lowerBound]
            result += Self.unescaped(rest[start.upperBound..<end.lowerBound].replacingOccurrences(of: "_", with: " "))
            rest = String(rest[end.upperBound...])
        }
        return result + rest
    }

    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = [], rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "="), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
