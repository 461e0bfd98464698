import Accounts
import Credentials
import Foundation
import Groups
import HubServices
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// The objects that AccessTable.swift names, made anew for each line, as their owners' requests may use them up.
extension Cast {
    /// The value of a route's parameter: an object of this cast's, or the word itself.
    func object(_ name: String, for actor: Actor) throws -> String {
        let hub = web.hub
        switch name {
        case "asked", "waiting", "running": return try consent(name).description
        case "webhook":
            // An organisation has ten.
            for old in try hub.accounts.webhooks.webhooks(of: program.organisation) {
                _ = try hub.accounts.webhooks.removeWebhook(old.id, of: program.organisation)
            }
            return try #require(
                try hub.accounts.webhooks.addWebhook("https://example.org/hook", secret: "x", to: program.organisation, now: Self.now)
            ).id.description
        case "watched": return try ([.person, .link].contains(actor) ? person.id.person : cared(by: account(actor))).description
        case "box": return try Self.enrol(web, [person.id.person]).0.description
        case "device":
            let devices = Devices(devices: hub.accounts.devices), own = try person.id.person
            for old in try devices.all(of: own) { _ = try devices.revoke(old.row, of: own, now: Self.now) }
            return String(try devices.add("Phone", .osmAnd, of: own, now: Self.now).0.row)
        case "passkey": return String(try passkey(of: account(actor)))
        case "session":
            let account = try account(actor), token = SecretToken.random()
            try hub.accounts.addSession(token.hash, of: account.row, strength: .full, device: "other", now: Self.now)
            return Hexadecimal.string(token.hash)
        case "strip": return try strip().description
        case "group": return try groupRequest().description
        case "any": return Self.none("any")
        default: return try careObject(name, actor) ?? serviceObject(name, actor) ?? runObject(name) ?? name
        }
    }

    func account(_ actor: Actor) throws -> StoredAccount { try #require(actor.role.flatMap { accounts[$0] }) }

    /// The value for an object that there is not, of the form that such an object's has.
    static func none(_ name: String) -> String {
        switch name {
        case "device", "passkey", "notice", "browser", "key", "ambulance": "999999"
        case "session": Hexadecimal.string(SecretToken.random().hash)
        case "publicRun", "myRun", "ownRun": ShortCode.random(length: 6).text
        case "friend": PersonID.random().description
        case "any": SecretToken.random().text
        case "observation": "pos-\(PersonID.random())-1700000000000"
        case "mailed": SecretToken.random().text
        case "asked", "waiting", "running", "webhook", "watched", "box", "patient", "offer", "offered", "followed", "cared", "ward",
            "wards",
            "hospital", "crew", "group", "service", "unchecked", "builtIn", "added", "strip":
            PersonID.random().description
        default: name
        }
    }

    static func isObject(_ name: String) -> Bool { name != "any" && none(name) != name }

    /// A question of this cast's organisation to this cast's person.
    func consent(_ state: String) throws -> ConsentID {
        let consents = web.hub.consents, organisation = try #require(accounts[.organisation]), chief = try #require(accounts[.operator])
        // Three may be open, and earlier lines set the policy: what they left is taken back.
        try consents.endAll(by: .organisation(program.organisation))
        try consents.setPolicy(AccessPolicy(), of: person.id.person, by: person.id)
        let asked = try consents.ask(
            ConsentAddress(person.email), by: organisation, kinds: [.heartRate, .position, .ecg], purpose: "Purpose \(UUID())",
            term: .lasting(86_400_000))
        guard state != "waiting" else { return asked.id }
        try consents.approve(asked.id, by: chief)
        try web.hub.accounts.consents.reachConsent(asked.id, now: Self.now)
        if state == "running" { try consents.answer(asked.id, .accept, by: person.id) }
        return asked.id
    }

    /// A request of this cast's organisation about a group: another one each time.
    private func groupRequest() throws -> GroupRequestID {
        let groups = web.hub.groups, organisation = try #require(accounts[.organisation])
        var draft = GroupDraft()
        (draft.kinds, draft.sexes) = ([.heartRate], [.female])
        let ask = try groups.snapping.ask(draft)
        // A hundred may be open.
        for open in try groups.history(of: OrganisationID(organisation.id)).items where !open.state(at: groups.now).isOver {
            try groups.end(open.id, by: OrganisationID(organisation.id))
        }
        return try groups.ask(ask, purpose: "Purpose \(UUID())", term: .lasting(86_400_000), past: 1, mails: false, by: organisation).id
    }

    /// An ECG of this cast's person.
    private func strip() throws -> ECGID {
        let store = ECGStore(web.hub.series), own = try person.id.person
        let lead = ECGStrip.Lead(name: .init("I"), values: MadeECG.curve(600, hertz: 500).map { $0 })
        let strip = try ECGStrip(time: Self.now - .random(in: 0...1_000_000_000), millihertz: 500_000, leads: [lead])
        guard case .stored(let id) = try store.add(strip, of: own, by: person.id, bytesMax: .max, now: Self.now) else {
            throw CocoaError(.fileWriteUnknown)
        }
        return id
    }

    private func passkey(of account: StoredAccount) throws -> Int64 {
        let new = NewPasskey(
            credential: (0..<16).map { _ in .random(in: 0...255) }, publicKey: [4], aaguid: Array(repeating: 0, count: 16), transports: [],
            isBackupEligible: false, isBackedUp: false, counter: 0, name: "Key")
        _ = try web.hub.accounts.factors.addPasskey(new, to: account, now: Self.now)
        return try #require(try web.hub.accounts.factors.factors(of: account).passkeys.last).row
    }
}
