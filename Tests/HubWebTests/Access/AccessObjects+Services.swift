import Accounts
import Crypto
import Exchange
import Foundation
import HubServices
import HubStore
import Privacy
import Testing
import Vitals

@testable import HubWeb

/// What organisations publish, read and sign with.
extension Cast {
    /// What some lines send.
    static let bodies = [
        "version": "version=1", "result": #"{"text":"Well rested"}"#,
        "service": """
        {"name":"Sleep","english":{"about":"A","purpose":"P"},"italian":{"about":"A","purpose":"P"},"kinds":["heart_rate"],
        "actions":["daily"]}
        """,
    ]

    func serviceObject(_ name: String, _ actor: Actor) throws -> String? {
        let hub = web.hub, reader = Reader.organisation(program.organisation)
        switch name {
        case "service": return try service().description
        case "unchecked": return try unchecked().id.description
        case "builtIn":
            // Who enrolled in a run has it already.
            try hub.consents.remove(BuiltInService.track4Run.id, of: person.id.person, by: person.id)
            return BuiltInService.track4Run.id.description
        case "added":
            let service = try service()
            try hub.consents.remove(service, of: person.id.person, by: person.id)
            return try hub.consents.add(service, .daily, language: "en", of: person.id.person, by: person.id)?.description
        case "key":
            let keys = OrganisationKeys(organisations: hub.accounts.organisations), organisation = program.organisation.account
            if let old = try keys.all(of: organisation).first(where: { $0.revoked == nil && $0.name == "spare" }) { return String(old.row) }
            let key = P256.Signing.PrivateKey().publicKey.pemRepresentation
            return String(try keys.add(key, name: "spare", to: organisation, now: Self.now).row)
        case "mailed":
            let running = try #require(
                try hub.consents.history(of: reader).items.first { try hub.consents.running($0.id, of: reader) != nil })
            return DownloadLinks(accounts: hub.accounts).token(running.id, of: program.organisation.account, now: Self.now)
        case "patient", "observation":
            _ = try consent("running")
            let patient = try hub.accounts.pseudonyms.pseudonym(of: person.id.person, for: reader, service: nil)
            return name == "patient" ? patient : "pos-\(patient)-\(sampled)"
        default: return nil
        }
    }

    /// One that people find.
    private func service() throws -> ServiceID {
        let organisation = try #require(accounts[.organisation]), consents = web.hub.consents
        // An organisation has so many, and no more.
        if let old = try consents.services(of: organisation).first(where: { $0.shown != nil && $0.waiting == nil && !$0.isWithdrawn }) {
            return old.id
        }
        let new = try unchecked()
        #expect(try consents.check(new.id, version: new.version, isApproved: true, by: try #require(accounts[.operator])))
        return new.id
    }

    private func unchecked() throws -> PublishedService {
        let organisation = try #require(accounts[.organisation]), consents = web.hub.consents
        func waiting() throws -> PublishedService? {
            try consents.services(of: organisation).first { $0.shown == nil && $0.waiting != nil && !$0.isWithdrawn && !$0.isRefused }
        }
        if let old = try waiting() { return old }
        let words = PublishedService.Words(about: "About", purpose: "Purpose")
        _ = try consents.publish(
            .init(name: "Sleep", english: words, italian: words, kinds: [.heartRate], actions: [.daily]), by: organisation)
        return try #require(try waiting())
    }
}
