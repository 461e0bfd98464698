import Synchronization

/// A row that does not open with its key. It stays where it is: once the backup has put it right, it is read again.
public struct UnreadableRow: Sendable, Hashable, CustomStringConvertible {
    /// The kind of the row. The names stand in the operator's log.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case account, ambulance, approval, block, boxSettings, consent, crewPlace, dayRecord, device, ecg, fileImport,
            groupRequest, invitation, ledgerLine
        case letter
        case mail, notice, offer
        case passkeyName, positionBlock, pushDevice, pushMessage, runInvitation, runMessage, segment, service, serviceResult, sosCase
        case sosChange, sosDrill, standing, supportQuestion, webhook, workout, workoutRecord, workoutScan

        /// Whether somebody may miss an alarm, or an ambulance, by it.
        public var concernsAlarms: Bool {
            switch self {
            case .ambulance, .crewPlace, .mail, .positionBlock, .pushMessage, .pushDevice, .segment, .sosCase, .sosDrill: true
            case .account, .approval, .block, .boxSettings, .consent, .dayRecord, .device, .ecg, .fileImport, .groupRequest, .invitation,
                .ledgerLine,
                .letter,
                .notice, .offer, .passkeyName,
                .runInvitation, .runMessage, .service, .serviceResult, .sosChange, .standing, .supportQuestion, .webhook, .workout,
                .workoutRecord,
                .workoutScan:
                false
            }
        }
    }

    public let kind: Kind
    /// Its number in the table, or its identifier: neither tells of anybody.
    public let row: String

    init(_ kind: Kind, _ row: some CustomStringConvertible) { (self.kind, self.row) = (kind, row.description) }

    public var description: String { "\(kind.rawValue) \(row)" }
}

/// Rows of a hub's databases that do not open, as they are met. Lists leave them out, so that none fails by one row; here none is forgotten.
public final class UnreadableRows: Sendable {
    /// Rows that are kept apart, at most; of what comes beyond only the count is known.
    public static let rowsMax = 10_000

    private struct State {
        var rows: Set<UnreadableRow> = []
        var beyond = 0
        var listener: (@Sendable (UnreadableRow) -> Void)?
    }

    private let state = Mutex(State())

    /// The number that were met since the start of the hub.
    public var count: Int { state.withLock { $0.rows.count + $0.beyond } }

    /// Those that were met, at most ``rowsMax``.
    public var rows: Set<UnreadableRow> { state.withLock { $0.rows } }

    /// Has somebody told of each row once, also of those that were met before.
    public func listen(_ listener: @escaping @Sendable (UnreadableRow) -> Void) {
        let known = state.withLock { state in
            state.listener = listener
            return state.rows
        }
        for row in known.sorted(by: { $0.description < $1.description }) { listener(row) }
    }

    /// Lists are read each second: a row is told once.
    func note(_ row: UnreadableRow) {
        UnreadableTally.current?.note(row)
        let listener = state.withLock { state -> (@Sendable (UnreadableRow) -> Void)? in
            guard !state.rows.contains(row) else { return nil }
            guard state.rows.count < Self.rowsMax else {
                state.beyond += 1
                return nil
            }
            state.rows.insert(row)
            return state.listener
        }
        listener?(row)
    }
}

/// The rows that did not open while one page was read: the page says how many it leaves out.
public final class UnreadableTally: Sendable {
    /// Of the task that reads; nil where nobody shows the count.
    @TaskLocal public static var current: UnreadableTally?

    private let rows = Mutex<Set<UnreadableRow>>([])

    public init() {}

    /// Each row counts once, however often it was met; at most ``UnreadableRows/rowsMax``.
    public var count: Int { rows.withLock { $0.count } }

    func note(_ row: UnreadableRow) {
        rows.withLock { if $0.count < UnreadableRows.rowsMax { $0.insert(row) } }
    }
}
