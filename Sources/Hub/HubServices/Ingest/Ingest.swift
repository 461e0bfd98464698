import Crypto
import Foundation
public import HubStore
public import Logging
import Segments
import SyncProtocol
import Synchronization
public import Vitals

/// The pipeline of what agents send (design rule 9): authenticate, validate, deduplicate, thin, append, publish. The answer comes after the
/// commit. Authentication and validation run with the request; from deduplication on one thread does everybody's, many requests per
/// commit.
public final class Ingest: Sendable {
    private let authenticator: Authenticator
    private let series: SeriesStore
    private let accounts: AccountStore
    private let committer: Committer
    private let bus: LiveBus
    private let fingerprintKey: [UInt8]
    private let waiting: WaitingQuestions
    private let checkIns: BoxCheckIns?
    private let logger: Logger
    /// Samples that were left out, for those to be told.
    let thinned: ThinnedSamples
    private let now: @Sendable () -> Milliseconds
    /// Limits of one agent's requests and streams.
    public let limits = AgentLimits()
    /// How much came lately.
    public let rate = IngestRate()

    /// - Parameters:
    ///   - checkIns: nil where no run is organised.
    ///   - metrics: counts what comes.
    public init(
        authenticator: Authenticator, accounts: AccountStore, series: SeriesStore, bus: LiveBus, checkIns: BoxCheckIns? = nil,
        metrics: IngestMetrics = IngestMetrics(), logger: Logger, now: @escaping @Sendable () -> Milliseconds
    ) throws {
        self.authenticator = authenticator
        self.accounts = accounts
        self.series = series
        self.bus = bus
        self.checkIns = checkIns
        self.now = now
        self.logger = logger
        waiting = WaitingQuestions(notices: accounts.notices)
        fingerprintKey = try accounts.secret("fingerprint")
        thinned = ThinnedSamples(store: accounts.thinned, logger: logger)
        committer = Committer(series: series, bus: bus, thinned: thinned, metrics: metrics, logger: logger, now: now)
    }

    /// Samples in one batch, at most: compressed, many more would fit into a body.
    static let samplesMax = 524_288

    /// The sender; asked before a body is read.
    /// - Throws: ``AgentLimits/TooFast`` too.
    public func session(bearer: String) throws -> Authenticator.Session {
        let now = now(), session = try authenticator.session(bearer: bearer, now: now)
        try limits.request(of: session, now: now)
        return session
    }

    /// Whether the hub itself looks for emergencies of anybody whose data the sender brings, and does not leave that to their box.
    public func watchesForSOS(_ session: Authenticator.Session) -> Bool { bus.watchesForSOS(anyOf: session.agent.people) }

    /// Takes a batch of segments in.
    /// - Returns: the answer as JSON, after everything in it is durable.
    /// - Throws: `Authenticator.Refusal`, `ErrorAnswer` for a body that is no batch, ``AgentLimits/TooFast``, `StorageFailure` when nothing could be
    ///   stored.
    public func receive(session: Authenticator.Session, body: UnsafeRawBufferPointer) throws -> PreparedBatch {
        let now = now()
        let ranges: [Range<Int>]
        do { ranges = try SegmentBatch.ranges(in: body) } catch {
            throw ErrorAnswer(error: "invalid_request", description: "The body is no batch of segments: \(error)")
        }
        var batch = PreparedBatch(agent: session.agent)
        for range in ranges { try prepare(UnsafeRawBufferPointer(rebasing: body[range]), session: session, now: now, into: &batch) }
        try limits.take(batch, now: now)
        return batch
    }

    /// Deduplicates, appends and publishes a batch; comes back after the commit.
    /// - Parameter showsCheckIns: the box shows them to its one person.
    public func commit(_ batch: PreparedBatch, showsCheckIns: Bool = false) async throws -> [UInt8] {
        let states = try await committer.commit(batch)
        rate.note(samples: batch.samples, at: now())
        let cadence: SyncAnswer.Cadence = bus.isWatched(anyOf: batch.agent.people) ? .arrival : .interval
        return SyncAnswer(
            hub: accounts.incarnation, utc: now(), cadence: cadence, streams: states, questions: questions(for: batch.agent),
            checkIns: showsCheckIns ? shownCheckIns(of: batch.agent) : nil
        ).json()
    }

