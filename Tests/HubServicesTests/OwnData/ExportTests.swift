import Accounts
import Database
import Exchange
import Foundation
import Privacy
import Segments
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// A store with series that are made fast: whole hours, straight into the journal.
struct ExportFixture {
    let hub: ServicesFixture
    let grant: Grant
    let session: LinkSession.Hash
    /// An hour's beginning.
    let start: Milliseconds
    let span: ClosedRange<Milliseconds>

    init() throws {
        hub = try ServicesFixture()
        start = hub.clock.now / SeriesStore.hour * SeriesStore.hour
        span = start - 86_400_000...start + 400 * 86_400_000
        let link = try #require(
            try hub.accounts.links.redeemLink(hub.accounts.links.makeLink(to: hub.person, now: hub.clock.now), now: hub.clock.now))
        let session = try #require(try hub.accounts.links.linkSession(link.session))
        grant = try #require(session.grant(at: hub.clock.now))
        self.session = session.hash
    }

    /// An hour of 1 Hz heart rates, of positions and of other kinds where wanted: each kind for a second, over and over.
    func addHour(
        _ hour: Int64, _ provenance: Provenance = .live, positions: Bool = false, scalars: [DataKind] = [], from second: Int = 0,
        count: Int = 3600
    ) throws {
        let stream = StreamID.random(), person = hub.person
        let row = try #require(try hub.series.streams([.init(stream: stream, agent: 1, provenance: provenance)], now: 0)[stream]?.row)
        let key = SeriesStore.ClockKey(stream: row, domain: .recorded)
        let times = (second..<second + count).map { start + hour * SeriesStore.hour + Milliseconds($0) * 1000 }
        var samples = SampleSet(heartRates: times.map { HeartRateSample(time: $0, beatsPerMinute: 60 + UInt16($0 / 1000 % 60)) })
        if positions { samples.positions = times.map { PositionSample(time: $0, latitude: 454_000_000, longitude: 91_000_000) } }
        if !scalars.isEmpty {
            samples.scalars = try times.enumerated().map { index, time in
                let kind = scalars[index % scalars.count], entry = kind.entry
                return try #require(
                    ScalarSample(
                        kind, time: time, value: entry.range.lowerBound, end: entry.span == .none ? nil : time + 500,
                        second: entry.second?.range.lowerBound))
            }
        }
        let segment = Segment(stream: stream, sequence: 0, person: person, provenance: provenance, clock: .recorded, samples: samples)
        let sealed = try segment.encoded().withUnsafeBytes { try hub.series.seal($0, person: person, stream: row, sequence: 0) }
        let frame = JournalFrame(
            person: try #require(try hub.accounts.row(of: person)), stream: row, clock: try #require(try hub.series.clocks([key])[key]),
            sequence: 0, fingerprint: 1, first: segment.header.firstTime, last: segment.header.lastTime, hasClocks: false, gaps: [],
            envelope: try #require(sealed))
        try hub.series.append([frame], clocks: [], now: hub.clock.now)
    }

    func export() -> Export { Export(series: hub.series.reader, now: { hub.clock.now }) }

    /// Everything that an export sends.
    /// - Parameter other: by which grant; nil for the link's.
    func text(_ writer: some SampleWriter, by other: Grant? = nil) async throws -> String {
        let bytes = Mutex<[UInt8]>([])
        try await export().write(writer, other ?? grant, in: span) { chunk in bytes.withLock { $0 += chunk } }
        return bytes.withLock { String(decoding: $0, as: UTF8.self) }
    }
}

struct ExportTests {
    @Test("DATA-9: all samples stand in every format once, in order, merged or waiting, with months in between")
    func formats() async throws {
        let fixture = try ExportFixture()
        for hour in [0, 1, 5, 2000] as [Int64] { try fixture.addHour(hour, positions: hour == 5) }
        try fixture.hub.series.merger.merge(now: 1)
        try fixture.addHour(2001, positions: true)
        let csv = try await fixture.text(CSVWriter()).split(separator: "\r\n")
        #expect(csv.count == 1 + 7 * 3600)
        #expect(csv.dropFirst().map { $0.prefix(24) } == csv.dropFirst().map { $0.prefix(24) }.sorted())
        #expect(csv.filter { $0.contains(",heart_rate,live,") }.count == 5 * 3600)
        let json = try JSONSerialization.jsonObject(with: Data(await fixture.text(JSONWriter(created: 0)).utf8)) as? [String: Any]
        #expect((json?["heart_rate"] as? [Any])?.count == 5 * 3600)
        #expect((json?["position"] as? [Any])?.count == 2 * 3600)
        let gpx = try await fixture.text(GPXWriter(name: "Made up", created: 0))
        #expect(gpx.components(separatedBy: "<trkpt ").count == 1 + 2 * 3600)
        #expect(gpx.components(separatedBy: "<trk>").count == 1 + 2)
        let patient = try #require(FHIRID("made-up"))
        let fhir = try await fixture.text(
            FHIRBundleWriter(.collection, base: "https://hub.example/fhir", patient: patient, detail: .minutes, created: 0))
        let bundle = try JSONSerialization.jsonObject(with: Data(fhir.utf8)) as? [String: Any]
        #expect(bundle?["resourceType"] as? String == "Bundle")
        #expect(((bundle?["entry"] as? [Any])?.count ?? 0) >= 5 * 60)
    }

