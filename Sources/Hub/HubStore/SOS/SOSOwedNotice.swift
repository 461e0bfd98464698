public import Vitals

extension SOSWatchState {
    /// A notice that is owed to the person or their caregivers until it stands in the accounts' database.
    public struct OwedNotice: Sendable, Hashable, Codable {
        /// Of ``NoticeKind``.
        public var kind: String
        public var arguments: [String: String]
        public var isForPerson: Bool
        public var isForCaregivers: Bool
        /// Told by text or mail, instead of accounts; nil for accounts.
        public var contact: SOSContact?
        public var since: Milliseconds
        public var due: Milliseconds
        public var tries = 0

        public init(
            _ kind: NoticeKind, _ arguments: [String: String] = [:], isForPerson: Bool, isForCaregivers: Bool, now: Milliseconds
        ) {
            (self.kind, self.arguments, since, due) = (kind.rawValue, arguments, now, now)
            (self.isForPerson, self.isForCaregivers) = (isForPerson, isForCaregivers)
        }
    }
}
