import Distress
import EmergencyDispatch
import HubStore
import Logging
import Seams
import Synchronization
import Vitals

/// Puts whom AutomatedSOS told into the ledgers of the people concerned (DATA-12). It looks beside the alarm's path, at what was told already.
final class SOSToldLedger: Sendable {
    private let ledger: LedgerStore
    private let thread: WorkQueue
    private let logger: Logger
    /// Entries of the ledger, of the cases that were looked at last.
    private let written = Mutex<Set<ToldOfEmergency>>([])

    /// How often it looks.
    static let every: Duration = .seconds(10)
    /// Lines in one transaction: alarms wait for the same database, and a thousand of them tell thousands at once.
    private static let atOnce = 50

    init(_ accounts: AccountStore, logger: Logger) {
        (ledger, self.logger, thread) = (accounts.ledger, logger, BlockingQueue.sosLedger.made(on: accounts.machine))
    }

    /// Writes down who was told of these cases since the last look. What cannot be written is tried with the next one.
    func write(_ cases: [SOSCase]) async {
        let told = Set(cases.filter { !$0.isTest }.flatMap(\.told))
        let new = written.withLock { known in
            known.formIntersection(told)
            return told.subtracting(known)
        }
        var left = new.sorted { $0.at < $1.at }[...]
        do {
            while !left.isEmpty {
                let some = Array(left.prefix(Self.atOnce))
                try await thread.run { [ledger] in try ledger.recordTold(some) }
                written.withLock { $0.formUnion(some) }
                left = left.dropFirst(Self.atOnce)
            }
        } catch {
            logger.error("who was told of an emergency is not in the ledger yet; it is tried again", metadata: ["error": "\(error)"])
        }
    }
}

extension SOSCase {
    /// Those who learned the person's name, state and place: whom a message left for, and which crews took it.
    var told: [ToldOfEmergency] {
        var found: [String: (name: String, account: AccountID?, at: Milliseconds)] = [:]
        for call in calls {
            guard let at = call.sentAt, call.state == .sent || call.state == .acknowledged else { continue }
            switch call.recipient {
            case .contact(let place, let contact): found["contact \(place)", default: (contact.name, nil, at)].at.lower(to: at)
            case .room(let name): found["room \(name)", default: (name, nil, at)].at.lower(to: at)
            // A crew that is asked, or is not needed any more, learns of nobody.
            case .account(let account) where isCrew(account): break
            case .account(let account): found["account \(account)", default: ("", account, at)].at.lower(to: at)
            }
        }
        for offer in offers where offer.state == .accepted {
            found["account \(offer.account)", default: ("", offer.account, offer.made)].at.lower(to: offer.made)
        }
        return people.flatMap { person in
            found.filter { $0.value.account?.person != person }.map { recipient, one in
                ToldOfEmergency(id, of: person, recipient: recipient, name: one.name, account: one.account, opened: opened, at: one.at)
            }
        }
    }
}

extension Milliseconds {
    fileprivate mutating func lower(to other: Milliseconds) { self = Swift.min(self, other) }
}
