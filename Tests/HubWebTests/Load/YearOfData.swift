import Accounts
import Credentials
import Foundation
import Segments
import SyncProtocol
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// Fills a hub's directory with a year at 1 Hz of a person who can log in, for `packaging/bench/run year`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["TRACKME_YEAR_DIRECTORY"] != nil))
struct YearOfData {
    private static let hours: Int64 = 8760

    @Test("DATA-9: a year at 1 Hz is stored, for a download over HTTP")
    func fill() async throws {
        let path = try #require(ProcessInfo.processInfo.environment["TRACKME_YEAR_DIRECTORY"])
        let directory = try HubDirectory(URL(fileURLWithPath: path)), keys = try KeyStore(directory)
        let accounts = try AccountStore(directory, keys: keys)
        let series = try SeriesStore(directory, accounts: accounts, keys: keys)
        let pepper = try #require(Pepper(accounts.derivedKey("pepper")))
        let new = NewAccount(
            roles: [.person], details: [Field.email.rawValue: "year@example.org"], canonicalEmail: "year@example.org",
            canonicalIdentifier: nil, password: try await PasswordHasher(pepper: pepper).hash("three ducks swim to Bergamo"),
            language: "en", accepted: [:])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: 0) else {
            Issue.record("the account is not added")
            return
        }
        let now = Milliseconds(Date().timeIntervalSince1970 * 1000)
        try RecordedHours.store(
            (now / SeriesStore.hour - Self.hours)..<(now / SeriesStore.hour), of: account.id.person, accounts: accounts, series: series,
            now: now)
        try series.merger.merge(now: now)
    }
}

/// A made-up heart at 1 Hz, as the journal takes it.
enum RecordedHours {
    /// Hours that are appended with one commit.
    private static let atOnce = 120

    /// Stores the hours since 1970 of a person as one stream.
    static func store(_ hours: Range<Int64>, of person: PersonID, accounts: AccountStore, series: SeriesStore, now: Milliseconds) throws {
        let stream = StreamID.random()
        let row = try #require(try series.streams([.init(stream: stream, agent: 1, provenance: .live)], now: now)[stream]?.row)
        let key = SeriesStore.ClockKey(stream: row, domain: .recorded), clock = try #require(try series.clocks([key])[key])
        let personRow = try #require(try accounts.row(of: person))
        for first in stride(from: hours.lowerBound, to: hours.upperBound, by: atOnce) {
            let frames = try (first..<min(hours.upperBound, first + Int64(atOnce))).map { hour -> JournalFrame in
                let times = (0..<3600).map { hour * SeriesStore.hour + Milliseconds($0) * 1000 }
                let samples = SampleSet(heartRates: times.map { HeartRateSample(time: $0, beatsPerMinute: beats($0 / 1000)) })
                let sequence = UInt64(hour - hours.lowerBound)
                let segment = Segment(
                    stream: stream, sequence: sequence, person: person, provenance: .live, clock: .recorded, samples: samples)
                let sealed = try segment.encoded().withUnsafeBytes {
                    try series.seal($0, person: person, stream: row, sequence: sequence)
                }
                return JournalFrame(
                    person: personRow, stream: row, clock: clock, sequence: sequence, fingerprint: sequence + 1,
                    first: segment.header.firstTime, last: segment.header.lastTime, hasClocks: false, gaps: [],
                    envelope: try #require(sealed))
            }
            try series.append(frames, clocks: [], now: now)
        }
    }

    /// Slow waves, and a beat more or less.
    private static func beats(_ second: Milliseconds) -> UInt16 {
        let hash = UInt64(bitPattern: second) &* 0x9E37_79B9_7F4A_7C15
        return 70 + UInt16(abs(second / 30 % 80 - 40)) + UInt16(hash >> 62)
    }
}
