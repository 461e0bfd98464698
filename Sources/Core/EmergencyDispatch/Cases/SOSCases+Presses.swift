package import Distress
package import Vitals

/// The subject of a person's press of a button on a page.
package struct ButtonPress: Sendable, Hashable {
    /// The case in which the person says that they are OK, and which goes on for others who may be meant; nil for none.
    package var saysOK: IncidentID?
    /// The person whose detector hears it; nil for nobody's.
    package var heardBy: PersonID?
}

extension SOSCases {
    /// The case that is open for a person: their own, or one in which they may be meant.
    /// - Parameter own: the person's own; nil for none.
    package func open(of person: PersonID, own: IncidentID?) -> SOSCase? {
        if let own { return self[own] }
        return values.first { $0.isOpen && !$0.isTest && $0.others?.contains(person) == true && $0.meant.contains(person) }
    }

    /// Says what a press is about. "I'm OK" of one of several who may be meant ends nothing while somebody else is meant. The last one's,
    /// and any false alarm, is about the case, whoever of them it was opened for.
    /// - Parameters:
    ///   - code: ok, false alarm, help or reactivated.
    ///   - own: the person's own open case; nil for none.
    package func press(_ code: StateEvent.Code, by person: PersonID, own: IncidentID?) -> ButtonPress {
        guard code == .ok || code == .falseAlarm, let item = open(of: person, own: own) else { return ButtonPress(heardBy: person) }
        guard code == .ok, item.mayMeanOthers(than: person) else { return ButtonPress(heardBy: item.person) }
        // Another person who is meant may have a question of their own, which this answers.
        return ButtonPress(saysOK: item.id, heardBy: item.person == person ? nil : person)
    }
}

extension SOSCase {
    /// It is open, and somebody else may be meant by it who has not said that they are OK.
    func mayMeanOthers(than person: PersonID) -> Bool { isOpen && others != nil && meant.contains { $0 != person } }
}
