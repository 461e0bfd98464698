public import Vitals

/// One episode of distress, whoever saw it first: the same on the box and in the hub, because it follows from what was measured.
///
/// The first 128 bits of SHA-256 over `trackme incident 1`, the person, the stream (16 bytes each, most significant first), the sequence (8),
/// the column (1) and the index (4) of the first qualifying reading, or of the state event by which the person asked for help.
///
/// It stands in messages to strangers (CAP identifiers, text messages), so nobody may find the person from it: person and stream are
/// 128 random bits each that appear in no message, and the hash cannot be run backwards. Truncation to 128 bits leaves a chance of about
/// 1 in 10^19 that two of ten billion incidents share an id.
public struct IncidentID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    public init(person: PersonID, first key: SampleKey) {
        var message = Array("trackme incident 1".utf8) + person.bytes + key.stream.bytes
        message += Self.bytes(of: key.sequence, count: 8)
        message.append(key.kind.rawValue)
        message += Self.bytes(of: UInt64(key.index), count: 4)
        let digest = SHA256.hash(message)
        self.init(high: Self.word(digest[0..<8]), low: Self.word(digest[8..<16]))
    }

    private static func bytes(of value: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
