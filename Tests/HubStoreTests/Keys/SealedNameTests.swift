import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Names of boxes, keys and browsers, as somebody finds them who has a copy of the database without the keys.
@Suite struct SealedNameTests {
    private let secrets = ["Nonna's kitchen", "Study of 2026", "Firefox on Ada's laptop"]

    private func rows(_ fixture: HubFixture) throws -> [String] {
        try fixture.accounts.pool.read { db in
            try ["SELECT name FROM agent", "SELECT name FROM organisation_key", "SELECT device FROM session"].flatMap {
                try db.fetchAll(String.self, sql: $0)
            }
        }
    }

    /// As its owners see them.
    private func shown(_ fixture: HubFixture, _ clinic: OrganisationID, _ ada: StoredAccount) throws -> [String] {
        try fixture.accounts.agents.agents(of: ada.id.person).map(\.name)
            + fixture.accounts.organisations.organisationKeys(of: clinic.account).map(\.name)
            + fixture.accounts.sessions(of: ada.row, now: 3).compactMap(\.device)
    }

    private func named(_ fixture: HubFixture) throws -> (clinic: OrganisationID, ada: StoredAccount) {
        let accounts = fixture.accounts, clinic = try fixture.organisation(), ada = try fixture.account("Ada")
        try accounts.agents.addEnrolmentCode(hash: [1], people: [ada.id.person], expires: 1000)
        _ = try accounts.agents.enrol(codeHash: [1], publicKey: [4], name: secrets[0], now: 1)
        _ = try accounts.organisations.addOrganisationKey([4], thumbprint: "t-1", name: secrets[1], to: clinic.account, now: 1)
        try accounts.addSession([1], of: ada.row, strength: .full, device: secrets[2], now: 2)
        return (clinic, ada)
    }

    @Test(
        "DATA-11: names of boxes, keys and browsers are shown to their owners, and stand in no database as they are",
        arguments: Engine.allCases)
    func sealed(engine: Engine) throws {
        let fixture = try HubFixture(engine), (clinic, ada) = try named(fixture)
        #expect(try shown(fixture, clinic, ada) == secrets)
        #expect(try shown(fixture.reopened(), clinic, ada) == secrets)
        let stored = try rows(fixture)
        #expect(stored.count == 3 && stored.allSatisfy { $0.hasPrefix(SealedName.mark) } && Set(stored).count == 3)
        // Under somebody else's box or key it is no name.
        try fixture.accounts.pool.write { db in
            try db.execute(sql: "UPDATE organisation_key SET name = ?", arguments: [stored[0]])
        }
        #expect(try fixture.accounts.organisations.organisationKeys(of: clinic.account).map(\.name) == [""])
    }

    @Test(
        "DATA-11: names that a hub of before stored are sealed by the next one, once, and read as ever meanwhile",
        arguments: Engine.allCases)
    func before(engine: Engine) throws {
        let fixture = try HubFixture(engine), (clinic, ada) = try named(fixture)
        try fixture.accounts.pool.write { db in
            try db.execute(sql: "UPDATE agent SET name = ?", arguments: [secrets[0]])
            try db.execute(sql: "UPDATE organisation_key SET name = ?", arguments: [secrets[1]])
            try db.execute(sql: "UPDATE session SET device = ?", arguments: [secrets[2]])
        }
        #expect(try rows(fixture) == secrets && shown(fixture, clinic, ada) == secrets)
        #expect(try PlainNames(fixture.accounts).seal() == 3)
        #expect(try rows(fixture).allSatisfy { $0.hasPrefix(SealedName.mark) } && shown(fixture, clinic, ada) == secrets)
        #expect(try PlainNames(fixture.accounts).seal() == 0)
        try fixture.accounts.deletePerson(ada.id.person, now: 5)
        try fixture.accounts.eraseRows(of: ada.id.person)
        #expect(try PlainNames(fixture.accounts).seal() == 0 && fixture.accounts.agents.agents().map(\.name) == ["(deleted)"])
    }

    @Test("DATA-11: in the files of a hub none of these names can be found")
    func files() throws {
        let fixture = try HubFixture(.files)
        _ = try named(fixture)
        try fixture.accounts.pool.truncateLog()
        let folder = fixture.directory.url
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.contains("sqlite") {
            let content = try Data(contentsOf: folder.appendingPathComponent(file))
            for name in secrets { #expect(content.range(of: Data(name.utf8)) == nil, "\(name) in \(file)") }
        }
    }
}
