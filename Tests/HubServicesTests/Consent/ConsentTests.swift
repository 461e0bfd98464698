import Accounts
import Database
import Foundation
import HubServices
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

@Suite struct ConsentTests {
    @Test("CONS-2: asked, accepted, read; only the kinds that were granted, and nothing before or for anybody else")
    func askAcceptRead() async throws {
        let hub = try ConsentFixture(), box = try await hub.hub.enrol()
        let now = hub.clock.now
        _ = try await hub.hub.send([hub.hub.segment(1, stream: .random())], token: box.token)
        let id = try await hub.asked()
        #expect(try hub.open() == [id])
        #expect(try hub.mails(to: hub.ada).map(\.kind) == ["consent.asked"])
        #expect(try hub.mails(to: hub.ada).first?.arguments["purpose"] == "Study of rest")
        #expect(try hub.consents.read(id, as: hub.asker, from: 0, to: .max) == nil)
        try hub.consents.answer(id, .accept, by: hub.ada.id)
        #expect(try hub.shown(id) == .accepted(since: now, until: now + 30 * day))
        #expect(try hub.mails(to: hub.hospital).map { $0.arguments["state"] } == ["accepted"])
        let reading = try #require(try hub.consents.read(id, as: hub.asker, from: 0, to: .max))
        #expect(reading.heartRates.map(\.beatsPerMinute) == [120])
        #expect(reading.positions.isEmpty)
        let other = Reader.organisation(OrganisationID(high: 1, low: 2))
        #expect(try hub.consents.read(id, as: other, from: 0, to: .max) == nil)
        #expect(try hub.consents.read(id, as: hub.asker, for: .random(), from: 0, to: .max) == nil)
        // The same, or less, is not asked again while it runs.
        #expect(try problem { _ = try hub.ask(term: .lasting(day)) } == .alreadyRuns(id))
        // Its time is up: nothing, whether or not the timer came round.
        hub.clock.advance(30 * day)
        #expect(try hub.consents.read(id, as: hub.asker, from: 0, to: .max) == nil)
    }

