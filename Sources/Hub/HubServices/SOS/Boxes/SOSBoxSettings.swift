import Accounts
import Distress
import HubStore
public import SyncProtocol
import Vitals

/// The settings that boxes are told of their people.
public struct SOSBoxSettings: SOSSubject {
    let sos: SOSService

    /// One version for all people of a box.
    func version(of people: [PersonID]) throws -> Int {
        for person in people { _ = try sos.prepare(person) }
        let version = sos.state.withLock { state in people.compactMap { state.entries[$0]?.choice.version }.max() ?? 0 }
        return version | Self.form << SOSSettings.formShift
    }

    /// Counts up with what ``settings(for:capsBaselines:)`` tells of the same choices, so that boxes fetch them again behind an upgrade. 1: contacts also of
    /// people who have AutomatedSOS off, and reminders. 2: which change they are. 3: whether texts tell values.
    private static let form = 3

    /// The settings with which a box watches and calls by itself.
    /// - Parameter capsBaselines: the box's detector caps baselines by itself; one of 0.3.0 gets the cap as overrides.
    public func settings(for session: Authenticator.Session, capsBaselines: Bool) throws -> SOSSettings {
        let people = session.agent.people.keys.sorted()
        let list = try people.compactMap { person -> SOSSettings.Person? in
            guard try sos.prepare(person), let entry = sos.state.withLock({ $0.entries[person] }) else { return nil }
            let account = try accounts.account(AccountID(person))
            let distress = DistressSettings(of: entry.choice, isConsented: entry.isConsented, account: account, now: now())
            // Also of a person who never turned it on: asking for help is consent for that call (SOS-16).
            let contacts = entry.choice.contacts
            var settings = SOSSettings.Person(
                person: person, distress: capsBaselines ? distress : distress.cappedFor030,
                name: try account?.name ?? accounts.person(person)?.name ?? "",
                birthYear: account.flatMap { Int($0[.dateOfBirth].prefix(4)) }, language: account?.language ?? "en",
                phone: account.map { $0[.phone] }.flatMap { $0.isEmpty ? nil : $0 },
                address: account.map { $0[.residence] }.flatMap { $0.isEmpty ? nil : $0 },
                contacts: contacts.compactMap { contact in
                    contact.phone.map {
                        .init(
                            name: contact.name, phone: $0, language: contact.language, isTexted: contact.isTexted,
                            isCalled: contact.isCalled)
                    }
                })
            settings.reminders = entry.choice.reminders ?? ReminderPlan()
            settings.wasTurnedOff = !settings.distress.isOn && entry.choice.offSince != nil ? true : nil
            settings.tellsValues = entry.choice.mailsValues == true ? true : nil
            try restoredSettings.tellOrigin(in: &settings, entry.choice, to: session.agent)
            return settings
        }
        return SOSSettings(version: try version(of: people), people: list, detector: capsBaselines ? 2 : nil)
    }
}
