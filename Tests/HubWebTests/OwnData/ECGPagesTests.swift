import Accounts
import AsyncHTTPClient
import Exchange
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Uploading, looking at, downloading and deleting ECGs, on the pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ECGPagesTests {
    private static let apple = MadeECG.apple(date: "2020-03-02 09:12:18 +0100", classification: "Atrial Fibrillation")

    private func cookies(_ member: Member) -> String { "\(member.cookie); \(Texts.zoneCookie)=Europe/Rome" }

    private func upload(_ web: WebFixture, _ bytes: [UInt8], to path: String = "/data/ecg", _ cookie: String) async throws
        -> WebFixture.Answer
    {
        try await web.send(
            .POST, path, cookie: cookie, headers: [("content-type", "multipart/form-data; boundary=made-up")],
            body: MadeECG.form("ecgFile", bytes))
    }

    private func strip(_ page: String, below path: String = "/data/ecg") throws -> String {
        let found = page.matches(of: /href="([a-z0-9\/]+\/ecg\/[0-9a-f]{32})"/).map { String($0.output.1) }
        return try #require(found.first { $0.hasPrefix(path) }, "\(page)")
    }

    @Test(
        "DATA-1, DATA-2, ACC-12: an ECG is uploaded, listed and drawn with time, rate, lead and device, in both languages; the device's words are no diagnosis"
    )
    func uploads() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            #expect(try await web.send(.GET, "/data", cookie: person.cookie).body.contains("href=\"/data/ecg\""))
            let stored = try await upload(web, Array(Self.apple.utf8), cookies(person))
            #expect(
                stored.status == 200 && stored.body.contains("1 ECG is stored.")
                    && stored.body.contains("3 lines of the header were left out"))
            #expect(stored.body.contains("30 s · 512 Hz · I") && !stored.body.contains("Made-Up"))
            let path = try strip(stored.body), page = try await web.send(.GET, path, cookie: cookies(person)).body
            #expect(page.contains("<svg class=\"ecg\"") && page.contains("25 mm/s, 10 mm/mV") && page.contains("Apple Watch4,2"))
            #expect(page.contains("“Atrial Fibrillation”, said by the device, no diagnosis") && page.contains("09:12"))
            #expect(page.components(separatedBy: "class=\"trace\"").count == 9, "30 s are eight rows")
            _ = try await web.post("/language", ["language": "it", "back": "/data/ecg"], cookie: person.cookie)
            let italian = try await web.send(.GET, path, cookie: cookies(person)).body
            #expect(
                italian.contains("«Atrial Fibrillation», secondo il dispositivo, non è una diagnosi") && italian.contains("Derivazioni"))
            #expect(try await web.send(.GET, path, cookie: other.cookie).status == 404)
            #expect(try await web.post(path + "/delete", [:], cookie: other.cookie).status == 404)
            #expect(try await upload(web, Array(Self.apple.utf8), cookies(person)).body.contains("1 ECG era già salvato."))
            // Nobody is told or alarmed by what a device says.
            #expect(try web.hub.accounts.notices.notices(of: person.account, count: 10).isEmpty)
        }
    }

    @Test("DATA-2, ACC-12: what is wrong with a file is said with its place and what to do; nothing is stored")
    func refusals() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            let wrong = try await upload(web, Array(MadeECG.apple(values: ["1", "x"]).utf8), person.cookie)
            #expect(wrong.status == 422 && wrong.body.contains("Line 15: This is no number. Upload the file as it was exported."))
            let none = try await web.post("/data/ecg", [:], cookie: person.cookie)
            #expect(none.status == 422 && none.body.contains("No file was chosen."))
            let large = [UInt8](repeating: 65, count: ECGStrip.Limits.fileBytesMax + 1)
            #expect(try await upload(web, large, person.cookie).body.contains("at most 4000000 bytes"))
            let future = try await upload(web, Array(MadeECG.apple(date: "2999-01-01 00:00:00 +0000").utf8), person.cookie)
            #expect(future.status == 422 && future.body.contains("is in the future"))
            let broken = MadeECG.fhir(leads: [("131329", "1 <b>2</b>")])
            let shown = try await upload(web, Array(broken.utf8), person.cookie).body
            #expect(shown.contains("component[0].valueSampledData.data, value 2: This is no number.") && !shown.contains("<b>2"))
            #expect(try ECGStore(web.hub.series).bytes(of: person.account.id.person) == 0)
        }
    }

    @Test(
        "DATA-9, DATA-10: strips are downloaded one by one and with everything, and deleted one by one; without strips a download is as before"
    )
    func downloads() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            func members(_ format: String) async throws -> [String: String] {
                var request = HTTPClientRequest(url: web.url + "/data/export?format=\(format)&days=0")
                request.headers.add(name: "cookie", value: person.cookie)
                let file = try await web.client.execute(request, timeout: .seconds(60)).body.collect(upTo: 1 << 24)
                let archive = web.directory.url.appendingPathComponent("ecg-\(format).zip")
                try Data(file.readableBytesView).write(to: archive)
                return try Archive.members(archive)
            }
            #expect(try await Set(members("csv").keys) == ["profile.json", "trackme.csv"])
            let path = try strip(try await upload(web, Array(Self.apple.utf8), person.cookie).body), id = String(path.suffix(32))
            let csv = try await web.send(.GET, path + "/file?format=csv", cookie: person.cookie)
            #expect(
                csv.body.hasPrefix("time_ms,I_uV\r\n0.000,0\r\n") && csv.header("content-disposition") == "attachment; filename=\"ecg.csv\""
            )
            #expect(
                try await web.send(.GET, path + "/file?format=json", cookie: person.cookie).body.contains(
                    "\"said_by_device\":\"Atrial Fibrillation\""))
            let fhir = try await web.send(.GET, path + "/file?format=fhir", cookie: person.cookie).body
            #expect(try ECGFile.read(Array(fhir.utf8)) { $0 }.strips.first?.count == 15_360)
            #expect(try await web.send(.GET, path + "/file?format=exe", cookie: person.cookie).status == 400)
            for format in ["json", "gpx"] { #expect(try await members(format)["ecg.json"]?.contains(id) == true, "\(format)") }
            #expect(try await members("fhir")["ecg.fhir.json"]?.contains("MDC_ECG_ELEC_POTL_I") == true)
            let table = try await members("csv")
            #expect(
                table["ecg/strips.csv"]?.contains("Atrial Fibrillation") == true && table["ecg/\(id).csv"]?.hasPrefix("time_ms") == true)

            #expect(try await web.send(.GET, "/data", cookie: person.cookie).body.contains("name=\"kind48\""))
            #expect(try await web.post(path + "/delete", [:], cookie: person.cookie).header("location") == "/data/ecg")
            #expect(try await web.send(.GET, path, cookie: person.cookie).status == 404)
            #expect(try await Set(members("csv").keys) == ["profile.json", "trackme.csv"])
        }
    }

    @Test("DATA-2, ACC-17, DATA-12: a parent uploads an ECG for a child; it says so, the child sees it and the reads, and nobody else does")
    func ward() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), other = try web.member(.person, "other@example.org")
            let kid = try web.child(of: parent.account, "ab3d-ef5h"), base = "/care/person/\(kid.id)/data/ecg"
            let own = try web.session(of: kid, strength: .full)
            #expect(try await upload(web, Array(Self.apple.utf8), to: base, other.cookie).status == 403)
            let stored = try await upload(web, Array(Self.apple.utf8), to: base, parent.cookie)
            #expect(stored.status == 200 && stored.body.contains("ECG of Kid Example"))
            let path = try strip(stored.body, below: base)
            #expect(try await web.send(.GET, path, cookie: other.cookie).status == 403)
            let list = try await web.send(.GET, "/data/ecg", cookie: own).body
            #expect(try await web.send(.GET, strip(list), cookie: own).body.contains("by a parent"))
            #expect(try await web.send(.GET, "/ledger", cookie: own).body.contains("read"))
            #expect(try await !web.send(.GET, "/data/ecg", cookie: parent.cookie).body.contains("30 s"))
        }
    }

    @Test(
        "CONS-16, DATA-12: a doctor who may read ECGs sees the strips, without who uploaded them; one who may read the heart rate does not")
    func followers() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            _ = try await upload(web, Array(Self.apple.utf8), person.cookie)
            for (kind, email, isAllowed) in [(DataKind.ecg, "doctor@example.org", true), (.heartRate, "nurse@example.org", false)] {
                let reader = try web.member(.person, email)
                let offered = try web.hub.consents.offer(
                    to: EmailAddress(email), kinds: [kind], purpose: "Care", of: id, by: person.account.id)
                try web.hub.consents.takeOffer(offered, by: reader.account)
                let base = "/following/\(offered)", page = try await web.send(.GET, base, cookie: reader.cookie).body
                #expect(page.contains("href=\"\(base)/ecg\"") == isAllowed)
                let list = try await web.send(.GET, base + "/ecg", cookie: reader.cookie)
                #expect(list.status == (isAllowed ? 200 : 403))
                guard isAllowed else { continue }
                let shown = try await web.send(.GET, strip(list.body, below: base), cookie: reader.cookie).body
                #expect(shown.contains("<svg class=\"ecg\"") && !shown.contains("Uploaded") && !shown.contains("/delete"))
                #expect(try await web.send(.GET, "/ledger", cookie: person.cookie).body.contains("Ada Example read"))
            }
        }
    }

    @Test("CONS-12: a program reads strips by a consent that names ECG, as list, JSON, CSV and FHIR; samples and lists stay as they were")
    func api() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let program = try Program(web), bearer = [("authorization", "Bearer \(try await program.token())")]
            let strip = String(try strip(try await upload(web, Array(Self.apple.utf8), person.cookie).body).suffix(32))
            let body = #"{"whom":"ada@example.org","kinds":["ecg"],"purpose":"A study","days":30}"#
            let asked = try await web.send(.POST, "/api/v1/consents", headers: bearer, body: Array(body.utf8)).body
            let id = String(try #require(asked.firstMatch(of: /"id":"([0-9a-f]{32})"/)).output.1), path = "/api/v1/consents/\(id)"
            #expect(try await web.send(.GET, path + "/ecg", headers: bearer).status == 404)
            #expect(try await web.post("/operator/requests/\(id)/approve", [:], cookie: chief.cookie).status == 303)
            _ = try await web.until("/followers", cookie: person.cookie) { $0.contains("/accept") && $0.contains("ECGs") }
            #expect(try await web.post("/followers/\(id)/accept", [:], cookie: person.cookie).status == 303)
            let list = try await web.send(.GET, path + "/ecg", headers: bearer)
            #expect(
                list.status == 200 && list.body.contains(strip) && list.body.contains("\"rate_hz\":512") && !list.body.contains("uploader"))
            #expect(try await web.send(.GET, path + "/ecg/\(strip)", headers: bearer).body.contains("\"leads\":[{\"name\":\"I\""))
            #expect(try await web.send(.GET, path + "/ecg/\(strip)?format=csv", headers: bearer).body.hasPrefix("time_ms,I_uV"))
            let fhir = try await web.send(.GET, path + "/ecg/\(strip)?format=fhir", headers: bearer)
            #expect(fhir.header("content-type")?.hasPrefix("application/fhir+json") == true && !fhir.body.contains("subject"))
            #expect(try await web.send(.GET, path + "/ecg/\(strip)?format=exe", headers: bearer).status == 400)
            #expect(try await web.send(.GET, path + "/samples", headers: bearer).body.isEmpty)
            let capability = try await web.send(.GET, "/api/v1/fhir/metadata").body
            #expect(!capability.contains("ecg") && !capability.contains("11524-6"))
        }
    }

    @Test("ACC-12, DATA-2: each problem, place and thing left out has words in each language")
    func words() {
        for texts in Texts.all {
            for code in ECGProblem.Code.allCases { #expect(texts.find("ecgProblem.\(code.rawValue)") != nil, "\(texts.lang) \(code)") }
            for place in ["line", "byte", "element", "signal", "lead"] {
                #expect(texts.find("ecgPlace.\(place)") != nil, "\(texts.lang) \(place)")
            }
            for what in ECGFile.LeftOut.allCases {
                for count in ["One", "Other"] {
                    #expect(texts.find("ecg.leftOut_\(what.rawValue)\(count)") != nil, "\(texts.lang) \(what)")
                }
            }
        }
    }

    @Test("DATA-1: a drawing keeps to 25 mm/s and 10 mm/mV, keeps each peak, leaves gaps, and draws what is too high at the edge")
    func drawing() throws {
        func strip(_ hertz: Int, _ values: [Int32?]) throws -> ECGStrip {
            try ECGStrip(time: 1_583_136_738_000, millihertz: hertz * 1000, leads: [.init(name: .init("I"), values: values)])
        }
        var flat = [Int32?](repeating: 0, count: 2000)
        // One value of 1 mV after 1 s: 25 mm to the right, 10 mm up.
        flat[1000] = 1000
        let svg = ECGDrawing(strip: try strip(1000, flat), part: 0).svg(label: "<1>")
        #expect(svg.contains("aria-label=\"&lt;1&gt;\"") && svg.contains("viewBox=\"0 0 1150 250\"") && svg.contains("width=\"115mm\""))
        let path = try #require(svg.firstMatch(of: /class="trace" d="M150 100([^"]*)"/)).output.1
        var x = 150, y = 100, top: (x: Int, y: Int)?
        for step in path.matches(of: /l(-?\d+) (-?\d+)/) {
            x += Int(step.output.1) ?? 0
            y += Int(step.output.2) ?? 0
            if y < top?.y ?? 100 { top = (x, y) }
        }
        #expect(top?.x == 150 + 250 && top?.y == 0 && y == 100)
        flat[1000] = nil
        let gap = ECGDrawing(strip: try strip(500, flat), part: 0)
        #expect(try #require(gap.svg(label: "").firstMatch(of: /class="trace" d="([^"]*)"/)).output.1.count(where: { $0 == "M" }) == 2)
        #expect(!gap.isCut)
        flat[1000] = 9000
        let high = ECGDrawing(strip: try strip(500, flat), part: 0)
        #expect(high.isCut && high.svg(label: "").contains("viewBox=\"0 0 1150 450\""))
        #expect(ECGDrawing.parts(30_000) == 1 && ECGDrawing.parts(32_001) == 2 && ECGDrawing.parts(300_000) == 10)
        let long = ECGDrawing(strip: try strip(50, [Int32?](repeating: 5, count: 2000)), part: 1)
        #expect(long.svg(label: "").contains(">32 s</text>") && !long.svg(label: "").contains(">40 s</text>"))
    }
}
