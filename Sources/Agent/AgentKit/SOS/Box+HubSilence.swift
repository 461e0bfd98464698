internal import Alerts
internal import Distress
internal import Languages
internal import Logging
internal import Peripherals
internal import SyncProtocol
internal import Vitals

/// That the hub is not heard is told by the box itself (SOS-22): a dead hub tells nobody. To the person after a quarter of an hour, to their
/// contacts by text after a time that the box's owner sets, each once until it is heard again.
struct HubSilence: Sendable, Hashable {
    enum Effect: Sendable, Hashable {
        /// To the person, by voice.
        case speak
        /// To the contacts: not heard for so many milliseconds.
        case text(Milliseconds)
        /// To the contacts who were told: it is heard again.
        case textBack
    }

    static let spokenAfter: Milliseconds = 900_000

    private var since: Milliseconds?
    private var isSpoken = false
    private var isTexted = false
    /// The contacts heard that it is silent, and not yet that it is back: said as soon as it can be, also behind a restart.
    private(set) var owesBack: Bool

    init(owesBack: Bool = false) { self.owesBack = owesBack }

    /// - Parameters:
    ///   - isHeard: the hub answered a moment ago.
    ///   - canText: a text would leave now.
    ///   - textedAfter: milliseconds; nil: contacts are told nothing.
    mutating func look(isHeard: Bool, canText: Bool, textedAfter: Milliseconds?, at now: Milliseconds) -> [Effect] {
        guard !isHeard else {
            let isTold = owesBack && canText
            self = HubSilence(owesBack: owesBack && !isTold)
            return isTold ? [.textBack] : []
        }
        let since = self.since ?? now
        self.since = since
        var effects: [Effect] = []
        if !isSpoken, now - since >= Self.spokenAfter {
            isSpoken = true
            effects.append(.speak)
        }
        if !isTexted, canText, let textedAfter, now - since >= textedAfter {
            (isTexted, owesBack) = (true, true)
            effects.append(.text(now - since))
        }
        return effects
    }
}

extension Box {
    /// With each tick of the box.
    func lookAtHubSilence() {
        let now = clock.boottime()
        for person in watchings.keys.sorted() {
            guard let watching = watchings[person], watching.settings.distress.isOn else {
                watchings[person]?.hubSilence = HubSilence()
                continue
            }
            let isHeard = isHubHeard(person), canText = hasTextedContact(watching), after = configuration.hubSilence
            let effects = watchings[person]?.hubSilence.look(isHeard: isHeard, canText: canText, textedAfter: after, at: now) ?? []
            for effect in effects { tell(effect, of: person, watching) }
            if !effects.isEmpty { keepSOS() }
        }
    }

    private func tell(_ effect: HubSilence.Effect, of person: PersonID, _ watching: SOSStation) {
        switch effect {
        case .speak:
            logger.error("the hub has not been heard for a quarter of an hour: this box would call by its own means")
            // Without any, the person was told more than that.
            if hasOwnMeans(person) { say(prompt: "prompt.sos.hub-silent") }
        case .text(let silence):
            logger.error("the hub is not heard: the contacts are told by text")
            text("text.hub-silent", ["hours": "\(max(1, silence / 3_600_000))"], of: person, watching)
        case .textBack: text("text.hub-back", [:], of: person, watching)
        }
    }

    /// In each contact's own language.
    func text(_ key: String, _ values: [String: String], of person: PersonID, _ watching: SOSStation) {
        let values = values.merging(["name": watching.settings.name]) { $1 }
        textContacts(of: person, watching) { Wording($0)(key, values) }
    }

    /// A text to a contact would leave now, as far as is known.
    func hasTextedContact(_ watching: SOSStation) -> Bool {
        modem.canText && Self.recipients(of: watching.settings).contains { $0.contact.isTexted }
    }

    /// Outside of any alarm, each in their language.
    func textContacts(of person: PersonID, _ watching: SOSStation, _ text: @escaping @Sendable (Language) -> String) {
        let contacts = Self.recipients(of: watching.settings).map(\.contact)
        callers[person]?.notify { index in
            text(Language(tag: contacts.indices.contains(index) ? contacts[index].language : watching.settings.language))
        }
    }
}
