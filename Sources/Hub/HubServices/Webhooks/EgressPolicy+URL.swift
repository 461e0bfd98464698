import Foundation

/// An address on the web that a stranger gave, in the one form in which it is stored and used.
public struct OutsideURL: Sendable, Hashable {
    /// `https`, the host in lower case, and the rest as it came.
    public let text: String
    /// Name or address, without brackets.
    let host: String

    /// Host and port, as they stand: what belongs together when posts are limited.
    var destination: String { String(text.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" }) }

    /// The problem.
    public enum Problem: Error, Sendable, Hashable {
        /// It cannot be read, or has more than 2048 characters, or others than printable ASCII.
        case unreadable
        case notHTTPS
        /// It holds a user name, a password or a fragment.
        case extras
        /// The host is neither a full name (with a dot) nor an address as usually written.
        case host
    }

    public init(_ text: String) throws(Problem) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            var parts = URLComponents(string: text)
        else { throw .unreadable }
        guard parts.scheme?.lowercased() == "https" else { throw .notHTTPS }
        guard parts.user == nil, parts.password == nil, parts.fragment == nil else { throw .extras }
        guard let host = parts.host?.lowercased(), parts.port.map({ (1...65_535).contains($0) }) ?? true else { throw .host }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard IPAddress(bare) != nil || Self.isName(bare) else { throw .host }
        parts.scheme = "https"
        if IPAddress(bare) == nil { parts.host = bare }
        // What the client will connect to must be what was looked at here.
        guard let text = parts.string, let read = URL(string: text), let readHost = read.host,
            readHost == bare || readHost == "[\(bare)]"
        else { throw .host }
        (self.text, self.host) = (text, bare)
    }

    /// Letters, digits and hyphens, with a dot, and no number at the end: that would be an address in one of its odd spellings.
    private static func isName(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, labels.count >= 2, labels.last?.first?.isLetter == true else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 95 }
        }
    }
}
