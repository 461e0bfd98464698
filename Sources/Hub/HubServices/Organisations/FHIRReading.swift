public import Exchange
import HubStore
public import Privacy
public import Vitals

/// A program's search in one person's Observations.
public struct FHIRSearch: Sendable, Hashable {
    /// The reader's pseudonym for the person.
    public var patient: String
    /// Of ``FHIRKind/all``.
    public var kinds: Set<DataKind>
    /// UTC, both ends included.
    public var span: ClosedRange<Milliseconds>
    public var isNewestFirst: Bool
    /// Observations of a page; what has the same time as the last one comes with it.
    public var count: Int
    /// Up to where the page before went.
    public var after: Milliseconds?

    public init(
        patient: String, kinds: Set<DataKind>, span: ClosedRange<Milliseconds>, isNewestFirst: Bool, count: Int, after: Milliseconds?
    ) {
        (self.patient, self.kinds, self.span) = (patient, kinds, span)
        (self.isNewestFirst, self.count, self.after) = (isNewestFirst, count, after)
    }
}

/// A page of what was found.
public struct FHIRPage: Sendable {
    public typealias Piece = (samples: SampleSet, provenance: Provenance)

    /// In the order that was asked for, cut where the provenance changes.
    public let pieces: [Piece]
    /// ``FHIRSearch/after`` of the next page; nil on the last one.
    public let next: Milliseconds?

    public static let empty = FHIRPage(pieces: [], next: nil)
}

/// Reads and searches people's samples as FHIR has them (CONS-12): by the consents that a reader has, each looked up in the transaction that
/// reads, of the granted kinds alone; it stands in the ledger before anything is read (DATA-12).
///
/// Consents for one delivery are read as samples (``ConsentService/read(_:as:for:from:to:)``): a search has no end that would be that delivery.
public struct FHIRReading: Sendable {
    public enum Problem: Error, Sendable, Hashable {
        /// There is a consent for one delivery, and no other.
        case onlyOnce(ConsentID)
    }

    /// Hours that one page looks at: one that found less than asked for says where to go on.
    static let hoursMax = 168

    private let accounts: AccountStore
    private let series: SeriesReader
    private let time: MonotonicUTC

    public init(_ consents: ConsentService) {
        (accounts, series, time) = (consents.accounts, consents.series, consents.time)
    }

    /// Whether the reader has a consent that runs with whom it knows by this name.
    public func knows(_ pseudonym: String, _ reader: Reader) throws -> Bool {
        guard let (person, service) = try accounts.pseudonyms.person(pseudonym, for: reader) else { return false }
        let grants = try accounts.pseudonyms.grants(to: reader, on: person, service: service, now: time.now)
        if let grant = grants.first?.grant { try accounts.ledger.recordRead(grant, now: time.now) }
        return !grants.isEmpty
    }

    /// Takes its time: on a thread of a ``ReadPool``.
    /// - Returns: nil when nothing of this patient may be read (any more), and for a name that was not given out.
    public func search(_ search: FHIRSearch, as reader: Reader) throws -> FHIRPage? {
        guard let parts = try parts(search.patient, search.kinds, reader) else { return nil }
        var span = search.span
        if let after = search.after {
            let rest =
                search.isNewestFirst
                ? (span.lowerBound, min(after - 1, span.upperBound)) : (max(after + 1, span.lowerBound), span.upperBound)
            guard rest.0 <= rest.1 else { return .empty }
            span = rest.0...rest.1
        }
        guard let hours = try hours(parts, span) else { return nil }
        var page = PageBuilder(count: search.count)
        let looked = search.isNewestFirst ? hours.suffix(Self.hoursMax).reversed() : Array(hours.prefix(Self.hoursMax))
        for hour in looked {
            guard let instants = try instants(parts, hour: hour) else { return nil }
            let wanted = instants.filter { span.contains($0.time) }
            for instant in search.isNewestFirst ? wanted.reversed() : wanted where !page.add(instant) { return page.page(next: page.last) }
        }
        guard looked.count < hours.count, let last = looked.last else { return page.page(next: nil) }
        let first = last * SeriesStore.hour
        return page.page(next: search.isNewestFirst ? first : first + SeriesStore.hour - 1)
    }

