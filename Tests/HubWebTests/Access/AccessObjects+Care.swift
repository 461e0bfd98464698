import Accounts
import Credentials
import Foundation
import HubServices
import HubStore
import Privacy
import Testing
import Vitals

@testable import HubWeb

/// People who let others read, relatives, and hospitals.
extension Cast {
    func careObject(_ name: String, _ actor: Actor) throws -> String? {
        let accounts = web.hub.accounts
        switch name {
        case "notice":
            try accounts.notices.addNotice(.quota, ["until": "0", "bytes": "1"], to: account(actor), now: Self.now)
            return String(try #require(try accounts.notices.notices(of: account(actor), count: 1).first).row)
        case "browser":
            let address = PushAddress(endpoint: "https://push.example.net/\(UUID())", publicKey: [], secret: [], name: "Browser")
            try accounts.pushes.addPushDevice(address, to: account(actor), now: Self.now)
            return String(try #require(try accounts.pushes.pushDevices(of: account(actor)).first { $0.address == address }).row)
        case "offer":
            // A person has few in a day.
            if let old = try web.hub.consents.offers(of: person.id.person, for: person.id).first(where: \.isWaiting) {
                return old.offer.id.description
            }
            return try offer(by: person, to: "doctor@example.org").description
        case "offered": return try offer(by: giver(), to: email(try #require(actor.role))).description
        case "followed": return try followed(by: actor).description
        case "cared": return try cared(by: account(actor)).description
        case "ward": return try ward(of: account(actor)).description
        case "wards": return try question(toWardOf: account(actor)).description
        case "hospital": return try #require(self.accounts[.organisation]).id.description
        case "ambulance": return String(try ambulance())
        case "crew":
            let crew = try web.member(.responder, "crew.\(UUID().uuidString.lowercased())@example.org").account
            try join(crew, ambulance())
            return crew.id.description
        default: return nil
        }
    }

    // MARK: Readers

    private func giver() throws -> StoredAccount { try web.member(.person, "giver.\(UUID().uuidString.lowercased())@example.org").account }

    private func offer(by giver: StoredAccount, to email: String) throws -> ConsentID {
        try web.hub.consents.offer(
            to: EmailAddress(email), kinds: [.heartRate, .ecg], purpose: "Purpose \(UUID())", of: giver.id.person, by: giver.id)
    }

    private func followed(by actor: Actor) throws -> ConsentID {
        let consents = web.hub.consents, reader = try account(actor)
        if let old = try consents.followed(by: reader).first { return old.consent.id }
        let offered = try offer(by: giver(), to: email(try #require(actor.role)))
        try consents.takeOffer(offered, by: reader)
        return offered
    }

    /// Somebody whom an account looks after.
    func cared(by account: StoredAccount) throws -> PersonID {
        let consents = web.hub.consents
        if let old = try consents.careGrants(of: account.id).first { return old.grant.person }
        let giver = try giver()
        let asked = try consents.askAsCaregiver(ConsentAddress(giver.email), by: account, kinds: [.heartRate], purpose: "Purpose")
        try web.hub.accounts.consents.reachConsent(asked.id, now: Self.now)
        try consents.answer(asked.id, .accept, by: giver.id)
        return giver.id.person
    }

    private func ward(of parent: StoredAccount) throws -> PersonID {
        try web.child(of: parent, "child.\(UUID().uuidString.lowercased())@example.org").id.person
    }

    /// To the child that came last.
    private func question(toWardOf parent: StoredAccount) throws -> ConsentID {
        let accounts = web.hub.accounts, ward = try #require(try accounts.care.wards(of: parent.id, now: Self.now).last)
        let child = try #require(try accounts.account(AccountID(ward))), chief = try #require(self.accounts[.operator])
        let organisation = try #require(self.accounts[.organisation])
        let asked = try web.hub.consents.ask(
            ConsentAddress(child.email), by: organisation, kinds: [.heartRate], purpose: "Purpose \(UUID())", term: .once)
        try web.hub.consents.approve(asked.id, by: chief)
        try accounts.consents.reachConsent(asked.id, now: Self.now)
        return asked.id
    }

    // MARK: Hospitals

    /// The organisation is a hospital, and the responder rides with one of its ambulances.
    func beginHospital() throws {
        _ = try web.hub.accounts.hospitals.admitHospital(try #require(accounts[.organisation]), now: Self.now)
        try join(try #require(accounts[.responder]), ambulance())
    }

    private func ambulance() throws -> Int64 {
        let hospital = try #require(accounts[.organisation])
        if let old = try web.hub.accounts.hospitals.ambulances(of: hospital).first { return old.row }
        return try #require(
            try web.hub.accounts.hospitals.addAmbulance(AmbulanceLabel(name: "One", plate: "ZA 123 BC"), of: hospital, now: Self.now))
    }

    private func join(_ crew: StoredAccount, _ ambulance: Int64) throws {
        let hospital = try #require(accounts[.organisation]), code = SecretToken.random().hash
        _ = try web.hub.accounts.hospitals.addCrewCode(code, ambulance: ambulance, of: hospital, expires: Self.now + 60_000, now: Self.now)
        #expect(try web.hub.accounts.hospitals.joinCrew(code, crew, now: Self.now))
    }
}
