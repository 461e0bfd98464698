import Database
import Foundation
public import Privacy
public import Vitals

/// A service's result for a person who added it (CONS-8): text, named values, a series to plot.
public struct ServiceResult: Sendable, Hashable, Codable {
    public struct Value: Sendable, Hashable, Codable {
        public var name: String
        public var value: Double
        public var unit: String

        public init(name: String, value: Double, unit: String) { (self.name, self.value, self.unit) = (name, value, unit) }
    }

    public struct Point: Sendable, Hashable, Codable {
        /// UTC milliseconds.
        public var time: Milliseconds
        public var value: Double

        public init(time: Milliseconds, value: Double) { (self.time, self.value) = (time, value) }
    }

    public struct Series: Sendable, Hashable, Codable {
        public var name: String
        public var unit: String
        /// In the order of time.
        public var points: [Point]

        public init(name: String, unit: String, points: [Point]) { (self.name, self.unit, self.points) = (name, unit, points) }
    }

    public var text: String?
    public var values: [Value]
    public var series: Series?

    /// Characters of the text, of a name, of a unit; numbers of values and points, at most.
    public static let textMax = 4000, nameMax = 60, unitMax = 20, valuesMax = 50, pointsMax = 1000
    /// From 1970 to the year 9999.
    private static let times: ClosedRange<Milliseconds> = 0...253_402_300_799_999

    public init(text: String? = nil, values: [Value] = [], series: Series? = nil) {
        (self.text, self.values, self.series) = (text, values, series)
    }

    /// A problem of a result.
    public enum Fault: Error, Sendable, Hashable {
        case empty, textTooLong, name, unit, tooManyValues, notFinite, points, times
    }

    /// - Throws: the first ``Fault``.
    public func check() throws(Fault) {
        let hasText = text.map { !$0.allSatisfy(\.isWhitespace) } ?? false
        guard hasText || !values.isEmpty || series != nil else { throw .empty }
        guard text?.count ?? 0 <= Self.textMax else { throw .textTooLong }
        guard values.count <= Self.valuesMax else { throw .tooManyValues }
        for value in values {
            try Self.check(value.name, value.unit)
            guard value.value.isFinite else { throw .notFinite }
        }
        guard let series else { return }
        try Self.check(series.name, series.unit)
        guard (2...Self.pointsMax).contains(series.points.count) else { throw .points }
        guard series.points.allSatisfy({ $0.value.isFinite }) else { throw .notFinite }
        guard series.points.allSatisfy({ Self.times.contains($0.time) }),
            zip(series.points, series.points.dropFirst()).allSatisfy({ $0.time < $1.time })
        else { throw .times }
    }

    private static func check(_ name: String, _ unit: String) throws(Fault) {
        guard !name.allSatisfy(\.isWhitespace), name.count <= nameMax else { throw .name }
        guard unit.count <= unitMax else { throw .unit }
    }
}

/// A result as the hub keeps it.
public struct StoredResult: Sendable, Hashable {
    public let consent: ConsentID
    /// Counts the results of this consent from 1, also those that were dropped since.
    public let number: Int
    /// UTC milliseconds.
    public let received: Milliseconds
    public let result: ServiceResult
}

/// The outcome of a result that was sent.
public enum ResultOutcome: Sendable, Hashable {
    case stored(number: Int)
    /// No consent of this sender's for a service.
    case unknown
    /// The consent gives nothing any more.
    case over
    /// An operator suspended the organisation (ACC-20).
    case suspended
    /// ``ServiceStore/resultsDailyMax`` came within a day already.
    case tooMany
}

extension ServiceStore {
    /// Results of one consent within 24 hours, at most.
    public static let resultsDailyMax = 100
    /// Results of one consent that are kept, at most: the oldest give way.
    public static let resultsKeptMax = 200
    /// Bytes of one consent's results that are kept, at most.
    public static let resultsBytesMax = 1 << 20
    /// After a consent for once was fulfilled its result may come for so long, milliseconds.
    public static let resultWait: Milliseconds = 7 * 86_400_000

