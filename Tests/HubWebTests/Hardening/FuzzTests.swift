import Credentials
import Exchange
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import SyncProtocol
import TestSupport
import Testing
import Vitals
import WebPush

@testable import HubWeb

/// Whatever comes, each parser of the web side ends with a value within its bounds or a refusal: every cut, every flipped bit, and what a seeded
/// hand puts in the wrong place.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FuzzTests {
    /// Every prefix, every single flipped bit, and `wild` mixtures.
    static func damaged(_ bytes: [UInt8], wild: Int = 2000, seed: UInt64 = 20_261_121) -> [[UInt8]] {
        var random = SeededGenerator(seed: seed), all = (0..<bytes.count).map { Array(bytes.prefix($0)) }
        for index in bytes.indices {
            for bit in 0..<8 {
                var one = bytes
                one[index] ^= 1 << bit
                all.append(one)
            }
        }
        let spice: [[UInt8]] =
            [
                "\0", "%", "%zz", "%00", "&", "=", "+", "\u{FEFF}", "\"", "\\u0000", "\\ud800", "[[[[[[[[", "{\"a\":", "1e999", "-0",
                "9223372036854775808",
                "NaN", "null", "true", "é", "..", "|", ",,,", "9999-99-99",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80]]
        for _ in 0..<wild {
            var one = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let at = Int.random(in: 0...one.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: one.insert(contentsOf: spice.randomElement(using: &random) ?? [], at: at)
                case 1: one.removeSubrange(at..<min(one.count, at + Int.random(in: 0...8, using: &random)))
                default:
                    // A part of itself, elsewhere.
                    let from = Int.random(in: 0...one.count, using: &random)
                    one.insert(contentsOf: one[from..<min(one.count, from + 12)], at: at)
                }
            }
            all.append(one)
        }
        return all
    }

    private func damaged(_ text: String) -> [[UInt8]] { Self.damaged(Array(text.utf8)) }

    @Test("DATA-3: fields of forms and queries: never more than the bound, and what cannot be read is said to be so")
    func forms() {
        let form = "email=ada%40example.org&name=Ada+Made-Up&terms=2026-11&kind1=1&purpose=perch%C3%A9"
        #expect(FormFields(form).isWhole)
        for bytes in damaged(form) {
            guard let text = String(validating: bytes, as: UTF8.self) else { continue }
            let fields = FormFields(text)
            #expect(fields.pairs.count <= FormFields.countMax)
            // What was read is what was sent: written anew, it is read the same.
            guard fields.isWhole else { continue }
            let again = fields.pairs.map { "\(Self.escaped($0.0))=\(Self.escaped($0.1))" }.joined(separator: "&")
            #expect(FormFields(again).pairs.elementsEqual(fields.pairs, by: ==), "\(text)")
        }
        #expect(FormFields(String(repeating: "a=b&", count: 5000)).isWhole == false)
        for bytes in damaged("Basic " + Data("17:AAAA-BBBB-CCCC-DDDD".utf8).base64EncodedString()) {
            let read = BasicCredentials(String(decoding: bytes, as: UTF8.self))
            #expect((read?.user.utf8.count ?? 0) + (read?.password.utf8.count ?? 0) < 1024)
        }
    }

    private static func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }

    @Test("DATA-3, DATA-13: what phones send: every position that is taken is on the earth and no later than tomorrow")
    func phones() {
        let now: Milliseconds = 1_800_000_000_000
        let ownTracks =
            #"[{"_type":"location","lat":45.6983,"lon":9.6773,"tst":1799999990,"acc":12,"alt":249,"vel":5,"cog":270,"batt":78,"bs":1}]"#
        let traccar = """
            {"location":{"timestamp":"2027-01-15T07:59:50.000Z","coords":{"latitude":45.6983,"longitude":9.6773,"accuracy":12.5,"speed":1.5,
            "heading":270,"altitude":249},"battery":{"level":0.78,"is_charging":true},"extras":{"alarm":"sos"}},"device_id":"AAAABBBBCCCCDDDD"}
            """
        let query =
            "id=AAAABBBBCCCCDDDD&timestamp=1799999990&lat=45.6983&lon=9.6773&accuracy=12&speed=3&bearing=270&altitude=249&batt=78&charge=true"
        func check(_ text: String, _ name: String, _ read: ([UInt8]) throws -> SenderReading) {
            #expect((try? read(Array(text.utf8)))?.samples.positions.count == 1, "\(name)")
            var taken = 0
            for bytes in damaged(text) {
                guard let reading = try? read(bytes) else { continue }
                for position in reading.samples.positions {
                    taken += 1
                    #expect(abs(position.latitudeDegrees) <= 90 && abs(position.longitudeDegrees) <= 180, "\(name)")
                    #expect(position.time >= 0 && position.time <= now + 86_400_000, "\(name): \(position.time)")
                }
            }
            #expect(taken > 10, "\(name)")
        }
        check(ownTracks, "OwnTracks") { try OwnTracks.read($0, bytesMax: 4096, now: now) }
        check(traccar, "Traccar Client") { try OsmAnd.read(json: $0, bytesMax: 4096, now: now) }
        check(query, "OsmAnd") { try OsmAnd.read(parameters: FormFields(String(decoding: $0, as: UTF8.self)).pairs, now: now) }
    }

    @Test("CONS-14: cursors and identifiers: what is read is written the same, so that two texts never mean one place")
    func cursors() throws {
        let cursor = "\(HubIncarnation.random()).17.3.1800000000000"
        #expect(SubscriptionCursor(cursor)?.description == cursor)
        let patient = try #require(FHIRID(PersonID.random().description)).description
        for bytes in damaged(cursor) + damaged("pos-\(patient)-1800000000000") + damaged(patient) {
            let text = String(decoding: bytes, as: UTF8.self)
            if let read = SubscriptionCursor(text) { #expect(SubscriptionCursor(read.description) == read) }
            if let read = FHIRID(text) { #expect(read.description.utf8.count <= 36) }
            if let read = PersonID(text) { #expect(PersonID(read.description) == read) }
        }
    }

    @Test("CONS-12: times: what is read lies within the years that the hub knows")
    func times() {
        for text in [
            "2026-11-21T16:00:00Z", "1800000000000", "2026-11-21T16:00:00.123Z", "ge2026-11-21T16:00:00+02:00", "2026-11", "sa2026",
        ] {
            for bytes in damaged(text) {
                let text = String(decoding: bytes, as: UTF8.self)
                if let time = APITime.read(text) { #expect((0..<253_402_300_800_000).contains(time), "\(text)") }
                if let date = FHIRDateRange(text), let span = date.span { #expect(FHIRDateRange.all.contains(span.lowerBound), "\(text)") }
            }
        }
    }

    @Test("ACC-15: a browser's subscription to notices")
    func subscriptions() throws {
        let json = TestBrowser().json()
        _ = try PushSubscription(json: json)
        for bytes in Self.damaged(json) {
            guard let read = try? PushSubscription(json: bytes) else { continue }
            #expect(read.endpoint.utf8.count < 4096)
        }
    }

    @Test("CONS-12, DATA-3: damaged forms, queries, bodies and heads sent to a hub: refused or answered, and never a fault of its own")
    func overHTTP() async throws {
        try await WebFixture.run { web in
            let cast = try await Cast(web, "a"), running = try cast.object("running", for: .token)
            let token = [("authorization", "Bearer \(cast.token)")], json = [("content-type", "application/json")]
            let person = [("cookie", try web.session(of: cast.person, strength: .full))]
            let device = try Devices(devices: web.hub.accounts.devices).add("Phone", .ownTracks, of: cast.person.id.person, now: Cast.now)
            let basic = [("authorization", "Basic " + Data("\(device.0.row):\(device.1.grouped)".utf8).base64EncodedString())]
            let search =
                "patient=x&date=ge2026-11-21&date=lt2026-11-22T00:00:00Z&code=http%3A%2F%2Floinc.org%7C8867-4&_count=10&_sort=-date"
            let requests: [(name: String, headers: [(String, String)], sample: String, send: (String) -> (HTTPMethod, String, String?))] = [
                ("FHIR search", token, search, { (.GET, "/api/v1/fhir/Observation?\($0)", nil) }),
                (
                    "FHIR events", token, "patient=x&_count=5&cursor=\(HubIncarnation.random()).1.0.1",
                    { (.GET, "/api/v1/fhir/Observation/$events?\($0)", nil) }
                ),
                (
                    "samples", token, "kinds=heart-rate&from=2026-11-21T00:00:00Z&last=10&format=csv",
                    { (.GET, "/api/v1/consents/\(running)/samples?\($0)", nil) }
                ),
                (
                    "request", token + json, #"{"email":"ada@example.org","kinds":["heart-rate"],"purpose":"Study","term":{"days":7}}"#,
                    { (.POST, "/api/v1/consents", $0) }
                ),
                (
                    "service", token + json,
                    #"{"name":"x","english":{"about":"a","purpose":"b"},"italian":{"about":"a","purpose":"b"},"kinds":["position"],"actions":["once"]}"#,
                    { (.POST, "/api/v1/services", $0) }
                ),
                (
                    "result", token + json,
                    #"{"text":"x","values":[{"name":"a","value":1e3}],"series":{"name":"s","points":[{"time":"1","value":1},{"time":"2","value":2}]}}"#,
                    { (.POST, "/api/v1/consents/\(running)/results", $0) }
                ),
                ("webhook", token + json, #"{"url":"https://hooks.example.org/in"}"#, { (.POST, "/api/v1/webhooks", $0) }),
                (
                    "assertion", [], "grant_type=client_credentials&client_assertion_type=x&client_assertion=eyJhbGciOiJFUzI1NiJ9.e30.AAAA",
                    { (.POST, SyncRoute.token, $0) }
                ),
                ("policy", person, "kind1=1&kind2=1&shown=1", { (.POST, "/followers/policy", $0) }),
                (
                    "profile", person, "firstName=Ada&lastName=Made-Up&gender=female&dateOfBirth=1985-12-10&phone=%2B390212345678",
                    { (.POST, "/profile", $0) }
                ),
                ("subscription", person + json, String(decoding: TestBrowser().json(), as: UTF8.self), { (.POST, "/notices/devices", $0) }),
                ("OwnTracks", basic, #"{"_type":"location","lat":45.7,"lon":9.6,"tst":1800000000}"#, { (.POST, "/owntracks", $0) }),
                ("a job's name", person, PersonID.random().description, { (.GET, "/data/export/\($0)", nil) }),
            ]
            for request in requests {
                var seen: Set<UInt> = []
                let all = Self.damaged(Array(request.sample.utf8), wild: 400), step = max(1, all.count / Seeds.rounds(100, of: 250))
                for index in stride(from: 0, to: all.count, by: step) {
                    let text = String(decoding: all[index], as: UTF8.self)
                    let (method, path, body) = request.send(text)
                    // What a client cannot even put into a head is tried on the raw connection.
                    guard let path = path.addingPercentEncoding(withAllowedCharacters: Self.sent) else { continue }
                    let status = try await web.send(method, path, headers: request.headers, body: body.map { Array($0.utf8) }).status
                    seen.insert(status)
                    #expect(status < 500, "\(request.name): \(status): \(text)")
                }
                #expect(
                    !seen.isEmpty && seen.isSubset(of: [200, 201, 202, 204, 303, 400, 401, 403, 404, 406, 409, 413, 415, 422, 429]),
                    "\(request.name): \(seen)")
            }
        }
    }

    private static let sent = CharacterSet.alphanumerics.intersection(.init(charactersIn: "!"..."~")).union(
        .init(charactersIn: "-._~/?&=%:,$+"))
}
