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

/// Leaving a real hub, with every kind of account.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct LeaveTests {
    private static var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    @Test(
        "ACC-19: whoever is no person takes along what is kept and closes the account; the word is asked for, and nothing works after that")
    func everyRole() async throws {
        try await WebFixture.run { web in
            for role in [Role.organisation, .organiser, .responder, .operator, .caregiver, .member] {
                let member = try web.member(role, "\(role.rawValue)@example.org")
                #expect(try await web.send(.GET, "/profile", cookie: member.cookie).body.contains("href=\"/account\""))
                let page = try await web.send(.GET, "/account", cookie: member.cookie).body
                let parts = page.components(separatedBy: "/account/export"), closing = "action=\"/account\""
                try #require(page.contains("It cannot be brought back") && parts.count == 2, "\(role)")
                #expect(!parts[0].contains(closing) && parts[1].contains(closing), "first take along, then close")
                #expect(parts[1].contains("<button class=\"large danger\""))
                let file = try await web.send(.GET, "/account/export", cookie: member.cookie)
                #expect(
                    file.body.contains("\(role.rawValue)@example.org") && file.header("content-disposition")?.contains("attachment") == true
                )
                #expect(try await web.post("/account", ["confirmation": "no"], cookie: member.cookie).status == 422)
                #expect(try web.hub.accounts.account(member.account.id) != nil)
                #expect(try await web.post("/account", ["confirmation": "DELETE"], cookie: member.cookie).body.contains("Farewell"))
                #expect(try web.hub.accounts.account(member.account.id) == nil, "\(role)")
                #expect(try await web.send(.GET, "/home", cookie: member.cookie).header("location") == "/log-in")
            }
        }
    }

    @Test("ACC-19, CONS-6: with an organisation its consents end, the person is told by its name, and its services leave the list")
    func organisation() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), lab = try web.member(.organisation, "lab@example.org")
            let accounts = web.hub.accounts, reader = Reader.organisation(OrganisationID(lab.account.id))
            let scope = try ConsentScope(asker: reader, kinds: [.heartRate], purpose: "A study", term: .untilRevoked)
            let given = try accounts.consents.giveConsent(
                scope, of: person.account.id.person, by: person.account.id, parameters: .data4Help, now: Self.now)
            let id = given.consent.id
            #expect(try accounts.consents.grant(by: id, to: reader, now: Self.now) != nil)
            #expect(try await web.post("/account", ["confirmation": "DELETE"], cookie: lab.cookie).status == 200)
            #expect(try accounts.consents.grant(by: id, to: reader, now: Self.now) == nil)
            let ledger = try accounts.ledger.ledger(of: person.account.id.person).entries
            #expect(ledger.first?.name == "Lab of Bergamo" && ledger.first?.consent == id)
            if case .consent(.over, _)? = ledger.first?.what {} else { Issue.record("\(String(describing: ledger.first))") }
            #expect(try await web.send(.GET, "/followers", cookie: person.cookie).status == 200)
        }
    }

    @Test("ACC-19, CONS-6: with a person the consents end by which they read others")
    func caregiver() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), relative = try web.member(.person, "bea@example.org")
            let accounts = web.hub.accounts, readers = [Reader.caregiver(relative.account.id), .named(relative.account.id)]
            let ids = try readers.map { reader in
                let scope = try ConsentScope(asker: reader, kinds: [.heartRate], purpose: "To look after her", term: .untilRevoked)
                return try accounts.consents.giveConsent(
                    scope, of: person.account.id.person, by: person.account.id, parameters: .caregiver, now: Self.now
                ).consent.id
            }
            #expect(try await web.post("/data/account", ["confirmation": "DELETE"], cookie: relative.cookie).status == 200)
            for (id, reader) in zip(ids, readers) { #expect(try accounts.consents.grant(by: id, to: reader, now: Self.now) == nil) }
            #expect(try accounts.consents.running(of: person.account.id.person).isEmpty)
        }
    }

    @Test("ACC-19, ACC-16: a crew on duty is not lost by a closed account, its own or its hospital's")
    func duty() async throws {
        try await WebFixture.run { web in
            let hospital = try web.member(.organisation, "hospital@example.org"), crew = try web.member(.responder, "crew@example.org")
            let care = web.hub.accounts.care, hospitals = web.hub.accounts.hospitals, hash = [UInt8](repeating: 7, count: 32)
            #expect(try hospitals.admitHospital(hospital.account, now: Self.now))
            let label = AmbulanceLabel(name: "Bergamo 1", plate: "ZA 123 BC")
            let ambulance = try #require(try hospitals.addAmbulance(label, of: hospital.account, now: Self.now))
            #expect(
                try hospitals.addCrewCode(hash, ambulance: ambulance, of: hospital.account, expires: Self.now + 60_000, now: Self.now))
            #expect(try hospitals.joinCrew(hash, crew.account, now: Self.now) && care.beginDuty(crew.account, now: Self.now))
            let refused = try await web.post("/account", ["confirmation": "DELETE"], cookie: crew.cookie)
            #expect(refused.status == 409 && refused.body.contains("You are on duty"))
            let also = try await web.post("/account", ["confirmation": "DELETE"], cookie: hospital.cookie)
            #expect(also.status == 409 && also.body.contains("Bergamo 1"))
            try care.endDuty(crew.account)
            for member in [hospital, crew] {
                #expect(try await web.post("/account", ["confirmation": "DELETE"], cookie: member.cookie).status == 200)
            }
        }
    }

    @Test(
        "ACC-19, ACC-16: a hospital takes along its ambulances and crews, and closes; its crews keep their accounts and have no ambulance")
    func hospital() async throws {
        try await WebFixture.run { web in
            let hospital = try web.member(.organisation, "hospital@example.org"), crew = try web.member(.responder, "crew@example.org")
            let chief = try web.member(.operator, "chief@example.org"), hospitals = web.hub.accounts.hospitals
            let (joined, open) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 8, count: 32))
            #expect(try hospitals.admitHospital(hospital.account, now: Self.now))
            let label = AmbulanceLabel(name: "Bergamo 1", plate: "ZA 123 BC")
            let ambulance = try #require(try hospitals.addAmbulance(label, of: hospital.account, now: Self.now))
            for code in [joined, open] {
                #expect(
                    try hospitals.addCrewCode(
                        code, ambulance: ambulance, of: hospital.account, expires: Self.now + 600_000, now: Self.now))
            }
            #expect(try hospitals.joinCrew(joined, crew.account, now: Self.now))
            #expect(try await web.send(.GET, "/hospital", cookie: hospital.cookie).body.contains("Bergamo 1"))
            #expect(try await web.send(.GET, "/duty", cookie: crew.cookie).body.contains("Bergamo 1"))

            let file = try await web.send(.GET, "/account/export", cookie: hospital.cookie).body
            for text in ["Bergamo 1", "ZA 123 BC", "Ada Example", "hospital@example.org", "Register 17"] {
                #expect(file.contains(text), "\(text)")
            }
            #expect(try await web.post("/account", ["confirmation": "DELETE"], cookie: hospital.cookie).status == 200)
            #expect(try await web.send(.GET, "/hospital", cookie: hospital.cookie).header("location") == "/log-in")
            #expect(try await !web.send(.GET, "/operator/hospitals", cookie: chief.cookie).body.contains("hospital@example.org"))
            let duty = try await web.send(.GET, "/duty", cookie: crew.cookie)
            #expect(duty.status == 200 && !duty.body.contains("Bergamo 1"))
            #expect(try web.hub.accounts.care.membership(of: crew.account) == nil && web.hub.accounts.care.onDutyCrews().isEmpty)
            #expect(try web.hub.accounts.account(crew.account.id) != nil)
        }
    }

    @Test("ACC-19: a run that goes on keeps its organiser until it is over")
    func organiser() async throws {
        try await RunsScene.run { scene in
            // All within the minutes for which a proof counts.
            let starts = (scene.clock.now / 60_000 + 2) * 60_000, zone = "Europe/Rome"
            let times = [
                "runStarts": RunTime.field(starts, zone), "runEnds": RunTime.field(starts + 60_000, zone),
                "runCloses": RunTime.field(starts, zone),
            ]
            let run = try scene.stored(try await scene.published("Night run", changing: times))
            scene.clock.set(to: run.plan.starts + 1)
            let refused = try await scene.post("/account", ["confirmation": "DELETE"], scene.organiser.cookie)
            #expect(refused.status == 409 && refused.body.contains("Night run"))
            scene.clock.set(to: run.plan.ends + 1)
            #expect(try await scene.post("/account", ["confirmation": "DELETE"], scene.organiser.cookie).status == 200)
        }
    }
}

