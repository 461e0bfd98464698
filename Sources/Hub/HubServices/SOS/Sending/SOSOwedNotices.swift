import Accounts
import Alerts
import Distress
import HubStore
import Languages
import Logging
import Seams
import Vitals

/// Notices to the person and to caregivers are owed from the decision on, and stored with it: a hub that was killed between decision and
/// notice sends it all the same. They are told at least once.
struct SOSOwedNotices: SOSSubject {
    let sos: SOSService

    /// A notice that cannot be written down is tried again after this, at first and at most.
    static let again: Milliseconds = 2000, againMax: Milliseconds = 60_000
    /// Older ones say nothing of now.
    static let ageMax: Milliseconds = 86_400_000

    /// Under the lock: notes down what a person, and who looks after them, is to be told (``tell()``), and hands it on to be stored.
    func owe(
        _ kind: NoticeKind, _ arguments: [String: String] = [:], isForCaregivers: Bool = true,
        about person: PersonID, _ entry: inout SOSEntry, _ state: inout State
    ) {
        entry.state.owe(kind, arguments, isForPerson: true, isForCaregivers: isForCaregivers, now: now())
        state.owing.insert(person)
        entry.isDirty = true
        sos.store(person, &entry, [], &state)
    }

    private func owe(_ kind: NoticeKind, _ arguments: [String: String], to contacts: [SOSContact], about person: PersonID) {
        guard !contacts.isEmpty else {
            return logger.error(
                "somebody who is asked where there is no sign of life has neither caregiver nor contact: nobody is told of it")
        }
        sos.state.withLock { state in
            guard var entry = state.entries[person] else { return }
            for contact in contacts { entry.state.owe(kind, arguments, to: contact, now: now()) }
            state.owing.insert(person)
            entry.isDirty = true
            sos.store(person, &entry, [], &state)
        }
    }

    /// Tells what is owed and due.
    func tell() async {
        let time = now()
        let due = sos.state.withLock { state -> [(PersonID, [SOSWatchState.OwedNotice])] in
            guard !state.isTelling else { return [] }
            let due = state.owing.compactMap { person -> (PersonID, [SOSWatchState.OwedNotice])? in
                let owed = (state.entries[person]?.state.owed ?? []).filter { $0.due <= time }
                return owed.isEmpty ? nil : (person, owed)
            }
            state.isTelling = !due.isEmpty
            return due
        }
        guard !due.isEmpty else { return }
        for (person, owed) in due {
            for notice in owed where notice.contact == nil {
                var failure: (any Error)?
                do { try await notices.run { [self] in try tell(notice, of: person) } } catch { failure = error }
                settle(notice, of: person, failure, now: time)
            }
        }
        for (person, owed) in due { for notice in owed where notice.contact != nil { tellContact(notice, of: person, at: time) } }
        sos.state.withLock { $0.isTelling = false }
        _ = await writer.flush()
    }

    private func settle(_ notice: SOSWatchState.OwedNotice, of person: PersonID, _ failure: (any Error)?, now: Milliseconds) {
        if let failure {
            logger.critical(
                "a notice about somebody's protection cannot be written down; it is tried again",
                metadata: ["kind": "\(notice.kind)", "error": "\(failure)"])
        }
        sos.state.withLock { state in
            guard var entry = state.entries[person], let place = entry.state.owed?.firstIndex(of: notice) else { return }
            if failure == nil || now - notice.since > Self.ageMax {
                entry.state.owed?.remove(at: place)
            } else {
                entry.state.owed?[place].tries += 1
                entry.state.owed?[place].due = now + min(Self.againMax, Self.again << Milliseconds(min(notice.tries, 5)))
            }
            if entry.state.owed?.isEmpty == true {
                entry.state.owed = nil
                state.owing.remove(person)
            }
            entry.isDirty = true
            sos.store(person, &entry, [], &state)
        }
    }

    private func tell(_ notice: SOSWatchState.OwedNotice, of person: PersonID) throws {
        guard let kind = NoticeKind(rawValue: notice.kind) else { return }
        let own = try accounts.account(AccountID(person))
        let arguments = ["person": own?.name ?? "", "owner": "", "link": outlets.site()].merging(notice.arguments) { $1.isEmpty ? $0 : $1 }
        func leading(to path: String) -> [String: String] { arguments.merging(["path": path]) { $1 } }
        if notice.isForPerson, let own { try accounts.notices.addNotice(kind, leading(to: "/protection"), to: own, now: now()) }
        guard notice.isForCaregivers else { return }
        let (order, contacts) = sos.state.withLock { state in
            (state.entries[person]?.choice.caregiverOrder ?? [], state.entries[person]?.contactsInNeed ?? [])
        }
        let caregivers = SOSAddressees.ordered(try addressees.caregivers(of: person), by: order)
        // A pause of the heart goes to contacts in any case; that there is no sign of life only where nobody else looks after the person.
        if caregivers.isEmpty, kind.isOfInactivity { owe(kind, notice.arguments, to: contacts, about: person) }
        for caregiver in caregivers {
            guard let account = try accounts.account(caregiver) else { continue }
            try accounts.notices.addNotice(kind, leading(to: "/care/person/\(person)/protection"), to: account, now: now())
        }
    }

