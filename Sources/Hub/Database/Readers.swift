import Dispatch
import Foundation
import GRDB
import Synchronization

/// The connections of a file that read. A thread takes one that is free at once.
///
/// GRDB's own pool hands its locks from one waiter to the next. On busy processors everybody then waits until each thread before has had its turn,
/// those of low priority, too: an alarm waited seconds for pages (docs/benchmarks.md, `sos-busy`).
final class Readers: Sendable {
    /// A place for one connection, which is opened with its first use.
    private final class Place: Sendable {
        /// The holder; 0 for nobody.
        let thread = Atomic<UInt>(0)
        /// Asked for by the thread that has the place, and by nobody else.
        private let connection = Mutex<DatabaseQueue?>(nil)

        func open(_ path: String, _ configuration: Configuration) throws -> DatabaseQueue {
            try connection.withLock { open in
                if let open { return open }
                let new = try DatabaseQueue(path: path, configuration: configuration)
                open = new
                return new
            }
        }

        func close() throws {
            try connection.withLock { try $0?.close() }
        }
    }

    private let path: String
    private let configuration: Configuration
    private let places: [Place]
    /// The number of places that are free.
    private let free: DispatchSemaphore
    private let isClosed = Atomic(false)

    /// - Parameters:
    ///   - configuration: as the writer has it.
    ///   - count: connections at most; who comes when all are taken waits.
    init(path: String, configuration: Configuration, count: Int) {
        var configuration = configuration
        configuration.readonly = true
        configuration.journalMode = .default
        (self.path, self.configuration) = (path, configuration)
        places = (0..<count).map { _ in Place() }
        free = DispatchSemaphore(value: count)
    }

    /// Reads in one transaction.
    func read<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
        let place = take()
        defer { give(place) }
        guard !isClosed.load(ordering: .acquiring) else {
            throw GRDB.DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
        }
        return try place.open(path, configuration).read(body)
    }

    /// The connection by which the calling thread is reading; nil when it reads by none.
    func ofThisThread() throws -> DatabaseQueue? {
        let thread = Self.thisThread
        return try places.first { $0.thread.load(ordering: .relaxed) == thread }?.open(path, configuration)
    }

    /// Closes all, as soon as nobody reads. Nothing can be read after that.
    func close() throws {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let taken = places.map { _ in take() }
        defer { taken.forEach(give) }
        for place in places { try place.close() }
    }

    private func take() -> Place {
        free.wait()
        let thread = Self.thisThread
        while true {
            // One is free. It may be given back behind this search while another is taken before it.
            for place in places where place.thread.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged {
                return place
            }
        }
    }

    private func give(_ place: Place) {
        place.thread.store(0, ordering: .releasing)
        free.signal()
    }

    static var thisThread: UInt { UInt(pthread_self()) }
}
