public import Seams
import Synchronization
public import Vitals

/// A download that takes a while.
public struct ExportJob: Sendable, Hashable {
    /// The identifier in the address of its page.
    public struct ID: Identifier128 {
        public let high: UInt64, low: UInt64
        public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
    }

    public enum State: Sendable, Hashable {
        /// Nobody fetches the file yet.
        case waiting
        case running(Export.Progress)
        case done
        /// The connection was lost, or the hub could not go on.
        case broken
    }

    public let id: ID
    /// The account that downloads.
    public let account: AccountID
    /// The person of the data.
    public let person: PersonID
    public let format: String
    /// UTC, both ends included.
    public let span: ClosedRange<Milliseconds>
    public internal(set) var state = State.waiting
    let created: Milliseconds
}

/// How far downloads are, for the page that tells. It is in memory: a download ends with its connection anyway.
public final class ExportJobs: Sendable {
    private let jobs = Mutex<[ExportJob.ID: ExportJob]>([:])
    private let randomness: Randomness

    /// An hour, milliseconds.
    static let lifetime: Milliseconds = 3_600_000
    static let countMax = 10_000
    /// More of one account replace the oldest.
    static let countMaxOfOne = 4

    public init(randomness: Randomness = .system) { self.randomness = randomness }

    /// - Returns: nil while there are too many.
    public func add(format: String, span: ClosedRange<Milliseconds>, of account: AccountID, about person: PersonID, now: Milliseconds)
        -> ExportJob.ID?
    {
        let job = ExportJob(id: randomness.id(), account: account, person: person, format: format, span: span, created: now)
        return jobs.withLock { jobs in
            if jobs.count >= Self.countMax { jobs = jobs.filter { now - $0.value.created < Self.lifetime } }
            guard jobs.count < Self.countMax else { return nil }
            let own = jobs.values.filter { $0.account == account }.sorted { $0.created < $1.created }
            for old in own.dropLast(Self.countMaxOfOne - 1) { jobs[old.id] = nil }
            jobs[job.id] = job
            return job.id
        }
    }

    /// nil for another's, and for one that is too old.
    public func job(_ id: ExportJob.ID, of account: AccountID, now: Milliseconds) -> ExportJob? {
        jobs.withLock { $0[id].flatMap { $0.account == account && now - $0.created < Self.lifetime ? $0 : nil } }
    }

    public func set(_ state: ExportJob.State, _ id: ExportJob.ID) { jobs.withLock { $0[id]?.state = state } }
}
