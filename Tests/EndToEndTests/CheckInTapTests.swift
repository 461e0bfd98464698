import Accounts
import Foundation
import HubStore
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

/// The real programs: a check-in is shown on the box, accepted there while the hub is down, and outlives a kill of the agent.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CheckInTapTests {
    /// A run that starts in an hour, and somebody who is enrolled.
    private func prepare(_ place: InstalledPrograms) throws -> (runner: StoredAccount, organiser: StoredAccount, run: RunID) {
        let hub = try HubDirectory(URL(fileURLWithPath: place.path("hub"))), keys = try KeyStore(hub)
        let accounts = try AccountStore(hub, keys: keys), runs = try RunsStore(hub, keys: keys)
        let now = Milliseconds(Date().timeIntervalSince1970 * 1000)
        func account(_ name: String, _ role: Role) throws -> StoredAccount {
            let details = [Field.email.rawValue: "\(name)@example.org", Field.firstName.rawValue: name, Field.lastName.rawValue: "Made-Up"]
            let new = NewAccount(
                roles: [role], details: details, canonicalEmail: "\(name)@example.org", canonicalIdentifier: nil, password: "none",
                language: "en", accepted: [:])
            guard case .added(let account) = try accounts.addConfirmedAccount(new, now: now) else { throw CocoaError(.fileWriteUnknown) }
            return account
        }
        let organiser = try account("club", .organiser), runner = try account("ada", .person)
        let plan = RunPlan(
            name: "Made-up 4 km", purpose: "For the fun of it", place: "Bergamo", timeZone: "Europe/Rome", starts: now + 3_600_000,
            ends: now + 7_200_000, closes: now + 3_000_000, most: 10, isPublic: true)
        let points = (0...10).map { CoursePoint(latitude: 454_000_000 + 9000 * Int32($0), longitude: 90_000_000) }
        let course = CoursePlan(points: points)
        let added = try runs.add(
            plan, course: course, area: try #require(RunArea(points)), search: "made-up", code: "ABC234", by: organiser.id, now: now)
        guard case .added(let run) = added, try runs.publish(run.id, now: now) != nil else { throw CocoaError(.fileWriteUnknown) }
        let wish = EnrolmentStore.Enrolling(run: run.id, person: runner.id.person, choices: EnrolmentChoices())
        _ = try #require(try runs.enrolments.enrol([wish], now: now).first).get()
        return (runner, organiser, run.id)
    }

    @Test(
        "RUN-5, CONS-2, EDGE-12: the check-in stands on the box with who reads what until when; accepted there while the hub is down, it outlives a kill of the agent, and counts once the hub is back"
    )
    func taps() async throws {
        let place = try InstalledPrograms(), (runner, organiser, run) = try prepare(place)
        let yaml = """
            trackme:
              gpsd: {address: ""}
              page: {port: 0}
              voice: {enabled: false}
              modem: {enabled: false}
              position: {wifi: false, fixed: {latitude: 45.4, longitude: 9.0}}

            """
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: place.path("agent.yaml")))
        var hub = try place.startHub(port: 0)
        defer { hub.kill() }
        let port = try await place.port()
        let code = try place.run(
            "trackme-hub", ["enrolment-code", "--directory", place.path("hub"), "--person", runner.id.person.description])
        let words = code.output.replacingOccurrences(of: "'", with: "").split(separator: " ").map(String.init)
        try #require(try place.run("trackme-agent", Array(words.dropFirst()) + ["--state", place.path("agent")]).status == 0, "\(code)")
        var box = try place.startAgent()
        defer { box.kill() }
        let asked = try await place.checkIn { $0.contains("asks you to check in") }
        for part in [organiser.name, "Made-up 4 km (ABC234)", "position and heart rate", "until 20", "check-in accept ABC234"] {
            #expect(asked.contains(part), "\(asked)\n\(place.log("agent"))\n\(place.log("hub"))")
        }
        hub.kill()
        let said = try place.agent("check-in", "accept", "ABC234")
        #expect(said.status == 0 && said.output.contains("does not count yet"), "\(said)")
        box.kill()
        box = try place.startAgent()
        #expect(try await place.checkIn { $0.contains("on its way") }.contains("on its way"), "\(place.log("agent"))")
        hub = try place.startHub(port: port)
        let done = try await place.checkIn { $0.contains("you are checked in") || $0.contains("NO POSITION") }
        #expect(done.contains("you are checked in") || done.contains("NO POSITION"), "\(done)\n\(place.log("agent"))\n\(place.log("hub"))")
        let refused = try place.agent("check-in", "refuse", "ABC234")
        #expect(refused.status != 0, "what was accepted is taken back on the hub")
        box.terminate()
        hub.terminate()
        // What the hub keeps.
        let files = try HubDirectory(URL(fileURLWithPath: place.path("hub"))), keys = try KeyStore(files)
        let accounts = try AccountStore(files, keys: keys), runs = try RunsStore(files, keys: keys)
        let consent = try #require(try runs.enrolments.enrolment(of: runner.id.person, in: run)?.checkIn)
        let now = Milliseconds(Date().timeIntervalSince1970 * 1000)
        #expect(try accounts.runConsents.runGrant(by: consent, to: organiser.id, now: now)?.access.by == runner.id)
        let lines = try accounts.ledger.ledger(of: runner.id.person, consent: consent).entries.filter {
            $0.what == .consent(.accepted, by: runner.id)
        }
        #expect(lines.count == 1 && lines.first?.box != nil)
    }
}

extension InstalledPrograms {
    /// Asks for the check-ins until they are so; a press makes the box send something.
    fileprivate func checkIn(_ isSo: (String) -> Bool) async throws -> String {
        var shown = ""
        for round in 0..<180 {
            shown = try agent("check-in").output
            if isSo(shown) { return shown }
            if round.isMultiple(of: 4) { _ = try agent("ok") }
            try await Task.sleep(for: .milliseconds(500))
        }
        return shown
    }
}
