import HubServices
import HubStore
import Synchronization

/// How many requests of each service were answered, and how many of them with a failure of the hub's.
final class AnswerTally: Sendable {
    private struct Count {
        var all = 0
        var failed = 0
    }

    /// A service that fails more often is not there: one request in this many.
    static let failedOneIn = 10

    private let counts = Mutex<[MeasuredService: Count]>([:])

    func note(_ status: Int, _ path: String) {
        let service = MeasuredService(path: path)
        counts.withLock { counts in
            counts[service, default: Count()].all += 1
            // 501: what the hub does not do at all.
            if status >= 500, status != 501 { counts[service, default: Count()].failed += 1 }
        }
    }

    /// The services that failed too often since this was asked last. One whom nobody asked did not.
    func takeFailed() -> Set<MeasuredService> {
        let taken = counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
        return Set(taken.filter { $0.value.failed * Self.failedOneIn > $0.value.all }.keys)
    }
}