    @Test("DATA-9, DATA-1: FHIR has each sample of a scalar kind once, merged or waiting, beside the minutes of heart rates")
    func scalars() async throws {
        let fixture = try ExportFixture(), kinds = DataKind.scalars, seconds = kinds.count * 4
        try fixture.addHour(0, scalars: kinds, count: seconds)
        try fixture.hub.series.merger.merge(now: 1)
        try fixture.addHour(1, scalars: kinds, count: seconds)
        let patient = try #require(FHIRID("made-up"))
        func ids(_ grant: Grant?) async throws -> [String] {
            let text = try await fixture.text(
                FHIRBundleWriter(.collection, base: "https://hub.example/fhir", patient: patient, detail: .minutes, created: 0), by: grant)
            let bundle = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            return (bundle?["entry"] as? [[String: Any]] ?? []).compactMap { ($0["resource"] as? [String: Any])?["id"] as? String }
        }
        let all = try await ids(.maintenance(of: fixture.hub.person)), link = try await ids(nil)
        for kind in kinds { #expect(all.count { $0.hasPrefix("s\(kind.rawValue)-") } == 8, "\(kind)") }
        #expect(all.count { $0.hasPrefix("hrm-") } == 2 * ((seconds + 59) / 60) && Set(all).count == all.count)
        #expect(link == all.filter { $0.hasPrefix("hrm-") }, "no scalar was granted to whoever has a link")
    }

    @Test("DATA-9: each sample says whether it was live, a replay or a drill, also within one hour")
    func provenance() async throws {
        let fixture = try ExportFixture()
        try fixture.addHour(0, .live, count: 600)
        try fixture.addHour(0, .drill, positions: true, from: 1200, count: 600)
        try fixture.addHour(0, .replay, from: 300, count: 1200)
        let lines = try await fixture.text(CSVWriter()).split(separator: "\r\n").dropFirst()
        func count(_ text: String) -> Int { lines.filter { $0.contains(text) }.count }
        // Live goes first, then the replay, then the drill.
        #expect(count(",heart_rate,live,") == 600 && count(",heart_rate,replay,") == 900 && count(",heart_rate,drill,") == 300)
        #expect(count(",position,drill,") == 600)
        #expect(lines.map { $0.prefix(24) } == lines.map { $0.prefix(24) }.sorted())
    }

    @Test("DATA-9: hours that are done are told, chunks are bounded, and no transaction is open while somebody reads slowly")
    func bounded() async throws {
        let fixture = try ExportFixture()
        for hour in 0..<48 as Range<Int64> { try fixture.addHour(hour * 2) }
        try fixture.hub.series.merger.merge(now: 1)
        let told = Mutex<[Export.Progress]>([]), chunks = Mutex<[Int]>([])
        try await fixture.export().write(
            CSVWriter(), fixture.grant, in: fixture.span,
            progress: { progress in told.withLock { $0.append(progress) } },
            send: { chunk in
                chunks.withLock { $0.append(chunk.count) }
                // The log of the database can be emptied, which an open reader would prevent.
                if chunks.withLock({ $0.count }) == 3 {
                    try fixture.addHour(1)
                    try fixture.hub.series.merger.merge(now: 2)
                    try fixture.hub.series.series.truncateLog()
                }
            })
        #expect(told.withLock { $0 } == (1...48).map { Export.Progress(done: $0, all: 48) })
        #expect(chunks.withLock { $0.count } >= 40)
        #expect(chunks.withLock { $0.max() ?? 0 } < Export.chunkBytes + 3600 * 60)
    }

    @Test("DATA-9: an export stops with the hour in which its grant ends: revoked, or the person deleted", arguments: [false, true])
    func ends(deleted: Bool) async throws {
        let fixture = try ExportFixture(), hub = fixture.hub
        for hour in 0..<24 as Range<Int64> { try fixture.addHour(hour) }
        let chunks = Mutex(0)
        await #expect(throws: Export.Failure.grantEnded) {
            try await fixture.export().write(CSVWriter(), fixture.grant, in: fixture.span) { _ in
                let count = chunks.withLock { count in
                    count += 1
                    return count
                }
                guard count == 2 else { return }
                if deleted {
                    try hub.accounts.deletePerson(hub.person, now: hub.clock.now)
                } else {
                    try hub.accounts.links.revokeLinkSession(fixture.session, now: hub.clock.now)
                }
            }
        }
        #expect(chunks.withLock { $0 } == 2)
    }

