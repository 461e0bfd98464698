public import Languages

/// Asks at the command line whether settings of an earlier box are taken over.
public struct EarlierSettings {
    private let wanted: String?
    private let language: Language
    private let say: (String) -> Void
    private let ask: (() -> String?)?

    /// - Parameters:
    ///   - wanted: the name of the earlier box, `last` for the one whose settings changed last, `none`; nil to be asked.
    ///   - say: shows a line.
    ///   - ask: reads a line; nil where nobody is there to be asked, and nothing is taken over then.
    public init(wanted: String?, language: Language, say: @escaping (String) -> Void, ask: (() -> String?)?) {
        (self.wanted, self.language, self.say, self.ask) = (wanted, language, say, ask)
    }

    /// Says in words what would be taken over, and what not, before it asks.
    /// - Parameter offers: at least one, the last changed first.
    public func choose(_ offers: [TakeOver]) -> TakeOver? {
        if wanted == "none" { return nil }
        if let wanted {
            let taken = wanted == "last" ? offers.first : offers.first { $0.box == wanted }
            if let taken { show(taken) } else { say("The hub keeps no settings of a box called \(wanted): none are taken over.") }
            return taken
        }
        for (number, offer) in offers.enumerated() {
            say("\(number + 1). The hub keeps the settings of your box \(offer.box):")
            show(offer)
        }
        guard let ask else {
            say("They were not taken over. To do so, enrol with a new code, --replace and --settings last.")
            return nil
        }
        while true {
            // The hub offers them for the code, which cannot be used again.
            let choice = offers.count == 1 ? "1" : "a number from 1 to \(offers.count)"
            say("Take them over? Type \(choice), or press Enter for none. Ctrl-C would waste the code.")
            let answer = (ask() ?? "").filter { !$0.isWhitespace }
            if answer.isEmpty { return nil }
            if let number = Int(answer), offers.indices.contains(number - 1) { return offers[number - 1] }
        }
    }

    private func show(_ offer: TakeOver) { for line in offer.lines(in: language) { say("   \(line)") } }
}
