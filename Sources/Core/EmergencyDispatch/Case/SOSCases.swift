package import Distress
package import Vitals

/// The cases that are open or have something still to be sent, with which crews are in them: in a thousand at once nobody looks for a crew in
/// all of them.
package struct SOSCases: Sendable {
    package init() {}

    private var all: [IncidentID: SOSCase] = [:]
    private var offered: [AccountID: Set<IncidentID>] = [:]
    /// Crews that have to answer an offer, or have a case, with these.
    package private(set) var busy: [AccountID: Set<IncidentID>] = [:]
    /// Accounts that are told of them by notices.
    private var told: [AccountID: Set<IncidentID>] = [:]

    package subscript(id: IncidentID) -> SOSCase? {
        get { all[id] }
        set {
            let old = all[id]
            all[id] = newValue
            // Recipients come with calls, and calls are only added.
            if old?.calls.last?.number != newValue?.calls.last?.number {
                Self.replace(&told, id, old?.accountsTold ?? [], by: newValue?.accountsTold ?? [])
            }
            guard old?.offers != newValue?.offers || old?.crew != newValue?.crew || old?.isOpen != newValue?.isOpen else { return }
            Self.replace(&offered, id, old?.crewsAsked ?? [], by: newValue?.crewsAsked ?? [])
            Self.replace(&busy, id, old?.crewsBusy ?? [], by: newValue?.crewsBusy ?? [])
        }
    }

    package var values: Dictionary<IncidentID, SOSCase>.Values { all.values }

    /// Those that were offered to a crew, also when they went to another one since.
    package func offered(to crew: AccountID) -> [SOSCase] { (offered[crew] ?? []).compactMap { all[$0] } }

    /// Those in which a crew has an open offer, or that it has.
    package func occupying(_ crew: AccountID) -> [SOSCase] { (busy[crew] ?? []).compactMap { all[$0] } }

    /// Those of which an account is told, or about to be.
    package func told(_ account: AccountID) -> [SOSCase] { (told[account] ?? []).compactMap { all[$0] } }

    private static func replace(
        _ index: inout [AccountID: Set<IncidentID>], _ id: IncidentID, _ old: Set<AccountID>, by new: Set<AccountID>
    ) {
        for crew in old.subtracting(new) {
            index[crew]?.remove(id)
            if index[crew]?.isEmpty == true { index[crew] = nil }
        }
        for crew in new.subtracting(old) { index[crew, default: []].insert(id) }
    }
}

extension SOSCases: Sequence {
    package func makeIterator() -> Dictionary<IncidentID, SOSCase>.Iterator { all.makeIterator() }
}

extension [AccountID: Set<IncidentID>] {
    /// Whether a crew is busy with another case than this one.
    package func isBusy(_ crew: AccountID, but id: IncidentID) -> Bool { self[crew]?.contains { $0 != id } ?? false }
}

extension SOSCase {
    fileprivate var accountsTold: Set<AccountID> {
        Set(calls.compactMap { if case .account(let account) = $0.recipient, !isCrew(account) { account } else { nil } })
    }
    fileprivate var crewsAsked: Set<AccountID> { Set(offers.map(\.account)) }
    fileprivate var crewsBusy: Set<AccountID> {
        guard isOpen else { return [] }
        return Set(offers.lazy.filter { $0.state == .open }.map(\.account) + [crew?.account].compactMap(\.self))
    }
}
