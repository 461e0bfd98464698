internal import Distress
internal import Languages
internal import Peripherals
internal import Seams
internal import SyncProtocol
internal import Vitals

/// The stations of all people of this box, and their file.
@BoxActor
final class SOSStations {
    var all: [PersonID: SOSStation]
    private let context: BoxContext
    private let file: NewestFile<SOSState>

    nonisolated init(_ all: [PersonID: SOSStation], _ context: BoxContext) {
        (self.all, self.context) = (all, context)
        file = SOSStateFile.writer(context.directory, logger: context.logger)
    }

    /// For each person a machine and the means to call. What was open when the agent ended goes on at ``AutomatedSOS/resume(_:)``.
    nonisolated static func ofPeople(
        _ identity: Identity, _ sos: SOSParts, _ language: Language, _ clock: BoxClock
    ) -> [PersonID: SOSStation] {
        var stations: [PersonID: SOSStation] = [:]
        for bound in identity.persons {
            let known = HeldSettings(sos.settings).inForce(bound.person)
            let usual = SOSSettings.Person(
                person: bound.person, distress: DistressSettings(isOn: sos.isSettingsLost), name: bound.name, language: language.rawValue)
            stations[bound.person] = SOSStation(
                person: bound.person, settings: known ?? usual, stream: clock.machine.randomness.id(), at: clock.boottime())
            stations[bound.person]?.isSettingsLost = sos.isSettingsLost
        }
        return stations
    }

    var people: [PersonID] { all.keys.sorted() }

    subscript(person: PersonID) -> SOSStation? { all[person] }

    // MARK: - Over all of them

    /// Whose answer a press without a name gives: of several people who are asked at once, the one who was asked last, as the box says.
    var asked: PersonID? {
        all.values.filter { $0.question != nil }.max {
            ($0.question?.askedAt ?? 0, $0.person) < ($1.question?.askedAt ?? 0, $1.person)
        }?.person
    }

    /// The case that was raised first, of those that nobody has taken where there is one.
    func openCase(of people: [PersonID]) -> PersonID? {
        people.compactMap { person -> (isTaken: Bool, raised: Milliseconds, person: PersonID)? in
            guard let incident = all[person]?.watch.incident, let alarm = incident.alarm else { return nil }
            let isTaken = if case .taken = incident.state { true } else { false }
            return (isTaken, alarm.raisedAt, person)
        }.min { ($0.isTaken ? 1 : 0, $0.raised, $0.person) < ($1.isTaken ? 1 : 0, $1.raised, $1.person) }?.person
    }

    /// Somebody is asked about danger, or is being called for: the tone is wanted.
    var isToneWanted: Bool { all.values.contains { $0.isCalling || $0.callsNear || $0.question?.tier == .critical } }

    // MARK: - Of one of them

    /// A case is open, or waits for "reactivate": whoever was called is told when it was a false alarm.
    func hasCase(_ person: PersonID) -> Bool { all[person]?.hasCase(at: context.clock.boottime()) ?? false }

    /// The hub answered a moment ago.
    func isHubHeard(_ person: PersonID) -> Bool { all[person]?.hub.isHeard(at: context.clock.boottime()) ?? false }

    /// The obstacle that keeps the person from being watched, at another of their boxes.
    func elsewhere(_ station: SOSStation) -> Absence? {
        station.elsewhere(isHeard: isHubHeard(station.person), at: context.clock.boottime())
    }

    /// As the present case is told: with the names and the contacts of everybody who may be meant.
    func caseSettings(_ watching: SOSStation) -> SOSSettings.Person {
        var settings = watching.settings
        let others = watching.others.compactMap { all[$0]?.settings }
        guard !others.isEmpty else { return settings }
        settings.name = ([settings.name] + others.map(\.name)).joined(separator: ", ")
        // Whose they would be is not known.
        (settings.birthYear, settings.phone, settings.distress.age) = (nil, nil, nil)
        for contact in others.flatMap(\.contacts) where !settings.contacts.contains(where: { $0.phone == contact.phone }) {
            settings.contacts.append(contact)
        }
        return settings
    }

    func ownerName(_ watching: SOSStation) -> String? {
        guard let owner = watching.owner else { return nil }
        let contact = caseSettings(watching).contacts.first { Owner(contact: $0) == owner }
        return contact?.name ?? watching.hub.answer?.ownerName ?? ""
    }

    // MARK: - Keeping

    /// Beside the alarm, and never waited for.
    func keep() {
        let clock = context.clock
        file.keep(SOSState(boot: context.boot, at: clock.boottime(), utc: clock.utc(), persons: people.compactMap { all[$0]?.kept }))
    }

    /// Everything so far was written, or refused.
    func written() -> Pending<Void> { file.written() }
}

extension SOSSettings.Person {
    /// Contacts whose numbers can be dialled.
    var recipients: [(contact: SOSSettings.Contact, number: PhoneNumber)] {
        contacts.compactMap { contact in PhoneNumber(contact.phone).map { (contact, $0) } }
    }
}

extension Owner {
    /// A contact who answered the box itself (RFC 3966).
    init(contact: SOSSettings.Contact) { self.init("tel:\(contact.phone)") }
    var isContact: Bool { phone != nil }
    /// nil for whoever took it otherwise.
    var phone: String? { id.hasPrefix("tel:") ? String(id.dropFirst(4)) : nil }
}
