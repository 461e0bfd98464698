import Accounts
import Distress
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// This hub was restored from a backup, and a box has newer settings: both are shown, and whoever may decides which hold.
extension ProtectionPages {
    func routesOfDispute(_ router: some RouterMethods<HubContext>) {
        router.post("/protection/settings") { request, context in try await decide(try own(Frame(request, context)), request) }
        router.post("/care/person/:id/protection/settings") { request, context in try await decide(try cared(request, context), request) }
    }

    private func decide(_ place: Place, _ request: Request) async throws -> Response {
        let sent = try await SentForm(request)
        guard let decision = SOSChoice.Decision(name: sent["keep"]), let version = Int(sent["version"]) else { return place.back }
        do {
            try await sos.restoredSettings.decide(
                decision, of: place.person, shown: version, consented: sent["consent"] == SOSChoices.consentDocument, by: place.reader.id)
        } catch SOSSettingProblem.notAllowed {
            throw PageRefusal.notAllowed
        } catch let problem as SOSSettingProblem {
            return try await page(place, problem: problem)
        }
        return place.back
    }

    /// nil where there is nothing to decide.
    func dispute(_ place: Place) throws -> ProtectionPage.Dispute? {
        guard let (hub, by) = try sos.restoredSettings.dispute(of: place.person) else { return nil }
        let texts = place.frame.texts, copies = hub.copies ?? [], decides = try sos.addressees.decides(place.reader.id, for: place.person)
        let isConsented = try sos.store.consent(of: place.person) != nil
        let account = try accounts.account(AccountID(place.person))
        let profiles = [(account?[.phone], account?[.residence])] + copies.map { ($0.phone, $0.address) }
        /// Said only where they differ.
        func profile(_ index: Int) -> [String] {
            let (phone, address) = profiles[index]
            let phones = Set(profiles.map { $0.0 ?? "" }), addresses = Set(profiles.map { $0.1 ?? "" })
            return (phones.count > 1 ? [texts.filled("protection.disputePhone", ["value": Self.shown(phone)])] : [])
                + (addresses.count > 1 ? [texts.filled("protection.disputeAddress", ["value": Self.shown(address)])] : [])
        }
        func side(_ name: String, _ keep: SOSChoice.Decision, _ isOn: Bool, _ contacts: [SOSContact], _ index: Int, _ when: String?)
            -> ProtectionPage.Side
        {
            .init(
                title: texts[name], when: when, lines: [texts[isOn ? "protection.disputeOn" : "protection.disputeOff"]] + profile(index),
                hasContacts: !contacts.isEmpty, contacts: contacts.map { "\($0.name): \(Self.ways($0))" },
                decision: Inline(
                    .init(
                        decides: decides, base: place.base, consents: isOn && !isConsented, keep: keep.name, version: hub.version,
                        consent: isOn ? SOSChoices.consentDocument : "")), button: texts["\(name)Button"])
        }
        let sides =
            copies.enumerated().map { index, copy in
                side(
                    "protection.disputeBox", .copy(index), copy.distress.isOn, copy.contacts, index + 1,
                    changed(copy.origin.time, copy.origin.by, texts))
            } + [side("protection.disputeHub", .hub, hub.isOn, hub.contacts, 0, changed(hub.changedAt, by, texts))]
        return .init(
            text: texts.filled(place.isOwn ? "protection.disputeText" : "protection.disputeTextOf", ["name": place.name]), sides: sides,
            decision: Inline(
                .init(
                    decides: decides, base: place.base, consents: hub.inForce.isOn && !isConsented, keep: SOSChoice.Decision.all.name,
                    version: hub.version, consent: hub.inForce.isOn ? SOSChoices.consentDocument : "")),
            waits: decides ? nil : texts.filled("protection.disputeWaits", ["name": place.name]))
    }

    private static func shown(_ value: String?) -> String { value.flatMap { $0.isEmpty ? nil : $0 } ?? "–" }

    private func changed(_ time: Milliseconds?, _ by: String?, _ texts: Texts) -> String? {
        guard let time else { return nil }
        return texts.filled("protection.disputeChanged\(by == nil ? "" : "By")", ["time": texts.instant(time), "name": by ?? ""])
    }
}

extension SOSChoice.Decision {
    /// As the form has it: `hub`, `all`, or the place of a copy.
    fileprivate init?(name: String) {
        switch name {
        case "hub": self = .hub
        case "all": self = .all
        default:
            guard let place = Int(name) else { return nil }
            self = .copy(place)
        }
    }

    fileprivate var name: String {
        switch self {
        case .hub: "hub"
        case .all: "all"
        case .copy(let place): "\(place)"
        }
    }
}
