internal import Alerts
internal import Distress
internal import Logging
internal import Peripherals
internal import SyncProtocol
internal import Vitals

/// What is told outside of any alarm.
///
/// Warnings that nobody answered (SOS-24): the hub tells those who look after the person. Where it does not hear, or reaches nobody, the box
/// texts the contacts of a pause of the heart and of a missing sign of life. Likewise it tells that the hub is not heard (SOS-22).
@BoxActor
final class SOSNotices {
    private let context: BoxContext
    private let stations: SOSStations
    private let means: LocalMeans
    private let calls: LocalCalls

    init(_ context: BoxContext, _ stations: SOSStations, _ means: LocalMeans, _ calls: LocalCalls) {
        (self.context, self.stations, self.means, self.calls) = (context, stations, means, calls)
    }

    func owe(_ warning: Warning, of person: PersonID) {
        stations.all[person]?.warning = warning
        stations.all[person]?.owe(warning)
        let isInactive = warning.abnormality.trigger == .inactivity
        if hubTells(warning, of: person) { return context.say(prompt: isInactive ? "prompt.sos.warned.inactivity" : "prompt.sos.warned") }
        // The contacts are texted with the next look: a hub that was not asked for long may yet answer.
        if isInactive { return context.say(prompt: "prompt.sos.warned.inactivity.nobody") }
        guard !tellContacts(warning, of: person) else { return }
        context.logger.error("a warning reaches nobody now: the hub does not answer or has nobody to tell")
        context.say(prompt: "prompt.sos.warned.nobody")
    }

    /// With each tick of the box: the hub may have been gone when it was counted upon, and the modem may be back.
    func tellOwedWarnings() {
        let now = context.clock.boottime()
        for person in stations.people {
            guard let owed = stations.all[person]?.owedWarnings, !owed.isEmpty else { continue }
            for entry in owed where !entry.isTexting && !entry.isTold { tell(entry, of: person, at: now) }
            let told = owed.map(\.warning).filter { hubTells($0, of: person) }
            stations.all[person]?.settleWarnings(told, at: now)
            if stations.all[person]?.owedWarnings != owed { stations.keep() }
        }
    }

    private func tell(_ entry: OwedWarning, of person: PersonID, at now: Milliseconds) {
        let isInactive = entry.warning.abnormality.trigger == .inactivity, isTold = hubTells(entry.warning, of: person)
        let isHeard = stations.isHubHeard(person)
        guard stations.all[person]?.isForBox(entry, isHubHeard: isHeard, isTold: isTold, at: now) == true else { return }
        guard !tellContacts(entry.warning, of: person), isInactive, !entry.isSaid else { return }
        stations.all[person]?.change(entry.warning.id) { $0.isSaid = true }
        context.logger.error(
            "there is no sign of life of somebody, and nobody can be told: neither the hub nor this box have a way to them now")
        context.say(prompt: "prompt.sos.inactivity.nobody")
    }

    /// The hub answers and tells somebody of it. One that does not say whom it can tell is trusted as with an alarm.
    private func hubTells(_ warning: Warning, of person: PersonID) -> Bool {
        stations.isHubHeard(person) && (stations.all[person]?.hub.tells(warning) ?? means.hubCanCall(person))
    }

    /// A text outside of any alarm left.
    func noteTexted(of person: PersonID) {
        guard stations.all[person]?.owedWarnings.contains(where: \.isTexting) == true else { return }
        stations.all[person]?.noteTexted()
        stations.keep()
    }

    /// By text; false where there is no way to do so now.
    private func tellContacts(_ warning: Warning, of person: PersonID) -> Bool {
        guard let watching = stations.all[person], means.hasTextedContact(watching), means.reported(of: watching).contains("text")
        else { return false }
        if let silence = warning.abnormality.silence {
            let hours = ["hours": "\(max(1, silence.length / 3_600_000))", "unseen": "\((silence.unseen ?? 0) / 3_600_000)"]
            calls.text(silence.unseen == nil ? "text.inactive" : "text.inactive.unseen", hours, of: person, watching)
            stations.all[person]?.activity?.noteTold(at: context.clock.boottime())
        } else if warning.abnormality.trigger == .heartPause {
            let own = watching.settings, seconds = 60 / max(1, warning.abnormality.worst)
            calls.textContacts(of: person, watching) { PauseText.text(person: own.name, phone: own.phone, seconds: seconds, in: $0) }
            context.say(prompt: "prompt.sos.warned.contacts")
        } else {
            return false
        }
        stations.all[person]?.change(warning.id) { $0.isTexting = true }
        return true
    }

    // MARK: - The hub is not heard

    /// With each tick of the box.
    func lookAtHubSilence() {
        let now = context.clock.boottime()
        for person in stations.people {
            guard let watching = stations.all[person], watching.settings.distress.isOn else {
                stations.all[person]?.hubSilence = HubSilence()
                continue
            }
            let isHeard = stations.isHubHeard(person), canText = means.hasTextedContact(watching), after = context.configuration.hubSilence
            let effects = stations.all[person]?.hubSilence.look(isHeard: isHeard, canText: canText, textedAfter: after, at: now) ?? []
            for effect in effects { tell(effect, of: person, watching) }
            if !effects.isEmpty { stations.keep() }
        }
    }

    private func tell(_ effect: HubSilence.Effect, of person: PersonID, _ watching: SOSStation) {
        switch effect {
        case .speak:
            context.logger.error("the hub has not been heard for a quarter of an hour: this box would call by its own means")
            // Without any, the person was told more than that.
            if means.hasOwnMeans(person) { context.say(prompt: "prompt.sos.hub-silent") }
        case .text(let silence):
            context.logger.error("the hub is not heard: the contacts are told by text")
            calls.text("text.hub-silent", ["hours": "\(max(1, silence / 3_600_000))"], of: person, watching)
        case .textBack: calls.text("text.hub-back", [:], of: person, watching)
        }
    }
}
