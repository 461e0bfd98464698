import Accounts
import Database
import Foundation
public import Groups
import Privacy
public import Vitals

extension GroupRequestStore {
    /// What is delivered to a request at once.
    public struct Handover: Sendable {
        /// Windows with what is posted to webhooks about each.
        public var windows: [(delivery: GroupDelivery, payload: [UInt8])]
        /// No answer can be paid for any more in this year.
        public var isSpent: Bool
        /// No window that it wants is still to close.
        public var isComplete: Bool
        /// When it is looked at again, UTC milliseconds.
        public var next: Milliseconds?
        /// Of the link in the mail.
        public var token: String

        public init(
            windows: [(delivery: GroupDelivery, payload: [UInt8])], isSpent: Bool = false, isComplete: Bool = false, next: Milliseconds?,
            token: String
        ) {
            (self.windows, self.isSpent, self.isComplete, self.next, self.token) = (windows, isSpent, isComplete, next, token)
        }
    }

    /// Delivers windows, and ends what is over: with its notices, mails and posts in one transaction. A window that was delivered stays as it was.
    /// - Returns: the request as it is afterwards, and how many windows were new; nil for one that is gone.
    @discardableResult
    public func deliver(_ handover: Handover, to id: GroupRequestID, now: Milliseconds) throws -> (stored: StoredGroupRequest, new: Int)? {
        try pool.write { db in
            guard var stored = try request(id, db) else {
                try timers.setTimer(.groupRequest, id.bytes, due: nil, db)
                return nil
            }
            guard case .active = stored.request.state else {
                try timers.setTimer(.groupRequest, id.bytes, due: nil, db)
                return (stored, 0)
            }
            // What closes meanwhile is delivered once it may go on.
            guard try !isHeld(stored, db) else {
                try timers.setTimer(.groupRequest, id.bytes, due: handover.next, db)
                return (stored, 0)
            }
            let new = try handover.windows.filter { try insert($0.delivery, stored, db) }
            for item in new { try post(item.payload, of: stored, now: now, db) }
            let hasRunOut = stored.request.pass(now, isComplete: handover.isComplete)
            if !new.isEmpty {
                _ = stored.request.handle(.delivered, at: now)
                if stored.request.mails, let asker = try accounts.account(stored.organisation.account, db) {
                    let link = ["request": id.description, "token": handover.token, "purpose": stored.request.purpose]
                    try notices.addMail("group.window", link, to: asker, now: now, db)
                }
            }
            if handover.isSpent, stored.request.handle(.budgetSpent, at: now) { try tell(stored, "groupSpent", now: now, db) }
            if hasRunOut { try tell(stored, "groupRanOut", now: now, db) }
            try save(stored, db)
            if case .over = stored.request.state {
                try ended(stored, now: now, db)
            } else {
                try timers.setTimer(.groupRequest, id.bytes, due: handover.next, db)
            }
            return (stored, new.count)
        }
    }

    /// Whether an operator suspended the organisation: nothing is delivered to it meanwhile, and nothing may be paid for it.
    public func isHeld(_ stored: StoredGroupRequest) throws -> Bool { try pool.read { try isHeld(stored, $0) } }

    private func isHeld(_ stored: StoredGroupRequest, _ db: Connection) throws -> Bool {
        try accounts.organisations.isSuspended(.organisation(stored.organisation), db)
    }

    /// The deliveries to a request, the newest window first.
    public func deliveries(of stored: StoredGroupRequest) throws -> [GroupDelivery] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT start, length, envelope FROM group_delivery WHERE request = ? ORDER BY start DESC, length",
                arguments: [stored.row]
            ).compactMap { row in
                try unlessDamaged(.groupRequest, "\(stored.id) \(row[0] as Milliseconds)") {
                    try open(
                        GroupDelivery.self, row[2] as Data, of: stored.organisation.account.person, .groupDelivery,
                        Self.place(stored, row[0]))
                }
            }
        }
    }

    /// The windows that were delivered to a request, by their starts.
    public func delivered(to stored: StoredGroupRequest, _ length: GroupWindow.Length) throws -> Set<GroupWindow> {
        try pool.read { db in
            let starts = try db.fetchAll(
                Milliseconds.self, sql: "SELECT start FROM group_delivery WHERE request = ? AND length = ?",
                arguments: [stored.row, length.milliseconds])
            return Set(starts.map { GroupWindow(length, at: $0) })
        }
    }

    /// - Returns: false for a window that was delivered before.
    private func insert(_ delivery: GroupDelivery, _ stored: StoredGroupRequest, _ db: Connection) throws -> Bool {
        let window = delivery.window
        let envelope = try seal(
            delivery, of: stored.organisation.account.person, .groupDelivery, Self.place(stored, window.start))
        try db.execute(
            sql: "INSERT INTO group_delivery(request, start, length, envelope) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [stored.row, window.start, window.length.milliseconds, envelope])
        return db.changesCount == 1
    }

    private static func place(_ stored: StoredGroupRequest, _ start: Milliseconds) -> (UInt64, UInt64) {
        (stored.id.low, UInt64(bitPattern: start))
    }

    /// To every webhook of the organisation (GRP-5).
    private func post(_ payload: [UInt8], of stored: StoredGroupRequest, now: Milliseconds, _ db: Connection) throws {
        let names = try db.fetchAll(Data.self, sql: "SELECT webhook FROM webhook WHERE account = ?", arguments: [stored.account])
        for webhook in names.compactMap({ WebhookID(bytes: $0) }) {
            _ = try webhooks.enqueue(payload, to: webhook, about: nil, consent: nil, now: now, db)
        }
    }

    /// The last word of a subscription: nothing follows.
    func ended(_ stored: StoredGroupRequest, now: Milliseconds, _ db: Connection) throws {
        try timers.setTimer(.groupRequest, stored.id.bytes, due: nil, db)
        guard stored.request.term != .once, case .over(let ending, _) = stored.request.state else { return }
        let text = "{\"type\":\"group-ended\",\"request\":\"\(stored.id)\",\"reason\":\"\(ending.word)\"}"
        try post(Array(text.utf8), of: stored, now: now, db)
    }
}

extension GroupRequest.Ending {
    /// As programs read it.
    public var word: String {
        switch self {
        case .refusedByOperator: "refused-by-operator"
        case .ended: "ended"
        case .fulfilled: "fulfilled"
        case .ranOut: "ran-out"
        case .budgetSpent: "budget-spent"
        }
    }
}
