public import Foundation
public import HubStore
public import Logging
import Seams
import Synchronization
public import Vitals

/// Imports of people's own files (DATA-2): recordings of activities, exports of health apps, ECGs, FHIR and our own exports. What they hold
/// goes the way of what devices send, with ``Provenance/import``, without what is there already.
///
/// Each import has a stream of its own, so that it can be taken back. Of one person one import goes on at a time.
public final class ImportService: Sendable {
    private let store: ImportStore
    private let devices: DeviceStore
    private let ingest: Ingest
    private let ecg: ECGUpload
    private let deletion: Deletion
    private let audit: AuditLog
    private let spool: UploadSpool
    private let logger: Logger
    private let queue: WorkQueue
    private let now: @Sendable () -> Milliseconds
    private let active = Mutex<[PersonID: Active]>([:])

    /// Bytes of all files of one import, at most.
    public let bytesMax: Int

    /// 1 GB: an export of ten years of a watch has 300 MB.
    public static let bytesMaxDefault = 1_000_000_000
    /// Imports at once, of all people: each may take ``bytesMax`` of the disk.
    static let atOnceMax = 8

    private struct Active {
        let id: ImportID
        var isReading = false
        var isCancelled = false
        var progress = ImportProgress()
    }

    /// Why an import does not begin.
    public enum Refusal: Error, Sendable, Hashable {
        /// Another one of the person goes on.
        case busy
        /// One that was taken back is still being cleared, which takes seconds.
        case clearing
        /// As many go on at this hub as it takes.
        case crowded
        case tooLarge, tooManyFiles, noFile
        /// The person was deleted meanwhile.
        case gone
        /// The hub's disk is full or broken. The log says how.
        case disk
    }

    private struct Cancelled: Error {}

