import Exchange
import Foundation
import HubStore
import Logging
import Seams
import Segments
import SyncProtocol
import Synchronization
import Vitals

/// One import while it goes on: what is read becomes segments of the import's own stream, without what is stored already.
struct ImportRun: Sendable {
    let stored: StoredImport
    let device: StoredDevice
    let uploader: AccountID
    let zone: TimeZone
    let store: ImportStore
    let ingest: Ingest
    let ecg: ECGUpload
    let queue: WorkQueue
    let logger: Logger
    let now: @Sendable () -> Milliseconds

    /// Told after each step. What it throws ends the import.
    let progress: @Sendable (ImportProgress) throws -> Void

    /// Only touched on the queue, one step at a time.
    private final class Density: Sendable {
        let known = Mutex(SegmentDensity())
    }

    private let density = Density()

    init(
        _ stored: StoredImport, device: StoredDevice, uploader: AccountID, zone: TimeZone, store: ImportStore, ingest: Ingest,
        ecg: ECGUpload, queue: WorkQueue, logger: Logger, now: @escaping @Sendable () -> Milliseconds,
        progress: @escaping @Sendable (ImportProgress) throws -> Void
    ) {
        (self.stored, self.device, self.uploader, self.zone, self.store) = (stored, device, uploader, zone, store)
        (self.ingest, self.ecg, self.queue, self.logger) = (ingest, ecg, queue, logger)
        (self.now, self.progress) = (now, progress)
    }

    /// Reads files and stores what is in them.
    /// - Parameter result: is filled as it goes, so that it holds what was done when an error is thrown.
    /// - Throws: what `progress` throws; ``StorageFailure``; what the disk throws.
    func read(_ files: [SpooledFile], into result: inout ImportResult) async throws {
        var state = ImportProgress(), counts: [String: ImportResult.Counts] = [:]
        state.all = files.reduce(0) { $0 + $1.count }
        do { try await read(files, &state, &counts, into: &result) } catch {
            // What the file that was being read brought so far is told as well.
            var file = ImportResult.File(state.file, "")
            file.kinds = counts
            if !counts.isEmpty { result.add(file) }
            throw error
        }
    }

    private func read(
        _ files: [SpooledFile], _ state: inout ImportProgress, _ counts: inout [String: ImportResult.Counts],
        into result: inout ImportResult
    ) async throws {
        let reading = ImportReading(files, zone: zone, now: now())
        var dropped = 0, sequence: UInt64 = 0
        while true {
            let (step, done, file) = try await queue.run { try reading.next() }
            guard !step.isEnd else { return }
            for (name, why) in step.skipped { result.skip(name, why) }
            for samples in step.samples {
                let added = try await add(samples, sequence: sequence)
                if added.isStored { sequence += 1 }
                dropped += added.gaps
                counts.merge(added.counts, uniquingKeysWith: +)
                for count in added.counts.values {
                    state.taken += count.taken
                    state.duplicates += count.duplicates
                }
            }
            if var ended = step.ended {
                if let bytes = step.electrocardiogram { await take(bytes, &ended, &counts, &result) }
                ended.kinds = counts
                if dropped > 0 { ended.leftOut[ImportResult.LeftOut.gaps.rawValue] = dropped }
                (counts, dropped) = ([:], 0)
                result.add(ended)
            }
            (state.done, state.file) = (done, file)
            try progress(state)
        }
    }

    // MARK: Samples

    private struct Added: Sendable {
        var counts: [String: ImportResult.Counts] = [:]
        var gaps = 0
        var isStored = false
    }

    private func add(_ samples: SampleSet, sequence: UInt64) async throws -> Added {
        let prepared = try await queue.run { try prepare(samples, sequence: sequence) }
        var added = prepared.added
        guard let batch = prepared.batch else { return added }
        do { try DeviceIngest.check(try await ingest.commit(batch), sequence: sequence) } catch is ErrorAnswer {
            // Refusals of the pipeline are told; the rest of the file is read.
            for (kind, count) in added.counts {
                added.counts[kind]?.outside += count.taken
                added.counts[kind]?.taken = 0
            }
        }
        return added
    }

