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

/// The page of health of somebody who lets others see it: a relative, a doctor, an organisation.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HealthSharedTests {
    private static let rome = TimeZone(identifier: "Europe/Rome") ?? .gmt

    /// Ten o'clock of yesterday in Rome.
    private static var ten: Milliseconds {
        let today = HealthSpan(.day, around: Date().milliseconds, in: rome)
        return (today.shifted(-1)?.from ?? today.from) + 10 * 3_600_000
    }

    private func cookies(_ member: Member) -> String { "\(member.cookie); \(Texts.zoneCookie)=Europe/Rome" }

    /// Heart rates of one second each, and a weight.
    private func samples(_ rates: [UInt16], from time: Milliseconds, weight: Int64? = nil) throws -> SampleSet {
        var samples = SampleSet(
            heartRates: rates.enumerated().map { index, rate in
                HeartRateSample(time: time + Milliseconds(index) * 1000, beatsPerMinute: rate, contact: .detected)
            })
        if let weight { samples.scalars.append(try #require(ScalarSample(.weight, time: time, value: weight))) }
        return samples
    }

    /// Somebody who reads, by which consent, and where.
    private struct Sharing {
        let reader: Member
        let consent: ConsentID
        let base: String
    }

    private enum Way: CaseIterable {
        case relative, named, organisation
    }

    private func accept(_ web: WebFixture, _ consent: ConsentID, of person: Member) throws {
        try web.hub.accounts.consents.reachConsent(consent, now: web.hub.consents.now)
        try web.hub.consents.answer(consent, .accept, by: person.account.id)
    }

    private func ask(_ web: WebFixture, _ carer: Member, _ person: Member, _ kinds: Set<DataKind>) throws -> ConsentID {
        let asked = try web.hub.consents.askAsCaregiver(
            ConsentAddress(person.account.email), by: carer.account, kinds: kinds, purpose: "Care")
        try accept(web, asked.id, of: person)
        return asked.id
    }

    private func ask(
        _ web: WebFixture, _ lab: Member, _ person: Member, _ kinds: Set<DataKind>, term: ConsentTerm, chief: Member
    ) throws -> ConsentID {
        let asked = try web.hub.consents.ask(
            ConsentAddress(person.account.email), by: lab.account, kinds: kinds, purpose: "A study", term: term)
        try web.hub.consents.approve(asked.id, by: chief.account)
        try accept(web, asked.id, of: person)
        return asked.id
    }

    private func share(_ web: WebFixture, _ way: Way, _ person: Member, _ kinds: Set<DataKind>) throws -> Sharing {
        let consents = web.hub.consents
        switch way {
        case .relative:
            let carer = try web.member(.caregiver, "carer@example.org"), id = try ask(web, carer, person, kinds)
            return Sharing(reader: carer, consent: id, base: "/care/person/\(person.account.id)")
        case .named:
            let doctor = try web.member(.person, "doctor@example.org")
            let id = try consents.offer(
                to: EmailAddress("doctor@example.org"), kinds: kinds, purpose: "Advice", of: person.account.id.person,
                by: person.account.id)
            try consents.takeOffer(id, by: doctor.account)
            let followed = try #require(try consents.followed(by: doctor.account).first)
            return Sharing(reader: doctor, consent: followed.consent.id, base: "/following/\(followed.consent.id)")
        case .organisation:
            let lab = try web.member(.organisation, "lab@example.org"), chief = try web.member(.operator, "chief@example.org")
            let id = try ask(web, lab, person, kinds, term: .lasting(30 * 86_400_000), chief: chief)
            return Sharing(reader: lab, consent: id, base: "/organisation/people/\(id)")
        }
    }

    @Test(
        "DATA-5, DATA-6, DATA-12: who was granted a kind sees days to all, figures and files of it alone, in the ledger, till the end",
        arguments: [0, 1, 2])
    func shared(_ number: Int) async throws {
        let way = Way.allCases[number]
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.organisation, "other@example.org")
            let ten = Self.ten, day = HealthSpan.day(ten, Self.rome), id = person.account.id.person
            try web.append([try samples([83, 85, 87], from: ten, weight: 7150)], of: id)
            let sharing = try share(web, way, person, [.heartRate]), base = sharing.base, cookie = cookies(sharing.reader)
            let reads = {
                try web.hub.consents.ledger(of: id, for: person.account.id, consent: sharing.consent).entries.filter { $0.what == .read }
            }
            #expect(try reads().isEmpty)
            let first = try await web.send(.GET, "\(base)/health", cookie: cookie)
            #expect(first.status == 200 && first.body.contains("87 bpm</dd>"), "\(first.body)")
            let read = try #require(try reads().first)
            #expect(read.kinds.contains(.heartRate) && !read.kinds.contains(.weight))
            for span in ["day&day=\(day)", "week&day=\(day)", "month&day=\(day)", "year&day=\(day)", "all"] {
                let page = try await web.send(.GET, "\(base)/health?span=\(span)", cookie: cookie)
                #expect(page.status == 200 && page.body.contains("<svg class=\"healthplot\""), "\(span)")
                #expect(page.body.contains("<dt>Mean</dt><dd>85 bpm</dd>") && page.body.contains("<dt>Values</dt><dd>3</dd>"), "\(span)")
                // Neither another kind, nor what nobody shared: age and sex, protection, imports, workouts.
                for hidden in ["71.5 kg", "value=\"weight\"", "protectionTitle", "\(id)/data/import", "\(id)/workouts", "<dt>Steps"] {
                    #expect(!page.body.contains(hidden), "\(span): \(hidden)")
                }
                #expect(page.body.contains("age and sex are not shared") && page.body.contains("value=\"heart_rate\""))
            }
            for part in ["", "/download"] {
                #expect(try await web.send(.GET, "\(base)/health\(part)?format=csv", cookie: other.cookie).status == 403)
            }
            #expect(try await web.send(.GET, "\(base)/health?kind=weight", cookie: cookie).status == 403)

            let query = "span=day&day=\(day)"
            let page = try await web.send(.GET, "\(base)/health?\(query)", cookie: cookie).body
            #expect(page.contains("href=\"\(base)/health/download?span=day&amp;day=\(day)&amp;format=csv\""), "\(page)")
            let csv = try await web.send(.GET, "\(base)/health/download?\(query)&format=csv", cookie: cookie).body
            #expect(csv.contains(",heart_rate,live,87,") && !csv.contains("weight"))
            let json = try await web.send(.GET, "\(base)/health/download?\(query)&format=json", cookie: cookie).body
            #expect(json.contains(/[,:]83[,}]/) && !json.contains("weight"))
            let before = try await web.send(.GET, "\(base)/health/download?span=day&day=2020-01-01&format=csv", cookie: cookie).body
            #expect(!before.contains(",heart_rate,"))
            #expect(try await web.send(.GET, base, cookie: cookie).body.contains("href=\"\(base)/health\""))

            try web.hub.consents.answer(sharing.consent, .revoke, by: person.account.id)
            for path in ["", "?span=all", "/download?span=all&format=csv", "/download?span=all&format=json"] {
                let gone = try await web.send(.GET, "\(base)/health\(path)", cookie: cookie)
                #expect(gone.status == 403 && !gone.body.contains("87"), "\(path)")
            }
        }
    }

    @Test("CONS-9: what was granted once ends when the person said yes: in plots, figures, next days and files, also when delivered")
    func once() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), lab = try web.member(.organisation, "lab@example.org")
            let chief = try web.member(.operator, "chief@example.org"), id = person.account.id.person
            let consent = try ask(web, lab, person, [.heartRate], term: .once, chief: chief)
            let since = try #require(try web.hub.accounts.consents.access(by: consent, now: web.hub.consents.now)).since
            let base = "/organisation/people/\(consent)/health", cookie = cookies(lab)
            // In a whole minute before, and a second after: most often in one hour.
            let before = (since - 120_000) / 60_000 * 60_000
            try web.append([try samples([61, 63], from: before), try samples([199, 199], from: since + 1000)], of: id)
            func look() async throws {
                let page = try await web.send(.GET, base + "?span=all&maximum=200", cookie: cookie)
                #expect(page.status == 200 && page.body.contains("this consent was for once"), "\(page.body)")
                #expect(page.body.contains("<dt>Maximum</dt><dd>63 bpm</dd>") && page.body.contains("<dt>Values</dt><dd>2</dd>"))
                #expect(page.body.contains("Below zone 1</th><td>below 100</td><td>1 min</td><td>100 %</td>"), "\(page.body)")
                #expect(!page.body.contains("199 bpm") && !page.body.contains("<td>199</td>") && !page.body.contains("Latest values"))
                let day = try await web.send(.GET, base, cookie: cookie).body
                #expect(day.contains("rel=\"prev\"") && !day.contains("rel=\"next\"") && !day.contains("<td>199</td>"))
                let tomorrow = HealthSpan.day(since + 86_400_000, Self.rome)
                let later = try await web.send(.GET, "\(base)?span=day&day=\(tomorrow)", cookie: cookie).body
                #expect(later.contains("There are no values for these days.") && !later.contains("rel=\"next\""))
                for format in ["csv", "json"] {
                    let file = try await web.send(.GET, "\(base)/download?span=all&format=\(format)", cookie: cookie)
                    #expect(file.status == 200 && file.body.contains(/[,:]63[,}]/), "\(file.body)")
                    #expect(!file.body.contains(/[,:]199[,}]/), "\(file.body)")
                }
                #expect(
                    try await web.send(.GET, "\(base)/download?span=day&day=\(tomorrow)&format=csv", cookie: cookie).status == 403)
            }
            try await look()
            try web.hub.consents.delivered(consent, to: .organisation(OrganisationID(lab.account.id)))
            try await look()
            try web.hub.consents.answer(consent, .revoke, by: person.account.id)
            for path in ["", "?span=all", "/download?span=all&format=csv"] {
                #expect(try await web.send(.GET, base + path, cookie: cookie).status == 403)
            }
        }
    }

    @Test("ACC-11: of several consents to a relative each kind is read by one that names it, and stands in that one's list of reads")
    func several() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), carer = try web.member(.caregiver, "carer@example.org")
            let id = person.account.id.person, base = "/care/person/\(id)"
            try web.append([try samples([83, 85], from: Self.ten, weight: 7150)], of: id)
            func reads(_ consent: ConsentID) throws -> Int {
                try web.hub.consents.ledger(of: id, for: person.account.id, consent: consent).entries.count { $0.what == .read }
            }
            let place = try ask(web, carer, person, [.position])
            #expect(try await web.send(.GET, base + "/health", cookie: carer.cookie).status == 403)
            #expect(try await !web.send(.GET, base, cookie: carer.cookie).body.contains("\(base)/health"))
            // The page of the person itself was a look by that consent.
            #expect(try reads(place) == 1)
            let heart = try ask(web, carer, person, [.heartRate]), weight = try ask(web, carer, person, [.weight, .height])
            let page = try await web.send(.GET, base + "/health?kind=heart_rate&span=all", cookie: carer.cookie).body
            #expect(page.contains("<dt>Mean</dt><dd>84 bpm</dd>") && page.contains("value=\"weight\"") && !page.contains("71.5 kg"))
            #expect(try [reads(heart), reads(weight), reads(place)] == [1, 0, 1])
            let weights = try await web.send(.GET, base + "/health?kind=weight&span=all", cookie: carer.cookie).body
            #expect(weights.contains("<dt>Mean</dt><dd>71.5 kg</dd>") && !weights.contains("84 bpm"))
            #expect(try [reads(heart), reads(weight), reads(place)] == [1, 1, 1])
            #expect(try await web.send(.GET, base + "/health?kind=steps", cookie: carer.cookie).status == 403)
        }
    }
}
