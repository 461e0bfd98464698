package import Distress

extension SOSCall {
    /// Its recipient may know of it.
    package var wasTried: Bool { state == .sent || state == .acknowledged || tries > 0 }
    /// A telephone rings for an end alone, and only for whoever took the case on it.
    package func isHeard(_ message: SOSCall.Message) -> Bool {
        guard channel == .voice else { return true }
        return [.falseAlarm, .over].contains(message) && (state == .sent || state == .acknowledged)
    }
    package func isContact(_ index: Int) -> Bool { if case .contact(index, _) = recipient { true } else { false } }
}

extension SOSCall.Recipient {
    /// How they are called when they have the case.
    package var owner: Owner {
        switch self {
        case .contact(let index, _): .contact(index)
        case .account(let account): .account(account)
        case .room(let name): .room(name)
        }
    }

    package func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.contact(let a, _), .contact(let b, _)): a == b
        default: self == other
        }
    }
}