extension LeaveTests {
    @Test(
        "ACC-17, ACC-19: a sole parent is told and asked for a successor; a second parent decides as the first, and keeps the child's view")
    func parents() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "ada@example.org"), other = try web.member(.person, "bea@example.org")
            let kid = try web.child(of: parent.account), accounts = web.hub.accounts, path = "/care/person/\(kid.id)/parent"
            let alone = try await web.post("/data/account", ["confirmation": "DELETE"], cookie: parent.cookie)
            #expect(alone.status == 409 && alone.body.contains("Kid Example") && alone.body.contains("second parent"))
            #expect(try await web.send(.GET, "/care/person/\(kid.id)/data", cookie: parent.cookie).body.contains("href=\"\(path)\""))
            #expect(try await web.post(path, ["email": "nobody"], cookie: parent.cookie).status == 422)
            #expect(try await web.post(path, ["email": "bea@example.org"], cookie: other.cookie).status == 403)
            #expect(try await web.post(path, ["email": "bea@example.org"], cookie: parent.cookie).status == 200)
            let mails = MailCatcher(directory: web.directory.url)
            let link = try mails.link(in: try await mails.mail(to: "bea@example.org", with: "/care/invitation/"), "/care/invitation/")
            #expect(try await web.send(.GET, link, cookie: other.cookie).body.contains("as a parent"))
            #expect(try !accounts.consents.authority(over: kid.id.person).mayAnswer(other.account.id, at: Self.now))
            #expect(try await web.post(link, [:], cookie: other.cookie).status == 303)
            #expect(try accounts.consents.authority(over: kid.id.person).mayAnswer(other.account.id, at: Self.now))
            #expect(try await web.post(link, [:], cookie: other.cookie).status == 410, "once")
            #expect(try accounts.ledger.ledger(of: kid.id.person).entries.contains { $0.what == .parentAdded(other.account.id) })
            #expect(try await web.post("/data/account", ["confirmation": "DELETE"], cookie: parent.cookie).status == 200)
            #expect(try await web.send(.GET, "/care/person/\(kid.id)/data", cookie: other.cookie).status == 200)
            let ledger = try await web.send(.GET, "/care/person/\(kid.id)/ledger?q=decides", cookie: other.cookie)
            #expect(ledger.status == 200 && ledger.body.contains("action=\"/care/person/\(kid.id)/ledger\""))
            let last = try await web.post("/data/account", ["confirmation": "DELETE"], cookie: other.cookie)
            #expect(last.status == 409, "whoever is gone is no parent")
        }
    }

    @Test("ACC-17: a parent steps back where another one decides, and sees nothing of the child from then on; a sole parent stays")
    func parentLeaves() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "ada@example.org"), other = try web.member(.person, "bea@example.org")
            let kid = try web.child(of: parent.account), accounts = web.hub.accounts, path = "/care/person/\(kid.id)/parent"
            #expect(try await !web.send(.GET, path, cookie: parent.cookie).body.contains(path + "/leave"))
            #expect(try await web.post(path + "/leave", [:], cookie: parent.cookie).status == 409, "the sole parent stays")
            let offer = CareInvitation(
                person: kid.id.person, by: parent.account.id, email: "bea@example.org", kinds: [], purpose: "", isParent: true)
            #expect(
                try accounts.care.invite(
                    offer, linkHash: [7], link: "link", stop: "stop", expires: Self.now + 600_000, now: Self.now))
            #expect(try accounts.care.takeParenthood([7], by: other.account, now: Self.now))
            #expect(try await web.send(.GET, path, cookie: parent.cookie).body.contains(path + "/leave"))
            #expect(try await web.send(.GET, path + "/leave", cookie: parent.cookie).body.contains("method=\"post\""))
            #expect(try await web.post(path + "/leave", [:], cookie: parent.cookie).header("location") == "/care")
            #expect(try await web.send(.GET, "/care/person/\(kid.id)/data", cookie: parent.cookie).status == 403)
            #expect(try await web.send(.GET, "/care/person/\(kid.id)/data", cookie: other.cookie).status == 200)
            #expect(try accounts.consents.authority(over: kid.id.person).guardians == [other.account.id])
            let ledger = try accounts.ledger.ledger(of: kid.id.person).entries
            #expect(ledger.contains { $0.what == .parentLeft(parent.account.id) })
            #expect(try await web.post(path + "/leave", [:], cookie: other.cookie).status == 409)
        }
    }
}
