internal import Foundation

/// Base64url without padding (RFC 4648, section 5), as browsers and tokens write it.
enum Base64URL {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    }

    /// Takes padding, which some browsers' scripts leave in; nil for other characters.
    static func bytes(_ text: String) -> [UInt8]? {
        let bare = text.replacing("=", with: "")
        guard text.hasPrefix(bare), !text.contains("+"), !text.contains("/") else { return nil }
        let plain = bare.replacing("-", with: "+").replacing("_", with: "/")
        guard let data = Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)) else { return nil }
        let bytes = [UInt8](data)
        return Self.text(bytes) == bare ? bytes : nil
    }
}
