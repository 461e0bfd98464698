public import Exchange
public import Foundation
public import HubStore
import Seams
public import Vitals

/// Taking in files with ECG strips (DATA-2): a person's own, or a parent's for a child.
public struct ECGUpload: Sendable {
    private let store: ECGStore
    private let audit: AuditLog
    /// The space for the strips of a person, beside that of their series: half as much.
    public let bytesMax: Int
    private let queue: WorkQueue
    private let now: @Sendable () -> Milliseconds

    /// - Parameter space: what a person may have altogether, in sealed bytes.
    public init(store: ECGStore, audit: AuditLog, space: Int, now: @escaping @Sendable () -> Milliseconds) {
        (self.store, self.audit, bytesMax, self.now) = (store, audit, space / 2, now)
        queue = BlockingQueue.uploads.made(on: store.machine)
    }

    /// What became of one strip of a file.
    public enum Outcome: Sendable, Hashable {
        case stored(ECGStore.Outcome)
        /// It begins in the future.
        case future
    }

    /// What became of a file.
    public struct Report: Sendable, Hashable {
        public let format: ECGFile.Format
        /// For each strip that could be read.
        public let strips: [Strip]
        /// What kept other strips of the file out.
        public let problems: [ECGProblem]
        /// What stands in the file and is not kept.
        public let leftOut: [ECGFile.LeftOut: Int]
        /// Whether the file gives no zone, so that the time was taken in that of the uploader.
        public let isLocal: Bool

        /// A strip of the file.
        public struct Strip: Sendable, Hashable {
            /// UTC.
            public let time: Milliseconds
            public let outcome: Outcome
        }

        /// How many strips are new.
        public var storedCount: Int {
            strips.count { if case .stored(.stored) = $0.outcome { true } else { false } }
        }
    }

    /// Reads a file and stores its strips. The audit log has a row for each, written before it is stored, and a second one where it is not.
    /// - Parameter zone: of the uploader's clock, for files without one.
    /// - Throws: ``ECGProblem`` when nothing can be read; ``HubStoreError/unknownPerson(_:)`` for somebody deleted meanwhile.
    public func take(_ bytes: [UInt8], of person: PersonID, by uploader: AccountID, zone: TimeZone) async throws -> Report {
        try await queue.run { try read(bytes, of: person, by: uploader, zone: zone) }
    }

    private func read(_ bytes: [UInt8], of person: PersonID, by uploader: AccountID, zone: TimeZone) throws -> Report {
        let file = try ECGFile.read(bytes) { Self.utc($0, in: zone) }, time = now()
        let strips = try file.strips.map { strip in
            guard strip.time <= time + ManualEntry.ahead else { return Report.Strip(time: strip.time, outcome: .future) }
            try audit.append(.ecgUploaded, by: uploader, on: AccountID(person), now: time)
            let outcome = try store.add(strip, of: person, by: uploader, bytesMax: bytesMax, now: time)
            if let action = Self.action(outcome) { try audit.append(action, by: uploader, on: AccountID(person), now: time) }
            return Report.Strip(time: strip.time, outcome: .stored(outcome))
        }
        return Report(
            format: file.format, strips: strips, problems: file.problems, leftOut: file.leftOut, isLocal: file.isLocal)
    }

    /// What the audit log says of a strip that was not stored.
    private static func action(_ outcome: ECGStore.Outcome) -> AuditLog.Action? {
        switch outcome {
        case .stored: nil
        case .known: .ecgKnown
        case .sameTime, .noSpace, .tooMany: .ecgRefused
        }
    }

    /// UTC of a clock on the wall; the first of the two where it was set back, nil where it was set forward over that time.
    static func utc(_ local: Milliseconds, in zone: TimeZone) -> Milliseconds? {
        let day: Milliseconds = 86_400_000
        return [local - zone.offset(at: local - day), local - zone.offset(at: local + day)].first { $0 + zone.offset(at: $0) == local }
    }
}
