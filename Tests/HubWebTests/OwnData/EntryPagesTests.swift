import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Entering values by hand, on the pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct EntryPagesTests {
    /// As a `datetime-local` field sends it, in the time zone that the cookie names.
    private func field(secondsAgo: Milliseconds) -> String {
        RunTime.field(Milliseconds(Date().timeIntervalSince1970 * 1000) - secondsAgo * 1000, "Europe/Rome")
    }

    private func cookies(_ member: Member) -> String { "\(member.cookie); \(Texts.zoneCookie)=Europe/Rome" }

    @Test("DATA-1, DATA-2: the page offers each kind that the table lets people enter, and none else, with a form of its row")
    func forms() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            #expect(try await web.send(.GET, "/data", cookie: person.cookie).body.contains("href=\"/data/entry\""))
            let list = try await web.send(.GET, "/data/entry", cookie: person.cookie).body
            for kind in DataKind.allCases {
                let isOffered = kind.isScalar && kind.entry.sources.contains(.manual)
                #expect(list.contains("/data/entry?kind=\(kind.name)\"") == isOffered, "\(kind)")
                let page = try await web.send(.GET, "/data/entry?kind=\(kind.name)", cookie: cookies(person))
                #expect(page.status == (isOffered ? 200 : 404), "\(kind)")
                guard isOffered else { continue }
                #expect(page.body.contains("name=\"entryValue\"") && page.body.contains("Europe/Rome"), "\(kind)")
                #expect(page.body.contains("name=\"entrySecond\"") == (kind.entry.second != nil), "\(kind)")
                #expect(page.body.contains("name=\"entryEnd\"") == (kind.entry.span != .none), "\(kind)")
                #expect(page.body.contains("name=\"entryUnit\"") == (kind.entry.entryUnits.count > 1), "\(kind)")
            }
            #expect(
                try await web.send(.GET, "/data/entry?kind=weight", cookie: person.cookie).body.contains("0.2 to 650 kg; 0.5 to 1,433 lb"))
            #expect(try await web.send(.GET, "/data/entry?kind=mood", cookie: person.cookie).status == 404)
        }
    }

    @Test("DATA-2: an entry is taken back by one button, and nothing else goes with it")
    func undone() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), time = field(secondsAgo: 3600)
            func weigh(_ value: String, _ time: String) async throws -> String {
                try await web.post("/data/entry?kind=weight", ["entryValue": value, "entryTime": time], cookie: cookies(person)).body
            }
            _ = try await weigh("71", field(secondsAgo: 7200))
            let pressure = ["entryValue": "121", "entrySecond": "79", "entryTime": time]
            _ = try await web.post("/data/entry?kind=blood_pressure", pressure, cookie: cookies(person))
            let page = try await weigh("27.5", time)
            let stamp = try #require(page.firstMatch(of: /name="undo" value="(\d+)"/)?.output.1)
            let undone = try await web.post("/data/entry?kind=weight", ["undo": String(stamp)], cookie: cookies(person))
            #expect(undone.status == 200 && undone.body.contains("Taken back") && !undone.body.contains("name=\"undo\""))
            var file = ""
            repeat {
                file = try await web.send(.GET, "/data/export?format=csv&days=7", cookie: person.cookie).body
                try await Task.sleep(for: .milliseconds(100))
            } while file.contains("27.50,kg")
            #expect(file.contains("71.00,kg") && file.contains("121,mm[Hg],79"), "\(file)")
        }
    }

    @Test("DATA-2: what was typed is taken back at any time, at a box, too, and what a sensor says of that time stays")
    func typed() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            let utc = try #require(RunTime.milliseconds(field(secondsAgo: 40 * 86_400), "Europe/Rome"))
            func weight(_ value: Int64) throws -> SampleSet {
                SampleSet(scalars: [try #require(ScalarSample(.weight, time: utc, value: value))])
            }
            try web.append([weight(7000)], of: id)
            try web.append([weight(2750)], of: id, .manual)
            let later = ["entryValue": "71", "entryTime": field(secondsAgo: 7200)]
            _ = try await web.post("/data/entry?kind=weight", later, cookie: cookies(person))
            #expect(try await web.send(.GET, "/data/entry", cookie: person.cookie).body.contains("href=\"/data/entry/typed\""))
            var page = try await web.send(.GET, "/data/entry/typed", cookie: cookies(person)).body
            #expect(page.contains("71.00 kg") && page.contains("27.50 kg") && !page.contains("70.00 kg"), "\(page)")
            #expect(page.contains("name=\"undo\" value=\"\(utc)\"") && page.matches(of: /name="undo"/).count == 2)
            let undone = try await web.post("/data/entry?kind=weight", ["undo": "\(utc)"], cookie: cookies(person))
            #expect(undone.status == 200 && undone.body.contains("Taken back"))
            repeat {
                page = try await web.send(.GET, "/data/entry/typed", cookie: cookies(person)).body
                try await Task.sleep(for: .milliseconds(100))
            } while page.contains("27.50 kg")
            #expect(page.contains("71.00 kg"))
            let left = try web.hub.series.reader.read(.maintenance(of: id), from: utc, to: utc, now: 0)
            #expect(left?.scalars.map(\.value) == [7000])
        }
    }

    @Test(
        "DATA-2, DATA-9, DATA-10: what is entered stands in the download as entered by hand, with its time, and is deleted like other data")
    func stores() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            let time = field(secondsAgo: 3600), utc = try #require(RunTime.milliseconds(time, "Europe/Rome"))
            let weight = ["entryValue": "160", "entryUnit": "[lb_av]", "entryTime": time]
            for _ in 0..<2 {
                let stored = try await web.post("/data/entry?kind=weight", weight, cookie: cookies(person))
                #expect(stored.status == 200 && stored.body.contains("Stored: Weight, 72.57 kg"), "\(stored.body)")
            }
            let pressure = ["entryValue": "121", "entrySecond": "79", "entryTime": time]
            #expect(try await web.post("/data/entry?kind=blood_pressure", pressure, cookie: cookies(person)).body.contains("121 / 79 mmHg"))
            let sleep = ["entryValue": "deep", "entryTime": field(secondsAgo: 7200), "entryEnd": time]
            #expect(try await web.post("/data/entry?kind=sleep", sleep, cookie: cookies(person)).body.contains("Sleep, deep sleep"))

            let file = try await web.send(.GET, "/data/export?format=csv&days=7", cookie: person.cookie).body
            let stamp = Date(timeIntervalSince1970: Double(utc) / 1000).formatted(
                .iso8601.year().month().day().time(includingFractionalSeconds: true))
            #expect(file.contains("weight,manual,,,,,,,,,,,,,,72.57,kg"), "\(file)")
            #expect(file.contains("blood_pressure,manual") && file.contains("121,mm[Hg],79") && file.contains("sleep,manual"))
            #expect(file.contains(stamp.prefix(16)), "\(stamp)")
            #expect(file.components(separatedBy: "weight,manual").count == 2, "sent twice, stored once")
            #expect(try await web.send(.GET, "/boxes", cookie: person.cookie).body.contains("/revoke") == false)
            #expect(try await !web.send(.GET, "/data/export?format=csv&days=7", cookie: other.cookie).body.contains("72.57"))
            #expect(try web.hub.series.space.bytes(of: person.account.id.person) > 0, "it counts for the quota")

            #expect(try await web.post("/data/delete", ["kind21": "1"], cookie: person.cookie).body.contains("Deleted."))
            var left = true
            while left {
                left = try await web.send(.GET, "/data/export?format=csv&days=7", cookie: person.cookie).body.contains("72.57")
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try await web.send(.GET, "/data/export?format=csv&days=7", cookie: person.cookie).body.contains("121,mm[Hg]"))
        }
    }

    @Test("DATA-2, ACC-12: what is wrong is said at its field in the reader's language, and what was typed stays")
    func refusals() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            let wrong = ["entryValue": "7257", "entryUnit": "kg", "entryTime": "2099-01-01T00:00"]
            let said = try await web.post("/data/entry?kind=weight", wrong, cookie: cookies(person))
            #expect(
                said.status == 422 && said.body.contains("Only 0.2 to 650 kg is possible") && said.body.contains("This is in the future."))
            #expect(said.body.contains("value=\"7257\"") && said.body.contains("id=\"entryValue-error\""))
            let empty = try await web.post("/data/entry?kind=sleep", [:], cookie: cookies(person))
            #expect(empty.status == 422 && empty.body.components(separatedBy: "This is missing.").count > 3)
            _ = try await web.post("/language", ["language": "it", "back": "/data/entry"], cookie: person.cookie)
            let italian = try await web.post("/data/entry?kind=weight", wrong, cookie: cookies(person))
            #expect(italian.body.contains("È possibile solo un valore da 0,2 a 650 kg") && italian.body.contains("È nel futuro."))
            let right = ["entryValue": "72,5", "entryUnit": "kg", "entryTime": field(secondsAgo: 60)]
            #expect(try await web.post("/data/entry?kind=weight", right, cookie: cookies(person)).body.contains("Salvato: Peso, 72,50 kg"))
            let file = try await web.send(.GET, "/data/export?format=csv&days=7", cookie: person.cookie).body
            #expect(file.contains(",72.50,kg") && !file.contains(",7257,"), "\(file)")
        }
    }

    @Test("DATA-2, ACC-17: a parent enters a value for a child, and nobody else does")
    func ward() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), other = try web.member(.person, "other@example.org")
            let kid = try web.child(of: parent.account, "ab3d-ef5h"), path = "/care/person/\(kid.id)/data/entry"
            let height = ["entryValue": "1.32", "entryUnit": "m", "entryTime": field(secondsAgo: 60)]
            #expect(try await web.send(.GET, path, cookie: parent.cookie).body.contains("Enter a value for Kid Example"))
            #expect(try await web.post(path + "?kind=height", height, cookie: cookies(other)).status == 403)
            #expect(try await web.post(path + "?kind=height", height, cookie: cookies(parent)).body.contains("132.0 cm"))
            let stored = try web.hub.series.reader.read(.maintenance(of: kid.id.person), from: 0, to: .max / 2, now: 0)
            #expect(stored?.scalars.map(\.value) == [1320] && stored?.provenance == .manual)
        }
    }

    @Test("DATA-1, DATA-2: the live page shows the newest value of each kind that was granted, by its row, and marks what was typed")
    func live() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            let time = field(secondsAgo: 3600), utc = try #require(RunTime.milliseconds(time, "Europe/Rome"))
            for value in ["71.5", "72.57"] {
                let weight = ["entryValue": value, "entryTime": value == "71.5" ? field(secondsAgo: 86_400 * 40) : time]
                #expect(try await web.post("/data/entry?kind=weight", weight, cookie: cookies(person)).status == 200)
            }
            let now = Milliseconds(Date().timeIntervalSince1970 * 1000)
            try web.append([SampleSet(heartRates: [HeartRateSample(time: now, beatsPerMinute: 70)])], of: id)
            let page = try await web.send(.GET, "/people/\(id)", cookie: person.cookie).body
            for kind in DataKind.scalars {
                #expect(page.contains("\"kind\":\(kind.rawValue),") == kind.entry.uses.contains(.shown), "\(kind)")
            }
            #expect(page.contains("id=\"valueList\"") && page.contains("\"unit\":\"mmHg\""))
            let recent = try await web.send(.GET, "/people/\(id)/recent", cookie: person.cookie).body
            #expect(
                recent.contains("\"scalars\":[[\(utc),21,7257,null,null,1]]") && recent.contains("\"provenance\":\"live\""), "\(recent)")
            #expect(LiveKind.all([.heartRate, .weight], Texts.of("en")).map(\.name) == ["Weight"])
            #expect(LiveKind.all([.heartRate, .position], Texts.of("en")).isEmpty)
        }
    }

    @Test("ACC-12, DATA-1: each unit and each coded value that people see has a name in each language", arguments: DataKind.scalars)
    func words(kind: DataKind) {
        let row = kind.entry
        for texts in Texts.all {
            for unit in row.entryUnits where !unit.name.isEmpty {
                #expect(texts.find("unit.\(unit.name)") != nil, "\(texts.lang) \(unit.name)")
            }
            for code in row.codes + (row.second?.codes ?? []) {
                #expect(texts.find("code.\(kind.name)_\(code)") != nil, "\(texts.lang) \(code)")
            }
            guard row.sources.contains(.manual), let second = row.second else { continue }
            #expect(texts.find("entry.\(kind.name)_\(second.name)") != nil, "\(texts.lang)")
        }
    }
}
