import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct FactorTests {
    private static func passkey(_ number: UInt8, name: String = "Phone") -> NewPasskey {
        NewPasskey(
            credential: [number], publicKey: [4, number], aaguid: [0], transports: ["internal", "usb"], isBackupEligible: true,
            isBackedUp: false, counter: 5, name: name)
    }

    @Test("ACC-9: a one-time secret is worth something to the session alone that it was shown to", arguments: Engine.allCases)
    func oneTime(engine: Engine) throws {
        let fixture = try HubFixture(engine), factors = fixture.accounts.factors, ada = try fixture.account("Ada")
        let one = try #require(try fixture.session([1], of: ada)), two = try #require(try fixture.session([2], of: ada))
        #expect(try factors.waitingOneTime([10], for: one, now: 1)?.secret == [10])
        #expect(try factors.waitingOneTime([11], for: one, now: 2)?.secret == [10], "the same page shows the same one")
        #expect(try factors.factors(of: ada).isEmpty)
        #expect(try factors.waitingOneTime([20], for: two, now: 3)?.secret == [20])
        #expect(try !factors.confirmOneTime(step: 7, for: one, now: 4) && factors.confirmOneTime(step: 7, for: two, now: 4))
        let known = try #require(try factors.factors(of: ada).oneTime)
        #expect(known.secret == [20] && known.lastStep == 7 && known.created == 3)
        #expect(try factors.waitingOneTime([30], for: one, now: 5) == nil && !factors.confirmOneTime(step: 8, for: two, now: 5))
        #expect(try factors.factors(of: fixture.account("Bob")).isEmpty)
    }

    @Test("ACC-9: a code proves once, and the session goes on under another name with what it is worth", arguments: Engine.allCases)
    func proof(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, factors = accounts.factors, ada = try fixture.account("Ada")
        let begun = try #require(try fixture.session([1], of: ada, .begun))
        _ = try factors.waitingOneTime([10], for: begun, now: 1)
        _ = try factors.confirmOneTime(step: 7, for: begun, now: 1)
        #expect(try !factors.proveSession(begun, newHash: [2], by: .oneTime(step: 7), strength: .full, now: 2))
        #expect(try accounts.session([1], now: 2)?.strength == .begun && accounts.session([2], now: 2) == nil)
        #expect(try factors.proveSession(begun, newHash: [2], by: .oneTime(step: 8), strength: .full, now: 3))
        let full = try #require(try accounts.session([2], now: 3))
        #expect(try full.strength == .full && full.proved == 3 && accounts.session([1], now: 3) == nil)
        // Of a session that ended the code is not used up.
        #expect(try !factors.proveSession(begun, newHash: [3], by: .oneTime(step: 9), strength: .full, now: 4))
        #expect(try factors.factors(of: ada).oneTime?.lastStep == 8)
        #expect(try factors.proveSession(full, newHash: [4], by: .password, strength: .full, now: 5))
    }

    @Test("ACC-9: recovery codes stand in for a factor, each once, and are none by themselves", arguments: Engine.allCases)
    func recovery(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, factors = accounts.factors, ada = try fixture.account("Ada")
        #expect(try !factors.setRecovery([[1]], of: ada.row))
        #expect(try factors.addPasskey(Self.passkey(1), to: ada, now: 0) && factors.setRecovery([[1], [2]], of: ada.row))
        #expect(try factors.setRecovery([[3], [4]], of: ada.row))
        #expect(try Set(factors.factors(of: ada).recovery) == [[3], [4]])
        let session = try #require(try fixture.session([9], of: ada, .begun))
        #expect(try !factors.proveSession(session, newHash: [8], by: .recovery(hash: [1]), strength: .full, now: 1))
        #expect(try factors.proveSession(session, newHash: [8], by: .recovery(hash: [3]), strength: .full, now: 1))
        let next = try #require(try accounts.session([8], now: 1))
        #expect(try !factors.proveSession(next, newHash: [7], by: .recovery(hash: [3]), strength: .full, now: 1))
        #expect(try factors.factors(of: ada).recovery == [[4]])
    }

    @Test("ACC-9: a passkey belongs to one account, an account has twenty, and names are cut", arguments: Engine.allCases)
    func passkeys(engine: Engine) throws {
        let fixture = try HubFixture(engine), factors = fixture.accounts.factors, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        #expect(try factors.addPasskey(Self.passkey(1, name: String(repeating: "n", count: 90)), to: ada, now: 3))
        #expect(try !factors.addPasskey(Self.passkey(1), to: bob, now: 3) && !factors.addPasskey(Self.passkey(1), to: ada, now: 3))
        let found = try #require(try factors.passkey(credential: [1]))
        #expect(found.account.id == ada.id && found.passkey.name.count == 60 && found.passkey.transports == ["internal", "usb"])
        #expect(found.passkey.isBackupEligible && !found.passkey.isBackedUp && found.passkey.counter == 5 && found.passkey.used == nil)
        #expect(try factors.passkey(credential: [2]) == nil)
        for number in 2...UInt8(FactorStore.passkeysMax) { #expect(try factors.addPasskey(Self.passkey(number), to: ada, now: 4)) }
        #expect(try !factors.addPasskey(Self.passkey(99), to: ada, now: 5))
        #expect(try factors.factors(of: ada).passkeys.map(\.credential) == (1...20).map { [UInt8($0)] })
        try factors.renamePasskey(found.passkey.row, name: "Mine", of: bob)
        #expect(try factors.passkey(credential: [1])?.passkey.name != "Mine")
        try factors.renamePasskey(found.passkey.row, name: "Mine", of: ada)
        #expect(try factors.passkey(credential: [1])?.passkey.name == "Mine")
    }

    @Test("ACC-9: a passkey's counter goes on; one that was read otherwise meanwhile lets nobody in", arguments: Engine.allCases)
    func counters(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, factors = accounts.factors, ada = try fixture.account("Ada")
        _ = try factors.addPasskey(Self.passkey(1), to: ada, now: 0)
        let row = try #require(try factors.passkey(credential: [1])).passkey.row
        let proof = FactorProof.passkey(row: row, from: 5, to: 6, isBackedUp: true)
        #expect(try factors.addSession([1], of: ada, by: proof, device: String(repeating: "d", count: 300), now: 7))
        #expect(try accounts.session([1], now: 7)?.strength == .full && accounts.sessions(of: ada.row, now: 7).first?.device?.count == 200)
        #expect(try !factors.addSession([2], of: ada, by: proof, device: "", now: 8) && accounts.session([2], now: 8) == nil)
        let stored = try #require(try factors.passkey(credential: [1])).passkey
        #expect(stored.counter == 6 && stored.used == 7 && stored.isBackedUp)
        let bob = try fixture.account("Bob"), next = FactorProof.passkey(row: row, from: 6, to: 7, isBackedUp: true)
        #expect(try !factors.addSession([3], of: bob, by: next, device: "", now: 9), "another account's passkey")
    }

    @Test("ACC-9: the last factor of who needs one stays; with the last one the recovery codes go", arguments: Engine.allCases)
    func removal(engine: Engine) throws {
        let fixture = try HubFixture(engine), factors = fixture.accounts.factors, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        _ = try factors.addPasskey(Self.passkey(1), to: ada, now: 0)
        let row = try #require(try factors.passkey(credential: [1])).passkey.row
        let session = try #require(try fixture.session([1], of: ada))
        _ = try factors.waitingOneTime([1], for: session, now: 0)
        #expect(try factors.removeFactor(.oneTime, of: ada.row, needsOne: false) == .unknown, "it waits for its first code")
        _ = try factors.confirmOneTime(step: 1, for: session, now: 0)
        _ = try factors.setRecovery([[5]], of: ada.row)
        #expect(try factors.removeFactor(.passkey(row), of: bob.row, needsOne: false) == .unknown)
        #expect(try factors.removeFactor(.passkey(row), of: ada.row, needsOne: true) == .removed)
        #expect(try factors.removeFactor(.oneTime, of: ada.row, needsOne: true) == .needed)
        #expect(try factors.factors(of: ada).oneTime != nil && factors.factors(of: ada).recovery == [[5]])
        #expect(try factors.removeFactor(.oneTime, of: ada.row, needsOne: false) == .removed)
        #expect(try factors.factors(of: ada).isEmpty && factors.factors(of: ada).recovery.isEmpty)
    }

    @Test("ACC-6: ending the other sessions leaves the one that asks", arguments: Engine.allCases)
    func others(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada")
        for hash in 1...4 as ClosedRange<UInt8> { _ = try fixture.session([hash], of: ada) }
        #expect(try accounts.factors.endSessions(of: ada.row, keeping: [3]) == 3)
        #expect(try accounts.sessions(of: ada.row, now: 1).map(\.hash) == [[3]])
        #expect(try accounts.factors.endSessions(of: ada.row, keeping: [3]) == 0)
    }

    @Test("ACC-9: the code that makes the first operator works once and in its time; a newer one voids it", arguments: Engine.allCases)
    func claim(engine: Engine) throws {
        let fixture = try HubFixture(engine), factors = fixture.accounts.factors
        #expect(try !factors.isClaim([1], now: 0) && !factors.useClaim([1], now: 0))
        try factors.setClaim([1], expires: 100)
        try factors.setClaim([2], expires: 100)
        #expect(try !factors.isClaim([1], now: 50) && factors.isClaim([2], now: 50) && !factors.isClaim([2], now: 100))
        #expect(try !factors.useClaim([2], now: 100))
        #expect(try factors.useClaim([2], now: 99) && !factors.useClaim([2], now: 99))
    }

    @Test("ACC-9: a damaged name keeps nobody's passkey from working; a damaged secret is never taken for none", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), factors = fixture.accounts.factors, ada = try fixture.account("Ada")
        _ = try factors.addPasskey(Self.passkey(1), to: ada, now: 0)
        try fixture.damage("passkey", "name")
        #expect(try factors.passkey(credential: [1])?.passkey.name == "" && factors.factors(of: ada).passkeys.count == 1)
        #expect(fixture.unreadable == [.passkeyName])
        let session = try #require(try fixture.session([1], of: ada))
        _ = try factors.waitingOneTime([1], for: session, now: 0)
        _ = try factors.confirmOneTime(step: 1, for: session, now: 0)
        try fixture.damage("one_time", "secret")
        #expect(throws: HubStoreError.self) { try factors.factors(of: ada) }
    }

    @Test("ACC-8: a telephone number counts once its code was typed, and no other number with it", arguments: Engine.allCases)
    func phone(engine: Engine) throws {
        let fixture = try HubFixture(engine), factors = fixture.accounts.factors, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        #expect(try factors.usePhoneCode([1], of: ada, now: 0) == .void)
        #expect(try factors.addPhoneCode([1], to: "+391", of: ada, expires: 1000, now: 0) == nil)
        #expect(try factors.usePhoneCode([2], of: ada, now: 1) == .wrong && factors.usePhoneCode([1], of: bob, now: 1) == .void)
        #expect(try factors.usePhoneCode([1], of: ada, now: 2) == .verified && factors.usePhoneCode([1], of: ada, now: 3) == .void)
        #expect(try factors.phoneVerified("+391", of: ada) == 2 && factors.phoneVerified("+392", of: ada) == nil)
        #expect(try factors.phoneVerified("+391", of: bob) == nil)
        // A code for another number leaves what is verified until it is typed.
        #expect(try factors.addPhoneCode([3], to: "+392", of: ada, expires: 1000, now: 4) == nil)
        #expect(try factors.phoneVerified("+391", of: ada) == 2 && factors.usePhoneCode([3], of: ada, now: 1000) == .void)
    }

    @Test("ACC-8: three messages an hour, five tries of a code", arguments: Engine.allCases)
    func phoneLimits(engine: Engine) throws {
        let fixture = try HubFixture(engine), factors = fixture.accounts.factors, ada = try fixture.account("Ada")
        for time in 1...3 as ClosedRange<Milliseconds> {
            #expect(try factors.addPhoneCode([1], to: "+391", of: ada, expires: day, now: time + hour) == nil)
        }
        #expect(try factors.addPhoneCode([1], to: "+391", of: ada, expires: day, now: hour + 9) == 2 * hour + 1)
        for _ in 0..<FactorStore.phoneTriesMax { #expect(try factors.usePhoneCode([2], of: ada, now: hour + 10) == .wrong) }
        #expect(try factors.usePhoneCode([1], of: ada, now: hour + 11) == .void)
        #expect(try factors.addPhoneCode([1], to: "+391", of: ada, expires: day, now: 2 * hour + 1) == nil)
        #expect(try factors.usePhoneCode([1], of: ada, now: 2 * hour + 2) == .verified)
    }
}
