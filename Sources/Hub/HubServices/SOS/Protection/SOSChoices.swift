import Accounts
public import Distress
public import HubStore
import Logging
import Privacy
public import Vitals

/// Choices of a person, or of those who look after them: that it is on, limits, contacts, reminders.
public struct SOSChoices: SOSSubject {
    let sos: SOSService

    /// The version of the text of consent to calls that pages show.
    public static let consentDocument = "2026-11-24"

    /// Turns AutomatedSOS on. The consent to calls is a record of its own.
    /// - Parameters:
    ///   - strict: SOS-4 to the letter, or not; nil, where the person chose neither, is refused.
    ///   - testWeeks: after how many weeks the way of an alarm is tested, again and again; 0 for never. nil leaves the plan as it is.
    public func turnOn(
        _ person: PersonID, consented: Bool, strict: Bool?, testWeeks: Int? = nil, by account: AccountID
    ) async throws {
        guard consented else { throw SOSSettingProblem.noConsent }
        guard let strict else { throw SOSSettingProblem.strictNotChosen }
        let choice = try store.choice(of: person), time = now()
        guard try reachability.canDeliver(choice, of: person) else { throw SOSSettingProblem.nobodyToCall }
        let settings = DistressSettings(of: choice, isConsented: true, account: try accounts.account(AccountID(person)), now: time)
        guard AgeTable.row(age: settings.age) != nil else { throw SOSSettingProblem.ageNotCovered }
        // Before it is on: a hub that is killed between leaves nobody on without the tests that they chose.
        if let testWeeks { try drills.setPlan(every: testWeeks, for: person, by: account) }
        try store.setConsent(SOSConsent(giver: account, document: Self.consentDocument, given: time), of: person, now: time)
        try store.change(person, by: account, now: time) { choice in
            (choice.isOn, choice.offSince, choice.strict) = (true, nil, strict)
            return ["on", strict ? "strict: on" : "strict: off"]
        }
        try await sos.reload(person)
        pages.changed(person)
    }

    /// Turns it off; the consent ends with it. A case that is open goes on: the person ends it with "I'm OK".
    public func turnOff(_ person: PersonID, by account: AccountID) async throws {
        let time = now()
        try store.change(person, by: account, now: time) { choice in
            // Also where a box alone has it on, while nobody has decided about that.
            guard choice.inForce.isOn else { return [] }
            (choice.isOn, choice.offSince) = (false, time)
            return ["off"]
        }
        try store.setConsent(nil, of: person, now: time)
        try await sos.reload(person)
        pages.changed(person)
    }

    /// Turns it off where the consent to the service ended since it was turned on: this hub was killed before it did so, or could not (CONS-8).
    func turnOffRevoked() async {
        let people = sos.state.withLock { state in state.entries.filter { $0.value.choice.isOn && $0.value.isConsented }.map(\.key) }
        for person in people {
            do {
                guard let given = try store.consent(of: person)?.given, try isRevoked(person, since: given) else { continue }
                logger.critical("the consent to AutomatedSOS ended while it stayed on: it is turned off", metadata: ["person": "\(person)"])
                try await turnOff(person, by: AccountID(person))
            } catch {
                logger.error(
                    "whether the consent to AutomatedSOS still runs cannot be read; it is tried again", metadata: ["error": "\(error)"])
            }
        }
    }

    private func isRevoked(_ person: PersonID, since given: Milliseconds) throws -> Bool {
        let service = BuiltInService.automatedSOS.id
        guard try accounts.consents.running(service, of: person, now: now()) == nil else { return false }
        return try accounts.consents.consents(of: person, for: service).contains { consent in
            if case .over(let end) = consent.state { end.access != nil && end.at > given } else { false }
        }
    }

    /// The question, limits of one's own within safe bounds (SOS-2), and whether SOS-4 holds to the letter.
    /// - Parameters:
    ///   - strict: nil leaves it as it is.
    ///   - isWiderConfirmed: whoever sets limits wider than a baseline gives was shown what it means, and wants it.
    public func setLimits(
        _ overrides: LimitOverrides?, asksFirst: Bool?, strict: Bool? = nil, isWiderConfirmed: Bool = false, of person: PersonID,
        by account: AccountID
    ) async throws {
        let today = now(), owner = try accounts.account(AccountID(person))
        let age = DistressSettings(of: SOSChoice(), isConsented: true, account: owner, now: today).age
        if let problem = overrides?.problem(age: age) { throw SOSSettingProblem.limits(problem) }
        let before = try store.choice(of: person).overrides
        if !isWiderConfirmed, let overrides, overrides != before, overrides.isWiderThanByBaseline(age: age) {
            throw SOSSettingProblem.widerNotConfirmed
        }
        try store.change(person, by: account, now: today) { choice in
            var what: [String] = []
            let overrides = overrides ?? choice.overrides, asksFirst = asksFirst ?? choice.asksFirst
            func note(_ name: String, _ old: Int?, _ new: Int?) {
                if old != new { what.append("\(name): \(old.map(String.init) ?? "-") → \(new.map(String.init) ?? "-")") }
            }
            note("low", choice.overrides.criticalLow, overrides.criticalLow)
            note("high", choice.overrides.criticalHigh, overrides.criticalHigh)
            if choice.asksFirst != asksFirst { what.append(asksFirst ? "question: on" : "question: off") }
            if let strict { what += choice.setStrict(strict) }
            (choice.overrides, choice.asksFirst) = (overrides, asksFirst)
            return what
        }
        try await sos.reload(person)
    }

    /// The settings that hold for a person now: age, chosen limits, own figures.
    public func distressSettings(of person: PersonID) throws -> DistressSettings {
        DistressSettings(of: try store.choice(of: person), isConsented: true, account: try accounts.account(AccountID(person)), now: now())
    }

