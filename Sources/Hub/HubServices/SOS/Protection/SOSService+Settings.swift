import Accounts
public import Distress
public import HubStore
import Logging
import Privacy
import Synchronization
public import Vitals

extension SOSService {
    /// The version of the text of consent to calls that pages show.
    public static let consentDocument = "2026-11-24"

    /// Why something was not changed.
    public enum SettingProblem: Error, Sendable, Hashable {
        /// The consent to calls was not given.
        case noConsent
        /// How quickly help is called while nobody knows whether the person moves, was not chosen.
        case strictNotChosen
        /// Limits wider than a baseline gives, without the word that this is wanted.
        case widerNotConfirmed
        /// No alarm could reach anybody: there is no contact with a mail address or a number that this hub can reach, no caregiver whom alarms reach
        /// by mail or push, no control room.
        case nobodyToCall
        /// Not within safe limits.
        case limits(LimitProblem)
        /// What was typed as a limit is no number.
        case noNumber
        case contact
        case tooManyContacts
        case ageNotCovered
        /// What was given is no place on a map.
        case notAPlace
        /// The time by which there is to be a sign of life, the span, the night or the time zone.
        case inactivity
        /// Neither a contact nor anybody who looks after the person: nobody could be told that there is no sign of life.
        case nobodyToTell
        /// Neither the person, nor somebody who looks after them and may do this.
        case notAllowed
        /// Somebody changed it since the page was shown.
        case changedMeanwhile
    }

    /// Whether an alarm of this person could be delivered now (SOS-1). A way that has failed is none. A contact with a telephone alone counts where
    /// the hub, or a box of the person, can reach it.
    public func canDeliver(_ choice: SOSChoice, of person: PersonID) throws -> Bool {
        try reach(choice, of: person, by: .knownBoxes) == .somebody
    }

    /// Whether a box of the person could call a contact, or reach somebody by a program of its owner: one that is heard, or one that was heard of in
    /// the last day.
    func reachesByBox(_ choice: SOSChoice, of person: PersonID, isHeard: Bool) -> Bool {
        let time = now()
        let (boxes, since) = state.withLock { (Array(($0.entries[person]?.state.boxes ?? [:]).values), $0.listening.since) }
        let known = boxes.filter { box in
            time - box.received < Self.awayAfter && (!isHeard || time - max(box.received, since) < Self.linkSilentAfter)
        }
        return known.contains { $0.means?.contains("hook") == true }
            || choice.contacts.contains { contact in known.contains { $0.reaches(contact) } }
    }

    /// Turns AutomatedSOS on. The consent to calls is a record of its own.
    /// - Parameter strict: SOS-4 to the letter, or not; nil, where the person chose neither, is refused.
    public func turnOn(_ person: PersonID, consented: Bool, strict: Bool?, by account: AccountID) async throws {
        guard consented else { throw SettingProblem.noConsent }
        guard let strict else { throw SettingProblem.strictNotChosen }
        let choice = try store.choice(of: person), time = now()
        guard try canDeliver(choice, of: person) else { throw SettingProblem.nobodyToCall }
        let settings = Self.settings(choice, true, try accounts.account(AccountID(person)), now: time)
        guard AgeTable.row(age: settings.age) != nil else { throw SettingProblem.ageNotCovered }
        try store.setConsent(SOSConsent(giver: account, document: Self.consentDocument, given: time), of: person, now: time)
        try store.change(person, by: account, now: time) { choice in
            (choice.isOn, choice.offSince, choice.strict) = (true, nil, strict)
            return ["on", strict ? "strict: on" : "strict: off"]
        }
        try await reload(person)
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
        try await reload(person)
        pages.changed(person)
    }