    // MARK: Contacts

    /// Beside the others: a program that hangs delays nobody. Meanwhile it is due again only after ``againMax``.
    private func tellContact(_ notice: SOSWatchState.OwedNotice, of person: PersonID, at time: Milliseconds) {
        var taken = notice
        taken.due = time + Self.againMax
        let isTaken = sos.state.withLock { state in
            guard let place = state.entries[person]?.state.owed?.firstIndex(of: notice) else { return false }
            state.entries[person]?.state.owed?[place] = taken
            return true
        }
        guard isTaken, let contact = notice.contact else { return }
        machine.start { [self, taken] in
            var failure: (any Error)?
            do { try await tell(contact, notice, of: person) } catch { failure = error }
            settle(taken, of: person, failure, now: now())
            _ = await writer.flush()
        }
    }

    /// By text where there is a way, otherwise by mail. Whom this hub cannot reach stays untold, as with an alarm.
    private func tell(_ contact: SOSContact, _ notice: SOSWatchState.OwedNotice, of person: PersonID) async throws {
        let own = sos.account(of: person), language = Language(tag: contact.language)
        let phone = own.map { $0[.phone] }.flatMap { $0.isEmpty ? nil : $0 }, name = own?.name ?? ""
        let seconds = notice.arguments["value"].flatMap { Int($0) } ?? 0
        let text =
            notice.inactivityText(name, phone, language) ?? PauseText.text(person: name, phone: phone, seconds: seconds, in: language)
        if let number = contact.phone, contact.isTexted, let send = outlets.text {
            do { return try await noted(.text, to: number) { try await send(text, number) } } catch {
                if contact.email == nil { throw error }
            }
        }
        guard let email = contact.email else {
            return logger.error(
                "a contact has neither a mail address nor a number that this hub can reach: it was not told",
                metadata: ["kind": "\(notice.kind)"])
        }
        try await noted(.mail, to: email) { try await outlets.mail(email, "TrackMe: \(name)", text) }
    }

    /// What becomes of a message outside of cases shows the state of its way as much as what becomes of an alarm.
    private func noted(_ way: Way, to recipient: String, _ send: () async throws -> Void) async throws {
        do { try await send() } catch {
            ways.attempted(way, to: recipient, .failure(error))
            throw error
        }
        ways.attempted(way, to: recipient, .success("taken"))
    }
}

extension SOSWatchState {
    static let owedCountMax = 32, toldWarningsMax = 16

    mutating func owe(
        _ kind: NoticeKind, _ arguments: [String: String] = [:], isForPerson: Bool, isForCaregivers: Bool, now: Milliseconds
    ) {
        let notice = OwedNotice(kind, arguments, isForPerson: isForPerson, isForCaregivers: isForCaregivers, now: now)
        owed = ((owed ?? []) + [notice]).suffix(Self.owedCountMax)
    }

    /// To caregivers, and of a pause to contacts, not to the ambulance; each warning once, whoever tells it.
    mutating func owe(_ warning: Warning, _ choice: SOSChoice, isConsented: Bool, now: Milliseconds) {
        guard !(toldWarnings ?? []).contains(warning.id) else { return }
        toldWarnings = ((toldWarnings ?? []) + [warning.id]).suffix(Self.toldWarningsMax)
        let trigger = warning.abnormality.trigger, worst = warning.abnormality.worst, contacts = isConsented ? choice.contacts : []
        if let silence = warning.abnormality.silence { return oweInactivity(silence, choice, at: warning.at, now: now) }
        if trigger == .heartPause {
            // The rate that the pause amounts to: 20 for 3 s.
            let arguments = ["value": "\(60 / max(1, worst))"]
            owe(.sosPause, arguments, isForPerson: false, isForCaregivers: true, now: now)
            for contact in contacts { owe(.sosPause, arguments, to: contact, now: now) }
            return
        }
        let isTemperature = [.temperatureLow, .temperatureHigh].contains(trigger)
        let value = isTemperature ? "\(worst / 100).\(abs(worst) % 100 / 10) °C" : "\(worst)/min"
        owe(.sosWarning, ["value": value], isForPerson: false, isForCaregivers: true, now: now)
    }

    mutating func owe(_ kind: NoticeKind, _ arguments: [String: String], to contact: SOSContact, now: Milliseconds) {
        var notice = OwedNotice(kind, arguments, isForPerson: false, isForCaregivers: false, now: now)
        notice.contact = contact
        owed = ((owed ?? []) + [notice]).suffix(Self.owedCountMax)
    }
}
