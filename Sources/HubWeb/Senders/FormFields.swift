import Foundation

/// The fields of a query or of a body in `application/x-www-form-urlencoded`, in their order.
struct FormFields {
    let pairs: [(String, String)]

    /// More fields than these are not read; the formats behind refuse so many.
    static let countMax = 200

    init(_ text: some StringProtocol) {
        pairs = text.split(separator: "&").prefix(Self.countMax).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
            }
            return (parts[0], parts.count == 2 ? parts[1] : "")
        }
    }
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
