import Dispatch
import Seams

/// The queues on which services wait for the disk, for a program or for names: all of them, so that one sees who waits behind whom. Whoever
/// answers an alarm has one alone.
enum BlockingQueue: String, CaseIterable {
    /// Cases of AutomatedSOS, as they are written.
    case sos
    /// Notices about them, which are rows in the database of the accounts: a disk that hangs holds up no alarm (design rule 7).
    case sosNotices = "sos.notices"
    /// Whom they told, for the ledgers of the people concerned: nobody waits for it.
    case sosLedger = "sos.ledger"
    /// Segments, as they are made durable.
    case commit
    /// Enrolments in runs.
    case enrolment
    /// The clock of live runs.
    case tick
    /// What webhooks have to send.
    case webhooks
    /// Notices about ways out.
    case ways
    /// Counts of thinned samples.
    case thinned
    /// Names of hosts.
    case resolve
    /// Readers of series and runs.
    case read
    /// The merge of the journal into the series.
    case merge
    /// Downloads of one's own data.
    case export
    /// ECG strips that people upload, as they are read and stored.
    case uploads
    /// Files that people import, as they are spooled, read and compared with what is stored.
    case imports
    /// Looks for workouts in what people recorded.
    case workouts
    /// Windows of statistics about groups, as they close.
    case groups
    /// Pictures of runs, by a program.
    case pictures
    /// Looks at the disk and the databases, for whoever watches the hub.
    case health

    private var quality: DispatchQoS {
        switch self {
        case .sos: .userInteractive
        case .sosNotices, .commit, .enrolment, .tick, .webhooks: .userInitiated
        case .ways, .thinned, .resolve, .sosLedger, .merge, .health: .unspecified
        case .read, .export, .uploads, .imports, .workouts, .groups, .pictures: .utility
        }
    }

    /// A new queue of a machine.
    /// - Parameters:
    ///   - owner: whose it is, where there are several.
    ///   - isConcurrent: whether what runs on it runs side by side.
    func made(on machine: Machine, for owner: String? = nil, isConcurrent: Bool = false) -> WorkQueue {
        machine.makeQueue(
            label: "trackme.\(owner.map { "\($0)." } ?? "")\(rawValue)", quality: quality, isConcurrent: isConcurrent)
    }

    /// New threads of a machine, for what may wait for long, and for many at once. They give way to others.
    func threads(on machine: Machine, count: Int) throws(ThreadRefusal) -> WorkQueue {
        try machine.makeThreads(named: rawValue, count: count, niceness: Machine.backgroundNiceness)
    }
}
