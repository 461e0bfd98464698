import Accounts
import Foundation
import HubStore
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Calendars, results, download and deletion.
@Suite struct RunKeepingTests {
    private func lines(_ bytes: [UInt8]?) throws -> [String] {
        let text = String(decoding: try #require(bytes), as: UTF8.self)
        #expect(text.hasSuffix("\r\n"))
        // Unfolded as a reader does it.
        return text.replacingOccurrences(of: "\r\n ", with: "").components(separatedBy: "\r\n").dropLast()
    }

    @Test("RUN-12: a feed of the runs one takes part in, by a secret link that a new one replaces, and that can be ended")
    func feed() async throws {
        let town = try RunTown(), run = try town.published(), other = try town.published(town.plan("Other", in: 3 * day)), ada = town.ada
        for run in [run, other] { try await town.enrol(ada, in: run) }
        #expect(throws: EnrolmentRefusal.notYours) { try town.enrolments.makeFeed(of: ada.id.person, by: town.organiser) }
        let secret = try town.enrolments.makeFeed(of: ada.id.person, by: ada)
        var events = try lines(town.enrolments.calendar(feed: secret))
        #expect(events.filter { $0.hasPrefix("UID:") } == [other, run].map { "UID:\($0.id)@hub.example" })
        // 2027-01-16, 9 o'clock in Rome.
        #expect(events.contains("DTSTART:20270116T080000Z") && events.contains("DTEND:20270116T100000Z"))
        #expect(events.contains("URL:https://hub.example:8443/runs/\(run.code)") && events.contains("GEO:45.4045000;9.0045000"))
        #expect(events.filter { $0 == "STATUS:CONFIRMED" }.count == 2)
        _ = try town.organising.cancel(run.id, reason: "", by: town.organiser)
        try town.enrolments.withdraw(ada.id.person, from: other.id, by: ada)
        events = try lines(town.enrolments.calendar(feed: secret))
        #expect(events.filter { $0.hasPrefix("STATUS:") } == ["STATUS:CANCELLED"] && events.contains("SEQUENCE:3"))
        let next = try town.enrolments.makeFeed(of: ada.id.person, by: ada)
        #expect(try town.enrolments.calendar(feed: secret) == nil && town.enrolments.calendar(feed: next) != nil)
        try town.enrolments.endFeed(of: ada.id.person, by: ada)
        #expect(try town.enrolments.calendar(feed: next) == nil && town.enrolments.calendar(feed: "nonsense") == nil)
    }

    @Test("RUN-12: what people typed is escaped, and lines are folded at 75 octets between characters (RFC 5545, 3.1 and 3.3.11)")
    func escaping() throws {
        let town = try RunTown()
        var plan = town.plan("Corsa; la, \\prima\\ ☀️ " + String(repeating: "é", count: 60))
        plan.purpose = "First\nEND:VEVENT\r\nSecond"
        let file = town.enrolments.calendarFile(of: try town.published(plan))
        let text = String(decoding: file, as: UTF8.self)
        for line in text.components(separatedBy: "\r\n") {
            #expect(line.utf8.count <= 75 && !line.contains("\n") && !line.contains("\u{FFFD}"))
        }
        let events = try lines(file)
        #expect(events.contains("SUMMARY:Corsa\\; la\\, \\\\prima\\\\ ☀️ " + String(repeating: "é", count: 60)))
        #expect(events.contains("DESCRIPTION:First\\nEND:VEVENT\\nSecond") && events.filter { $0 == "END:VEVENT" }.count == 1)
        #expect(CalendarText.escaped("a\u{0}\u{7F}\r\nb") == "a\\nb")
    }

    private func result(_ bib: Int, place: Int, time: Milliseconds) throws -> RunnerResult {
        let json = """
            {"bib": \(bib), "group": "finished", "place": \(place), "gunTime": \(time), "metres": 4000, "missedMetres": 0, "splits": [],
            "stretches": []}
            """
        return try JSONDecoder().decode(RunnerResult.self, from: Data(json.utf8))
    }

    @Test("DATA-10, RUN-10: with an account enrolments go and results become nobody's; ranks and times of the others stay as they were")
    func runnerDeleted() async throws {
        let town = try RunTown(), run = try town.published(), next = try town.published(town.plan("Next", in: 5 * day))
        let bob = try town.runner("Bob")
        for runner in [town.ada, bob] { for run in [run, next] { try await town.enrol(runner, in: run) } }
        let secret = try town.enrolments.makeFeed(of: bob.id.person, by: bob)
        let rows = try town.store.enrolments.enrolments(in: run.id)
        let results = [
            RunResult(try result(1, place: 2, time: 1_300_000), of: rows[0]),
            RunResult(try result(2, place: 1, time: 1_200_000), of: rows[1]),
        ]
        try town.store.results.setResults(results, of: run.id)
        try town.store.results.setResults(results, of: run.id)
        #expect(try town.store.results.results(of: run.id) == [results[1], results[0]])
        try town.deletion.deletePerson(bob.id.person, by: bob.id, now: town.now)
        // At once, before anything is cleared.
        func check() throws {
            let left = try town.store.results.results(of: run.id)
            #expect(left.map(\.person) == [nil, town.ada.id.person] && left.map(\.place) == [1, 2] && left[0].result == nil)
            #expect(left[0].time == 1_200_000 && left[1] == results[0])
            #expect(try town.store.enrolments.enrolments(in: next.id).map(\.person) == [town.ada.id.person])
            #expect(try town.enrolments.calendar(feed: secret) == nil)
        }
        try check()
        #expect(try town.store.deletedWithRows() == [bob.id.person])
        try town.deletion.work(now: town.now)
        try check()
        #expect(try town.store.deletedWithRows().isEmpty && town.store.run(next.id)?.enrolled == 1)
        try town.store.results.setResults(results, of: run.id)
        #expect(try town.store.results.results(of: bob.id.person).isEmpty)
    }

    @Test(
        "DATA-10, RUN-6: with an organiser's account coming runs are cancelled and everybody is told; what is over stays, without an organiser"
    )
    func organiserDeleted() async throws {
        let town = try RunTown(), past = try town.published(), bob = try town.runner("Bob")
        try await town.enrol(bob, in: past)
        try await town.advance(to: past.plan.ends)
        let coming = try town.published(town.plan("Coming")), draft = try town.draft()
        try town.organising.setDocument(.init(name: "x", type: "", bytes: Array("%PDF-1.7".utf8)), of: coming.id, by: town.organiser)
        try await town.enrol(bob, in: coming)
        try town.deletion.deletePerson(town.organiser.id.person, by: town.organiser.id, now: town.now)
        try town.deletion.work(now: town.now)
        try await town.settle()
        #expect(try town.state(coming) == .cancelled && town.state(draft) == .cancelled && town.state(past) == .finished)
        #expect(try town.told(bob).first == .runCancelled)
        #expect(try town.enrolments.runs(of: bob.id.person, for: bob).map(\.run.plan.name) == ["Coming", past.plan.name])
        for run in [past, coming] { #expect(try town.store.run(run.id)?.organiser == nil) }
        #expect(try town.store.document(of: #require(try town.store.run(coming.id))) == nil)
        #expect(try town.store.deletedWithRows().isEmpty)
    }

    @Test("DATA-9: the download of all data has enrolments, results and what was organised")
    func exported() async throws {
        let town = try RunTown(), run = try town.published(), ada = town.ada
        let enrolment = try await town.enrol(ada, in: run, .init(publicName: "Ada R."))
        try town.store.results.setResults([RunResult(try result(1, place: 1, time: 1_200_000), of: enrolment)], of: run.id)
        try town.organising.message("Hello", to: run.id, by: town.organiser)
        let json = try ProfileExport(ada, accounts: town.hub.accounts, runs: town.store, now: town.now).json()
        let read = try #require(try JSONDecoder().decode(ProfileExport.self, from: Data(json)).runs)
        #expect(read.enrolments.map(\.code) == [run.code] && read.enrolments[0].choices.publicName == "Ada R.")
        #expect(read.results.map(\.result?.gunTime) == [1_200_000] && read.organised.isEmpty)
        let organised = try RunsExport(town.organiser.id, town.store).organised
        #expect(organised.map(\.plan) == [run.plan] && organised[0].messages.map(\.text) == ["Hello"])
    }

    @Test(
        "RUN-19: friends by mutual consent: a link that one makes and the other takes, once; either ends it, and so does a deleted account")
    func friends() throws {
        let town = try RunTown(), ada = town.ada, bob = try town.runner("Bob"), eve = try town.runner("Eve")
        func link(of account: StoredAccount) throws -> String {
            let link = try town.workouts.friendLink(of: account.id.person, by: account)
            return String(link.dropFirst("https://hub.example:8443/runs/friend/".count))
        }
        let offered = try link(of: ada)
        #expect(throws: EnrolmentRefusal.notYours) { try town.workouts.friendLink(of: ada.id.person, by: bob) }
        #expect(try town.workouts.friend(offeredBy: offered) == "Ada Up")
        #expect(try town.workouts.befriend(offered, ada.id.person, by: ada) == nil)
        #expect(try town.workouts.friends(of: bob.id.person, for: bob).isEmpty)
        #expect(try town.workouts.befriend(offered, bob.id.person, by: bob)?.name == "Ada Up")
        #expect(try town.workouts.befriend(offered, eve.id.person, by: eve) == nil)
        #expect(try town.workouts.friends(of: ada.id.person, for: ada).map(\.name) == ["Bob Up"])
        try town.workouts.endFriendship(of: bob.id.person, with: ada.id.person, by: bob)
        #expect(try town.workouts.friends(of: ada.id.person, for: ada).isEmpty)
        let late = try link(of: ada)
        town.clock.advance(7 * day)
        #expect(try town.workouts.befriend(late, bob.id.person, by: bob) == nil)
        _ = try town.workouts.befriend(link(of: ada), bob.id.person, by: bob)
        try town.deletion.deletePerson(bob.id.person, by: bob.id, now: town.now)
        #expect(try town.workouts.friends(of: ada.id.person, for: ada).isEmpty)
        try town.deletion.work(now: town.now)
        #expect(try town.store.deletedWithRows().isEmpty)
    }

    @Test("design rule 12: nothing that names or describes a person lies in the clear in the database of runs")
    func sealed() async throws {
        let town = try RunTown(), run = try town.published(town.plan("Invited only", isPublic: false)),
            home = CoursePoint(latitude: 1, longitude: 2)
        try town.invitations.invite(email: "secret@example.org", to: run.id, by: town.organiser)
        let link = try town.invitations.invitationLink(to: run.id, uses: 1, by: town.organiser)
        _ = try town.invitations.redeem(String(link.split(separator: "/").last ?? ""), for: town.ada.id.person, by: town.ada)
        try await town.enrol(town.ada, in: run, .init(publicName: "Zaphod", home: HomeZone(centre: home, radius: 77)))
        try town.organising.message("Heidelberg", to: run.id, by: town.organiser)
        let files = try FileManager.default.contentsOfDirectory(atPath: town.hub.directory.url.path).filter { $0.hasPrefix("runs.sqlite") }
        #expect(!files.isEmpty)
        for name in files {
            let bytes = try Data(contentsOf: town.hub.directory.url.appendingPathComponent(name))
            for text in ["secret@example.org", "Zaphod", "Heidelberg", "Invited only", "fun of it", "latitude", String(link.suffix(43))] {
                #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) in \(name)")
            }
        }
    }
}