    /// Turns it off where the consent to the service ended since it was turned on: this hub was killed before it did so, or could not (CONS-8).
    func turnOffRevoked() async {
        let people = state.withLock { state in state.entries.filter { $0.value.choice.isOn && $0.value.isConsented }.map(\.key) }
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
        let age = Self.settings(SOSChoice(), true, owner, now: today).age
        if let problem = overrides?.problem(age: age) { throw SettingProblem.limits(problem) }
        let before = try store.choice(of: person).overrides
        if !isWiderConfirmed, let overrides, overrides != before, overrides.isWiderThanByBaseline(age: age) {
            throw SettingProblem.widerNotConfirmed
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
        try await reload(person)
    }

    /// When a person whom nobody watches is told so again, and their relatives (SOS-21).
    public func setReminders(_ plan: ReminderPlan, relativesAfter: Milliseconds, of person: PersonID, by account: AccountID) async throws {
        guard Self.remindFirst.contains(plan.first), Self.remindEvery.contains(plan.every), Self.relativesAfter.contains(relativesAfter)
        else {
            throw SettingProblem.noNumber
        }
        try store.change(person, by: account, now: now()) { choice in
            let isSame =
                choice.reminders ?? ReminderPlan() == plan
                && choice.relativesAfter ?? SOSChoice.relativesAfterUsual == relativesAfter
            (choice.reminders, choice.relativesAfter) = (plan, relativesAfter)
            return isSame ? [] : ["reminders"]
        }
        try await reload(person)
    }

    /// What can be chosen, milliseconds.
    public static let remindFirst: [Milliseconds] = [15, 30, 60, 120, 240].map { $0 * 60_000 }
    public static let remindEvery: [Milliseconds] = [4, 12, 24, 168].map { $0 * 3_600_000 }
    public static let relativesAfter: [Milliseconds] = [0, 1, 2, 4, 8, 24, 72].map { $0 * 3_600_000 }

    public func addContact(_ contact: SOSContact, of person: PersonID, by account: AccountID) async throws {
        guard contact.isValid else { throw SettingProblem.contact }
        try store.change(person, by: account, now: now()) { choice in
            guard choice.contacts.count < SOSChoice.contactsMax else { throw SettingProblem.tooManyContacts }
            choice.contacts.append(contact)
            return ["contact +"]
        }
        try await reload(person)
    }

    /// Where it is on nobody may be left without an alarm that reaches somebody.
    public func removeContact(_ index: Int, of person: PersonID, by account: AccountID) async throws {
        let old = try store.choice(of: person)
        guard old.contacts.indices.contains(index) else { return }
        var left = old
        left.contacts.remove(at: index)
        if old.isOn, try !canDeliver(left, of: person) { throw SettingProblem.nobodyToCall }
        try store.change(person, by: account, now: now()) { choice in
            guard choice.contacts.indices.contains(index) else { return [] }
            choice.contacts.remove(at: index)
            return ["contact -"]
        }
        try await reload(person)
    }

    /// A name, telephone, address or language is another one: boxes fetch their settings with their next report, within 30 s.
    func profileChanged(_ person: PersonID) async {
        do { try await takeProfile(of: person) } catch {
            logger.error("a changed profile does not reach the person's boxes yet; it is tried again", metadata: ["error": "\(error)"])
        }
    }

    /// What a hub that was killed behind the change still owes.
    public var timers: [TimerKind: TimerService.Handler] {
        [.profileChanged: { [self] timer in if let person = PersonID(bytes: timer.subject) { try await takeProfile(of: person) } }]
    }

    private func takeProfile(of person: PersonID) async throws {
        let owed = try accounts.timers.profileOwed(person)
        if try prepare(person) {
            try store.change(person, by: nil, now: now()) { choice in
                choice.profileChanges = (choice.profileChanges ?? 0) + 1
                return []
            }
            try await reload(person)
        }
        if let owed { try accounts.timers.profileIsTold(person, owed: owed) }
    }

    // MARK: Personal limits

    /// Figures are computed again after a day; where too little came for that, the old ones hold for so long.
    static let limitsEvery: Milliseconds = 86_400_000, limitsMax: Milliseconds = 60 * 86_400_000

    /// Computes the figures of whoever is watched and has none of the last day, from the last 14 days (SOS-2). A hub that was down does it late.
    func computeLimits(tried: inout [PersonID: Milliseconds]) async {
        let time = now()
        let due = state.withLock { state in
            state.entries.filter { $0.value.choice.isOn && time - ($0.value.choice.personal?.computedAt ?? .min / 2) >= Self.limitsEvery }
                .map(\.key)
        }
        for person in due where time - (tried[person] ?? .min / 2) >= Self.limitsEvery {
            tried[person] = time
            do { try await computeLimits(of: person) } catch {
                logger.error("personal limits cannot be computed; those before hold", metadata: ["error": "\(error)"])
            }
        }
    }

    func computeLimits(of person: PersonID) async throws {
        let time = now(), old = try store.choice(of: person)
        let minutes = try minutes(of: person, now: time)
        let age = Self.settings(old, true, try accounts.account(AccountID(person)), now: time).age
        guard case .limits(let limits) = Baseline.compute(minutes, age: age, now: time, version: (old.personal?.version ?? 0) + 1) else {
            guard let computed = old.personal?.computedAt, time - computed > Self.limitsMax else { return }
            logger.notice("personal limits are too old to hold: those of the age do")
            try store.change(person, by: nil, now: time) { choice in
                choice.personal = nil
                return []
            }
            return try await reload(person)
        }
        try store.change(person, by: nil, now: time) { choice in
            choice.personal = limits
            return []
        }
        try await reload(person)
    }

    /// Minutes of the last 14 days, of live streams alone (design rule 11), a day at a time.
    private func minutes(of person: PersonID, now: Milliseconds) throws -> [Baseline.Minute] {
        let day: Milliseconds = 86_400_000
        return try (0..<Baseline.days).flatMap { back -> [Baseline.Minute] in
            let to = now - Milliseconds(back) * day
            return try series.minutesOfRest(of: person, from: to - day, to: to, now: now)
        }
    }
}

extension SOSWatchState.Box {
    /// Whether it can text or call a contact by its own modem. A box that does not say by which means has some, unless it says that it has none.
    fileprivate func reaches(_ contact: SOSContact) -> Bool {
        guard contact.phone != nil else { return false }
        guard let means else { return weaknesses.map { !$0.contains("noOwnMeans") } ?? false }
        return contact.isTexted && means.contains("text") || contact.isCalled && means.contains("call")
    }
}

extension SOSService {
    /// Two changes at once are read at once as well. Whoever began to read later has seen both: what the other one read must not take its place.
    struct Reloads {
        private var begun = 0, done = 0

        mutating func begin() -> Int {
            begun += 1
            return begun
        }

        /// - Returns: false where a later one is done already.
        mutating func end(_ number: Int) -> Bool {
            guard number > done else { return false }
            done = number
            return true
        }
    }
}
