internal import Foundation

/// Text of bytes in the two alphabets of RFC 4648, both without padding.
enum Base64 {
    /// Section 4, as password hashes are written.
    static func plain(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("=", with: "")
    }

    /// Section 5, as browsers, links and cookies carry it.
    static func url(_ bytes: [UInt8]) -> String {
        plain(bytes).replacing("+", with: "-").replacing("/", with: "_")
    }

    /// Strict: nil for padding, for other characters, and for a text that no encoder writes.
    static func bytes(plain text: String) -> [UInt8]? {
        guard !text.contains("="), let data = Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
        else { return nil }
        let bytes = [UInt8](data)
        return plain(bytes) == text ? bytes : nil
    }

    /// Strict, likewise.
    static func bytes(url text: String) -> [UInt8]? {
        guard !text.contains("+"), !text.contains("/") else { return nil }
        return bytes(plain: text.replacing("-", with: "+").replacing("_", with: "/"))
    }
}
