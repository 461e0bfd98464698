import Foundation

/// The fields of a query or of a body in `application/x-www-form-urlencoded`, in their order.
struct FormFields {
    let pairs: [(String, String)]
    /// Whether all of it could be read; what could not is empty.
    let isWhole: Bool

    /// More fields than these are not read, unless a form says that it has more; the formats behind refuse so many.
    static let countMax = 200

    init(_ text: some StringProtocol, countMax: Int = Self.countMax) {
        let all = text.split(separator: "&")
        let read = all.prefix(countMax).map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
            }
        }
        pairs = read.map { (($0.first ?? nil) ?? "", ($0.dropFirst().first ?? nil) ?? "") }
        isWhole = all.count <= countMax && read.allSatisfy { $0.allSatisfy { $0 != nil } }
    }

    /// By their names, without empty ones; of several with one name the last.
    var filled: [String: String] { Dictionary(pairs.filter { !$0.1.isEmpty }, uniquingKeysWith: { $1 }) }
}

/// User and password of HTTP Basic authentication (RFC 7617).
struct BasicCredentials {
    let user: String
    let password: String

    /// nil unless the header holds both.
    init?(_ header: String?) {
        guard let header, header.count <= 1024, header.lowercased().hasPrefix("basic "),
            let data = Data(base64Encoded: header.dropFirst(6).trimmingCharacters(in: .whitespaces)),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        (user, password) = (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
