public import Vitals

extension SyncRoute {
    /// POST: ``CheckInAnswer`` to ``CheckInReply``, JSON. Bearer token. The same answer twice has the same effect as once.
    public static let checkIns = "/sync/v1/check-ins"
    /// The largest body of ``checkIns``, in bytes.
    public static let checkInBytesMax = 1024
    /// The request field by which a box says what it understands beyond protocol 1: words with commas between them. A hub of 0.3.0 compares
    /// the whole field of ``segments`` with ``showsCheckIns``: more than that is sent to a hub that has said in an answer that it knows it.
    public static let showsHeader = "TrackMe-Shows"
    /// The box is carried by one person, to whom it shows check-ins and whom it lets answer them.
    public static let showsCheckIns = "check-ins"
    /// On the routes of AutomatedSOS, where hubs of 0.3.0 do not look: this box caps baselines by itself (``SOSSettings/detector`` 2).
    public static let showsSOS = "sos-2"

    /// Whether a word stands in the field.
    public static func shows(_ word: String, in field: String?) -> Bool {
        field?.split(separator: ",").contains { $0.drop { $0 == " " }.prefix { $0 != " " } == word } ?? false
    }
}

/// The check-in of a run (RUN-5) with everything that its person has to know before they answer: a question of the organiser, or what became of
/// it. The hub cuts what is too long; a box leaves out what it cannot show as a whole.
public struct CheckIn: Codable, Sendable, Hashable {
    /// The kinds that the organiser wants to read.
    public enum Kind: String, WireWord {
        case position, heartRate
        /// One of a newer hub. A box that cannot name what would be read leaves the check-in out.
        case unknown

        /// Nothing stands for what somebody is asked to show: a check-in about a kind that 0.3.0 does not know is not sent to boxes that do
        /// not say that they show it.
        public var nearestIn030: Kind {
            switch self {
            case .position, .heartRate: self
            case .unknown: .position
            }
        }
    }

    public enum Standing: String, WireWord {
        /// It waits for an answer.
        case open
        /// Accepted, and a position came lately.
        case accepted
        /// Accepted, and there is no position: without one by the start the person is taken off the list.
        case withoutPosition = "without-position"

        /// The hub tells the person who answers what became of it.
        public static let unknown = Standing.open
        public var nearestIn030: Standing {
            switch self {
            case .open, .accepted, .withoutPosition: self
            }
        }
    }

    public let id: ConsentID
    /// The run's name, and its code.
    public let run: String
    public let code: String
    public let organiser: String
    /// In the organiser's words.
    public let purpose: String
    /// Each once, at least one.
    public let kinds: [Kind]
    /// The organiser reads until then: the run's end. UTC milliseconds.
    public let until: Milliseconds
    /// From then on no answer counts any more: the start. UTC milliseconds.
    public let lapses: Milliseconds
    public let standing: Standing

    /// Characters.
    public static let nameMax = 200, codeMax = 16, purposeMax = 1000
    /// 2000-01-01 to 2100-01-01.
    private static let credible: Range<Milliseconds> = 946_684_800_000..<4_102_444_800_000

    /// Cuts texts to their bounds, and leaves out what would steer a terminal or turn the direction of writing.
    public init(
        id: ConsentID, run: String, code: String, organiser: String, purpose: String, kinds: Set<Kind>, until: Milliseconds,
        lapses: Milliseconds, standing: Standing
    ) {
        self.id = id
        self.run = String(Self.plain(run).prefix(Self.nameMax))
        self.code = String(Self.plain(code).prefix(Self.codeMax))
        self.organiser = String(Self.plain(organiser).prefix(Self.nameMax))
        self.purpose = String(Self.plain(purpose).prefix(Self.purposeMax))
        self.kinds = Kind.allCases.filter(kinds.contains)
        (self.until, self.lapses, self.standing) = (until, lapses, standing)
    }

    private enum CodingKeys: String, CodingKey {
        case id, run, code, organiser, purpose, kinds, until, lapses, standing
    }