    /// The new ones of these samples as a segment; nil where there is nothing new.
    private func prepare(_ samples: SampleSet, sequence: UInt64) throws -> (batch: PreparedBatch?, added: Added) {
        var added = Added(), samples = samples
        // They say which segments of a box are lost: those of this stream are others.
        (added.gaps, samples.gaps) = (samples.gaps.count, [])
        let outside = samples.removeOutside(now: now())
        for (kind, count) in outside { added.counts[kind.name, default: .init()].outside += count }
        let rule = DuplicateRule(grain: samples.hasWholeSeconds ? 1000 : 1), hours = samples.byHour()
        var fresh = SampleSet(), duplicates: [DataKind: Int] = [:]
        try store.present(of: device.person, kinds: samples.kinds, hours: hours.keys.sorted()) { hour, present in
            // From the first hour on again, where the journal moved meanwhile.
            if hour == hours.keys.min() { (fresh, duplicates) = (SampleSet(), [:]) }
            guard let part = hours[hour] else { return }
            let found = rule.split(part, present: present)
            fresh.append(found.new)
            duplicates.merge(found.duplicates, uniquingKeysWith: +)
        }
        for (kind, count) in duplicates { added.counts[kind.name, default: .init()].duplicates += count }
        let before = fresh.counts
        _ = density.known.withLock { $0.thin(&fresh) }
        let after = fresh.counts
        for (kind, count) in before {
            let taken = after[kind] ?? 0
            added.counts[kind.name, default: .init()].taken += taken
            added.counts[kind.name, default: .init()].tooDense += count - taken
        }
        guard !fresh.isEmpty else { return (nil, added) }
        let segment = Segment(
            stream: stored.stream, sequence: sequence, person: device.person, provenance: .import, clock: .wall, samples: fresh)
        let session = Authenticator.Session(agent: device.agent, expires: .max)
        let body = try SegmentBatch.encode([segment.encoded()])
        added.isStored = true
        return (try body.withUnsafeBytes { try ingest.receive(session: session, body: $0) }, added)
    }

    // MARK: Electrocardiograms

    private func take(
        _ bytes: [UInt8], _ file: inout ImportResult.File, _ counts: inout [String: ImportResult.Counts], _ result: inout ImportResult
    ) async {
        let report: ECGUpload.Report
        do { report = try await ecg.take(bytes, of: device.person, by: uploader, zone: zone) } catch let problem as ECGProblem {
            return file.problems.append(ImportResult.Problem(problem))
        } catch {
            logger.error("an ECG of an import could not be stored", metadata: ["import": "\(stored.id)", "error": "\(error)"])
            return file.problems.append(ImportResult.Problem(family: .archive, code: ImportResult.ArchiveProblem.notStored.rawValue))
        }
        file.problems += report.problems.map(ImportResult.Problem.init)
        var count = ImportResult.Counts()
        for strip in report.strips {
            switch strip.outcome {
            case .stored(.stored(let id)):
                count.taken += 1
                result.strips.append(id.description)
            case .stored(.known): count.duplicates += 1
            case .future, .stored(.sameTime), .stored(.noSpace), .stored(.tooMany): count.outside += 1
            }
        }
        if !report.strips.isEmpty { counts[DataKind.ecg.name, default: .init()] = counts[DataKind.ecg.name, default: .init()] + count }
    }
}

extension SampleSet {
    /// The kinds of which there are samples.
    fileprivate var kinds: Set<DataKind> {
        var kinds = Set(scalars.map(\.kind))
        if !heartRates.isEmpty { kinds.formUnion([.heartRate, .rrIntervals, .energyExpended]) }
        if !positions.isEmpty { kinds.insert(.position) }
        if !events.isEmpty { kinds.formUnion([.event, .flaggedEvent]) }
        return kinds
    }

    fileprivate var counts: [DataKind: Int] {
        var counts: [DataKind: Int] = [:]
        for sample in scalars { counts[sample.kind, default: 0] += 1 }
        if !heartRates.isEmpty { counts[.heartRate] = heartRates.count }
        if !positions.isEmpty { counts[.position] = positions.count }
        if !events.isEmpty { counts[.event] = events.count }
        return counts
    }

    /// Whether no time has a fraction of a second: then what is stored finer may be the same.
    fileprivate var hasWholeSeconds: Bool {
        heartRates.allSatisfy { $0.time % 1000 == 0 } && positions.allSatisfy { $0.time % 1000 == 0 }
            && events.allSatisfy { $0.time % 1000 == 0 }
            && scalars.allSatisfy { $0.time % 1000 == 0 && ($0.end ?? 0) % 1000 == 0 }
    }

    /// Takes out what the hub would refuse a segment for.
    /// - Returns: how many, by kind.
    fileprivate mutating func removeOutside(now: Milliseconds) -> [DataKind: Int] {
        let times = SampleLimits.earliest...max(SampleLimits.earliest, now + SampleLimits.aheadMax), before = counts
        heartRates.removeAll { !times.contains($0.time) || $0.beatsPerMinute > SampleLimits.beatsPerMinuteMax }
        positions.removeAll { !times.contains($0.time) || !$0.isWithinLimits }
        events.removeAll { !times.contains($0.time) }
        scalars.removeAll { !times.contains($0.time) || !times.contains($0.end ?? $0.time) || $0.problem != nil }
        let after = counts
        return before.reduce(into: [:]) { lost, kind in
            let count = kind.value - (after[kind.key] ?? 0)
            if count > 0 { lost[kind.key] = count }
        }
    }
}