    @Test("DATA-9: a person without data gets a whole, empty file; somebody without a grant gets none")
    func empty() async throws {
        let fixture = try ExportFixture()
        #expect(try await fixture.text(CSVWriter()).split(separator: "\r\n").count == 1)
        try fixture.hub.accounts.links.revokeLinkSession(fixture.session, now: fixture.hub.clock.now)
        await #expect(throws: Export.Failure.grantEnded) { try await fixture.text(CSVWriter()) }
    }

    @Test("DATA-9: the profile is part of the download: fields, accepted documents, browsers; never the password")
    func profile() throws {
        let own = try OwnDataFixture()
        let account = try own.addAccount(email: "made@example.org")
        try own.hub.accounts.addSession([1], of: account.row, strength: .full, device: "A browser", now: own.hub.clock.now)
        let json = try ProfileExport(account, accounts: own.hub.accounts, now: own.hub.clock.now).json()
        let profile = try JSONDecoder().decode(ProfileExport.self, from: Data(json))
        #expect(profile.details["email"] == "made@example.org" && profile.roles == ["person"])
        #expect(profile.sessions.map(\.device) == ["A browser"] && profile.accepted.map(\.document) == ["terms"])
        #expect(!String(decoding: json, as: UTF8.self).contains("password"))
    }

    @Test("DATA-9, CONS-8, CONS-16: results of services and offers to readers are part of the download")
    func resultsAndOffers() async throws {
        let hub = try ConsentFixture()
        let service = try hub.consents.publish(ServiceConsentTests.about("Sleep coach"), by: hub.hospital)
        #expect(try hub.consents.check(service, version: 1, isApproved: true, by: hub.checker))
        let consent = try #require(try hub.consents.add(service, .daily, language: "en", of: hub.person, by: hub.ada.id))
        let result = ServiceResult(text: "You rest well", values: [.init(name: "Sleep", value: 7.5, unit: "h")])
        _ = try hub.accounts.services.addResult(result, to: consent, by: hub.asker, now: hub.clock.now)
        _ = try hub.consents.offer(
            to: EmailAddress("doctor@example.org"), kinds: [.heartRate], purpose: "My heart", of: hub.person, by: hub.ada.id)
        let json = try ProfileExport(hub.ada, accounts: hub.accounts, now: hub.clock.now).json()
        let profile = try JSONDecoder().decode(ProfileExport.self, from: Data(json))
        #expect(profile.results.map(\.service) == ["Sleep coach"] && profile.results.map(\.result) == [result])
        #expect(profile.offers.map(\.email) == ["doctor@example.org"] && profile.offers.map(\.kinds) == [["heartRate"]])
    }