    @Test("CONS-2: a yes holds, and is no error, also where the series cannot be read behind it")
    func yesWithoutSeries() async throws {
        let hub = try ConsentFixture(), id = try await hub.asked(), now = hub.clock.now
        let path = hub.hub.directory.url.appendingPathComponent("series.sqlite").path
        try DatabasePool(path: path).write { try $0.execute(sql: "ALTER TABLE block RENAME TO block_elsewhere") }
        #expect(throws: (any Error).self) {
            try hub.hub.series.reader.hours(.system(.deletion, of: hub.person), in: 0...now, now: now)
        }
        try hub.consents.answer(id, .accept, by: hub.ada.id)
        #expect(try hub.shown(id) == .accepted(since: now, until: now + 30 * day))
        #expect(try hub.mails(to: hub.hospital).map { $0.arguments["state"] } == ["accepted"])
    }

    @Test("CONS-10: three denials block the asker; to the asker the next question looks like any; the person hears of it and can lift it")
    func block() async throws {
        let hub = try ConsentFixture()
        for number in 0..<3 {
            let id = try await hub.asked(purpose: "Study \(number)")
            try hub.consents.answer(id, .deny, by: hub.ada.id)
            #expect(try hub.shown(id) == .over(.denied, at: hub.clock.now))
        }
        #expect(try hub.mails(to: hub.ada).map(\.kind).filter { $0 == "consent.blocked" }.count == 1)
        let blocked = try await hub.asked(purpose: "Study 3")
        #expect(try hub.shown(blocked) == .pending(asked: hub.clock.now, expires: hub.clock.now + 72 * hour))
        #expect(try hub.open().isEmpty)
        #expect(try hub.consents.blockedAskers(of: hub.person, for: hub.ada.id).map(\.reader) == [hub.asker])
        #expect(
            try hub.consents.ledger(of: hub.person, for: hub.ada.id).entries.first?.what
                == .consent(.keptBack(.blocked(hub.person)), by: nil))
        try hub.consents.liftBlock(of: hub.asker, with: hub.person, by: hub.ada.id)
        let again = try await hub.asked(purpose: "Study 4")
        #expect(try hub.open() == [again])
    }

    @Test("CONS-1: unknown, blocked, kept away by policy, and silent: the same states at the same instants, and the same mails")
    func lookAlike() async throws {
        var views: [[ShownToAsker.State]] = [], mails: [[String?]] = []
        for kind in ["silent", "unknown", "policy", "blocked"] {
            let hub = try ConsentFixture()
            if kind == "policy" { try hub.consents.setPolicy(AccessPolicy(anybody: []), of: hub.person, by: hub.ada.id) }
            let address = kind == "unknown" ? "eve@example.org" : "ada@example.org"
            if kind == "blocked" {
                for number in 0..<3 { try hub.consents.answer(try await hub.asked(purpose: "\(number)"), .deny, by: hub.ada.id) }
            }
            let before = try hub.mails(to: hub.hospital).count
            let id = try hub.ask(address)
            var seen = [try hub.shown(id)]
            hub.clock.advance(5)
            try hub.consents.approve(id, by: hub.checker)
            for step in [0, 1, 72 * hour - 2, 1, 1, day] {
                hub.clock.advance(step)
                seen.append(try hub.shown(id))
                try await hub.timers.fire()
                seen.append(try hub.shown(id))
            }
            #expect(try hub.open().isEmpty)
            views.append(seen)
            mails.append(try hub.mails(to: hub.hospital).dropFirst(before).map { $0.arguments["state"] })
        }
        #expect(Set(views).count == 1)
        #expect(Set(mails) == [["unanswered"]])
        #expect(views[0].last == .over(.unanswered, at: views[0].last.flatMap { if case .over(_, let at) = $0 { at } else { nil } } ?? 0))
    }

    @Test("CONS-1: asking writes the same rows before the answer, whether or not there is such a person")
    func sameWork() async throws {
        let hub = try ConsentFixture()
        // The kind is approved: from here on questions leave at once.
        try hub.consents.answer(try await hub.asked(), .deny, by: hub.ada.id)
        func written(_ address: String) throws -> [Int] {
            let tables = ["consent", "timer", "ledger", "mail", "standing", "approval", "policy"]
            func counts() throws -> [Int] {
                try tables.map { try hub.count("SELECT count(*) FROM \($0)") }
            }
            let before = try counts()
            _ = try hub.ask(address)
            return zip(try counts(), before).map { $0 - $1 }
        }
        let known = try written("ada@example.org"), unknown = try written("eve@example.org")
        #expect(known == unknown)
        #expect(known[0...1] == [1, 2])
        try await hub.timers.fire()
        #expect(try hub.open().count == 1)
    }

    @Test("CONS-3: an unanswered question is denied after 72 h, also when no hub ran at that time")
    func expiry() async throws {
        let hub = try ConsentFixture()
        let asked = hub.clock.now
        let id = try await hub.asked()
        hub.clock.advance(72 * hour - 1)
        try await hub.timers.fire()
        #expect(try hub.open() == [id])
        hub.clock.advance(10 * hour)
        let again = try hub.restarted()
        #expect(try problem { try again.consents.answer(id, .accept, by: hub.ada.id) } == .over(.unanswered))
        #expect(try await again.timers.fire() == 0)
        #expect(try again.shown(id) == .over(.unanswered, at: asked + 72 * hour))
        #expect(try again.mails(to: hub.ada).map(\.kind) == ["consent.asked", "consent.over"])
        #expect(try again.mails(to: hub.hospital).map { $0.arguments["state"] } == ["unanswered"])
    }

    @Test("CONS-3: the timer alone closes what nobody looks at, after a restart too, once")
    func timerAfterRestart() async throws {
        let hub = try ConsentFixture()
        let id = try await hub.asked()
        hub.clock.advance(100 * hour)
        let again = try hub.restarted()
        #expect(try await again.timers.fire() == 1)
        #expect(try await again.timers.fire() == 0)
        #expect(try again.mails(to: hub.hospital).map { $0.arguments["state"] } == ["unanswered"])
        #expect(try again.consents.followers(of: hub.person, for: hub.ada.id).items.map(\.consent.id) == [id])
        #expect(try hub.count("SELECT count(*) FROM timer") == 0)
    }

    @Test("CONS-11: nothing leaves before an operator looked; one approval lets all of its kind leave, now and later")
    func operatorsCheck() async throws {
        let hub = try ConsentFixture()
        let bob = try ConsentFixture.add("bob@example.org", [.person], to: hub.accounts)
        let first = try hub.ask(), second = try hub.ask("bob@example.org"), other = try hub.ask(kinds: [.position], purpose: "Another")
        try await hub.timers.fire()
        #expect(try hub.open().isEmpty)
        #expect(try hub.mails(to: hub.checker).map(\.kind) == ["consent.check", "consent.check", "consent.check"])
        #expect(try hub.consents.waiting(for: hub.checker).map(\.id) == [first, second, other])
        #expect(try problem { try hub.consents.approve(first, by: hub.hospital) } == .notYours)
        #expect(try problem { try hub.consents.answer(first, .accept, by: hub.ada.id) } == .notYours)
        try hub.consents.approve(first, by: hub.checker)
        try await hub.timers.fire()
        #expect(try hub.open() == [first])
        #expect(try hub.consents.followers(of: bob.id.person, for: bob.id).items.map(\.consent.id) == [second])
        try hub.consents.refuse(other, by: hub.checker)
        #expect(try hub.shown(other) == .over(.refusedByOperator, at: hub.clock.now))
        _ = try ConsentFixture.add("cleo@example.org", [.person], to: hub.accounts)
        let later = try hub.ask("cleo@example.org", term: .once)
        #expect(try hub.shown(later) == .pending(asked: hub.clock.now, expires: hub.clock.now + 72 * hour))
    }

    @Test("CONS-13: the policy keeps questions away that it does not allow; what runs, runs on")
    func policy() async throws {
        let hub = try ConsentFixture()
        let running = try await hub.accepted()
        try hub.consents.setPolicy(
            AccessPolicy(anybody: [], exceptions: [hub.asker: [.heartRate, .event]]), of: hub.person, by: hub.ada.id)
        #expect(try problem { try hub.consents.setPolicy(AccessPolicy(), of: hub.person, by: hub.hospital.id) } == .notYours)
        _ = try await hub.asked(kinds: [.position])
        #expect(try hub.open().isEmpty)
        let allowed = try await hub.asked(kinds: [.event])
        #expect(try hub.open() == [allowed])
        #expect(try hub.consents.read(running, as: hub.asker, from: 0, to: 1) != nil)
    }

    @Test("DATA-12: each read by somebody else stands in the ledger, once for each hour; one's own do not")
    func ledger() async throws {
        let hub = try ConsentFixture()
        let id = try await hub.accepted()
        for _ in 0..<5 { _ = try hub.consents.read(id, as: hub.asker, from: 0, to: .max) }
        hub.clock.advance(hour)
        let again = try hub.restarted()
        for _ in 0..<5 { _ = try again.consents.last(10, id, as: hub.asker) }
        let ledger = try again.consents.ledger(of: hub.person, for: hub.ada.id)
        #expect(ledger.entries.map(\.what) == [.read, .read, .consent(.accepted, by: hub.ada.id), .consent(.asked, by: nil)])
        #expect(ledger.entries.allSatisfy { $0.name == "Made Up" && $0.consent == id && $0.kinds == [.heartRate] })
        #expect(try problem { _ = try again.consents.ledger(of: hub.person, for: hub.hospital.id) } == .notYours)
        // In pages, nothing twice, nothing left out.
        var pages: [LedgerEntry] = [], next: Int64?
        repeat {
            let page = try again.accounts.ledger.ledger(of: hub.person, before: next, count: 3)
            (pages, next) = (pages + page.entries, page.next)
        } while next != nil
        #expect(pages == ledger.entries)
    }

    @Test("ACC-17: for a minor a parent decides and reads, until the 18th birthday")
    func minor() async throws {
        let hub = try ConsentFixture()
        let mother = try ConsentFixture.add("mother@example.org", [.caregiver], to: hub.accounts)
        let birthday = hub.clock.now + 10 * day
        try hub.accounts.consents.setGuardians([mother.id], of: hub.person, adultFrom: birthday)
        let id = try await hub.asked()
        #expect(try hub.mails(to: mother).map(\.kind) == ["consent.askedWard"])
        #expect(try hub.mails(to: hub.ada).isEmpty)
        #expect(try problem { try hub.consents.answer(id, .accept, by: hub.ada.id) } == .notYours)
        try hub.consents.answer(id, .accept, by: mother.id)
        let grant = try #require(try hub.accounts.consents.authority(over: hub.person).grant(to: mother.id, at: hub.clock.now))
        #expect(try hub.hub.series.reader.last(1, grant, now: hub.clock.now) != nil)
        hub.clock.advance(10 * day)
        #expect(try hub.hub.series.reader.last(1, grant, now: hub.clock.now) == nil)
        #expect(try problem { try hub.consents.answer(id, .revoke, by: mother.id) } == .notYours)
        try hub.consents.answer(id, .revoke, by: hub.ada.id)
    }

    @Test("CONS-1: by tax identifier the same person is reached, and is not asked the same twice")
    func byIdentifier() async throws {
        let hub = try ConsentFixture()
        let id = try await hub.asked()
        let second = try await hub.asked("rss mra 85t10 a562s")
        #expect(try hub.shown(second) == .pending(asked: hub.clock.now, expires: hub.clock.now + 72 * hour))
        #expect(try hub.open() == [id])
        let wider = try await hub.asked("RSSMRA85T10A562S", kinds: [.heartRate, .position])
        #expect(Set(try hub.open()) == [id, wider])
        #expect(throws: FieldError.self) { try ConsentAddress("RSSMRA85T10A562X") }
    }

    @Test("CONS-1: somebody is asked by the tax identifier of any country that they can sign up with")
    func byForeignIdentifier() throws {
        #expect(try ConsentAddress("US:123-45-6789") == .identifier(TaxIdentifier("123-45-6789", country: .unitedStates)))
        #expect(try ConsentAddress(" fr : 12 34 567") == .identifier(TaxIdentifier("1234567", country: Country("FR"))))
        #expect(try ConsentAddress("IT:RSSMRA85T10A562S") == ConsentAddress("RSSMRA85T10A562S"))
        for wrong in ["US:1", "XX:1234567", "FR:", ":1234567"] {
            #expect(throws: FieldError.self, "\(wrong)") { try ConsentAddress(wrong) }
        }
    }

    @Test("DATA-10: who leaves ends every consent and question first; what is kept about them goes, the asker's own record stays")
    func leaving() async throws {
        let hub = try ConsentFixture()
        let running = try await hub.accepted()
        let open = try await hub.asked(kinds: [.position])
        #expect(try problem { try hub.consents.endAll(of: hub.person, by: hub.hospital.id) } == .notYours)
        try hub.consents.endAll(of: hub.person, by: hub.ada.id)
        #expect(try hub.consents.read(running, as: hub.asker, from: 0, to: 1) == nil)
        #expect(try hub.shown(running) == .over(.revoked, at: hub.clock.now))
        #expect(try hub.shown(open) == .over(.denied, at: hub.clock.now))
        #expect(try hub.consents.history(of: hub.asker).items.map(\.id) == [open, running])
    }

    @Test("CONS-6: an asker that leaves reads nothing any more, and its questions are gone from before the people")
    func askerLeaves() async throws {
        let hub = try ConsentFixture()
        let running = try await hub.accepted(), open = try await hub.asked(kinds: [.position]), waiting = try hub.ask(purpose: "Other")
        try hub.consents.endAll(by: hub.asker)
        #expect(try hub.shown(running) == .over(.endedByAsker, at: hub.clock.now))
        #expect(try [open, waiting].map { try hub.shown($0) } == Array(repeating: .over(.withdrawn, at: hub.clock.now), count: 2))
        #expect(try hub.open().isEmpty)
        #expect(try hub.accounts.consents.grants(to: hub.asker, now: hub.clock.now).isEmpty)
    }

    @Test("CONS-9: an asker's list has every request, the newest first, in pages, with what was typed and nobody else's")
    func history() async throws {
        let hub = try ConsentFixture()
        let other = try ConsentFixture.add("lab@example.org", [.organisation], to: hub.accounts)
        var asked: [ConsentID] = []
        for number in 0..<205 { asked.append(try hub.ask("nobody\(number)@example.org")) }
        let first = try hub.consents.history(of: hub.asker)
        let second = try hub.consents.history(of: hub.asker, before: first.next)
        #expect((first.items + second.items).map(\.id) == asked.reversed())
        #expect(second.next == nil)
        #expect(first.items.first?.label == "nobody204@example.org")
        #expect(try hub.consents.history(of: .organisation(OrganisationID(other.id))).items.isEmpty)
        #expect(try hub.accounts.consents.consent(asked[0], askedBy: .organisation(OrganisationID(other.id)), now: 0) == nil)
        #expect(try problem { try hub.consents.end(asked[0], by: .organisation(OrganisationID(other.id))) } == .notYours)
        // Only who works with a confirmed account asks.
        #expect(
            try problem {
                _ = try hub.consents.ask(ConsentAddress("a@example.org"), by: hub.ada, kinds: [.heartRate], purpose: "x", term: .once)
            } == .notYours)
    }
}
