import Accounts
import Exchange
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import Testing
import Vitals

@testable import HubWeb

/// The page of today, of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct TodayWebTests {
    private static var now: Milliseconds { Date().milliseconds }

    /// A zone in which it is around noon, so that the last hours are of today.
    private static var zone: String {
        let ahead = 12 - Int(now / 3_600_000 % 24)
        return ahead == 0 ? "Etc/GMT" : "Etc/GMT\(ahead > 0 ? "-" : "+")\(abs(ahead))"
    }

    private func cookies(_ member: Member) -> String { "\(member.cookie); \(Texts.zoneCookie)=\(Self.zone)" }

    private func home(_ web: WebFixture, _ member: Member, _ query: String = "") async throws -> String {
        let page = try await web.send(.GET, "/home\(query)", cookie: cookies(member))
        #expect(page.status == 200)
        return page.body
    }

    /// The part of a page with this name.
    private func part(_ name: String, _ page: String) -> String {
        page.components(separatedBy: "<h2 id=\"\(name)Title\">").dropFirst().first?.components(separatedBy: "</section>").first ?? ""
    }

    private func rates(_ values: [(age: Milliseconds, beats: UInt16)]) -> SampleSet {
        let now = Self.now
        return SampleSet(
            heartRates: values.map { HeartRateSample(time: now - $0.age, beatsPerMinute: $0.beats, contact: .detected, rrIntervals: []) })
    }

    @Test("DATA-15: the newest heart rate stands there as one of now while it is, with the day's curve; later with its age, and called old")
    func heart() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            let late = try web.member(.person, "bob@example.org")
            let empty = part("heart", try await home(web, person))
            #expect(empty.contains("No heart rate yet") && empty.contains("Nothing was measured today.") && !empty.contains("<svg"))
            let hours: [(age: Milliseconds, beats: UInt16)] = [(3 * 3_600_000, 58), (3_600_000, 122), (20_000, 71)]
            try web.append([rates(hours)], of: person.account.id.person)
            let fresh = part("heart", try await home(web, person))
            #expect(fresh.contains("<p class=\"homevalue\">71 <span class=\"unit\">bpm</span>"), "\(fresh)")
            #expect(fresh.contains(/\d+ s ago <span class="badge" data-level="good">now</) && fresh.contains("href=\"/health\""))
            #expect(fresh.contains("<svg class=\"homecurve\"") && fresh.contains("Today from 58 to 122 bpm"))
            try web.append([rates([(3 * 3_600_000, 64)])], of: late.account.id.person)
            let old = part("heart", try await home(web, late))
            #expect(!old.contains("homevalue") && !old.contains(">now<"), "\(old)")
            #expect(old.contains("64 bpm, 3 h ago <span class=\"badge\" data-level=\"bad\">old</"), "\(old)")
            #expect(part("heart", try await home(web, other)).contains("No heart rate yet"), "nobody else sees it")
            _ = try await web.post("/language", ["language": "it", "back": "/home"], cookie: late.cookie)
            #expect(part("heart", try await home(web, late)).contains("64 bpm, 3 h fa <span class=\"badge\" data-level=\"bad\">vecchio</"))
        }
    }

    @Test("the last place stands there by the nearest town, with its age; without any that is said")
    func place() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            #expect(part("place", try await home(web, person)).contains("No position yet"))
            let town = try #require(Ground.file?.search("Bergamo").first { $0.name == "Bergamo" })
            let (latitude, longitude) = (Int32(town.latitude * 1e7), Int32(town.longitude * 1e7))
            let time = Self.now - 1_200_000
            try web.append([SampleSet(positions: [PositionSample(time: time, latitude: latitude, longitude: longitude)])], of: id)
            let old = part("place", try await home(web, person))
            #expect(old.contains(/In Bergamo, 20 min ago <span class="badge" data-level="bad">old</), "\(old)")
            #expect(old.contains("href=\"/people/\(id)\">Live map</a>"))
            #expect(old.contains("<svg class=\"homeplace\"") && old.contains("class=\"here old\"") && old.contains("Towns: GeoNames"))
            #expect(old.contains(">Bergamo</text>") && old.contains(">5 km</text>"))
            #expect(try await web.send(.GET, "/people/\(id)", cookie: person.cookie).status == 200)
            // The strap is on, and the phone has been off for days.
            let other = try web.member(.person, "eve@example.org"), before = Self.now - 3 * 86_400_000
            let place = PositionSample(time: before, latitude: latitude, longitude: longitude)
            try web.append([SampleSet(positions: [place])], of: other.account.id.person)
            try web.hub.series.merger.merge(now: Self.now)
            let beat = HeartRateSample(time: Self.now, beatsPerMinute: 70, contact: .detected)
            try web.append([SampleSet(heartRates: [beat])], of: other.account.id.person)
            let known = part("place", try await home(web, other))
            #expect(known.contains(/In Bergamo, (3 d|72 h)[^<]* <span class="badge" data-level="bad">old</), "\(known)")
            #expect(known.contains("class=\"here old\""))
        }
    }

    @Test("ACC-14: first steps lead to their pages, tick themselves, are hidden on all devices, and come back on request")
    func steps() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            let first = part("steps", try await home(web, person))
            #expect(first.contains("0 of 6") && !first.contains("class=\"done\""))
            let links = first.matches(of: /<a href="([^"]+)"/).map { String($0.output.1) }
            #expect(links.count == 6)
            for link in links { #expect(try await web.send(.GET, link, cookie: person.cookie).status == 200, "\(link)") }
            try web.append([rates([(20_000, 71)])], of: person.account.id.person)
            let measured = part("steps", try await home(web, person))
            #expect(measured.contains("2 of 6"), "a strap sends, and a value came: \(measured)")
            #expect(measured.contains("<li class=\"done\"><a href=\"/health\">"))
            let phone = ["deviceName": "Phone", "deviceKind": "osmAnd"]
            #expect(try await web.post("/boxes/devices", phone, cookie: person.cookie).status == 200)
            #expect(part("steps", try await home(web, person)).contains("3 of 6"))
            #expect(try await web.post("/home/steps", ["steps": "hide"], cookie: person.cookie).header("location") == "/home")
            let elsewhere = Member(account: person.account, cookie: try web.session(of: person.account, strength: .full))
            #expect(part("steps", try await home(web, elsewhere)).isEmpty)
            #expect(try await web.send(.GET, "/more", cookie: elsewhere.cookie).body.contains("href=\"/home?steps=show\""))
            let asked = part("steps", try await home(web, elsewhere, "?steps=show"))
            #expect(asked.contains("3 of 6") && asked.contains("value=\"show\""))
            #expect(try await web.post("/home/steps", ["steps": "show"], cookie: elsewhere.cookie).status == 303)
            #expect(part("steps", try await home(web, person)).contains("3 of 6"))
        }
    }

    @Test("DATA-15: whom somebody looks after stands first, and what waits for an answer above all")
    func people() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), child = try web.child(of: parent.account), id = child.id.person
            try web.append([rates([(30_000, 88)])], of: id)
            let page = try await home(web, parent)
            let shown = part("person-\(id)", page)
            #expect(shown.contains("Heart rate 88 bpm"), "\(shown)")
            #expect(shown.contains("href=\"/care/person/\(id)\"") && shown.contains("href=\"/people/\(id)\""))
            let order = ["person-\(id)Title", "heartTitle"].compactMap { page.range(of: $0)?.lowerBound }
            #expect(order.count == 2 && order[0] < order[1])
            #expect(part("waiting", page).isEmpty)
            let lab = try web.member(.organisation, "lab@example.org"), chief = try web.member(.operator, "chief@example.org")
            let question = ["whom": "parent@example.org", "requestPurpose": "A study of sleep", "term": "30", "kind1": "1"]
            #expect(try await web.post("/requests", question, cookie: lab.cookie).status == 303)
            #expect(part("toCheck", try await home(web, chief)).contains("href=\"/operator/requests\">1 request to check</a>"))
            #expect(part("requests", try await home(web, lab)).contains("1 request waits for an answer"))
            let waiting = try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body
            let approve = try #require(waiting.firstMatch(of: /action="([^"]+\/approve)"/).map { String($0.output.1) })
            #expect(try await web.post(approve, [:], cookie: chief.cookie).status == 303)
            let expected = "1 question for your data waits for your answer"
            let asked = try await web.until("/home", cookie: parent.cookie) { $0.contains(expected) }
            #expect(part("waiting", asked).contains("href=\"/followers\""))
        }
    }

    @Test("the page of somebody with a full day is below 100 KB on the line, style, scripts and icons included")
    func weight() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            // Each ten minutes of half a day, with another value.
            let day = (0..<72).map { number -> (age: Milliseconds, beats: UInt16) in
                let beats = 60 + number * 37 % 90
                return (Milliseconds(72 - number) * 600_000, UInt16(beats))
            }
            try web.append([rates(day)], of: person.account.id.person)
            let page = try await home(web, person)
            var wanted = page.matches(of: /(?:href|src)="(\/assets\/[a-z0-9.-]+)/).map { String($0.output.1) }
            var bytes = page.utf8.count, seen: Set<String> = []
            while let path = wanted.popLast() {
                guard seen.insert(path).inserted else { continue }
                let asset = try await web.send(.GET, path)
                #expect(asset.status == 200, "\(path)")
                // Pictures for the home screen of a phone are no part of the page.
                if path.hasSuffix(".png") || path.hasSuffix(".webmanifest") { continue }
                bytes += asset.body.utf8.count
                wanted += asset.body.matches(of: /from "\.\/([a-z]+\.js)"/).map { "/assets/\($0.output.1)" }
            }
            #expect(seen.contains("/assets/renew.js") && seen.contains("/assets/home.css") && seen.contains("/assets/tabs.svg"))
            #expect(bytes < 100_000, "\(bytes)")
            #expect(!page.contains(" style=") && page.components(separatedBy: "<script").count == 3)
        }
    }
}
