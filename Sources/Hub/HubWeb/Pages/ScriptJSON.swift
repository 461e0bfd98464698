import Foundation

/// JSON for a script block of a page.
enum ScriptJSON {
    /// `<` is escaped: no text in it ends the block, or begins a comment in it. The same value always gives the same text.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self).replacingOccurrences(of: "<", with: "\\u003c")
    }
}