    /// - Parameter folder: where files wait; what is left there of before is removed.
    public init(
        store: ImportStore, devices: DeviceStore, ingest: Ingest, ecg: ECGUpload, deletion: Deletion, audit: AuditLog, folder: String,
        bytesMax: Int = bytesMaxDefault, logger: Logger, now: @escaping @Sendable () -> Milliseconds
    ) {
        (self.store, self.devices, self.ingest, self.ecg, self.deletion, self.audit) = (store, devices, ingest, ecg, deletion, audit)
        (self.bytesMax, self.logger, self.now) = (bytesMax, logger, now)
        queue = BlockingQueue.imports.made(on: store.machine)
        spool = UploadSpool(files: store.machine.files, folder: folder)
        do { try spool.clear() } catch {
            logger.error("files of imports that were interrupted could not be removed", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Beginning

    /// Makes ready for the files of an import. Whoever calls this calls ``start(_:zone:)`` or ``discard(_:)`` with it afterwards.
    /// - Throws: ``Refusal``
    public func open(_ person: PersonID, by uploader: AccountID) throws -> ImportUpload {
        let id: ImportID = store.machine.randomness.id()
        try active.withLock { active in
            guard active[person] == nil else { throw Refusal.busy }
            guard active.count < Self.atOnceMax else { throw Refusal.crowded }
            active[person] = Active(id: id)
        }
        do {
            guard try !store.isClearing(person) else { throw Refusal.clearing }
            try store.machine.files.makeFolder(spool.folder)
        } catch {
            close(person)
            throw refusal(error)
        }
        return ImportUpload(
            id, of: person, by: uploader, bytesMax: bytesMax, spool: spool, queue: queue, randomness: store.machine.randomness)
    }

    /// Forgets an upload that does not become an import.
    public func discard(_ upload: ImportUpload) async {
        await remove(upload)
        close(upload.person)
    }

    /// Begins to read what was uploaded; returns as soon as the import is noted.
    /// - Parameter zone: of the uploader's clock, for files without one.
    /// - Throws: ``Refusal``. The upload is gone then.
    public func start(_ upload: ImportUpload, zone: TimeZone) async throws {
        var upload = upload, result = ImportResult()
        do {
            try await upload.end()
            guard !upload.files.isEmpty else { throw Refusal.noFile }
            (result.names, result.uploader) = (upload.files.map(\.name), upload.uploader.description)
            let (id, person, uploader, begun) = (upload.id, upload.person, upload.uploader, result)
            let (device, stored) = try await queue.run { [self] in
                let device = try devices.importDevice(of: person, now: now())
                try audit.append(.imported, by: uploader, on: AccountID(person), now: now())
                return (device, try store.begin(id, of: person, result: begun, now: now()))
            }
            active.withLock { $0[person]?.isReading = true }
            store.machine.start(priority: .utility) { [self, upload, result] in
                await run(upload, stored, device, zone, result)
            }
        } catch {
            await discard(upload)
            throw refusal(error)
        }
    }

    /// The words of a page about an error.
    public func refusal(_ error: any Error) -> Refusal {
        if let refusal = error as? Refusal { return refusal }
        if case HubStoreError.unknownPerson = error { return .gone }
        logger.error("files of an import could not be taken", metadata: ["error": "\(error)"])
        return .disk
    }

    private func close(_ person: PersonID) { active.withLock { $0[person] = nil } }

    private func remove(_ upload: ImportUpload) async {
        do { try await queue.run { try upload.remove() } } catch {
            logger.error("files of an import could not be removed", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Reading

    private func run(
        _ upload: ImportUpload, _ stored: StoredImport, _ device: StoredDevice, _ zone: TimeZone, _ result: ImportResult
    ) async {
        var result = result
        let person = upload.person
        let run = ImportRun(
            stored, device: device, uploader: upload.uploader, zone: zone, store: store, ingest: ingest, ecg: ecg, queue: queue,
            logger: logger,
            now: now
        ) { [self] progress in
            try active.withLock { active in
                active[person]?.progress = progress
                if active[person]?.isCancelled == true { throw Cancelled() }
            }
        }
        do {
            try await run.read(upload.files, into: &result)
            result.end = .done
        } catch is Cancelled { result.end = .cancelled } catch {
            result.end = .failed
            logger.error("an import could not go on", metadata: ["import": "\(stored.id)", "error": "\(error)"])
        }
        await remove(upload)
        do {
            try await queue.run { [self, result] in try store.note(stored.id, of: person, result: result, finished: now()) }
        } catch {
            // It is shown as interrupted: what was added is there, and can be taken back.
            logger.error("what an import brought could not be noted", metadata: ["import": "\(stored.id)", "error": "\(error)"])
        }
        close(person)
    }

    /// Ends an import that goes on: what it added stays. Nothing happens where there is none.
    public func cancel(_ id: ImportID, of person: PersonID) {
        active.withLock { if $0[person]?.id == id { $0[person]?.isCancelled = true } }
    }

    // MARK: What there is

    /// How an import is.
    public enum State: Sendable, Hashable {
        case running(ImportProgress)
        /// The hub was stopped while it went on.
        case interrupted
        case ended
        /// It was taken back.
        case undone
    }

    /// An import as its page shows it.
    public struct Shown: Sendable {
        public let stored: StoredImport
        public let state: State
        /// nil where it cannot be read.
        public let result: ImportResult?
    }

    private func state(_ stored: StoredImport, of person: PersonID) -> State {
        if stored.undone != nil { return .undone }
        if stored.finished != nil { return .ended }
        let progress = active.withLock { $0[person].flatMap { $0.id == stored.id ? $0.progress : nil } }
        return progress.map { .running($0) } ?? .interrupted
    }

    /// A person's imports, the newest first.
    public func imports(of person: PersonID) throws -> [(stored: StoredImport, state: State)] {
        try store.imports(of: person).map { ($0, state($0, of: person)) }
    }

    /// One of them; nil for another person's.
    public func find(_ id: ImportID, of person: PersonID) throws -> Shown? {
        // The state first: an import that ends meanwhile is looked at again by its page.
        guard let (stored, result) = try store.find(id, of: person, as: ImportResult.self) else { return nil }
        return Shown(stored: stored, state: state(stored, of: person), result: result)
    }

    /// Whether files of this person are on their way or being read.
    public func isBusy(_ person: PersonID) -> Bool { active.withLock { $0[person] != nil } }

    // MARK: Taking back

    /// Deletes exactly what an import added: its stream and its ECG strips. It is gone within seconds; a restored backup loses it again.
    /// - Returns: false where there is no such import of the person, or it was taken back before.
    /// - Throws: ``Refusal/busy`` while it goes on.
    public func undo(_ id: ImportID, of person: PersonID, by actor: AccountID) throws -> Bool {
        guard let shown = try find(id, of: person), shown.stored.undone == nil else { return false }
        if case .running = shown.state { throw Refusal.busy }
        try audit.append(.importUndone, by: actor, on: AccountID(person), now: now())
        _ = try deletion.deleteStream(shown.stored.stream, of: person, by: actor, now: now())
        for strip in shown.result?.strips.compactMap({ ECGID($0) }) ?? [] {
            _ = try deletion.deleteECG(strip, of: person, by: actor, now: now())
        }
        try store.note(id, undone: now())
        return true
    }
}
