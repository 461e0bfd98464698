import Distress
import Foundation
import HubServices
import HubStore
import Privacy
import Vitals

extension HubCommands {
    /// Plays what is stored of a person through the detector of AutomatedSOS, with the settings that hold now, and says what it decides and why.
    /// Nobody is called. It works beside a running hub, and stands in the audit log.
    /// - Parameters:
    ///   - from: ISO 8601; a day before `to` when it is nil.
    ///   - to: ISO 8601; now when it is nil.
    ///   - json: one object instead of lines.
    public static func detect(
        person text: String, from: String?, to: String?, json: Bool, _ configuration: HubConfiguration
    ) throws -> String {
        let directory = try HubDirectory(configuration.directory), keys = try KeyStore(directory)
        let accounts = try AccountStore(directory, keys: keys)
        guard let person = PersonID(text), try accounts.row(of: person) != nil else {
            throw HubStoreError.unknownPerson(text)
        }
        let now = now()
        let end = try to.map { try instant($0, "--to") } ?? now, start = try from.map { try instant($0, "--from") } ?? end - 86_400_000
        guard start < end, end - start <= detectionMax else {
            throw HubConfigurationError("--from must lie before --to, and at most 31 days before it.")
        }
        // Before anything is read.
        try AuditLog(directory, accounts: accounts).append(.replayed, by: nil, on: AccountID(person), now: now)
        let series = try SeriesStore(directory, accounts: accounts, keys: keys), store = try SOSStore(directory, keys: keys)
        guard let reading = try series.reader.read(.system(.detection, of: person), from: start, to: end, now: now) else {
            throw HubStoreError.unknownPerson(text)
        }
        let choice = try store.choice(of: person), isConsented = try store.consent(of: person) != nil
        var settings = DistressSettings(of: choice, isConsented: isConsented, account: try accounts.account(AccountID(person)), now: now)
        let isOff = !settings.isOn
        settings.isOn = true
        let report = Replay.run(scenario(reading, person, settings, since: start))
        return try json
            ? jsonText(StoredReplay(person: text, from: date(start), to: date(end), wasOff: isOff, report: report))
            : lines(report, reading, from: start, to: end, isOff: isOff)
    }

    /// A longer series is played in parts.
    private static let detectionMax: Milliseconds = 31 * 86_400_000

    /// With times from the beginning of what is played, as the agent's `detect` has them.
    private static func scenario(_ reading: HubStore.Reading, _ person: PersonID, _ settings: DistressSettings, since start: Milliseconds)
        -> Scenario
    {
        func shifted<Sample>(_ samples: [Sample], _ time: WritableKeyPath<Sample, Milliseconds>) -> [Sample] {
            samples.map { sample in
                var sample = sample
                sample[keyPath: time] -= start
                return sample
            }
        }
        let samples = SampleSet(
            heartRates: shifted(reading.heartRates, \.time), positions: shifted(reading.positions, \.time),
            events: shifted(reading.events, \.time))
        return Scenario(person: person, stream: StreamID(high: 0, low: 0), segments: [(1, samples)], settings: settings)
    }

    private static func lines(
        _ report: Replay.Report, _ reading: HubStore.Reading, from: Milliseconds, to: Milliseconds, isOff: Bool
    ) -> String {
        let head = [
            "0:00:00 is \(date(from)); until \(date(to)): \(reading.heartRates.count) heart rates, \(reading.positions.count) positions, \(reading.events.count) events",
            "played with the settings that hold now; in what one primary source has of each minute; a replay calls nobody",
        ]
        return (head + (isOff ? ["AutomatedSOS is off for this person: played as if it were on"] : []) + report.lines).joined(
            separator: "\n")
    }

    private struct StoredReplay: Encodable {
        let person: String, from: String, to: String
        let wasOff: Bool
        let report: Replay.Report
    }

    private static func jsonText(_ replay: StoredReplay) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(replay), as: UTF8.self)
    }

    private static func date(_ time: Milliseconds) -> String { Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601) }

    private static func instant(_ text: String, _ option: String) throws -> Milliseconds {
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw HubConfigurationError("\(option) is \(text): write a time like 2026-11-21T08:00:00Z.")
        }
        return Milliseconds(date.timeIntervalSince1970 * 1000)
    }
}
