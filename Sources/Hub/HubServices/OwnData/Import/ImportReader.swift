import Exchange
import Foundation
import Synchronization
import Vitals

/// The findings of one step of reading.
struct ImportStep: Sendable {
    /// Bounded: a few thousand samples each.
    var samples: [SampleSet] = []
    /// A file with electrocardiograms.
    var electrocardiogram: [UInt8]?
    /// A file that ends with this step, without what became of its samples.
    var ended: ImportResult.File?
    var skipped: [(name: String, why: ImportResult.Unread)] = []
    var isEnd = false
}

/// Reads uploaded files step by step, so that whoever stores what was found holds up the reading. A step reads 64 KiB of a file, or a whole
/// activity.
final class ImportReading: Sendable {
    private let reader: Mutex<ImportReader>

    init(_ files: [SpooledFile], zone: TimeZone, now: Milliseconds) {
        reader = Mutex(ImportReader(files, zone: zone, now: now))
    }

    /// Waits for a disk.
    /// - Throws: what the disk throws; what is wrong with a file is in the step.
    func next() throws -> (step: ImportStep, done: UInt64, file: String) {
        try reader.withLock { reader in
            let step = try reader.next()
            return (step, reader.done, reader.file)
        }
    }
}

struct ImportReader {
    private let files: [SpooledFile]
    private let zone: TimeZone
    /// UTC.
    private let now: Milliseconds
    private var plan: ImportPlan
    private var sources: [SpoolSource]
    private var index = 0
    private var takesSleepSessions = true
    private var current: Current?
    /// Of files that are wholly read.
    private var before: UInt64 = 0

    /// The file that is being read.
    private struct Current {
        var entry: ImportPlan.Entry
        var bytes: ImportBytes
        var reader: (any HealthReader)?
        /// Samples that the file says were no measurement.
        var drills = 0
    }

    /// ECG strips in a Bundle are looked for where it is at most so long.
    private static let electrocardiogramMax = ECGStrip.Limits.fileBytesMax

    init(_ files: [SpooledFile], zone: TimeZone, now: Milliseconds) {
        (self.files, self.zone, self.now) = (files, zone, now)
        sources = files.map(SpoolSource.init)
        plan = ImportPlan(files)
    }

    /// Uploaded bytes that were read.
    var done: UInt64 { before + (current.map { $0.bytes.done } ?? 0) }
    var file: String { current?.entry.name ?? "" }

    mutating func next() throws -> ImportStep {
        if !plan.isMade { return try makePlan() }
        guard var current else { return try begin() }
        // Held once, so that what it gathers is changed in place.
        self.current = nil
        do {
            let step = try read(&current)
            if step.ended == nil { self.current = current } else { close(current.entry) }
            return step
        } catch let problem where Self.problem(problem) != nil {
            // Earlier findings count; other files are read.
            var file = ImportResult.File(current.entry.name, current.entry.kind.rawValue)
            if let report = current.reader?.report { file.note(report) }
            file.problems += [Self.problem(problem)].compactMap(\.self)
            close(current.entry)
            return ImportStep(ended: file)
        }
    }

    private mutating func close(_ entry: ImportPlan.Entry) { (before, index) = (before + entry.packed, index + 1) }

    static func problem(_ error: any Error) -> ImportResult.Problem? {
        switch error {
        case let fault as ZipFault: ImportResult.Problem(fault)
        case is Inflate.Broken: ImportResult.Problem(family: .archive, code: ImportResult.ArchiveProblem.damaged.rawValue)
        case let problem as ActivityProblem: ImportResult.Problem(problem)
        default: nil
        }
    }

    private mutating func makePlan() throws -> ImportStep {
        var step = ImportStep()
        if let (name, problem) = try plan.look(&sources) {
            var file = ImportResult.File(name, ImportFile.archive.rawValue)
            file.problems = [problem]
            step.ended = file
        }
        if plan.isMade { (takesSleepSessions, step.skipped) = (plan.takesSleepSessions, plan.skipped) }
        return step
    }

    // MARK: One file

    private mutating func begin() throws -> ImportStep {
        guard index < plan.entries.count else { return ImportStep(isEnd: true) }
        let entry = plan.entries[index]
        do {
            current = Current(entry: entry, bytes: try plan.bytes(of: entry, &sources), reader: reader(for: entry))
            return ImportStep()
        } catch let error where Self.problem(error) != nil {
            var file = ImportResult.File(entry.name, entry.kind.rawValue)
            file.problems = [Self.problem(error)].compactMap(\.self)
            close(entry)
            return ImportStep(ended: file)
        }
    }

