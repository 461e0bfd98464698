import Foundation
import Vitals

/// Times within texts. They are marked where they are made (``Texts/instant(_:)``), and the page that holds them shows each as `<time>`.
/// Within attributes, scripts, drawings and what holds text alone they stay text.
enum TimeMarks {
    // Private characters, which no text of ours holds. What a stranger writes between them is escaped as all texts are.
    private static let open = "\u{E000}", middle = "\u{E001}", close = "\u{E002}"
    private static let lead: [UInt8] = [0xEE, 0x80], openByte: UInt8 = 0x80, middleByte: UInt8 = 0x81, closeByte: UInt8 = 0x82
    /// Bytes between the first and the last character of a mark, at most.
    private static let bytesMax = 400

    /// - Parameters:
    ///   - text: what is read.
    ///   - title: the time in full, where the text is an age.
    static func mark(_ utc: Milliseconds, _ text: String, title: String = "") -> String {
        "\(open)\(utc)\(middle)\(text)\(middle)\(title)\(close)"
    }

    /// The text without marks, for what is no page.
    static func text(_ marked: String) -> String { String(decoding: replaced(Array(marked.utf8), isPage: false), as: UTF8.self) }

    /// The page with its times.
    static func html(_ page: String) -> [UInt8] { replaced(Array(page.utf8), isPage: true) }

    // MARK: Reading a page

    /// What is within these is text, or drawn.
    private static let textOnly = ["script", "style", "title", "textarea", "option", "svg"].map { Array($0.utf8) }

    private static func replaced(_ bytes: [UInt8], isPage: Bool) -> [UInt8] {
        var out: [UInt8] = [], at = 0, isTag = false, within: [UInt8]?
        out.reserveCapacity(bytes.count + bytes.count / 8)
        while at < bytes.count {
            let byte = bytes[at]
            if byte == lead[0], isMark(bytes, at, openByte) {
                if let mark = Mark(bytes, at) {
                    out += isPage && !isTag && within == nil ? mark.element : mark.text
                    at = mark.end
                } else {
                    at += 3
                }
                continue
            }
            if isTag {
                isTag = byte != UInt8(ascii: ">")
            } else if byte == UInt8(ascii: "<") {
                if let name = within {
                    if begins(bytes, at + 1, [UInt8(ascii: "/")] + name) { (within, isTag) = (nil, true) }
                } else {
                    isTag = true
                    within = textOnly.first { begins(bytes, at + 1, $0) }
                }
            }
            out.append(byte)
            at += 1
        }
        return out
    }

    private static func isMark(_ bytes: [UInt8], _ at: Int, _ last: UInt8) -> Bool {
        at + 2 < bytes.count && bytes[at] == lead[0] && bytes[at + 1] == lead[1] && bytes[at + 2] == last
    }

    /// Whether a name stands there, and no longer one.
    private static func begins(_ bytes: [UInt8], _ at: Int, _ name: [UInt8]) -> Bool {
        guard at + name.count < bytes.count, bytes[at..<at + name.count].elementsEqual(name) else { return false }
        return !Character(Unicode.Scalar(bytes[at + name.count])).isLetter
    }

    /// One time as it stands in a page.
    private struct Mark {
        let time: Milliseconds
        let text: [UInt8]
        let title: [UInt8]
        /// Behind it.
        let end: Int

        /// nil for what is no whole mark.
        init?(_ bytes: [UInt8], _ start: Int) {
            var parts: [ArraySlice<UInt8>] = [], at = start + 3, begin = at
            let limit = min(bytes.count, at + bytesMax)
            while at < limit {
                if isMark(bytes, at, middleByte) || isMark(bytes, at, closeByte) {
                    parts.append(bytes[begin..<at])
                    at += 3
                    begin = at
                    if bytes[at - 1] == closeByte { break }
                } else {
                    at += 1
                }
            }
            guard parts.count == 3, bytes[at - 1] == closeByte, let time = Milliseconds(String(decoding: parts[0], as: UTF8.self)) else {
                return nil
            }
            (self.time, text, title, end) = (time, Array(parts[1]), Array(parts[2]), at)
        }

        var element: [UInt8] {
            let stamp = Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601)
            let full = title.isEmpty ? "" : " title=\"\(String(decoding: title, as: UTF8.self))\""
            return Array("<time datetime=\"\(stamp)\"\(full)>".utf8) + text + Array("</time>".utf8)
        }
    }
}
