package import Distress
package import Vitals

/// The cases that are open or have something still to be sent. What concerns several of them is decided here: which crews are free, and
/// whose case a press of a button is about.
package struct SOSCases: Sendable {
    package init() {}

    private var all: [IncidentID: SOSCase] = [:]
    /// In a thousand cases at once nobody looks for a crew in all of them.
    private var crews = CrewBoard()
    /// Accounts that are told of them by notices.
    private var told: [AccountID: Set<IncidentID>] = [:]

    package subscript(id: IncidentID) -> SOSCase? {
        get { all[id] }
        set {
            let old = all[id]
            all[id] = newValue
            // Recipients come with calls, and calls are only added.
            if old?.calls.last?.number != newValue?.calls.last?.number {
                replaceTold(id, old?.accountsTold ?? [], by: newValue?.accountsTold ?? [])
            }
            crews.update(id, from: old, to: newValue)
        }
    }

    package var values: Dictionary<IncidentID, SOSCase>.Values { all.values }

    /// Has a case decide, beside all others.
    /// - Returns: what it asks for; nothing where there is no such case.
    package mutating func handle(_ event: DispatchEvent, in id: IncidentID, at now: Milliseconds) -> [DispatchEffect] {
        guard var item = all[id] else { return [] }
        let effects = item.handle(event, beside: crews, at: now)
        if effects.first == .store { self[id] = item }
        return effects
    }

    /// Those that were offered to a crew, also when they went to another one since.
    package func offered(to crew: AccountID) -> [SOSCase] { crews.casesOffered(to: crew).compactMap { all[$0] } }

    /// Those in which a crew has an open offer, or that it has.
    package func occupying(_ crew: AccountID) -> [SOSCase] { crews.casesOccupying(crew).compactMap { all[$0] } }

    /// Those of which an account is told, or about to be.
    package func told(_ account: AccountID) -> [SOSCase] { (told[account] ?? []).compactMap { all[$0] } }

    private mutating func replaceTold(_ id: IncidentID, _ old: Set<AccountID>, by new: Set<AccountID>) {
        for account in old.subtracting(new) {
            told[account]?.remove(id)
            if told[account]?.isEmpty == true { told[account] = nil }
        }
        for account in new.subtracting(old) { told[account, default: []].insert(id) }
    }
}

extension SOSCases: Sequence {
    package func makeIterator() -> Dictionary<IncidentID, SOSCase>.Iterator { all.makeIterator() }
}

extension SOSCase {
    fileprivate var accountsTold: Set<AccountID> {
        Set(calls.compactMap { if case .account(let account) = $0.recipient, !isCrew(account) { account } else { nil } })
    }
}
