import Distress
public import Exchange
import Foundation
public import HubStore
public import Logging
import Segments
import SyncProtocol
public import Vitals

/// What devices send goes the way of the agents' segments: it is authenticated here, made a segment of the device's stream without what
/// is stored already, and validated, appended and published by ``Ingest``.
public final class DeviceIngest: Sendable {
    private let devices: Devices
    private let deviceStore: DeviceStore
    private let series: DeviceSeries
    private let ingest: Ingest
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    private let queue = DeviceQueue()
    private let rate = DeviceRate()
    /// Of flagged falls and seizures: nobody has six in a minute, and each is kept for good.
    private let flagRate = DeviceRate(burst: 6, interval: 60_000)

    /// Of what a person types: a diary of a month at once, then one in two seconds.
    private let entryRate = DeviceRate(burst: 100, interval: 2000)

    /// The shortest interval at which the owner's view of a device is written.
    static let noteEvery: Milliseconds = 60_000

    public init(
        store: DeviceStore, series: DeviceSeries, ingest: Ingest, logger: Logger, now: @escaping @Sendable () -> Milliseconds
    ) {
        devices = Devices(devices: store)
        (self.deviceStore, self.series, self.ingest, self.logger, self.now) = (store, series, ingest, logger, now)
    }

    /// Why a request of a device is not taken.
    public enum Refusal: Error, Sendable, Hashable {
        /// The device was revoked or its person deleted while it sent.
        case gone
        /// It sends more than a phone does.
        case slowDown(seconds: Int)
    }

    /// The sender; nil for a wrong secret.
    public func device(secret: String) throws -> StoredDevice? { try devices.device(secret: secret) }

    /// Takes in what a device sent. What its stream holds already, at the same time and place, is left out, so that a request may come
    /// again. A call for help is taken however much the device sends; a flagged fall or seizure unless it comes again and again.
    /// - Returns: after everything in it is durable.
    /// - Throws: ``Refusal``, ``StorageFailure`` when nothing could be stored, `ErrorAnswer` when the pipeline refuses it.
    public func receive(_ reading: SenderReading, from device: StoredDevice) async throws {
        let urgent = reading.samples.events.map(\.code).filter(\.isSOS)
        if let seconds = rate.take(device.row, now: now()), urgent.isEmpty { throw Refusal.slowDown(seconds: seconds) }
        let isFlag = !urgent.isEmpty && urgent.allSatisfy { Flag($0) != nil }
        if isFlag, let seconds = flagRate.take(device.row, now: now()) { throw Refusal.slowDown(seconds: seconds) }
        guard try await queue.run(device.row, { try await store(reading.samples, of: device) }) != nil else {
            throw Refusal.slowDown(seconds: 1)
        }
        if let problem = reading.refused.first { note(problem, of: device) }
        if !reading.samples.isEmpty, now() - (device.seen ?? 0) >= Self.noteEvery {
            attempt { try deviceStore.noteDevice(device.row, seen: now()) }
        }
    }

    /// Takes in what a person typed, by the way of what a device sends. What is stored already is not stored again.
    /// - Returns: after it is durable; false when so much of that time is stored that it was left out.
    /// - Throws: as ``receive(_:from:)``.
    public func enter(_ sample: ScalarSample, of person: PersonID) async throws -> Bool {
        let device: StoredDevice
        do { device = try deviceStore.manualDevice(of: person, now: now()) } catch HubStoreError.unknownPerson { throw Refusal.gone }
        if let seconds = entryRate.take(device.row, now: now()) { throw Refusal.slowDown(seconds: seconds) }
        let leftOut = try await queue.run(device.row) { try await store(SampleSet(scalars: [sample]), of: device) }
        guard let leftOut else { throw Refusal.slowDown(seconds: 1) }
        return leftOut == 0
    }

    /// The stream of what a person types.
    /// - Throws: ``Refusal/gone`` for a person who was deleted.
    func manualStream(of person: PersonID) throws -> StreamID {
        do { return try deviceStore.manualDevice(of: person, now: now()).stream } catch HubStoreError.unknownPerson { throw Refusal.gone }
    }

