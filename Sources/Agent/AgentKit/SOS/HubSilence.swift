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
