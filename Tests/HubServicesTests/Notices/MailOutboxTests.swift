import Accounts
import Database
import Foundation
import Logging
import Mail
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// Mails of the outbox by a real server.
@Suite(.timeLimit(.minutes(3)))
struct PostmanTests {
    private let hub: ServicesFixture, person: StoredAccount

    init() throws {
        hub = try ServicesFixture()
        person = try SOSTown.account(hub, .person, "ada@example.org")
    }

    /// Runs a postman while `body` does.
    private func run(_ carrier: any MailCarrier, _ body: () async throws -> Void) async throws {
        let clock = hub.clock
        let postman = MailOutbox(
            store: hub.accounts.notices, carrier: carrier, sender: try MailAddress("hub@example.org"), logger: SOSTown.quiet,
            now: { clock.now }, write: { .init(subject: $0.kind, text: $0.arguments["text"] ?? "") })
        let group = ServiceGroup(configuration: .init(services: [.init(service: postman)], logger: SOSTown.quiet))
        let running = Task { try await group.run() }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        await group.triggerGracefulShutdown()
        try await running.value
        try outcome.get()
    }

    private func add(_ kind: String, to address: String) throws {
        try hub.accounts.notices.addMail(kind, [NoticeStore.deliverTo: address], to: person, now: hub.clock.now)
    }

    private func until(_ condition: () throws -> Bool) async throws {
        while try !condition() { try await Task.sleep(for: .milliseconds(10)) }
    }

    private func server(_ mail: TestMailServer) throws -> SMTPSubmission {
        SMTPSubmission(try #require(SMTPServer("smtp://127.0.0.1:\(mail.port)", isPlain: true)))
    }

    /// All that waits, due or not.
    private func waiting() throws -> Int { try hub.accounts.pool.read { try $0.fetchOne(Int.self, sql: "SELECT COUNT(*) FROM mail") ?? 0 } }

    /// After how many milliseconds the mail that waits is due again, as soon as it is known what became of so many tries: while one is under
    /// way it is due later than all of these times.
    private func pause(behind tries: Int) async throws -> Milliseconds {
        var pause: Milliseconds = .max
        try await until {
            let row = try hub.accounts.pool.read { try $0.fetchOne(sql: "SELECT due, tries FROM mail") }
            guard let row, row["tries"] as Int == tries else { return false }
            pause = (row["due"] as Milliseconds) - hub.clock.now
            return pause <= 60_000
        }
        return pause
    }

    @Test("SOS-20: ordinary mails at a server that hangs hold up no mail about somebody in distress, and leave nothing twice")
    func urgent() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.fallsSilentAt = "RCPT"
        let mail = try await TestMailServer(behaviour)
        for number in 0..<10 { try add("account.confirm", to: "slow\(number)@example.org") }
        try await run(try server(mail)) {
            try await until { mail.commands.count { $0 == "RCPT" } == MailOutbox.atOnce }
            mail.behaviour = .init()
            for number in 0..<100 { try add("sos.raised", to: "urgent\(number)@example.org") }
            try await until { mail.got.count == 100 }
        }
        let to = mail.got.map(\.to)
        #expect(Set(to).count == 100 && to.allSatisfy { $0.hasPrefix("urgent") })
        // What hung was not handed over: it waits for its next try.
        #expect(try waiting() == 10)
    }

    @Test("SOS-22: one refused recipient is given up and told apart from one that waits; the others leave")
    func refused() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.answers = ["RCPT": ["gone@example.org": "550 5.1.1 unknown", "later@example.org": "451 4.3.0 later"]]
        let mail = try await TestMailServer(behaviour)
        for name in ["gone", "later", "anna", "bert"] { try add("account.confirm", to: "\(name)@example.org") }
        try await run(try server(mail)) {
            try await until { try waiting() == 1 }
            mail.behaviour = .init()
            hub.clock.advance(MailOutbox.pauseMax)
            try await until { try waiting() == 0 }
        }
        #expect(mail.got.map(\.to).sorted() == ["anna@example.org", "bert@example.org", "later@example.org"])
    }

    @Test("SOS-7, SOS-20: an alarm's mail that fails is tried again as soon as one to a contact; others wait longer")
    func failedAlarm() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.answers = ["RCPT": ["anna@example.org": "451 4.3.0 later"]]
        let mail = try await TestMailServer(behaviour)
        try add("sos.raised", to: "anna@example.org")
        try await run(try server(mail)) {
            for (tries, expected) in [(1, 5000), (2, 10_000), (3, 20_000)] as [(Int, Milliseconds)] {
                let found = try await pause(behind: tries)
                #expect(found == expected)
                hub.clock.advance(found)
            }
            mail.behaviour = .init()
            try await until {
                hub.clock.advance(60_000)
                return mail.got.contains { $0.to == "anna@example.org" }
            }
        }
        #expect([5, 39].map { MailOutbox.pause(after: $0, isAlarm: true) } == [60_000, 60_000])
        #expect(MailOutbox.pause(after: 40, isAlarm: true) == 3_600_000, "it is tried for three days, and not each minute")
        #expect(MailOutbox.pause(after: 1) == MailOutbox.pause(after: 1, isAlarm: false) && MailOutbox.pause(after: 1) >= 30_000)
    }

    @Test("SOS-7: an alarm's mail that a server has and says nothing about leaves three times at most")
    func neverAnswered() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.hangsUpAt = "."
        let mail = try await TestMailServer(behaviour)
        try add("sos.raised", to: "anna@example.org")
        try await run(try server(mail)) {
            for tries in 1...2 { hub.clock.advance(try await pause(behind: tries)) }
            try await until { try waiting() == 0 }
        }
        #expect(mail.got.count == 3)
    }

    @Test(
        "SOS-7: of a mail that the server had and said nothing about, only one about somebody in distress is sent again",
        arguments: [true, false])
    func unanswered(isUrgent: Bool) async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.hangsUpAt = "."
        let mail = try await TestMailServer(behaviour)
        try add(isUrgent ? "sos.raised" : "account.confirm", to: "anna@example.org")
        try await run(try server(mail)) {
            try await until { mail.got.count == 1 }
            if isUrgent {
                mail.behaviour = .init()
                try await until {
                    hub.clock.advance(MailOutbox.pauseFirst)
                    return mail.got.count == 2
                }
            }
            try await until { try waiting() == 0 }
        }
        #expect(mail.got.count == (isUrgent ? 2 : 1))
        #expect(
            Set(mail.got.map { $0.text.split(separator: "\r\n").first { $0.hasPrefix("Message-ID") } }).count == 1,
            "a reader can tell that it is the same")
    }
}
