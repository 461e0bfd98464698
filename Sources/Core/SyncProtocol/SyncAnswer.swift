public import Vitals

/// The hub's answer to a batch of segments, given after its commit (design rule 1).
public struct SyncAnswer: Codable, Sendable, Hashable {
    public var hub: HubIncarnation
    /// The hub's clock when it answered, UTC milliseconds.
    public var utc: Milliseconds
    public var cadence: Cadence
    /// One for each stream of the batch.
    public var streams: [StreamState]
    /// Questions for data that wait on the hub for an answer of this box's people, who want to be told here; nil for none, and from a hub
    /// that does not say.
    public var questions: Int?
    /// Check-ins of this box's one person, for a box that shows them; nil for none, for every other box, and from a hub that does not say.
    public var checkIns: CheckInList?

    public init(
        hub: HubIncarnation, utc: Milliseconds, cadence: Cadence, streams: [StreamState], questions: Int? = nil,
        checkIns: CheckInList? = nil
    ) {
        self.hub = hub
        self.utc = utc
        self.cadence = cadence
        self.streams = streams
        self.questions = questions
        self.checkIns = checkIns
    }

    /// How soon the agent sends what it collects.
    public enum Cadence: String, WireWord {
        /// As it arrives, one request in flight: somebody watches or a run is on.
        case arrival
        /// Every ten seconds.
        case interval

        public var nearestIn030: Cadence {
            switch self {
            case .arrival, .interval: self
            }
        }
        public static let unknown = Cadence.interval

        /// Between two requests of ``interval``, and the longest time that samples stay unsealed.
        public static let intervalMilliseconds: Milliseconds = 10_000
    }

    /// The hub's state of one stream.
    public struct StreamState: Codable, Sendable, Hashable {
        public var stream: StreamID
        /// The sequences that it has, sorted pairs of first and last. With ``complete`` false these are the lowest ones only.
        public var received: [[UInt64]]
        /// Whether ``received`` names everything: only then does a missing sequence mean that the hub lost it.
        public var complete: Bool
        /// Segments of this batch that the hub will never take, with the reason. They are not in ``received``.
        public var refused: [Refusal]?
        /// Sequences of this batch under which the hub holds other content: move these segments to a new stream and go on there.
        public var forked: [UInt64]?

        /// More ranges than this are cut off.
        public static let rangesMax = 512

        public init(
            stream: StreamID, received: [[UInt64]], complete: Bool = true, refused: [Refusal]? = nil, forked: [UInt64]? = nil
        ) {
            self.stream = stream
            self.received = received
            self.complete = complete
            self.refused = refused
            self.forked = forked
        }

        public init(stream: StreamID, received: SequenceSet, refused: [Refusal] = [], forked: [UInt64] = []) {
            self.init(
                stream: stream,
                received: received.ranges.prefix(Self.rangesMax).map { [$0.lowerBound, $0.upperBound] },
                complete: received.ranges.count <= Self.rangesMax,
                refused: refused.isEmpty ? nil : refused,
                forked: forked.isEmpty ? nil : forked)
        }

        /// ``received`` as a set; nil when the pairs are no ranges.
        public var receivedSet: SequenceSet? {
            var set = SequenceSet()
            for pair in received {
                guard pair.count == 2, pair[0] <= pair[1] else { return nil }
                set.insert(pair[0]...pair[1])
            }
            return set
        }
    }

    /// Why a segment was refused for good.
    public struct Refusal: Codable, Sendable, Hashable {
        public var sequence: UInt64
        public var reason: Reason
        /// For people: which sample, which bound.
        public var detail: String

        public init(sequence: UInt64, reason: Reason, detail: String) {
            self.sequence = sequence
            self.reason = reason
            self.detail = detail
        }

        public enum Reason: String, WireWord {
            /// The bytes are no segment of a known version.
            case malformed
            /// The hub does not know that the agent may send for this person: so does one that was put back to an older backup. It says nothing
            /// of the person.
            case notBound = "not-bound"
            /// The person left this box.
            case left
            /// The person was deleted.
            case deleted
            /// A value outside its physical range, or more values than a stream may send; the detail says which.
            case range
            /// A time before 2000 or in the future.
            case time
            /// One of a newer hub: refused for good all the same.
            case unknown

            /// The box must keep nothing of this person any longer: nothing of theirs will be taken from it again. The hub has it written down;
            /// what it merely does not know ends nobody.
            public var endsPerson: Bool { self == .deleted || self == .left }

            public var nearestIn030: Reason {
                switch self {
                case .malformed, .notBound, .deleted, .range, .time: self
                case .left: .notBound
                case .unknown: .malformed
                }
            }
        }
    }
}
