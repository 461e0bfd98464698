import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Whom to call: the person's contacts, and what a relative prepared for the person's yes.
extension ProtectionPages {
    func routesOfPreparing(_ router: some RouterMethods<HubContext>) {
        router.post("/protection/contacts") { request, context in
            try await addContact(try own(Frame(request, context)), request) { contact, place in
                try await sos.choices.addContact(contact, of: place.person, by: place.reader.id)
            }
        }
        router.post("/protection/values") { request, context in
            let place = try own(Frame(request, context))
            guard let tells = ["yes": true, "no": false][try await SentForm(request)["tell"]] else { throw HTTPError(.badRequest) }
            try await sos.choices.setMailsValues(tells, of: place.person, by: place.reader.id)
            return place.back
        }
        router.post("/protection/caregivers/:account/up") { request, context in
            let place = try own(Frame(request, context))
            guard let caregiver = AccountID(try context.parameters.require("account")) else { throw HTTPError(.notFound) }
            try await sos.choices.moveCaregiverUp(caregiver, of: place.person, by: place.reader.id)
            return place.back
        }
        router.post("/protection/strict/:consent") { request, context in
            let place = try own(Frame(request, context)), sent = try await SentForm(request)
            guard let consent = ConsentID(try context.parameters.require("consent")), let may = ["yes": true, "no": false][sent["may"]]
            else {
                throw HTTPError(.notFound)
            }
            do { try await sos.strictRights.allow(may, to: consent, of: place.person, by: place.reader.id) } catch SOSSettingProblem
                .notAllowed
            {
                throw PageRefusal.notAllowed
            }
            return place.back
        }
        router.post("/protection/prepared/:answer") { request, context in
            try await answer(try own(Frame(request, context)), request, context)
        }
        router.post("/care/person/:id/protection/contacts") { request, context in
            try await addContact(try cared(request, context), request) { contact, place in
                try await sos.preparation.propose(contact, for: place.person, by: place.reader.id)
            }
        }
        router.post("/care/person/:id/protection/ask") { request, context in
            let place = try cared(request, context)
            do { try await sos.preparation.proposeTurnOn(for: place.person, by: place.reader.id) } catch let problem as SOSSettingProblem {
                return try await page(place, problem: problem)
            }
            return place.back
        }
        router.post("/care/person/:id/protection/prepared/:answer") { request, context in
            try await answer(try cared(request, context), request, context)
        }
        router.post("/care/person/:id/protection/tested") { request, context in
            let place = try cared(request, context)
            await sos.drills.confirmAll(of: place.person, by: place.reader.id)
            return place.back
        }
    }

    private func answer(_ place: Place, _ request: Request, _ context: HubContext) async throws -> Response {
        let sent = try await SentForm(request)
        do {
            switch try context.parameters.require("answer") {
            case "yes":
                let isConsented = sent["consent"] == SOSChoices.consentDocument
                try await sos.preparation.confirm(
                    of: place.person, seen: Milliseconds(sent["prepared"]), consented: isConsented, strict: Self.strict(sent),
                    testWeeks: try Self.testWeeks(sent), by: place.reader.id)
            case "no": try await sos.preparation.drop(of: place.person, by: place.reader.id)
            default: throw HTTPError(.notFound)
            }
        } catch SOSSettingProblem.notAllowed {
            throw PageRefusal.notAllowed
        } catch let problem as SOSSettingProblem {
            return try await page(place, problem: problem, values: sent.fields)
        }
        return place.back
    }

    /// nil where neither was chosen.
    static func strict(_ sent: SentForm) -> Bool? { ["yes": true, "no": false][sent["strict"]] }

    private func addContact(
        _ place: Place, _ request: Request, _ add: (SOSContact, Place) async throws -> Void
    ) async throws -> Response {
        let sent = try await SentForm(request)
        let typed = sent["contactPhone"].trimmingCharacters(in: .whitespaces),
            mail = sent["contactEmail"].trimmingCharacters(in: .whitespaces)
        let phone = typed.isEmpty ? nil : try? PhoneNumber(typed), email = mail.isEmpty ? nil : try? EmailAddress(mail)
        do {
            guard typed.isEmpty || phone != nil, mail.isEmpty || email != nil else { throw SOSSettingProblem.contact }
            let language = sent["contactLanguage"].isEmpty ? place.frame.texts.lang : Texts.of(sent["contactLanguage"]).lang
            let contact = SOSContact(
                name: sent["contactName"].trimmingCharacters(in: .whitespaces), phone: phone?.e164, email: email?.address,
                language: language)
            try await add(contact, place)
        } catch let problem as SOSSettingProblem {
            return try await page(place, problem: problem, values: sent.fields)
        }
        return place.back
    }

    /// What waits for the person's yes, and what a relative can prepare.
    func prepared(
        _ place: Place, _ choice: SOSChoice, isOn: Bool, _ problem: SOSSettingProblem?, _ values: [String: String],
        _ problems: [(field: String, text: String)], _ page: inout ProtectionPage
    ) throws {
        let texts = place.frame.texts, decides = try sos.addressees.decides(place.reader.id, for: place.person)
        if let prepared = choice.prepared {
            let relative = try accounts.account(prepared.by)?.name ?? ""
            page.prepared = .init(
                title: texts.filled("protection.prepared", ["relative": relative]),
                text: texts.filled(decides ? "protection.preparedText" : "protection.preparedWaits", ["name": place.name]),
                contacts: prepared.contacts.map { .init(name: $0.name, ways: Self.ways($0)) }, turnsOn: prepared.turnsOn, decides: decides,
                base: place.base, at: "\(prepared.at)", turnOnForm: try prepared.turnsOn ? turnOnForm(place, values, problem) : nil)
        }
        guard !place.isOwn else { return }
        page.testToConfirm = sos.drills.hasToConfirm(of: place.person, by: place.reader.id)
        page.preparing = .init(
            title: texts.filled("protection.preparing", ["name": place.name]),
            text: texts.filled("protection.preparingText", ["name": place.name]), contactForm: contactForm(place, values, problems),
            canAsk: !isOn && choice.prepared?.turnsOn != true, base: place.base)
    }

    /// Relatives in the order in which they are told.
    func caregivers(_ place: Place) throws -> [ProtectionPage.Caregiver] {
        try sos.addressees.caregiversInOrder(of: place.person).enumerated().map { index, caregiver in
            .init(id: caregiver.description, name: try accounts.account(caregiver)?.name ?? "", isLater: index > 0)
        }
    }
}