    private func reader(for entry: ImportPlan.Entry) -> (any HealthReader)? {
        switch entry.kind {
        case .appleHealth: AppleHealthReader(now: now)
        case .takeoutData: TakeoutDataReader(now: now)
        case .takeoutDay: ImportFile.day(ofPath: entry.name).map { TakeoutDayReader(day: $0, now: now) }
        case .takeoutSession: TakeoutSessionReader(takesSleep: takesSleepSessions, now: now)
        case .fhir: FHIRBundleReader(now: now)
        case .samplesCSV: SampleCSVReader(now: now)
        case .samplesJSON: SampleJSONReader(isLines: false, now: now)
        case .samplesLines: SampleJSONReader(isLines: true, now: now)
        case .activity, .electrocardiogram, .takeoutDays, .archive, .clinicalDocument, .unknown: nil
        }
    }

    private mutating func read(_ current: inout Current) throws -> ImportStep {
        guard current.reader != nil else { return try readWhole(current.entry) }
        var step = ImportStep()
        if let bytes = try plan.next(&current.bytes, &sources) {
            step.samples = Self.taken(current.reader?.read(bytes) ?? [], &current.drills)
        } else {
            step.samples = Self.taken(current.reader?.finish() ?? [], &current.drills)
            let report = current.reader?.report
            var file = ImportResult.File(current.entry.name, current.entry.kind.rawValue)
            if let report { file.note(report) }
            if current.drills > 0 { file.leftOut[ImportResult.LeftOut.drills.rawValue] = current.drills }
            if report?.leftOut[.electrocardiograms] != nil, current.entry.packed <= Self.electrocardiogramMax {
                step.electrocardiogram = try whole(current.entry, max: Self.electrocardiogramMax)
            }
            step.ended = file
        }
        return step
    }

    /// Samples that the file marks as no measurement are left out.
    private static func taken(_ parts: [HealthImport.Part], _ drills: inout Int) -> [SampleSet] {
        parts.compactMap { part in
            guard part.stated != .drill, part.stated != .replay else {
                drills += part.samples.count
                return nil
            }
            return part.samples
        }
    }

    // MARK: Activities and electrocardiograms

    private mutating func readWhole(_ entry: ImportPlan.Entry) throws -> ImportStep {
        let isActivity = entry.kind == .activity
        let bytes = try whole(entry, max: isActivity ? ActivityFile.Limits.bytesMax : Self.electrocardiogramMax)
        var file = ImportResult.File(entry.name, entry.kind.rawValue), step = ImportStep()
        guard isActivity else {
            (step.electrocardiogram, step.ended) = (bytes, file)
            return step
        }
        let zone = zone, activity = try ActivityFile.read(bytes) { ECGUpload.utc($0, in: zone) }
        file.format = activity.format.rawValue
        file.problems = activity.problems.map(ImportResult.Problem.init)
        for (what, count) in activity.leftOut { file.leftOut[what.rawValue] = count }
        var samples = activity.samples
        // Where records or sessions come along, they have the sums.
        if !plan.hasRecords(entry.file) { samples.scalars += activity.summary }
        step.samples = samples.pieces(of: HealthImport.Limits.partSamplesMax)
        step.ended = file
        return step
    }

    private mutating func whole(_ entry: ImportPlan.Entry, max: Int) throws -> [UInt8] {
        var bytes = try plan.bytes(of: entry, &sources), all: [UInt8] = []
        while let next = try plan.next(&bytes, &sources) {
            all += next
            guard all.count <= max else { throw ZipFault.tooLarge(max: UInt64(max)) }
        }
        return all
    }
}

extension SampleSet {
    /// The same samples in sets of at most `count` of each column, in their order.
    func pieces(of count: Int) -> [SampleSet] {
        let longest = [heartRates.count, positions.count, events.count, gaps.count, scalars.count].max() ?? 0
        return stride(from: 0, to: longest, by: max(count, 1)).map { start in
            func part<Sample>(_ list: [Sample]) -> [Sample] { Array(list.dropFirst(start).prefix(count)) }
            return SampleSet(
                heartRates: part(heartRates), positions: part(positions), events: part(events), gaps: part(gaps), scalars: part(scalars))
        }
    }
}
