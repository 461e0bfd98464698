import Accounts
import Alerts
import Distress
import Foundation
import HubStore
import Logging
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Keeps what is logged, with its metadata.
final class KeptLog: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: KeptLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let facts = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            log.kept.withLock { $0.append("\(event.level) \(event.message) \(facts)") }
        }
    }
}

/// What stands in the log and in the record of a case, so that a decision to call nobody can be looked at later.
@Suite(.timeLimit(.minutes(2)))
struct SOSRecordTests {
    @Test(
        "SOS-9, SOS-10: a box's alarm that counts as the case that is over stands in the log with both ids, and in the case, over a restart"
    )
    func joined() async throws {
        let log = KeptLog(), town = try await SOSTown(logger: log.logger), person = town.person.id.person
        // The case of the hub's own page is over before the box's word of the same episode comes.
        _ = try await town.sos.presses.press(.help, for: person)
        let first = try #require(town.sos.openCase(of: person))
        await town.pass(1000)
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        await town.pass(1000)
        try await town.until { try town.sos.store.incident(first.id)?.calls.allSatisfy { $0.state != .waiting } == true }
        let before = town.outbox.all.count
        var alarm = try town.helpAlarm(sequence: 7)
        alarm.raisedAt = 1000
        for revision in 1...3 as ClosedRange<UInt64> {
            #expect(try await town.send(town.report(revision, alarm)).incident == first.id)
            await town.pass(1000)
        }
        #expect(town.outbox.all.count == before && town.sos.openCase(of: person) == nil, "nobody is called")
        let lines = log.lines.filter { $0.contains("alarm=\(alarm.id)") }
        #expect(lines.count == 1 && lines[0].contains("incident=\(first.id)") && lines[0].hasPrefix("warning"), "\(log.lines)")
        for secret in ["Ada", "Made-Up", "ada@", "\(person)", "45.4", "+39"] { #expect(!lines.joined().contains(secret)) }
        let later = try town.restarted()
        let kept = try #require(try later.sos.store.incident(alarm.id))
        #expect(kept.id == first.id && kept.joined?.map(\.id) == [alarm.id] && kept.outcome == .falseAlarm)
    }

    @Test(
        "SOS-11, design rule 9: a crew whose page is open and that has not seen its offer is notified, also when the hub was killed meanwhile"
    )
    func offerAfterRestart() async throws {
        var town = try await SOSTown()
        let crews = try town.crews(3), alarm = try town.helpAlarm()
        func told(_ crew: StoredAccount) throws -> Int { try town.hub.accounts.notices.notices(of: crew).count { $0.kind == .sosOffer } }
        // Two have the page open, one of them looks at it.
        let pages = crews.prefix(2).map { town.sos.pages.watch($0.id.person) }
        try await town.send(town.report(1, alarm))
        await town.sos.crews.seen(by: crews[1].id)
        try await town.until { try told(crews[2]) == 1 }
        #expect(try crews.map(told) == [0, 0, 1], "whose page is closed is notified at once")
        await town.pass(1000)
        #expect(try told(crews[0]) == 0)
        town = try town.restarted()
        await town.pass(1500)
        #expect(try crews.map(told) == [1, 0, 1])
        await town.pass(5000)
        #expect(try crews.map(told) == [1, 0, 1], "once")
        _ = pages
    }

    @Test("SOS-18, SOS-10: a box that knows no case is told of the hub's, ends it, and is not told of one that is held after a restore")
    func openForBox() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        #expect(try await town.send(town.report(1)).open == nil)
        _ = try await town.sos.presses.press(.help, for: person)
        let item = try #require(town.sos.openCase(of: person))
        let answer = try await town.send(town.report(2))
        let open = try #require(answer.open)
        #expect(open.id == item.id && open.provenance == .live && open.raisedAt <= answer.utc)
        #expect(try await town.send(town.report(3, open.shifted(by: 3000 - answer.utc))).open == nil, "it has it now")
        #expect(try town.sos.store.counts() == (1, 1))
        try await town.send(town.report(4, open, outcome: .falseAlarm))
        #expect(try town.sos.openCase(of: person) == nil && town.sos.views.view(of: person)?.last?.outcome == .falseAlarm)
        #expect(try await town.send(town.report(5)).open == nil)
        // After a restore its box's word is waited for, and not that of a box that heard of it here.
        _ = try await town.sos.presses.press(.help, for: person)
        // A message that leaves only then touches the case, and it would not be old.
        try await town.sent()
        town.hub.clock.advance(3_600_000)
        let later = try town.restarted()
        #expect(later.sos.openCase(of: person)?.heldUntil != nil)
        #expect(try await later.send(later.report(6)).open == nil)
    }

    @Test(
        "SOS-6: with the question off the record says of a fall that the person was asked, and of a rate that they were not",
        arguments: [false, true])
    func question(isFall: Bool) async throws {
        let town = try await SOSTown(), person = town.person.id.person
        try await town.sos.choices.setLimits(LimitOverrides(), asksFirst: false, of: person, by: town.person.id)
        var alarm = try town.helpAlarm()
        alarm.abnormalities[0].trigger = isFall ? .fall : .heartRateLow
        alarm.abnormalities[0].answerTime = isFall ? DistressConstants.answerTimeFlag : DistressConstants.answerTime
        try await town.send(town.report(1, alarm))
        let item = try #require(town.sos.openCase(of: person)), call = try #require(item.calls.first)
        let record = town.sos.sending.record(item, call, nil, .init(name: "Anna", address: "anna@example.org"), web: nil)
        #expect(record.question == (isFall ? .unanswered : .notAsked))
    }

    @Test("SOS-9: what the box did by itself stands in the case as it told it, the newest 32")
    func boxTries() async throws {
        let town = try await SOSTown(), alarm = try town.helpAlarm()
        var report = town.report(1, alarm)
        report.calls = (0..<40).map { .init(channel: .text, recipient: "+39025B", state: .failed, at: $0, problem: "No", why: "noModem") }
        report.calls.append(.init(channel: .text, recipient: "+39025B", state: .sent, at: 50, isDelivered: true))
        try await town.send(report)
        let tries = try #require(try town.sos.store.incident(alarm.id)?.boxTries)
        #expect(tries.count == 32 && tries.last?.isDelivered == true && tries.first?.why == "noModem")
    }
}