    /// Strictly: whoever taps "accept" must have been shown all of it, so one that is out of bounds is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys, _ most: Int) throws -> String {
            let text = try container.decode(String.self, forKey: key)
            guard (1...most).contains(text.count), text.unicodeScalars.count <= 8 * most, Self.plain(text) == text else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "no plain text of 1 to \(most) characters")
            }
            return text
        }
        func time(_ key: CodingKeys) throws -> Milliseconds {
            let time = try container.decode(Milliseconds.self, forKey: key)
            guard Self.credible.contains(time) else {
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "no time of this century")
            }
            return time
        }
        id = try container.decode(ConsentID.self, forKey: .id)
        (run, code) = (try text(.run, Self.nameMax), try text(.code, Self.codeMax))
        (organiser, purpose) = (try text(.organiser, Self.nameMax), try text(.purpose, Self.purposeMax))
        kinds = try container.decode([Kind].self, forKey: .kinds)
        (until, lapses) = (try time(.until), try time(.lapses))
        standing = try container.decode(Standing.self, forKey: .standing)
        guard !kinds.isEmpty, !kinds.contains(.unknown), Set(kinds).count == kinds.count, lapses <= until else {
            throw DecodingError.dataCorruptedError(forKey: .kinds, in: container, debugDescription: "kinds or times contradict each other")
        }
    }

    /// Without control characters, and without those that turn the direction of what follows.
    private static func plain(_ text: String) -> String {
        let turning: [ClosedRange<UInt32>] = [0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069]
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars
        where scalar.properties.generalCategory != .control && !turning.contains(where: { $0.contains(scalar.value) }) {
            plain.append(scalar)
        }
        return String(plain)
    }
}

/// The check-ins in an answer. Samples are acknowledged by the same answer: nothing in here can spoil it for them.
public struct CheckInList: Codable, Sendable, Hashable {
    public let items: [CheckIn]
    /// Number of entries that were invalid, or too many, and are left out.
    public let unreadable: Int

    /// In one answer, at most.
    public static let countMax = 3

    public init(_ items: [CheckIn]) {
        self.items = Array(items.prefix(Self.countMax))
        unreadable = 0
    }

    private struct Readable: Decodable {
        let item: CheckIn?
        init(from decoder: any Decoder) { item = try? CheckIn(from: decoder) }
    }

    /// Any content counts as a list.
    public init(from decoder: any Decoder) {
        guard var container = try? decoder.unkeyedContainer() else {
            (items, unreadable) = ([], 1)
            return
        }
        var found: [CheckIn] = [], left = 0
        while !container.isAtEnd {
            guard let next = try? container.decode(Readable.self) else {
                left += 1
                break
            }
            if let item = next.item, found.count < Self.countMax, !found.contains(where: { $0.id == item.id }) {
                found.append(item)
            } else {
                left += 1
            }
        }
        (items, unreadable) = (found, left)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for item in items { try container.encode(item) }
    }
}

/// The answer of the person at a box to a check-in.
public struct CheckInAnswer: Codable, Sendable, Hashable {
    public enum Choice: String, WireWord {
        case accept, refuse
        /// One of a newer box: neither.
        case unknown

        public var nearestIn030: Choice {
            switch self {
            case .accept, .refuse: self
            // Not sent: a box knows its own answers.
            case .unknown: .refuse
            }
        }
    }

    public let id: ConsentID
    public let answer: Choice

    public init(id: ConsentID, answer: Choice) { (self.id, self.answer) = (id, answer) }
}

/// The outcome, reported after the hub's commit.
public struct CheckInReply: Codable, Sendable, Hashable {
    public enum Outcome: String, WireWord {
        case accepted
        /// Accepted, and no position came lately; see ``CheckIn/Standing/withoutPosition``.
        case withoutPosition = "without-position"
        case refused
        /// Not done, for the reason beside it. Asking again brings the same.
        case no

        public static let unknown = Outcome.no
        public var nearestIn030: Outcome {
            switch self {
            case .accepted, .withoutPosition, .refused, .no: self
            }
        }
    }

    /// Why not. Boxes have words for each.
    public enum Cause: String, WireWord {
        /// The run has started.
        case lapsed
        /// The organiser took the question back: other times, or the run is called off.
        case withdrawn
        /// The person does not take part any more.
        case notEnrolled = "not-enrolled"
        /// To be refused, and accepted before: that is taken back on the hub.
        case acceptedBefore = "accepted-before"
        /// To be accepted, and refused before: until the start the hub's page checks in all the same.
        case refusedBefore = "refused-before"
        /// The person took the consent back, on the hub.
        case takenBack = "taken-back"
        /// The run is over.
        case over
        /// Not from this box: several people, a minor, or a question that is none of its person's.
        case notHere = "not-here"
        /// One of a newer hub.
        case other

        public static let unknown = Cause.other
        public var nearestIn030: Cause {
            switch self {
            case .lapsed, .withdrawn, .notEnrolled, .acceptedBefore, .refusedBefore, .takenBack, .over, .notHere, .other: self
            }
        }
    }

    public let id: ConsentID
    /// The hub's clock, UTC milliseconds.
    public let utc: Milliseconds
    public let outcome: Outcome
    /// With ``Outcome/no``.
    public let why: Cause?

    public init(id: ConsentID, utc: Milliseconds, outcome: Outcome, why: Cause? = nil) {
        (self.id, self.utc, self.outcome, self.why) = (id, utc, outcome, why)
    }
}
