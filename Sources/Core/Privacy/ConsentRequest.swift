public import Vitals

/// For how long somebody wants to read, counted from the acceptance.
public enum ConsentTerm: Sendable, Hashable, Codable {
    /// One delivery.
    case once
    /// Everything new during so many milliseconds.
    case lasting(Milliseconds)
    /// Everything new up to an instant (UTC milliseconds): the end of a run.
    case until(Milliseconds)
    /// Until one side ends it: a caregiver, a named reader, a service that the person added.
    case untilRevoked

    /// The longest subscription: five years.
    public static let lastingMax: Milliseconds = 5 * 366 * 86_400_000

    /// Whether the other term gives all that this one asks for.
    func isWithin(_ other: ConsentTerm) -> Bool {
        switch (self, other) {
        case (_, .untilRevoked), (.once, _): true
        case (.lasting(let mine), .lasting(let others)): mine <= others
        case (.until(let mine), .until(let others)): mine <= others
        case (.lasting, _), (.until, _), (.untilRevoked, _): false
        }
    }
}

/// The data that somebody wants to read, and why: all that the person consents to, and no more.
///
/// The kinds whose parts are asked for are in it as well: ``Set<DataKind>/withWholes``.
/// Reading one from its stored form checks nothing again: what an asker sends goes through the initialiser.
public struct ConsentScope: Sendable, Hashable, Codable {
    public let asker: Reader
    /// The service that the consent counts for, and for no other (CONS-8); nil for the asker's direct request.
    public let service: ServiceID?
    @StoredKinds public private(set) var kinds: Set<DataKind>
    /// The purpose of the data, in the asker's words.
    public let purpose: String
    public let term: ConsentTerm

    public static let purposeCharactersMax = 1000

    /// - Throws: ``ConsentProblem/noKinds``, ``ConsentProblem/purposeMissing``, ``ConsentProblem/purposeTooLong`` or
    ///   ``ConsentProblem/termOutOfRange``.
    public init(
        asker: Reader, service: ServiceID? = nil, kinds: Set<DataKind>, purpose: String, term: ConsentTerm
    ) throws(ConsentProblem) {
        guard !kinds.isEmpty else { throw .noKinds }
        guard !purpose.allSatisfy(\.isWhitespace) else { throw .purposeMissing }
        guard purpose.count <= Self.purposeCharactersMax else { throw .purposeTooLong }
        if case .lasting(let duration) = term, !(1...ConsentTerm.lastingMax).contains(duration) { throw .termOutOfRange }
        self.asker = asker
        self.service = service
        _kinds = StoredKinds(wrappedValue: kinds.withWholes)
        self.purpose = purpose
        self.term = term
    }

    /// Whether the other scope gives all that this one asks for: then this is no new question (CONS-2).
    public func isWithin(_ other: ConsentScope) -> Bool {
        asker == other.asker && service == other.service && kinds.isSubset(of: other.kinds)
            && Self.words(purpose) == Self.words(other.purpose) && term.isWithin(other.term)
    }

    /// Another blank or capital makes no other purpose.
    private static func words(_ text: String) -> [String] { text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init) }
}

/// One question to one person.
public struct ConsentRequest: Sendable, Hashable, Codable {
    /// How the asker named the person.
    public enum Addressee: Sendable, Hashable, Codable {
        /// Somebody whom the asker knows by identifier, as an organiser knows those who enrolled.
        case person(PersonID)
        /// A keyed hash of the e-mail address or tax identifier that was typed. Nobody may answer to it.
        case address([UInt8])
    }

    public let whom: Addressee
    public let scope: ConsentScope
    /// UTC milliseconds.
    public let created: Milliseconds

    public init(whom: Addressee, scope: ConsentScope, created: Milliseconds) {
        self.whom = whom
        self.scope = scope
        self.created = created
    }
}

/// An operator's leave to send requests of one kind (CONS-11): this asker, for this purpose, these kinds and this long, or less.
public struct OperatorApproval: Sendable, Hashable, Codable {
    public let scope: ConsentScope

    public init(_ scope: ConsentScope) { self.scope = scope }

    public func covers(_ request: ConsentRequest) -> Bool { request.scope.isWithin(scope) }
}
