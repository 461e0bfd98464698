import Dispatch
public import HubStore
public import Logging
public import ServiceLifecycle
public import Vitals

/// What a hub does by itself: merging, and noticing what other processes changed.
public struct Maintenance: Service {
    private let series: SeriesStore
    private let authenticator: Authenticator
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds

    /// Segments wait this long for merging: the live ones are read from the journal.
    static let ageMax: Milliseconds = 600_000
    /// More waiting segments than this are merged at once: each costs about 70 bytes of memory.
    static let segmentsMax = 1_000_000

    public init(series: SeriesStore, authenticator: Authenticator, logger: Logger, now: @escaping @Sendable () -> Milliseconds) {
        self.series = series
        self.authenticator = authenticator
        self.logger = logger
        self.now = now
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask {
                    await everySecond("looking for revoked agents") { try authenticator.refresh() }
                }
                group.addTask {
                    await everySecond("merging") { try await merge() }
                }
            }
        }
    }

    private func everySecond(_ what: String, _ work: () async throws -> Void) async {
        while !Task.isCancelled {
            do { try await work() } catch {
                logger.error("\(what) failed; it is tried again in a second", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func merge() async throws {
        let (segments, oldest) = series.backlog
        guard segments > Self.segmentsMax || oldest.map({ now() - $0 > Self.ageMax }) == true else { return }
        // On a thread of its own: it takes seconds, and requests are answered by the cooperative pool.
        let report = try await withCheckedThrowingContinuation { continuation in
            Self.thread.async { continuation.resume(with: Result { try series.merge(now: now()) }) }
        }
        logger.info(
            "merged", metadata: ["segments": "\(report.segments)", "blocks": "\(report.blocks)", "people": "\(report.people)"])
        for reason in report.quarantined { logger.error("set aside, not merged", metadata: ["what": "\(reason)"]) }
    }

    private static let thread = DispatchQueue(label: "trackme.merge", qos: .utility)
}
