public import Privacy
public import Vitals

/// A service that an organisation publishes (CONS-8). A person adds it by giving a consent that counts for it alone.
public struct PublishedService: Sendable, Hashable {
    /// How the person adds it: it works once on what is there, or each day until the person removes it.
    public enum Action: String, Sendable, Hashable, Codable, CaseIterable {
        case once, daily
    }

    /// Its text in one language.
    public struct Words: Sendable, Hashable, Codable {
        /// The text of its page, plain.
        public var about: String
        /// Its use of the data: the purpose that the person consents to.
        public var purpose: String

        public init(about: String, purpose: String) { (self.about, self.purpose) = (about, purpose) }
    }

    /// The organisation's description of it.
    public struct Description: Sendable, Hashable, Codable {
        public var name: String
        public var english: Words
        public var italian: Words
        @StoredKinds public var kinds: Set<DataKind>
        public var actions: Set<Action>

        /// Characters, at most.
        public static let nameMax = 60, aboutMax = 2000, purposeMax = 300

        public init(name: String, english: Words, italian: Words, kinds: Set<DataKind>, actions: Set<Action>) {
            (self.name, self.english, self.italian, self.actions) = (name, english, italian, actions)
            _kinds = StoredKinds(wrappedValue: kinds.withWholes)
        }

        /// - Parameter language: `it`; English for every other one.
        public func words(_ language: String) -> Words { language == "it" ? italian : english }

        /// A part that is missing or too long.
        public enum MissingField: Sendable, Hashable {
            case name, aboutEnglish, aboutItalian, purposeEnglish, purposeItalian, kinds, actions
        }

        /// All that is wrong, in the order of a form; empty when it can be published.
        public var lacks: [MissingField] {
            func fits(_ text: String, _ maximum: Int) -> Bool { !text.allSatisfy(\.isWhitespace) && text.count <= maximum }
            let all: [(MissingField, Bool)] = [
                (.name, fits(name, Self.nameMax)), (.aboutEnglish, fits(english.about, Self.aboutMax)),
                (.purposeEnglish, fits(english.purpose, Self.purposeMax)), (.aboutItalian, fits(italian.about, Self.aboutMax)),
                (.purposeItalian, fits(italian.purpose, Self.purposeMax)), (.kinds, !kinds.isEmpty), (.actions, !actions.isEmpty),
            ]
            return all.filter { !$0.1 }.map(\.0)
        }
    }

    public let id: ServiceID
    public let organisation: OrganisationID
    /// The organisation's name.
    public let publisher: String
    /// The public description; nil as long as no operator has let it through.
    public let shown: Description?
    /// The description that waits for an operator, or was refused.
    public let waiting: Description?
    /// An operator refused what waits.
    public let isRefused: Bool
    /// Counts the changes: an operator decides about what they saw.
    public let version: Int64
    /// UTC milliseconds.
    public let published: Milliseconds
    /// Nobody can add it any more; consents that run, run on.
    public let isWithdrawn: Bool
}

/// The two services that the hub gives itself. They are there without anybody publishing them; what they do is theirs.
public enum BuiltInService: String, Sendable, Hashable, CaseIterable {
    /// Calls for help when the heart is in danger.
    case automatedSOS
    /// Runs that others watch.
    case track4Run

    public var id: ServiceID {
        switch self {
        case .automatedSOS: ServiceID(high: 0, low: 1)
        case .track4Run: ServiceID(high: 0, low: 2)
        }
    }

    public init?(_ id: ServiceID) {
        guard let found = Self.allCases.first(where: { $0.id == id }) else { return nil }
        self = found
    }

    /// The same in every language.
    public var name: String {
        switch self {
        case .automatedSOS: "AutomatedSOS"
        case .track4Run: "Track4Run"
        }
    }

    public var kinds: Set<DataKind> { DataKind.heartRate.contentIn030.union(DataKind.event.contentIn030).union([.position]) }
}

extension OrganisationID {
    /// The hub itself, as the one to whom the consents for its own services are given. No account has this identifier.
    public static let hub = OrganisationID(high: 0, low: 1)
}