    /// One Observation.
    /// - Parameter base: the address of the FHIR interface, without a slash at its end.
    /// - Returns: nil when there is none of that name that may be read (any more).
    public func observation(_ id: FHIRObservationID, as reader: Reader, base: String) throws -> [UInt8]? {
        guard let parts = try parts(id.patient.description, [id.kind], reader),
            let instants = try instants(parts, hour: id.time / SeriesStore.hour)
        else { return nil }
        let pieces = instants.filter { id.span.contains($0.time) }.flatMap(\.pieces)
        return FHIRObservations.one(id, of: pieces, base: base)
    }

    // MARK: Reading

    private typealias GrantedPart = (grant: Grant, kinds: Set<DataKind>)

    /// By which grant each kind is read; nil when none allows any.
    private func parts(_ pseudonym: String, _ kinds: Set<DataKind>, _ reader: Reader) throws -> [GrantedPart]? {
        guard let (person, service) = try accounts.pseudonyms.person(pseudonym, for: reader) else { return nil }
        let grants = try accounts.pseudonyms.grants(to: reader, on: person, service: service, now: time.now)
        var parts: [GrantedPart] = [], left = kinds
        for (consent, grant) in grants where consent.scope.term != .once {
            let granted = left.intersection(grant.kinds)
            left.subtract(granted)
            // Also without a kind that was asked for: then there is nothing, and the patient is no unknown one.
            parts.append((grant, granted))
        }
        guard !parts.isEmpty else {
            if let once = grants.first { throw Problem.onlyOnce(once.consent.id) }
            return nil
        }
        parts.removeAll { $0.kinds.isEmpty }
        for part in parts { try accounts.ledger.recordRead(part.grant, now: time.now) }
        return parts
    }

    private func hours(_ parts: [GrantedPart], _ span: ClosedRange<Milliseconds>) throws -> [Int64]? {
        var hours: Set<Int64> = []
        for part in parts {
            guard let found = try series.hours(part.grant, of: part.kinds, in: span, now: time.now) else { return nil }
            for range in found { hours.formUnion(range) }
        }
        return hours.sorted()
    }

    /// Everything of one hour by its time: whole hours, since which source counts is found minute by minute.
    private func instants(_ parts: [GrantedPart], hour: Int64) throws -> [Instant]? {
        let first = hour * SeriesStore.hour, all = first...first + SeriesStore.hour - 1
        var instants: [Milliseconds: Instant] = [:]
        for part in parts {
            guard let pieces = try series.pieces(part.grant, kinds: Array(part.kinds), hour: hour, in: all, now: time.now) else {
                return nil
            }
            for piece in pieces {
                func take<Sample: TimedSample>(_ samples: [Sample], _ list: WritableKeyPath<SampleSet, [Sample]>) {
                    for sample in samples {
                        instants[sample.time, default: Instant(time: sample.time)].add(piece.provenance) {
                            $0[keyPath: list].append(sample)
                        }
                    }
                }
                for column in piece.samples.columns {
                    switch column {
                    case .heartRates(let samples): take(samples, \.heartRates)
                    case .positions(let samples): take(samples, \.positions)
                    case .scalars(_, let samples): take(samples, \.scalars)
                    // No Observations of the person.
                    case .events, .gaps, .clocks, .unknown: continue
                    }
                }
            }
        }
        return instants.values.sorted { $0.time < $1.time }
    }
}

/// The samples of one time.
private struct Instant {
    let time: Milliseconds
    private(set) var pieces: [FHIRPage.Piece] = []

    init(time: Milliseconds) { self.time = time }

    var count: Int { pieces.reduce(0) { $0 + $1.samples.count } }

    mutating func add(_ provenance: Provenance, _ sample: (inout SampleSet) -> Void) {
        if pieces.last?.provenance != provenance { pieces.append((SampleSet(), provenance)) }
        sample(&pieces[pieces.count - 1].samples)
    }
}

/// Whole instants, up to a number of samples.
private struct PageBuilder {
    let count: Int
    private var taken = 0
    private(set) var last: Milliseconds?
    private var pieces: [FHIRPage.Piece] = []

    init(count: Int) { self.count = count }

    /// - Returns: false when the page was full before this.
    mutating func add(_ instant: Instant) -> Bool {
        guard taken < count else { return false }
        taken += instant.count
        last = instant.time
        pieces += instant.pieces
        return true
    }

    func page(next: Milliseconds?) -> FHIRPage { FHIRPage(pieces: pieces, next: next) }
}
