import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import Runs
import TestSupport
import Testing
import Vitals
import Workouts

@testable import HubWeb

/// Where somebody has been: the ways of their workouts on one map, on the pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct TracksWebTests {
    private static let day: Milliseconds = 86_400_000
    private static let home = CoursePoint(latitude: 458_000_000, longitude: 116_000_000)

    /// Workouts with a way north from home, the newest an hour ago.
    private func walk(_ web: WebFixture, _ person: PersonID, days: [Int], points: Int = 60) throws {
        let store = web.hub.runsStore.workoutRecords, now = Date().milliseconds
        var change = WorkoutRecordChange()
        change.kept = days.map { ago in
            let begin = now - Milliseconds(ago) * Self.day - 3_600_000, span = begin...begin + 1_800_000
            // Zigzags, so that each point is needed.
            let way = (0..<points).map { number in
                CoursePoint(
                    latitude: Self.home.latitude + Int32(number) * 10_000,
                    longitude: Self.home.longitude + (number % 2 == 0 ? 0 : 9_000) + Int32(ago) * 1000)
            }
            return .init(
                span: span,
                content: .init(
                    origin: .found, kind: .running, statistics: WorkoutStatistics(WorkoutLine([], [], in: span)), sketch: [way],
                    edit: .init(title: "Day \(ago)")))
        }
        #expect(try store.keep(change, store.scan(of: person), of: person))
    }

    private func lines(_ page: String) -> [String] { page.matches(of: /data-line="([^"]+)"/).map { String($0.output.1) } }

    @Test("DATA-7: all ways of a month, a year and everything on one map, each leading to its workout; the list has them without script")
    func spans() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            #expect(try await web.send(.GET, "/workouts/map", cookie: person.cookie).body.contains("No workout with a way"))
            try walk(web, person.account.id.person, days: [0, 400, 800])
            #expect(try await web.send(.GET, "/workouts", cookie: person.cookie).body.contains("href=\"/workouts/map\""))
            let all = try await web.send(.GET, "/workouts/map?span=all", cookie: person.cookie).body
            #expect(lines(all).count == 3 && all.contains("3 workouts") && all.contains("/assets/tracks.js"))
            #expect(all.contains(/<a href="\/workouts\/[0-9a-f]{32}"><span>Day 800 ·/) && !all.contains(" style="))
            for span in ["month", "year"] {
                let page = try await web.send(.GET, "/workouts/map?span=\(span)", cookie: person.cookie).body
                #expect(lines(page).count == 1 && page.contains("Day 0 ·") && page.contains("Previous \(span)"), "\(span)")
                #expect(!page.contains("Next \(span)"), "nothing is in the future")
            }
            let day = HealthSpan.day(Date().milliseconds - 400 * Self.day - 3_600_000, .gmt)
            for span in ["day", "week", "month"] {
                let past = try await web.send(.GET, "/workouts/map?span=\(span)&day=\(day)", cookie: person.cookie).body
                #expect(lines(past).count == 1 && past.contains("Day 400 ·") && past.contains("Next \(span)"), "\(span)")
            }
            for wrong in ["span=hours", "span=century", "span=month&day=yesterday"] {
                #expect(try await web.send(.GET, "/workouts/map?\(wrong)", cookie: person.cookie).status == 400, "\(wrong)")
            }
            #expect(try await lines(web.send(.GET, "/workouts/map?span=all", cookie: other.cookie).body).isEmpty)
        }
    }

    @Test("DATA-7, DATA-12, CONS-15: a relative and an organisation with positions see the map, too; without positions there is none")
    func granted() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), carer = try web.member(.caregiver, "carer@example.org")
            let lab = try web.member(.organisation, "lab@example.org"), chief = try web.member(.operator, "chief@example.org")
            let other = try web.member(.organisation, "other@example.org"), id = person.account.id.person, consents = web.hub.consents
            let address = try ConsentAddress(person.account.email), care = "/care/person/\(id)"
            try walk(web, id, days: [0])
            func accept(_ asked: ConsentID) throws {
                try web.hub.accounts.consents.reachConsent(asked, now: consents.now)
                try consents.answer(asked, .accept, by: person.account.id)
            }
            func get(_ path: String, _ member: Member) async throws -> WebFixture.Answer {
                try await web.send(.GET, path, cookie: member.cookie)
            }
            try accept(consents.askAsCaregiver(address, by: carer.account, kinds: [.heartRate], purpose: "Care").id)
            #expect(try await get("\(care)/tracks", carer).status == 403)
            #expect(try await !get(care, carer).body.contains("/tracks"))
            try accept(consents.askAsCaregiver(address, by: carer.account, kinds: [.position], purpose: "Walks").id)
            #expect(try await get(care, carer).body.contains("\(care)/tracks"))
            let seen = try await get("\(care)/tracks?span=all", carer)
            #expect(seen.status == 200 && lines(seen.body).count == 1 && !seen.body.contains("Day 0"), "no titles of workouts")
            let study = try consents.ask(
                address, by: lab.account, kinds: [.position], purpose: "A study", term: .lasting(30 * Self.day))
            try consents.approve(study.id, by: chief.account)
            try accept(study.id)
            let base = "/organisation/people/\(study.id)", read = try await get("\(base)/tracks?span=all", lab)
            #expect(read.status == 200 && lines(read.body).count == 1 && read.body.contains("href=\"\(base)\""))
            #expect(try await get(base, lab).body.contains("\(base)/tracks"))
            #expect(try await get("\(base)/tracks", other).status == 403)
            let reads = try consents.ledger(of: id, for: person.account.id, consent: study.id).entries.filter { $0.what == .read }
            #expect(reads.contains { $0.kinds.contains(.position) })
        }
    }

    @Test("ACC-18: what tells of a person is never compressed, whoever takes gzip: its length would tell of it")
    func plain() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), gzip = [("accept-encoding", "gzip, br")]
            try walk(web, person.account.id.person, days: [0])
            let paths = [
                "/home", "/health", "/workouts", "/workouts/map", "/ledger", "/people/\(person.account.id)",
                "/people/\(person.account.id)/recent?form=columns", "/data/export?format=csv&days=7",
            ]
            for path in paths {
                let answer = try await web.send(.GET, path, cookie: person.cookie, headers: gzip)
                #expect(answer.status == 200 && answer.header("content-encoding") == nil, "\(path)")
            }
            let script = try await web.send(.GET, "/vendor/leaflet/leaflet.min.js", headers: gzip)
            #expect(script.header("content-encoding") == "gzip", "what tells of nobody is")
        }
    }

    @Test("DATA-7: the page of a year with 365 workouts stays below 140 KB")
    func light() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try walk(web, person.account.id.person, days: Array(0..<365), points: 120)
            let page = try await web.send(.GET, "/workouts/map?span=all", cookie: person.cookie).body
            #expect(lines(page).count == 365 && page.utf8.count < 140_000, "\(page.utf8.count)")
        }
    }

    @Test("DATA-7, DATA-12, CONS-16, RUN-15: who was granted positions sees the ways without home and titles; the ledger tells")
    func followed() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), friend = try web.member(.person, "eve@example.org")
            let stranger = try web.member(.person, "mal@example.org"), id = person.account.id.person, consents = web.hub.consents
            try walk(web, id, days: [0])
            let zone = HomeZone(centre: Self.home, radius: 500)
            _ = try web.hub.runsStore.workouts.beginWorkout(
                .init(starter: person.account.id, home: zone), of: id, isShared: false, now: Date().milliseconds - 40 * Self.day)
            _ = try web.hub.runsStore.workouts.endWorkout(of: id, now: Date().milliseconds - 40 * Self.day + 60_000)
            func granted(_ kinds: Set<DataKind>) throws -> ConsentID {
                let offered = try consents.offer(
                    to: EmailAddress("eve@example.org"), kinds: kinds, purpose: "Training \(kinds.count)", of: id, by: person.account.id)
                try consents.takeOffer(offered, by: friend.account)
                return offered
            }
            let positions = try granted([.position]), hearts = try granted([.heartRate, .ecg])
            let own = try await web.send(.GET, "/workouts/map?span=all", cookie: person.cookie).body
            let page = try await web.send(.GET, "/following/\(positions)/tracks?span=all", cookie: friend.cookie)
            #expect(try await web.send(.GET, "/ledger", cookie: person.cookie).body.contains("Ada Example read"))
            #expect(page.status == 200 && lines(page.body).count == 1 && page.body.contains("What lies around the home is left out."))
            #expect(lines(page.body)[0].count < lines(own)[0].count && !page.body.contains("Day 0") && page.body.contains("Run ·"))
            let link = "/following/\(positions)/tracks"
            #expect(try await web.send(.GET, "/following/\(positions)", cookie: friend.cookie).body.contains(link))
            #expect(try await !web.send(.GET, "/following/\(hearts)", cookie: friend.cookie).body.contains("/tracks"))
            #expect(try await web.send(.GET, "/following/\(hearts)/tracks", cookie: friend.cookie).status == 403)
            #expect(try await web.send(.GET, "/following/\(positions)/tracks", cookie: stranger.cookie).status == 403)
        }
    }
}
