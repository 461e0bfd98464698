import HubStore
public import Privacy
public import Vitals

/// An organisation that looks after a person may choose whether SOS-4 holds to the letter, where the person gave it that right, and for as long
/// as its consent runs.
public struct SOSStrictRights: SOSSubject {
    let sos: SOSService

    /// An organisation whose consent lasts.
    public struct Setter: Sendable, Hashable {
        /// Its consent.
        public let consent: ConsentID
        /// The organisation's name.
        public let name: String
        /// It has the right.
        public let mayChoose: Bool
    }

    /// Holders of the right, and those who could be given it.
    public func setters(of person: PersonID) throws -> [Setter] {
        let allowed = Set(try store.choice(of: person).strictSetters ?? []), time = now()
        return try accounts.consents.running(of: person).filter { $0.consent.isOfOrganisation(at: time) }.map { consent, name in
            Setter(consent: consent.id, name: name, mayChoose: allowed.contains(consent.id))
        }
    }

    /// Gives the organisation of a consent the right, or takes it back.
    /// - Throws: ``SOSSettingProblem/notAllowed`` for a consent of the person's that is no organisation's, or is over.
    public func allow(_ isAllowed: Bool, to consent: ConsentID, of person: PersonID, by account: AccountID) async throws {
        let isKnown = try setters(of: person).contains { $0.consent == consent }
        guard isKnown || !isAllowed else { throw SOSSettingProblem.notAllowed }
        try store.change(person, by: account, now: now()) { choice in
            let before = choice.strictSetters ?? []
            guard before.contains(consent) != isAllowed else { return [] }
            choice.strictSetters = isAllowed ? before + [consent] : before.filter { $0 != consent }
            return [isAllowed ? "strict right +" : "strict right -"]
        }
        try await sos.reload(person)
        pages.changed(person)
    }

    /// The choice for a person, where AutomatedSOS is on and the reader may choose it; nil otherwise.
    public func choice(by consent: ConsentID, of reader: Reader) throws -> StrictChoice? {
        guard let found = try accounts.consents.consent(consent), found.request.scope.asker == reader, found.isOfOrganisation(at: now()),
            let person = found.person, let view = try views.view(of: person), view.isOn,
            view.choice.strictSetters?.contains(consent) == true
        else { return nil }
        return StrictChoice(person: person, strict: view.choice.strict ?? false, waitsLonger: view.weaknesses.contains("waitsLonger"))
    }

    /// - Parameter strict: nil, where neither was chosen, is refused.
    /// - Throws: ``SOSSettingProblem``.
    public func set(_ strict: Bool?, by consent: ConsentID, of reader: Reader) async throws {
        guard let person = try choice(by: consent, of: reader)?.person else { throw SOSSettingProblem.notAllowed }
        guard let strict else { throw SOSSettingProblem.strictNotChosen }
        try store.change(person, by: reader.account, now: now()) { $0.setStrict(strict) }
        try await sos.reload(person)
        pages.changed(person)
    }
}

/// The choice for a person.
public struct StrictChoice: Sendable, Hashable {
    /// The person whom it is about.
    public let person: PersonID
    /// SOS-4 holds to the letter.
    public let strict: Bool
    /// A box of an older version waits longer, whatever is chosen.
    public let waitsLonger: Bool
}

extension SOSChoice {
    /// The change, as ``SOSChange`` names it.
    mutating func setStrict(_ new: Bool) -> [String] {
        guard new != strict ?? false else { return [] }
        strict = new
        return [new ? "strict: on" : "strict: off"]
    }
}

extension Consent {
    /// Given to an organisation, for longer than one delivery, and in force.
    fileprivate func isOfOrganisation(at now: Milliseconds) -> Bool {
        guard case .organisation = request.scope.asker, case .accepted = state, request.scope.term != .once else { return false }
        return !isDue(at: now)
    }
}
