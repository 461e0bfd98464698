import Foundation
import HubStore
import Logging
import Synchronization
import Vitals

/// Keeps the time zone that browsers say, for the mails of their accounts. Written where it changed alone.
final class ZonesSeen: Sendable {
    private let store: NoticeStore
    private let logger: Logger
    private let seen = Mutex<[AccountID: String]>([:])

    /// More accounts are not remembered: each is written once more.
    private static let seenMax = 100_000

    init(_ store: NoticeStore, logger: Logger) { (self.store, self.logger) = (store, logger) }

    /// A page was asked for by a browser that says this zone.
    func note(_ zone: TimeZone, of account: StoredAccount) {
        let isNew = seen.withLock { seen in
            if seen[account.id] == zone.identifier { return false }
            if seen.count >= Self.seenMax { seen.removeAll() }
            seen[account.id] = zone.identifier
            return true
        }
        guard isNew else { return }
        // A page is shown without it, too.
        do {
            if try store.zone(of: account) != zone.identifier { try store.setZone(zone.identifier, of: account) }
        } catch {
            seen.withLock { $0[account.id] = nil }
            logger.error("the time zone of somebody's browser cannot be kept", metadata: ["error": "\(error)"])
        }
    }
}
