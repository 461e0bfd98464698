import Foundation
import HubServices
import HubStore
import Logging
import Mail
import ServiceLifecycle
import TestSupport
import Testing

@testable import HubWeb

/// A whole hub whose mails leave by a mail server, and its settings.
@Suite(.timeLimit(.minutes(3)))
struct MailServerTests {
    @Test("SOS-5, ACC-5: alarms, invitations and confirmations leave by the operator's server, with TLS and the password of a file")
    func whole() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.login = ("hub", "a long password")
        let mail = try await TestMailServer(behaviour), directory = try TemporaryDirectory()
        let password = directory.url.appendingPathComponent("password")
        try Data("a long password\n".utf8).write(to: password)
        func change(_ configuration: inout HubConfiguration) {
            (configuration.mail.server, configuration.mail.user) = ("smtp://127.0.0.1:\(mail.port)", "hub")
            (configuration.mail.passwordFile, configuration.mail.authority) = (password.path, mail.authority)
            configuration.mail.sender = "hub@example.org"
        }
        try await WebFixture.run(change: change) { web in
            let cast = try await SOSCast(web), person = try await cast.person()
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            while !mail.got.contains(where: { $0.to == "bruno@example.org" }) { try await Task.sleep(for: .milliseconds(20)) }
            #expect(try await web.post("/protection/drill", [:], cookie: person.cookie).status == 303)
            while mail.got.count(where: { $0.to == "bruno@example.org" }) < 2 { try await Task.sleep(for: .milliseconds(20)) }
            try web.hub.accounts.notices.addMail("account.passwordChanged", ["link": "x"], to: person.account, now: Cast.now)
            while !mail.got.contains(where: { $0.to == "ada@example.org" }) { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(mail.got.allSatisfy { $0.isSecure && $0.user == "hub" && $0.from == "hub@example.org" })
        try await mail.close()
    }

    @Test("SOS-22: each mistake in the settings of mail says what is wrong and what to do; without a server the program takes them")
    func settings() throws {
        let directory = try TemporaryDirectory(), empty = directory.url.appendingPathComponent("empty").path
        try Data("\n".utf8).write(to: URL(filePath: empty))
        func problem(_ change: (inout HubConfiguration.Mail) -> Void) -> String? {
            var mail = HubConfiguration.Mail()
            change(&mail)
            do { _ = try mail.carrier() } catch { return "\(error)" }
            return nil
        }
        let server = "smtp://mail.example.org"
        #expect(problem { $0.server = "mail.example.org" }?.contains("hub.mail.server") == true)
        #expect(problem { ($0.server, $0.tls) = (server, false) }?.contains("hub.mail.tls") == true)
        #expect(problem { $0.user = "hub" }?.contains("hub.mail.server") == true)
        #expect(problem { ($0.server, $0.user) = (server, "hub") }?.contains("hub.mail.passwordFile") == true)
        #expect(problem { ($0.server, $0.user, $0.passwordFile) = (server, "hub", "/nowhere") }?.contains("trackme-mail-password") == true)
        #expect(problem { ($0.server, $0.user, $0.passwordFile) = (server, "hub", empty) }?.contains("is empty") == true)
        #expect(problem { ($0.server, $0.authority) = (server, "/nowhere") }?.contains("hub.mail.authority") == true)
        #expect(problem { ($0.server, $0.connections) = (server, 1) }?.contains("2 to 500") == true)
        #expect(problem { $0.server = server } == nil && problem { ($0.server, $0.tls) = ("smtp://127.0.0.1", false) } == nil)
        #expect(try HubConfiguration.Mail().carrier() is Sendmail)
    }

    @Test("ACC-15: without a sender that others can answer a hub says at its start what will be refused, and says nothing with one")
    func senderWarning() async throws {
        func warned(_ sender: String?) async throws -> Bool {
            let directory = try TemporaryDirectory(), lines = LogLines()
            var configuration = HubConfiguration(directory: directory.url)
            (configuration.listen.port, configuration.tls.enabled) = (0, false)
            configuration.mail.sendmail = try MailCatcher(makingIn: directory.url).program.path
            if let sender { configuration.mail.sender = sender }
            let logger = Logger(label: "test") { _ in lines }, hub = try buildHub(configuration: configuration, logger: logger)
            let group = ServiceGroup(configuration: .init(services: hub.services.map { .init(service: $0) }, logger: logger))
            let running = Task { try await group.run() }
            _ = await hub.port.value()
            await group.triggerGracefulShutdown()
            try await running.value
            return lines.all.contains("hub.mail.sender is")
        }
        #expect(try await warned(nil))
        #expect(try await !warned("hub@example.org"))
        for (sender, isTold) in [("hub@mars", true), ("hub@box.local", true), ("hub@example.org", false)] {
            var mail = HubConfiguration.Mail()
            mail.sender = sender
            #expect((mail.senderWarning != nil) == isTold, "\(sender)")
        }
    }
}
