import Synchronization

/// An enum whose words stand in the JSON that boxes and hubs send each other. The other side may be older or newer than this one.
///
/// A word that this version does not know becomes ``unknown``, and what stands around it is read all the same. In a ``WireForm`` a word that
/// version 0.3.0 does not know is written as ``nearestIn030``, with the word itself beside it: whoever knows it takes that one.
///
/// To add a case, add it: the compiler asks in ``nearestIn030`` for the old word, and `WireWordTests` checks that 0.3.0 knows it.
public protocol WireWord: RawRepresentable, CaseIterable, Hashable, Sendable, Codable
where RawValue: Codable & LosslessStringConvertible & Sendable {
    /// The case that stands for a word that this version does not know: the case under which nobody is left without help.
    static var unknown: Self { get }
    /// The word of version 0.3.0 that comes nearest; for a word of that version itself.
    var nearestIn030: Self { get }
}

extension WireWord {
    /// Reads the word beside this one where this version knows it, otherwise the word itself.
    /// - Throws: `DecodingError` for what is no word at all, such as a list.
    public static func word(from decoder: any Decoder) throws -> Self {
        let raw = try decoder.singleValueContainer().decode(RawValue.self)
        let notes = WireNotes.current, path = notes == nil ? "" : WireNotes.path(decoder.codingPath)
        if let new = notes?.beside[path] {
            if let known = RawValue(new).flatMap(Self.init(rawValue:)) { return known }
            notes?.add(new, at: path)
        }
        if let known = Self(rawValue: raw) { return known }
        notes?.add(String(raw), at: path)
        return .unknown
    }

    /// Writes the word: in a ``WireForm`` as 0.3.0 knows it, elsewhere (in stored state) as it is.
    public func write(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard let notes = WireNotes.current, nearestIn030 != self else { return try container.encode(rawValue) }
        notes.add(String(rawValue), at: WireNotes.path(encoder.codingPath))
        try container.encode(nearestIn030.rawValue)
    }
}

// One for each raw type: only so are they chosen before what Swift offers to every enum with raw values.
extension WireWord where RawValue == String {
    public init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}

extension WireWord where RawValue == UInt8 {
    public init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}

/// A message between box and hub in the JSON that both 0.3.0 and later versions read. Every message of the wire is encoded and decoded in it.
///
/// Beside the message's own fields it holds `words`, where there are any that 0.3.0 does not know: the word by its place in the message.
///
///     {"unprotected": ["noSignal"], …, "words": {"unprotected.0": "asleep"}}
public struct WireForm<Message: Sendable>: Sendable {
    public let message: Message
    /// Words that this version does not know, each with its place: `calls.0.channel: satellite`.
    public let unknown: [String]

    public init(_ message: Message) { (self.message, unknown) = (message, []) }
}

private enum WireKey: String, CodingKey { case words }

extension WireForm: Encodable where Message: Encodable {
    public func encode(to encoder: any Encoder) throws {
        let notes = WireNotes()
        try WireNotes.$current.withValue(notes) { try message.encode(to: encoder) }
        let words = notes.words
        guard !words.isEmpty else { return }
        var container = encoder.container(keyedBy: WireKey.self)
        try container.encode(words, forKey: .words)
    }
}

extension WireForm: Decodable where Message: Decodable {
    public init(from decoder: any Decoder) throws {
        // Words that cannot be read change nothing: the message has old ones in their places.
        let beside = try? decoder.container(keyedBy: WireKey.self).decodeIfPresent([String: String].self, forKey: .words)
        let notes = WireNotes(beside: beside ?? [:])
        message = try WireNotes.$current.withValue(notes) { try Message(from: decoder) }
        unknown = notes.words.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    }
}

/// Notes taken while one message is encoded or decoded.
final class WireNotes: Sendable {
    @TaskLocal static var current: WireNotes?

    /// By place: the words that the sender put beside those of 0.3.0.
    let beside: [String: String]
    private let noted = Mutex<[String: String]>([:])

    init(beside: [String: String] = [:]) { self.beside = beside }

    func add(_ word: String, at path: String) { noted.withLock { $0[path] = word } }
    var words: [String: String] { noted.withLock { $0 } }

    /// `alarm.abnormalities.0.trigger`
    static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
