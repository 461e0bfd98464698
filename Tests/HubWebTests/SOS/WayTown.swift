import Accounts
import Alerts
import AsyncHTTPClient
import Foundation
import HubStore
import Logging
import NIOSSL
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// A hub as its configuration makes it, with real programs and servers behind its ways out, and a clock that the test sets forward. Its services do
/// not run: the test does what they would, second by second.
struct WayTown {
    let directory: TemporaryDirectory
    let hub: Hub
    let clock: ManualClock
    let person: StoredAccount, parent: StoredAccount, chief: StoredAccount
    let ways: WayMonitor

    /// - Parameters:
    ///   - contact: the one whom the person has; nil for none.
    ///   - change: the rest of the configuration. Programs can be made in the folder that it gets.
    ///   - outside: whom the hub trusts where it posts to push services.
    ///   - old: of a hub that ran before; nil for a new one.
    ///   - prepare: what is there before the person turns it on.
    init(
        contact: SOSContact?, outside: TLSConfiguration? = nil, in old: (TemporaryDirectory, ManualClock)? = nil,
        prepare: (Hub, _ parent: StoredAccount) async throws -> Void = { _, _ in }, change: (inout HubConfiguration, URL) throws -> Void
    ) async throws {
        let directory = try old?.0 ?? TemporaryDirectory(), clock = old?.1 ?? ManualClock()
        var configuration = HubConfiguration(directory: directory.url)
        configuration.listen.port = 0
        configuration.mail.sendmail = directory.url.appendingPathComponent("mail").path
        if old == nil { try Self.write("exit 0", to: configuration.mail.sendmail) }
        if outside != nil { configuration.webhooks.allow = ["127.0.0.1"] }
        try change(&configuration, directory.url)
        var logger = Logger(label: "test")
        logger.handler = SwiftLogNoOpLogHandler()
        let hub = try buildHub(configuration: configuration, logger: logger, outside: .init(tlsConfiguration: outside), now: { clock.now })
        (self.directory, self.hub, self.clock, ways) = (directory, hub, clock, hub.sos.ways)
        func account(_ role: Role, _ email: String) throws -> StoredAccount {
            if old != nil, let known = try hub.accounts.account(email: email) { return known }
            let details = ["email": email, "firstName": "Ada", "lastName": "Made-Up", "dateOfBirth": "1950-03-01"]
            let new = NewAccount(
                roles: [role], details: details, canonicalEmail: email, canonicalIdentifier: nil, password: "none", language: "en",
                accepted: [:])
            guard case .added(let account) = try hub.accounts.addConfirmedAccount(new, now: 0) else { throw CocoaError(.fileNoSuchFile) }
            return account
        }
        (person, parent, chief) = (
            try account(.person, "ada@example.org"), try account(.caregiver, "parent@example.org"),
            try account(.operator, "chief@example.org")
        )
        guard old == nil else { return }
        // Told on pages only: nobody empties the outbox of mails here, and the parent is no way by which an alarm would leave.
        try hub.accounts.consents.setGuardians([parent.id], of: person.id.person, adultFrom: .max / 2)
        for account in [person, parent, chief] {
            for kind in NoticeKind.allCases { try hub.accounts.notices.setNoticeWays([kind: []], of: account) }
        }
        try await prepare(hub, parent)
        if let contact { try await hub.sos.choices.addContact(contact, of: person.id.person, by: person.id) }
        try await hub.sos.choices.turnOn(person.id.person, consented: true, strict: false, by: person.id)
    }

    static func write(_ script: String, to path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    func program(_ name: String) -> String { directory.url.appendingPathComponent(name).path }

    // MARK: Time

    /// Lets seconds go by. Probes run as they are due; links are looked at each ten seconds, `phase` seconds behind the full ten.
    /// - Parameter until: ends it early.
    /// - Returns: how many seconds went by.
    @discardableResult
    func pass(_ seconds: Int, phase: Int, until: () throws -> Bool = { false }) async throws -> Int {
        for second in 1...max(1, seconds) {
            clock.advance(1000)
            await ways.lookDue()
            if clock.now / 1000 % 10 == Milliseconds(phase) { await hub.sos.chain.look() }
            if try until() { return second }
        }
        return seconds
    }

    /// Since when the person, the parent and the operator know it; nil while one of them does not.
    func isTold(since time: Milliseconds) throws -> Bool {
        func has(_ kind: NoticeKind, _ account: StoredAccount) throws -> Bool {
            try hub.accounts.notices.notices(of: account, count: 4).contains { $0.kind == kind && $0.created >= time }
        }
        return try has(.sosUnprotected, person) && has(.sosUnprotected, parent)
            && hub.sos.views.view(of: person.id.person)?.reasons.contains("waysFailed") == true
    }

    func isOperatorTold(since time: Milliseconds) throws -> Bool {
        try hub.accounts.notices.notices(of: chief, count: 4).contains {
            [.wayFailed, .peopleUnreached].contains($0.kind) && $0.created >= time
        }
    }

    /// Whether a real message leaves: a test of the person's alarm.
    /// - Parameter deliver: does what a service of the hub would do for the message.
    func drill(_ way: Way, deliver: () async throws -> Void = {}) async throws {
        func seen() -> [WaySign?] { ways.all.first { $0.way == way }.map { [$0.health.lastSuccess, $0.health.lastFailure] } ?? [] }
        clock.advance(1)
        let before = seen()
        try await hub.sos.drills.run(for: person.id.person)
        while seen() == before {
            try await deliver()
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    // MARK: Tries

    /// Breaks a way in one manner, each time at a moment of its own, and says how often the person, who looks after them, and the operator were told.
    /// - Parameters:
    ///   - spent: what the probe or the attempt waits for in a real hub, and here does not, in seconds.
    ///   - uses: after the break somebody is written to by this way.
    ///   - limit: seconds within which they are told.
    func told(
        _ manner: String, tries count: Int = WayTries.count(), seed: UInt64 = 22, spent: Int = 0, uses: Way? = nil,
        within limit: Int = WayTries.limit, deliver: () async throws -> Void = {}, break: () async throws -> Void,
        repair: () async throws -> Void
    ) async throws {
        var random = SeededGenerator(seed: WayTries.seed(seed)), tries = WayTries(manner)
        defer { print(tries.line) }
        for number in 0..<count {
            let phase = Int.random(in: 0..<10, using: &random)
            // Whole, for so long that a new break is told again.
            try await pass(170 + Int.random(in: 0..<30, using: &random), phase: phase)
            let view = try hub.sos.views.view(of: person.id.person)
            #expect(view?.reasons.contains("waysFailed") == false, "whole before try \(number)")
            try await `break`()
            let began = clock.now
            if let uses { try await drill(uses, deliver: deliver) }
            let seconds = try await pass(120, phase: phase) { try isTold(since: began) && isOperatorTold(since: began) } + spent
            tries.add(seconds)
            #expect(seconds <= limit, "\(manner), try \(number), with the seed \(WayTries.seed(seed))")
            try await repair()
            if let uses { try await drill(uses, deliver: deliver) }
        }
    }
}
