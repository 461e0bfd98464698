internal import Alerts
internal import Distress
internal import Logging
internal import SyncProtocol
internal import Vitals

// Warnings that nobody answered (SOS-24). The hub tells those who look after the person. Where it does not hear, or reaches nobody, the box texts
// the contacts of a pause of the heart and of a missing sign of life.
extension Box {
    /// What the box could not tell for so long is left to the hub: it is no news to a contact.
    static let warningTextedMax: Milliseconds = 3_600_000

    func owe(_ warning: Warning, of person: PersonID) {
        watchings[person]?.warning = warning
        watchings[person]?.owe(warning)
        let isInactive = warning.abnormality.trigger == .inactivity
        if hubTells(warning, of: person) { return say(prompt: isInactive ? "prompt.sos.warned.inactivity" : "prompt.sos.warned") }
        // The contacts are texted with the next look: a hub that was not asked for long may yet answer.
        if isInactive { return say(prompt: "prompt.sos.warned.inactivity.nobody") }
        guard !tellContacts(warning, of: person) else { return }
        logger.error("a warning reaches nobody now: the hub does not answer or has nobody to tell")
        say(prompt: "prompt.sos.warned.nobody")
    }

    /// With each tick of the box: the hub may have been gone when it was counted upon, and the modem may be back.
    func tellOwedWarnings() {
        let now = clock.boottime()
        for person in watchings.keys.sorted() {
            guard let owed = watchings[person]?.owedWarnings, !owed.isEmpty else { continue }
            for entry in owed where !entry.isTexting && !entry.isTold { tell(entry, of: person, at: now) }
            let told = owed.map(\.warning).filter { hubTells($0, of: person) }
            watchings[person]?.settleWarnings(told, at: now)
            if watchings[person]?.owedWarnings != owed { keepSOS() }
        }
    }

    private func tell(_ entry: OwedWarning, of person: PersonID, at now: Milliseconds) {
        let isInactive = entry.warning.abnormality.trigger == .inactivity, isTold = hubTells(entry.warning, of: person)
        guard watchings[person]?.isForBox(entry, isHubHeard: isHubHeard(person), isTold: isTold, at: now) == true else { return }
        guard !tellContacts(entry.warning, of: person), isInactive, !entry.isSaid else { return }
        watchings[person]?.change(entry.warning.id) { $0.isSaid = true }
        logger.error("there is no sign of life of somebody, and nobody can be told: neither the hub nor this box have a way to them now")
        say(prompt: "prompt.sos.inactivity.nobody")
    }

    /// The hub answers and tells somebody of it. One that does not say whom it can tell is trusted as with an alarm.
    private func hubTells(_ warning: Warning, of person: PersonID) -> Bool {
        isHubHeard(person) && (watchings[person]?.hub.tells(warning) ?? hubCanCall(person))
    }

    /// A text outside of any alarm left.
    func noteTexted(of person: PersonID) {
        guard watchings[person]?.owedWarnings.contains(where: \.isTexting) == true else { return }
        watchings[person]?.noteTexted()
        keepSOS()
    }

    /// By text; false where there is no way to do so now.
    private func tellContacts(_ warning: Warning, of person: PersonID) -> Bool {
        guard let watching = watchings[person], hasTextedContact(watching), means(watching).contains("text") else { return false }
        if let silence = warning.abnormality.silence {
            let hours = ["hours": "\(max(1, silence.length / 3_600_000))", "unseen": "\((silence.unseen ?? 0) / 3_600_000)"]
            text(silence.unseen == nil ? "text.inactive" : "text.inactive.unseen", hours, of: person, watching)
            watchings[person]?.activity?.noteTold(at: clock.boottime())
        } else if warning.abnormality.trigger == .heartPause {
            let own = watching.settings, seconds = 60 / max(1, warning.abnormality.worst)
            textContacts(of: person, watching) { PauseText.text(person: own.name, phone: own.phone, seconds: seconds, in: $0) }
            say(prompt: "prompt.sos.warned.contacts")
        } else {
            return false
        }
        watchings[person]?.change(warning.id) { $0.isTexting = true }
        return true
    }
}

/// A warning of which not everybody has heard who is to.
struct OwedWarning: Codable, Sendable, Hashable {
    var warning: Warning
    /// The hub has it on its disk.
    var isHeard = false
    /// A text of the box left.
    var isTold = false
    /// A text of the box is on its way: after a restart it is sent again.
    var isTexting = false
    /// The person was told that nobody can be.
    var isSaid = false

    private enum CodingKeys: String, CodingKey { case warning, isHeard, isTold }

    init(_ warning: Warning) { self.warning = warning }

    /// Others are for those who look after the person, whom the box does not know.
    var isForContacts: Bool { [.heartPause, .inactivity].contains(warning.abnormality.trigger) }
}

extension SOSStation {
    static let owedWarningsMax = 8

    mutating func owe(_ warning: Warning) { owedWarnings = (owedWarnings + [OwedWarning(warning)]).suffix(Self.owedWarningsMax) }

    mutating func change(_ id: IncidentID, _ change: (inout OwedWarning) -> Void) {
        guard let place = owedWarnings.firstIndex(where: { $0.warning.id == id }) else { return }
        change(&owedWarnings[place])
    }

    /// The one that the hub is told next; one after the other.
    var warningToTell: Warning? { owedWarnings.first { !$0.isHeard }?.warning ?? warning }

    /// - Parameter isDurable: the hub has it on its disk.
    mutating func heard(_ warning: Warning?, isDurable: Bool) {
        guard isDurable, let warning, owedWarnings.contains(where: { $0.warning.id == warning.id && !$0.isHeard }) else { return }
        change(warning.id) { $0.isHeard = true }
        if owedWarnings.contains(where: { !$0.isHeard }) { hub.isOwed = true }
    }

    /// Whether the box has to tell the contacts of it. A hub that has it tells it when it can, unless it says that it cannot: of one that is
    /// silent, that was its last word.
    /// - Parameter isTold: the hub answers, and tells somebody.
    func isForBox(_ entry: OwedWarning, isHubHeard: Bool, isTold: Bool, at now: Milliseconds) -> Bool {
        guard entry.isForContacts, now - entry.warning.at <= Box.warningTextedMax else { return false }
        guard entry.warning.abnormality.trigger == .inactivity else { return !isTold }
        guard hub.tells(entry.warning) == false || !isHubHeard && !entry.isHeard else { return false }
        // There was a sign meanwhile, or another box has told it.
        return activity?.isNews(at: entry.warning.at) ?? true
    }

    /// - Parameter told: of these the hub tells somebody.
    mutating func settleWarnings(_ told: [Warning], at now: Milliseconds) {
        owedWarnings.removeAll { entry in
            let isOver = entry.isTold || !entry.isForContacts || now - entry.warning.at > Box.warningTextedMax
            return entry.isHeard && (isOver || told.contains(entry.warning))
        }
    }

    mutating func noteTexted() {
        for place in owedWarnings.indices where owedWarnings[place].isTexting { owedWarnings[place].isTold = true }
    }

    mutating func restoreWarnings(_ kept: SOSState.Person, shifted difference: Milliseconds) {
        (warning, owedWarnings) = (kept.warning, kept.owedWarnings ?? [])
        warning?.at += difference
        for place in owedWarnings.indices { owedWarnings[place].warning.at += difference }
    }
}

extension HubReportState {
    /// Whether the hub, as it said last, can tell somebody of such a warning; nil for one that does not say.
    func tells(_ warning: Warning) -> Bool? { answer?.warned?.contains(warning.abnormality.trigger.rawValue) }
}