    @Test(
        "DATA-9, DATA-12, CONS-7: consents, reads, policy, notices, alarms and boxes are part of the download, and no secret of a link is")
    func records() async throws {
        let hub = try ConsentFixture(), now = hub.clock.now
        let scope = try ConsentScope(asker: hub.asker, kinds: [.heartRate], purpose: "A study of sleep", term: .untilRevoked)
        let consents = hub.accounts.consents
        let consent = try consents.giveConsent(scope, of: hub.person, by: hub.ada.id, parameters: .data4Help, now: now).consent
        let grant = try #require(try consents.grant(by: consent.id, to: hub.asker, now: now))
        try hub.accounts.ledger.recordRead(grant, now: now)
        try hub.consents.setPolicy(AccessPolicy(anybody: [.position]), of: hub.person, by: hub.ada.id)
        try hub.accounts.notices.addNotice(.quota, ["link": "https://hub.example/reset/secret"], to: hub.ada, now: now)
        let sos = try SOSStore(HubDirectory(hub.hub.directory.url), keys: hub.accounts.keys)
        try sos.change(hub.person, by: hub.ada.id, now: now) { choice in
            choice.contacts = [SOSContact(name: "Bea", phone: "+39021234567", email: nil, language: "it")]
            return ["contacts"]
        }
        let json = try ProfileExport(hub.ada, accounts: hub.accounts, sos: sos, now: now).json()
        let records = try JSONDecoder().decode(ProfileExport.self, from: Data(json)).records
        #expect(records.consents.map(\.id) == [consent.id.description] && records.consents.first?.state == "running")
        #expect(records.consents.first?.purpose == "A study of sleep" && records.consents.first?.lastRead != nil)
        #expect(records.ledger.map(\.what) == ["read", "given"] && records.ledger.allSatisfy { !$0.name.isEmpty })
        #expect(records.policy.contains("position") && !records.policy.contains("heartRate"))
        #expect(records.notices.contains { $0.kind == "quota.reached" } && !String(decoding: json, as: UTF8.self).contains("secret"))
        #expect(records.sos?.settings.contacts.map(\.name) == ["Bea"] && records.sos?.changes.map(\.what) == [["contacts"]])
        // What an organisation takes along.
        let other = try ProfileExport(hub.hospital, accounts: hub.accounts, sos: sos, now: now).records
        #expect(other.asked.map(\.id) == [consent.id.description] && other.sos == nil && other.organisation?.services == [])
    }

    @Test("DATA-9, CONS-12: a download as FHIR has who it is, each consent with who said yes, and each line of the ledger")
    func fhirRecords() throws {
        let hub = try ConsentFixture(), now = hub.clock.now, consents = hub.accounts.consents
        let scope = try ConsentScope(asker: hub.asker, kinds: [.heartRate], purpose: "A \"study\"", term: .untilRevoked)
        let id = try consents.giveConsent(scope, of: hub.person, by: hub.ada.id, parameters: .data4Help, now: now).consent.id
        try hub.accounts.ledger.recordRead(#require(try consents.grant(by: id, to: hub.asker, now: now)), now: now)
        let json = try FHIRRecords.bundle(of: hub.ada, accounts: hub.accounts, base: "https://hub.example/fhir", now: now)
        let bundle = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        let all = try #require(bundle["entry"] as? [[String: Any]]).compactMap { $0["resource"] as? [String: Any] }
        #expect(all.map { $0["resourceType"] as? String } == ["Patient", "Consent", "Provenance", "AuditEvent", "AuditEvent"])
        #expect(all[1]["id"] as? String == id.description && all[1]["status"] as? String == "active")
        #expect((all[2]["target"] as? [[String: Any]])?.first?["reference"] as? String == "Consent/\(id)")
        let agent = (all[2]["agent"] as? [[String: Any]])?.first?["who"] as? [String: Any]
        #expect(agent?["reference"] as? String == "Patient/\(hub.ada.id)")
        #expect(all.dropFirst(3).map { (($0["subtype"] as? [[String: Any]])?.first)?["code"] as? String } == ["read", "given"])
    }

    /// Hours of 1 Hz to export: 8760 is a year. `TRACKME_EXPORT_HOURS=8760 swift test -c release -Xswiftc -enable-testing --filter aYear`
    private static let hours = ProcessInfo.processInfo.environment["TRACKME_EXPORT_HOURS"].flatMap { Int64($0) }

    @Test("DATA-9: a year at 1 Hz is exported as CSV in less than a minute and in constant memory", .enabled(if: hours != nil))
    func aYear() async throws {
        let fixture = try ExportFixture(), hours = try #require(Self.hours)
        for hour in 0..<hours { try fixture.addHour(hour) }
        try fixture.hub.series.merger.merge(now: 1)
        let before = try residentKilobytes(), peak = Mutex(before), bytes = Mutex(0)
        let started = ContinuousClock.now
        try await fixture.export().write(CSVWriter(), fixture.grant, in: fixture.span) { chunk in
            bytes.withLock { $0 += chunk.count }
            let resident = try residentKilobytes()
            peak.withLock { $0 = max($0, resident) }
        }
        let took = ContinuousClock.now - started, grown = peak.withLock { $0 } - before
        #expect(took < .seconds(60), "\(hours) hours, \(bytes.withLock { $0 }) bytes: \(took)")
        #expect(grown < 64 << 10, "memory grew by \(grown) kB")
    }
}

private func residentKilobytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(Int(line.filter(\.isNumber)))
}