    /// Keeps what could not be used for the device's owner: OwnTracks shows no answer.
    public func note(_ problem: SenderRefusal, of device: StoredDevice) {
        guard now() - (device.problemTime ?? 0) >= Self.noteEvery else { return }
        attempt { try deviceStore.noteDevice(device.row, problem: problem.code.rawValue, now: now()) }
    }

    /// - Returns: how many samples were left out because there are too many of their time.
    private func store(_ samples: SampleSet, of device: StoredDevice) async throws -> Int {
        let times = Set(samples.positions.map(\.time) + samples.events.map(\.time) + samples.scalars.map(\.time))
        guard !times.isEmpty else { return 0 }
        let kinds = Set([DataKind.position, .event] + samples.scalars.map(\.kind))
        let content: DeviceSeries.Content
        do { content = try series.content(of: device, kinds: kinds, at: times, now: now()) } catch HubStoreError.unknownPerson {
            throw Refusal.gone
        } catch {
            throw StorageFailure(description: "what a device sent before cannot be read: \(error)")
        }
        var fresh = Self.fresh(samples, beside: content.samples)
        // The pipeline would leave it out as well, and nobody could tell the person.
        if device.kind == .manual, fresh.scalars.contains(where: { Self.isCrowded($0, by: content.samples.scalars) }) { return fresh.count }
        var density = SegmentDensity()
        let thinned = density.thin(&fresh)
        if thinned > 0 {
            ingest.thinned.note(
                [.init(sender: device.agent.row, person: device.agent.people[device.person] ?? 0, samples: thinned)], now: now())
        }
        guard !fresh.isEmpty else { return thinned }
        let segment = Segment(
            stream: device.stream, sequence: content.next, person: device.person, provenance: device.provenance, clock: .wall,
            samples: fresh)
        let session = Authenticator.Session(agent: device.agent, expires: .max)
        let body = try SegmentBatch.encode([segment.encoded()])
        let batch = try body.withUnsafeBytes { try ingest.receive(session: session, body: $0) }
        try Self.check(try await ingest.commit(batch), sequence: content.next)
        return thinned
    }

    private static func isCrowded(_ sample: ScalarSample, by stored: [ScalarSample]) -> Bool {
        let near = stored.filter { $0.kind == sample.kind && abs($0.time - sample.time) < SampleDensity.window }
        return near.count >= sample.kind.densityMax
    }

    /// Whether the pipeline took a segment.
    /// - Throws: ``Refusal/gone``, `ErrorAnswer` for a segment that it refuses, ``StorageFailure``.
    static func check(_ answer: [UInt8], sequence: UInt64) throws {
        guard let state = try JSONDecoder().decode(SyncAnswer.self, from: Data(answer)).streams.first else {
            throw StorageFailure(description: "what a device sent was not looked at")
        }
        if let refused = state.refused?.first {
            if refused.reason == .deleted || refused.reason == .notBound { throw Refusal.gone }
            throw ErrorAnswer(error: "invalid_request", description: refused.detail)
        }
        guard state.forked == nil, state.received.contains(where: { $0.count == 2 && ($0[0]...$0[1]).contains(sequence) }) else {
            throw StorageFailure(description: "segment \(sequence) of a device's stream was not taken")
        }
    }

    /// Entries that are not in `stored`, each once.
    private static func fresh(_ samples: SampleSet, beside stored: SampleSet) -> SampleSet {
        struct Place: Hashable {
            let time: Milliseconds, latitude: Int32, longitude: Int32
            init(_ sample: PositionSample) { (time, latitude, longitude) = (sample.time, sample.latitude, sample.longitude) }
        }
        var places = Set(stored.positions.map(Place.init)), events = Set(stored.events), scalars = Set(stored.scalars)
        return SampleSet(
            positions: samples.positions.filter { places.insert(Place($0)).inserted },
            events: samples.events.filter { events.insert($0).inserted },
            scalars: samples.scalars.filter { scalars.insert($0).inserted })
    }

    /// What only the owner's list needs does not refuse what is stored.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch {
            logger.warning("a device's state could not be noted for its owner", metadata: ["error": "\(error)"])
        }
    }
}

extension StorageFailure {
    /// The store's error.
    public init(_ error: any Error) { self.init(description: "\(error)") }
}
