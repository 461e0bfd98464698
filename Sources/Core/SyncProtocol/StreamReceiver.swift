public import Vitals

/// A hub's decision about the segments of one stream (design rule 2). Pure: the caller holds the fingerprints and makes things durable.
public struct StreamReceiver: Sendable {
    /// Every sequence that the hub has, or that the agent declared lost.
    public private(set) var received: SequenceSet

    public init(received: SequenceSet = SequenceSet()) { self.received = received }

    /// The first 40 bits of a keyed hash of the encoded segment.
    public typealias Fingerprint = UInt64

    public enum Decision: Hashable, Sendable {
        /// New: store it.
        case accept
        /// The hub has the same bytes: acknowledge, store nothing.
        case duplicate
        /// The hub has other bytes under this sequence: two writers share one stream.
        case fork
    }

    /// Decides about one segment and counts it as received when it is new.
    /// - Parameter stored: finds the fingerprint under which the sequence is held; nil when that is older than what the hub keeps, which
    ///   counts as the same, because nothing is retried for so long.
    public mutating func decide(
        sequence: UInt64, fingerprint: Fingerprint, stored: (UInt64) throws -> Fingerprint?
    ) rethrows -> Decision {
        if received.insert(sequence) { return .accept }
        guard let known = try stored(sequence) else { return .duplicate }
        return known == fingerprint ? .duplicate : .fork
    }

    /// Counts sequences that the agent had to drop (a gap record) as received, so that nobody waits for them.
    public mutating func forget(_ sequences: ClosedRange<UInt64>) { received.insert(sequences) }
}