    private func shownCheckIns(of agent: AgentStore.Agent) -> CheckInList? {
        do { return try checkIns?.list(for: agent, now: now()) } catch {
            logger.error("the check-ins of a box's person cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Notices that the box can give to its people. Samples are stored by now: nothing here may fail their answer.
    private func questions(for agent: AgentStore.Agent) -> Int? {
        do { return try waiting.count(for: agent, now: now()) } catch {
            logger.error("how many questions wait for a box's people cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func prepare(
        _ bytes: UnsafeRawBufferPointer, session: Authenticator.Session, now: Milliseconds, into batch: inout PreparedBatch
    ) throws {
        let segment: Segment
        if let header = try? Segment.header(of: bytes), let refusal = SegmentCheck.refusal(byHeader: header) {
            batch.refuse(header.stream, refusal)
            return
        }
        do { segment = try Segment(decoding: bytes) } catch {
            // With a readable header the agent learns which segment it was. Without one there is no sequence to refuse: it stays
            // unacknowledged, the rest of the batch is taken, and both sides say so.
            guard let header = try? Segment.header(of: bytes) else {
                logger.warning(
                    "a segment has no readable header and was left out",
                    metadata: ["agent": "\(session.agent.id)", "error": "\(error)", "bytes": "\(bytes.count)"])
                return
            }
            batch.refuse(header.stream, .init(sequence: header.sequence, reason: .malformed, detail: "\(error)"))
            return
        }
        let header = segment.header
        guard let person = session.agent.people[header.person] else {
            // With the true reason: the box may go on with other people's.
            let reason = try session.agent.absence(of: header.person, accounts)
            let detail =
                switch reason {
                case .deleted: "this person's data was deleted"
                case .left: "this person left this box"
                default: "this box is not enrolled for person \(header.person)"
                }
            batch.refuse(header.stream, .init(sequence: header.sequence, reason: reason, detail: detail))
            return
        }
        if let refusal = SegmentCheck.refusal(of: segment, now: now) {
            batch.refuse(header.stream, refusal)
            return
        }
        batch.samples += header.count
        guard batch.samples <= Self.samplesMax else {
            throw ErrorAnswer(
                error: "invalid_request", description: "More than \(Self.samplesMax) samples in one batch: send less at once.")
        }
        batch.bytes += bytes.count
        batch.segments.append(
            PreparedSegment(person: person, segment: segment, encoded: Array(bytes), fingerprint: fingerprint(bytes)))
    }

    /// 40 bits tell two writers of one stream apart in all but one of a million million segments, and cost a quarter of a byte a sample.
    private func fingerprint(_ bytes: UnsafeRawBufferPointer) -> StreamReceiver.Fingerprint {
        var hash = SHA256()
        hash.update(data: fingerprintKey)
        hash.update(bufferPointer: bytes)
        return hash.finalize().withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) & (1 << 40 - 1) }
    }
}

/// A validated batch, before deduplication.
public struct PreparedBatch: Sendable {
    let agent: AgentStore.Agent
    var segments: [PreparedSegment] = []
    var samples = 0
    var bytes = 0
    var refused: [(stream: StreamID, refusal: SyncAnswer.Refusal)] = []

    init(agent: AgentStore.Agent) { self.agent = agent }

    mutating func refuse(_ stream: StreamID, _ refusal: SyncAnswer.Refusal) { refused.append((stream, refusal)) }
}

struct PreparedSegment: Sendable {
    let person: Int64
    private(set) var segment: Segment
    private(set) var encoded: [UInt8]
    /// Of the bytes that were sent.
    let fingerprint: UInt64

    /// Leaves these samples in it. Its times stay where none of a known kind is left, or where others are in it.
    mutating func thin(to samples: SampleSet) {
        let sent = segment.header
        segment = Segment(
            stream: sent.stream, sequence: sent.sequence, person: sent.person, provenance: sent.provenance, clock: sent.clock,
            samples: samples)
        if samples.timeRange == nil || !samples.unknown.isEmpty {
            (segment.header.firstTime, segment.header.lastTime) = (sent.firstTime, sent.lastTime)
        }
        encoded = segment.encoded()
    }
}

/// The store could not take anything; the agent keeps all and tries again.
public struct StorageFailure: Error, Sendable, CustomStringConvertible {
    public let description: String
}