    /// Turns notices of an irregular heartbeat on or off. They are the person's own wish: nobody else may set it.
    public func setTellsRhythm(_ tells: Bool, of person: PersonID, by account: AccountID) async throws {
        try store.change(person, by: account, now: now()) { choice in
            guard tells != choice.tellsRhythm ?? false else { return [] }
            choice.tellsRhythm = tells
            return [tells ? "rhythm: on" : "rhythm: off"]
        }
        try await sos.reload(person)
        // What went on while nobody looked is not known.
        sos.state.withLock { $0.entries[person]?.state.rhythm?.isIrregular = false }
    }

    /// Whether mails to contacts tell vital signs. Control rooms and crews are told them in any case (SOS-6).
    public func setMailsValues(_ tells: Bool, of person: PersonID, by account: AccountID) async throws {
        try store.change(person, by: account, now: now()) { choice in
            guard tells != choice.mailsValues ?? false else { return [] }
            choice.mailsValues = tells
            return [tells ? "values: on" : "values: off"]
        }
        try await sos.reload(person)
    }

    // MARK: Reminders

    /// When a person whom nobody watches is told so again, and their relatives (SOS-21).
    public func setReminders(_ plan: ReminderPlan, relativesAfter: Milliseconds, of person: PersonID, by account: AccountID) async throws {
        guard Self.remindFirst.contains(plan.first), Self.remindEvery.contains(plan.every), Self.relativesAfter.contains(relativesAfter)
        else {
            throw SOSSettingProblem.noNumber
        }
        try store.change(person, by: account, now: now()) { choice in
            let isSame =
                choice.reminders ?? ReminderPlan() == plan
                && choice.relativesAfter ?? SOSChoice.relativesAfterUsual == relativesAfter
            (choice.reminders, choice.relativesAfter) = (plan, relativesAfter)
            return isSame ? [] : ["reminders"]
        }
        try await sos.reload(person)
    }

    /// After which time a person may be reminded first that nobody watches, milliseconds.
    public static let remindFirst: [Milliseconds] = [15, 30, 60, 120, 240].map { $0 * 60_000 }
    /// How often they may be reminded then, milliseconds.
    public static let remindEvery: [Milliseconds] = [4, 12, 24, 168].map { $0 * 3_600_000 }
    /// After which time relatives may be told, milliseconds.
    public static let relativesAfter: [Milliseconds] = [0, 1, 2, 4, 8, 24, 72].map { $0 * 3_600_000 }

    // MARK: Contacts and caregivers

    /// Adds somebody who is called, behind the others.
    /// - Throws: ``SOSSettingProblem``.
    public func addContact(_ contact: SOSContact, of person: PersonID, by account: AccountID) async throws {
        guard contact.isValid else { throw SOSSettingProblem.contact }
        try store.change(person, by: account, now: now()) { choice in
            guard choice.contacts.count < SOSChoice.contactsMax else { throw SOSSettingProblem.tooManyContacts }
            choice.contacts.append(contact)
            return ["contact +"]
        }
        try await sos.reload(person)
    }

    /// Where it is on nobody may be left without an alarm that reaches somebody.
    public func removeContact(_ index: Int, of person: PersonID, by account: AccountID) async throws {
        let old = try store.choice(of: person)
        guard old.contacts.indices.contains(index) else { return }
        var left = old
        left.contacts.remove(at: index)
        if old.isOn, try !reachability.canDeliver(left, of: person) { throw SOSSettingProblem.nobodyToCall }
        try store.change(person, by: account, now: now()) { choice in
            guard choice.contacts.indices.contains(index) else { return [] }
            choice.contacts.remove(at: index)
            return ["contact -"]
        }
        try await sos.reload(person)
    }

    /// Contacts are called in their order (SOS-20).
    public func moveContactUp(_ index: Int, of person: PersonID, by account: AccountID) async throws {
        try store.change(person, by: account, now: now()) { choice in
            guard index > 0, choice.contacts.indices.contains(index) else { return [] }
            choice.contacts.swapAt(index, index - 1)
            return ["contact order"]
        }
        try await sos.reload(person)
    }

    /// Relatives are told in this order, one after the other.
    public func moveCaregiverUp(_ caregiver: AccountID, of person: PersonID, by account: AccountID) async throws {
        let all = try addressees.caregivers(of: person)
        try store.change(person, by: account, now: now()) { choice in
            var order = SOSAddressees.ordered(all, by: choice.caregiverOrder ?? [])
            guard let place = order.firstIndex(of: caregiver), place > 0 else { return [] }
            order.swapAt(place, place - 1)
            choice.caregiverOrder = order
            return ["contact order"]
        }
        try await sos.reload(person)
    }

    // MARK: The profile

    /// A name, telephone, address or language is another one: boxes fetch their settings with their next report, within 30 s.
    func profileChanged(_ person: PersonID) async {
        do { try await takeProfile(of: person) } catch {
            logger.error("a changed profile does not reach the person's boxes yet; it is tried again", metadata: ["error": "\(error)"])
        }
    }

    /// Work that a hub that was killed behind the change still owes.
    public var timers: [TimerKind: TimerService.Handler] {
        [.profileChanged: { [self] timer in if let person = PersonID(bytes: timer.subject) { try await takeProfile(of: person) } }]
    }

    private func takeProfile(of person: PersonID) async throws {
        let owed = try accounts.timers.profileOwed(person)
        if try sos.prepare(person) {
            try store.change(person, by: nil, now: now()) { choice in
                choice.profileChanges = (choice.profileChanges ?? 0) + 1
                return []
            }
            try await sos.reload(person)
        }
        if let owed { try accounts.timers.profileIsTold(person, owed: owed) }
    }
}
