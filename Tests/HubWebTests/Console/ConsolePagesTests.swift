import Accounts
import Credentials
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// The operators' console on a real hub.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct ConsolePagesTests {
    @Test("OPS-1: the console counts what needs an operator, links all of it, and the menu counts it too")
    func overview() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), chief = cast.chief
            let calm = try await web.send(.GET, "/operator", cookie: chief.cookie)
            #expect(calm.status == 200 && calm.body.contains("data-look=\"/operator\""))
            for path in [
                "/operator/alarms", "/operator/ways", "/operator/boxes?silent=1", "/operator/messages", "/operator/requests",
                "/operator/groups", "/operator/runs", "/operator/services", "/operator/organisations", "/operator/hospitals",
                "/operator/state", "/operator/maintenance", "/operator/people", "/operator/boxes", "/operator/addresses", "/operator/audit",
            ] {
                #expect(calm.body.contains("href=\"\(path)\""), "\(path)")
                #expect(try await web.send(.GET, path, cookie: chief.cookie).status == 200, "\(path)")
            }
            #expect(calm.body.contains("<span>Open alarms</span> <span class=\"badge\" data-level=\"good\">0</span>"))
            let person = try await cast.person()
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            let bad = try await web.send(.GET, "/operator", cookie: chief.cookie).body
            #expect(bad.contains("<span>Open alarms</span> <span class=\"badge\" data-level=\"bad\">1</span>"), "\(bad)")
            #expect(bad.contains("1 that nobody has taken") && !bad.contains("Ada"))
            let home = try await web.send(.GET, "/home", cookie: chief.cookie).body
            let tab = home.components(separatedBy: "<a href=\"/operator\"").dropFirst().first?.components(separatedBy: "</a>").first
            #expect(tab?.contains("1 thing waits for you") == true, "\(tab ?? "no tab")")
        }
    }

    @Test("OPS-1: an open alarm shows its age and owner; whose it is stands behind a reason that the person reads in ledger and notices")
    func breakGlass() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), chief = cast.chief, other = try web.member(.operator, "other@example.org")
            let person = try await cast.person()
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            let list = try await web.send(.GET, "/operator/alarms", cookie: chief.cookie).body
            #expect(list.contains("Nobody has taken it yet") && !list.contains("Ada") && !list.contains("Asked for help"), "\(list)")
            let path = String(try #require(list.firstMatch(of: /href="(\/operator\/alarms\/[0-9a-f]+)"/)).output.1)
            let closed = try await web.send(.GET, path, cookie: chief.cookie).body
            #expect(!closed.contains("Ada") && !closed.contains("Asked for help") && closed.contains("name=\"lookReason\""))
            #expect(try await web.post(path + "/open", ["lookReason": "x"], cookie: person.cookie).status == 403)
            let empty = try await web.post(path + "/open", ["lookReason": " "], cookie: chief.cookie)
            #expect(empty.status == 422 && empty.body.contains("id=\"lookReason-error\"") && !empty.body.contains("Asked for help"))
            #expect(try web.hub.accounts.ledger.ledger(of: person.account.id.person).entries.allSatisfy { $0.purpose.isEmpty })

            let reason = "The control room asks for the name"
            #expect(try await web.post(path + "/open", ["lookReason": reason], cookie: chief.cookie).status == 303)
            let open = try await web.send(.GET, path, cookie: chief.cookie).body
            #expect(open.contains("Ada Example") && open.contains("Asked for help"), "\(open)")
            #expect(!(try await web.send(.GET, path, cookie: other.cookie).body.contains("Asked for help")), "each operator gives a reason")
            let ledger = try await web.send(.GET, "/ledger", cookie: person.cookie).body
            #expect(ledger.contains("Ada Example, who runs this hub, looked at your emergency: \(reason)"), "\(ledger)")
            #expect(try await web.send(.GET, "/notices", cookie: person.cookie).body.contains(reason))
            _ = try await MailCatcher(directory: web.directory.url).mail(to: "ada@example.org", with: reason)
            let log = try await web.send(.GET, "/operator/audit?action=emergency.read-by-operator", cookie: chief.cookie).body
            #expect(log.contains("emergency.read-by-operator") && log.contains("Ada Example"))

            #expect(try await web.post("/protection/press/ok", [:], cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, path, cookie: chief.cookie).status == 404, "what is over is shown to nobody here")
            #expect(try await web.send(.GET, "/operator/alarms", cookie: chief.cookie).body.contains("No alarm is open"))
        }
    }

    @Test("OPS-1: a look at an alarm ends after half an hour, and the next one is written down as well")
    func lookEnds() async throws {
        let shift = ManualClock(0)
        let now: @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) + shift.now }
        try await WebFixture.run(now: now) { web in
            let cast = try await SOSCast(web), chief = cast.chief, person = try await cast.person()
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            let list = try await web.send(.GET, "/operator/alarms", cookie: chief.cookie).body
            let path = String(try #require(list.firstMatch(of: /href="(\/operator\/alarms\/[0-9a-f]+)"/)).output.1)
            #expect(try await web.post(path + "/open", ["lookReason": "first"], cookie: chief.cookie).status == 303)
            #expect(try await web.send(.GET, path, cookie: chief.cookie).body.contains("Asked for help"))
            shift.advance(EmergencyLooks.lifetime + 1000)
            let token = SecretToken.random()
            try web.hub.accounts.addSession(token.hash, of: chief.account.row, strength: .full, device: "test", now: now())
            let later = "\(Sessions.cookie)=\(token.text)", closed = try await web.send(.GET, path, cookie: later).body
            #expect(closed.contains("name=\"lookReason\"") && !closed.contains("Asked for help"), "\(closed)")
            #expect(try await web.post(path + "/open", ["lookReason": "second"], cookie: later).status == 303)
            let reasons = try web.hub.accounts.ledger.ledger(of: person.account.id.person).entries.map(\.purpose).filter { !$0.isEmpty }
            #expect(reasons == ["second", "first"])
        }
    }

    @Test("OPS-1: accounts are found by address, name and identifier, and each shows its state and boxes")
    func people() async throws {
        try await WebFixture.run { web in
            let chief = try web.member(.operator, "chief@example.org"), bea = try web.member(.person, "bea@example.org")
            _ = try web.member(.organisation, "lab@example.org")
            func found(_ text: String) async throws -> String {
                try await web.send(.GET, "/operator/people?q=\(text)", cookie: chief.cookie).body
            }
            let path = "/operator/people/\(bea.account.id)"
            for text in ["bea%40example.org", "ada+example", "BEA%40EXAMPLE.org", "\(bea.account.id)", ""] {
                #expect(try await found(text).contains("href=\"\(path)\""), "\(text)")
            }
            let lab = try await found("lab")
            #expect(lab.contains("organisation") && !lab.contains(path))
            #expect(try await found("nobody").contains("Nobody was found"))
            let page = try await web.send(.GET, path, cookie: chief.cookie).body
            #expect(page.contains("bea@example.org") && page.contains("Browsers that are logged in") && page.contains("\(path)/lock"))
            #expect(try await web.send(.GET, "/operator/people/\(AccountID(high: 1, low: 2))", cookie: chief.cookie).status == 404)
            let own = try await web.send(.GET, "/operator/people/\(chief.account.id)", cookie: chief.cookie).body
            #expect(own.contains("another operator has to help") && !own.contains("/lock"))
            for other in [path, "/operator/people"] { #expect(try await web.send(.GET, other, cookie: bea.cookie).status == 403) }
        }
    }

    @Test("OPS-1: a locked account is logged out and its owner told; it logs in again once it is unlocked")
    func lock() async throws {
        try await WebFixture.run { web in
            let chief = try web.member(.operator, "chief@example.org"), bea = try web.member(.person, "bea@example.org")
            let path = "/operator/people/\(bea.account.id)", mails = MailCatcher(directory: web.directory.url)
            let empty = try await web.post(path + "/lock", ["helpProof": ""], cookie: chief.cookie)
            #expect(empty.status == 422 && empty.body.contains("id=\"helpProof-error\""))
            #expect(try await web.send(.GET, "/home", cookie: bea.cookie).status == 200)
            #expect(try await web.post(path + "/lock", ["helpProof": "Her telephone was stolen"], cookie: chief.cookie).status == 303)
            #expect(try await web.send(.GET, "/home", cookie: bea.cookie).header("location") == "/log-in")
            #expect(
                try await web.send(.GET, "/home", cookie: web.session(of: bea.account, strength: .full)).header("location") == "/log-in")
            let page = try await web.send(.GET, path + "?done=lock", cookie: chief.cookie).body
            #expect(
                page.contains("It is locked") && page.contains("Her telephone was stolen") && page.contains("\(path)/unlock"), "\(page)")
            #expect(try await web.send(.GET, "/operator/people", cookie: chief.cookie).body.contains(">locked<"))
            _ = try await mails.mail(to: "bea@example.org", with: "has locked your account")
            let again = try await web.post(path + "/lock", ["helpProof": "x"], cookie: chief.cookie)
            #expect(again.status == 422 && again.body.contains("It is so already"))
            #expect(try await web.post(path + "/unlock", ["helpProof": "She has it back"], cookie: chief.cookie).status == 303)
            let cookie = try web.session(of: bea.account, strength: .full)
            #expect(try await web.send(.GET, "/notices", cookie: cookie).body.contains("Your account is locked"))
            #expect(try await web.post("/operator/people/\(chief.account.id)/lock", ["helpProof": "x"], cookie: chief.cookie).status == 422)
        }
    }

    @Test("OPS-1: an operator takes a lost factor away and mails a link again, once in five minutes")
    func factors() async throws {
        try await WebFixture.run { web in
            let chief = try web.member(.operator, "chief@example.org"), bea = try web.member(.person, "bea@example.org")
            let path = "/operator/people/\(bea.account.id)", factors = web.hub.accounts.factors
            let none = try await web.post(path + "/factors", ["helpProof": "Identity card"], cookie: chief.cookie)
            #expect(none.status == 422 && none.body.contains("It is so already"))
            let key = NewPasskey(
                credential: [9], publicKey: [4, 9], aaguid: [0], transports: ["usb"], isBackupEligible: false, isBackedUp: false,
                counter: 0,
                name: "Key")
            #expect(try factors.addPasskey(key, to: bea.account, now: 1))
            #expect(try await web.send(.GET, path, cookie: chief.cookie).body.contains("1 passkey"))
            #expect(try await web.post(path + "/factors", ["helpProof": "Identity card"], cookie: chief.cookie).status == 303)
            #expect(try factors.factors(of: bea.account).isEmpty)
            #expect(try await web.send(.GET, "/home", cookie: bea.cookie).header("location") == "/log-in")
            let mails = MailCatcher(directory: web.directory.url)
            _ = try await mails.mail(to: "bea@example.org", with: "second factor")

            #expect(try await web.post(path + "/resend", [:], cookie: chief.cookie).status == 303)
            let link = try mails.link(in: try await mails.mail(to: "bea@example.org", with: "/reset/"), "/reset/")
            #expect(try await web.send(.GET, link).status == 200)
            let soon = try await web.post(path + "/resend", [:], cookie: chief.cookie)
            #expect(soon.status == 422 && soon.body.contains("within the last five minutes"))
        }
    }

    @Test("OPS-1: an act on somebody's account, and a look at an alarm, ask again who the operator is; a look at a list does not")
    func stepUp() async throws {
        try await WebFixture.run { web in
            let chief = try web.member(.operator, "chief@example.org").account, bea = try web.member(.person, "bea@example.org")
            let token = SecretToken.random(), before = Cast.now - FactorService.provedLifetime - 1000
            try web.hub.accounts.addSession(token.hash, of: chief.row, strength: .full, device: "test", now: before)
            let old = "\(Sessions.cookie)=\(token.text)", path = "/operator/people/\(bea.account.id)"
            #expect(try await web.send(.GET, path, cookie: old).status == 200)
            for (act, fields) in [
                (path + "/lock", ["helpProof": "x"]), (path + "/resend", [:]), ("/operator/alarms/1/open", ["lookReason": "x"]),
                ("/operator/runs/1/accept", [:]),
            ] as [(String, [String: String])] {
                #expect(try await web.post(act, fields, cookie: old).status == 403, "\(act)")
            }
            #expect(try LogInHelpStore(web.hub.accounts).done(for: bea.account).isEmpty)
            #expect(try await web.send(.GET, "/home", cookie: bea.cookie).status == 200)
            #expect(
                try await web.post("/operator/alarms/1/open", ["lookReason": "x"], cookie: web.session(of: chief, strength: .full)).status
                    == 404)
        }
    }
}
