import Accounts
import Distress
import Foundation
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Exactly one incident, whatever the network, the box and the hub do. `TRACKME_SOS_SIMULATIONS` sets how many trials, `TRACKME_SEED` (20,565 and
/// more) repeats one. Without them as many as share one hub; `SOSManyTrialsTests` has more.
@Suite(.timeLimit(.minutes(60)))
struct SOSSimulationTests {
    static let sharing = 40
    private static let environment = ProcessInfo.processInfo.environment

    @Test(
        "SOS-9, design: exactly one incident in each trial with duplicates, delays, restarts, partitions, pauses and clock steps of the hub"
    )
    func exactlyOne() async throws {
        let count = Self.environment["TRACKME_SOS_SIMULATIONS"].flatMap { Int($0) } ?? Self.sharing
        let one = Self.environment["TRACKME_SEED"].flatMap { UInt64($0) }
        // One is repeated with those before it that share its hub.
        let numbers = one.map { seed in Int(max(seed, 0x5055) - 0x5055) }.map { $0 - $0 % Self.sharing..<$0 + 1 } ?? 0..<count
        try await Self.run(numbers)
    }

    /// Has these trials, of which the first has a new hub.
    static func run(_ numbers: Range<Int>) async throws {
        var bad = 0, calledByBox = 0, calledByHub = 0, joined = 0, again: [SOSTrial.Leap: Int] = [:], keptOpen = 0
        var town: SOSTown?
        for number in numbers {
            // Some share a hub, which then has more people than one.
            if town == nil || number % sharing == 0 { town = try await SOSTown(isOn: false, ticks: ManualClock()) }
            let hub = try #require(town), seed = 0x5055 + UInt64(number)
            var trial = try await Self.trial(seed, number, hub)
            let problems = try await trial.run()
            town = trial.town
            if !problems.isEmpty {
                bad += 1
                if bad <= 100 {
                    Issue.record("TRACKME_SEED=\(seed): \(problems.joined(separator: "; ")) (\(trial.log.joined(separator: ", ")))")
                }
            }
            let item = try trial.town.sos.store.cases(of: trial.box.person).first
            if let leap = trial.openedAgain { again[leap, default: 0] += 1 }
            if let why = trial.openedAgain?.rawValue ?? (trial.isKeptOpen ? "kept open" : nil) {
                Self.say("apart: TRACKME_SEED=\(seed), \(why) (\(trial.log.joined(separator: ", ")))\n")
            }
            keptOpen += trial.isKeptOpen ? 1 : 0
            calledByBox += trial.box.called.isEmpty ? 0 : 1
            calledByHub += item?.calls.isEmpty == false ? 1 : 0
            joined += item?.alarm.aliases.isEmpty == false ? 1 : 0
        }
        // For `packaging/bench/run sos-incidents`.
        let figures = [
            ("trials", numbers.count), ("wrong", bad), ("called_by_box", calledByBox), ("called_by_hub", calledByHub),
            ("two_names_became_one", joined), ("opened_again_behind_a_step", again[.step] ?? 0),
            ("opened_again_behind_a_pause", again[.pause] ?? 0),
            ("kept_open_behind_a_leap", keptOpen),
        ].map { "figure sos_incidents_\($0) \($1)\n" }
        Self.say("load: incidents\n\(figures.joined())")
        #expect(bad == 0)
    }

    private static func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    /// A new person with a contact, in the hub as it is.
    private static func trial(_ seed: UInt64, _ number: Int, _ town: SOSTown) async throws -> SOSTrial {
        let account = try SOSTown.account(town.hub, .person, "ada\(number)@example.org"), person = account.id.person
        let box = try await town.hub.enrol([person]), phone = "+3902\(1_000_000 + number)"
        let own = town.with(account, box)
        let contact = SOSContact(name: "Bruno", phone: phone, email: nil, language: "en")
        try await own.sos.choices.addContact(contact, of: person, by: account.id)
        try await own.sos.choices.turnOn(person, consented: true, strict: false, by: account.id)
        return SOSTrial(seed: seed, in: own, person: person, contact: phone)
    }
}

extension SOSTown {
    /// The same hub, for another person and box.
    func with(_ person: StoredAccount, _ box: ServicesFixture.Box) -> SOSTown {
        SOSTown(hub, sos, outbox, person, box, ticks: ticks)
    }
}
