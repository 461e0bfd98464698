internal import Exchange

/// A receiver's answer to a ``SCAIPRequest``: `<mrs>`, in the body of the 2xx or in a MESSAGE of its own.
public struct SCAIPAnswer: Hashable, Sendable {
    /// The request that it answers; nil when it does not say.
    public let reference: String?
    /// `snu`: 0 is "understood"; nil when it is missing or no number.
    public let status: Int?
    /// The receiver's remark, at most 200 characters.
    public let text: String?
    /// Where the receiver wants the call to go (`cre`), at most 100 characters.
    public let callTo: String?

    /// The meaning of the answer for the request `reference`.
    public enum Verdict: Hashable, Sendable {
        case accepted
        /// The receiver has read it and does not take it.
        case refused(String)
        /// It says nothing about this request: the alarm must be taken as not delivered.
        case unclear(String)
    }

    /// Reads an answer: fields in any order, unpadded or padded with zeros and blanks, unknown ones ignored. Nil for what is none, and
    /// for one over ``bytesMax``.
    public init?(xml: [UInt8]) {
        guard xml.count <= Self.bytesMax, let fields = Self.fields(String(decoding: xml, as: UTF8.self)) else { return nil }
        func field(_ name: String, max: Int) -> String? {
            fields[name].map { $0.cleaned(max: max) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        reference = field("ref", max: 64)
        status = field("snu", max: 10).flatMap { Int($0) }
        text = field("ste", max: 200)
        callTo = field("cre", max: 100)
    }

    public static let bytesMax = 16_384

    public func verdict(for request: String) -> Verdict {
        if let reference, reference != request.cleaned(max: 64) {
            return .unclear("the answer is about another alarm (\(reference))")
        }
        guard let status else { return .unclear("the answer has no status number") }
        if status == 0 { return .accepted }
        return .refused("status \(status)" + (text.map { ": \($0)" } ?? ""))
    }

    /// The text of each element within the root `mrs` (or `scaip`, which some receivers write); the first of several counts.
    private static func fields(_ text: String) -> [String: String]? {
        var scanner = XMLScanner(text)
        guard case .start(let root)? = scanner.next(), ["mrs", "scaip"].contains(root) else { return nil }
        var fields: [String: String] = [:], open: [String] = [], value = ""
        while let token = scanner.next() {
            switch token {
            case .start(let name):
                open.append(name)
                value = ""
            case .text(let text): value += text
            case .end(let name):
                guard let last = open.popLast() else { return name == root ? fields : nil }
                guard last == name else { return nil }
                if open.isEmpty, fields[name] == nil { fields[name] = value }
            }
        }
        return nil
    }
}