    /// Takes in what a service found out, sealed with the person's key. The caller has checked the result.
    public func addResult(_ result: ServiceResult, to id: ConsentID, by reader: Reader, now: Milliseconds) throws -> ResultOutcome {
        try pool.write { db in
            guard let consent = try consents.consent(id, db)?.consent, consent.request.scope.asker == reader, let person = consent.person,
                let service = consent.request.scope.service, try keys.key(of: person) != nil
            else { return .unknown }
            guard try !accounts.organisations.isSuspended(reader, db) else { return .suspended }
            guard Self.takesResults(consent, now: now) else { return .over }
            let count = try db.fetchOne(
                Int.self, sql: "SELECT count(*) FROM service_result WHERE consent = ? AND received > ?",
                arguments: [Data(id.bytes), now - 86_400_000])
            guard count ?? 0 < Self.resultsDailyMax else { return .tooMany }
            let last = try db.fetchOne(
                Int.self, sql: "SELECT max(number) FROM service_result WHERE consent = ?", arguments: [Data(id.bytes)])
            let number = (last ?? 0) + 1
            let envelope = try seal(result, of: person, .serviceResult, Self.place(id, number))
            try db.execute(
                sql: "INSERT INTO service_result(person, service, consent, number, received, envelope) VALUES(?, ?, ?, ?, ?, ?)",
                arguments: [Data(person.bytes), Data(service.bytes), Data(id.bytes), number, now, envelope])
            try dropResults(of: id, db)
            return .stored(number: number)
        }
    }

    private static func takesResults(_ consent: Consent, now: Milliseconds) -> Bool {
        if consent.access(at: now) != nil { return true }
        guard case .over(let end) = consent.state, end.ending == .fulfilled else { return false }
        return now - end.at <= resultWait
    }

    /// The newest stay, within both bounds; the last one always.
    private func dropResults(of id: ConsentID, _ db: Connection) throws {
        try db.execute(
            sql: """
                DELETE FROM service_result WHERE id IN (SELECT id FROM (SELECT id,
                    row_number() OVER (ORDER BY id DESC) AS place, sum(length(envelope)) OVER (ORDER BY id DESC) AS bytes
                    FROM service_result WHERE consent = ?) AS kept WHERE place > 1 AND (place > ? OR bytes > ?))
                """,
            arguments: [Data(id.bytes), Self.resultsKeptMax, Self.resultsBytesMax])
    }

    /// The results of a service for a person, the newest first.
    public func results(of person: PersonID, from service: ServiceID, count: Int = resultsKeptMax) throws -> [StoredResult] {
        try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT consent, number, received, envelope FROM service_result WHERE person = ? AND service = ? ORDER BY id DESC LIMIT ?
                    """,
                arguments: [Data(person.bytes), Data(service.bytes), count]
            ).compactMap { try listedResult($0, of: person) }
        }
    }

    /// The results of all services for a person, the oldest first.
    public func results(of person: PersonID) throws -> [(service: ServiceID, result: StoredResult)] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT consent, number, received, envelope, service FROM service_result WHERE person = ? ORDER BY id",
                arguments: [Data(person.bytes)]
            ).compactMap { row in
                guard let service = ServiceID(bytes: row[4] as Data) else { return nil }
                return try listedResult(row, of: person).map { (service, $0) }
            }
        }
    }

    private func listedResult(_ row: Row, of person: PersonID) throws -> StoredResult? {
        let consent = ConsentID(bytes: row[0] as Data)?.description ?? "?"
        return try unlessDamaged(.serviceResult, "\(consent) \(row[1] as Int)") { try storedResult(row, of: person) }
    }

    private func storedResult(_ row: Row, of person: PersonID) throws -> StoredResult? {
        guard let id = ConsentID(bytes: row[0] as Data) else { return nil }
        let number: Int = row[1]
        return try open(ServiceResult.self, row[3] as Data, of: person, .serviceResult, Self.place(id, number)).map {
            StoredResult(consent: id, number: number, received: row[2], result: $0)
        }
    }

    private static func place(_ id: ConsentID, _ number: Int) -> (UInt64, UInt64) { (id.high, id.low &+ UInt64(number)) }
}
