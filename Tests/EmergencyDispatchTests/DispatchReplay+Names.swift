import Distress
import Vitals

@testable import EmergencyDispatch

/// Names of a ``DispatchScenario``, and what they stand for.
extension DispatchReplay {
    static func number(of name: String) -> UInt64 { name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) } }

    func account(_ name: String) -> AccountID { AccountID(PersonID(high: 2, low: Self.number(of: name))) }

    func name(of account: AccountID) -> String {
        (scenario.caregivers + scenario.crews.map(\.name)).first { self.account($0) == account } ?? "\(account)"
    }

    func name(of owner: Owner) -> String {
        for (index, contact) in scenario.contacts.enumerated()
        where owner == .contact(index) || owner.id == "tel:\(DispatchScenario.number(index))" { return contact.name }
        for name in scenario.caregivers + scenario.crews.map(\.name) where owner == .account(account(name)) || owner == .crew(account(name))
        {
            return name
        }
        return owner.id.hasPrefix("room:") ? String(owner.id.dropFirst(5)) : owner.id
    }

    func text(_ outcome: Outcome) -> String {
        switch outcome {
        case .finished(let owner): "finished by \(name(of: owner))"
        case .answeredLate: "the person is OK"
        case .falseAlarm: "false alarm"
        case .test, .unknown: "\(outcome)"
        }
    }

    func helper(_ name: String) -> SOSHelper? {
        if let index = scenario.contacts.firstIndex(where: { $0.name == name }) { return .contact(index, name: name) }
        if scenario.caregivers.contains(name) { return .account(account(name), name: name) }
        return scenario.rooms.contains(name) ? .room(name: name) : nil
    }
}
