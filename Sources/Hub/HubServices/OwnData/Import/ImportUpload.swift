import Crypto
public import HubStore
import Seams
public import Vitals

/// Files of one import while they arrive: they go to the disk as they come, sealed.
public struct ImportUpload: Sendable {
    public let id: ImportID
    public let person: PersonID
    /// The uploader: the person, or a parent.
    public let uploader: AccountID
    /// Bytes of all files together, at most.
    public let bytesMax: Int
    private(set) var files: [SpooledFile] = []
    private let spool: UploadSpool
    private let queue: WorkQueue
    private let randomness: Randomness

    /// Files of one import.
    public static let filesMax = 200

    init(
        _ id: ImportID, of person: PersonID, by uploader: AccountID, bytesMax: Int, spool: UploadSpool, queue: WorkQueue,
        randomness: Randomness
    ) {
        (self.id, self.person, self.uploader, self.bytesMax) = (id, person, uploader, bytesMax)
        (self.spool, self.queue, self.randomness) = (spool, queue, randomness)
    }

    /// Bytes that came so far.
    public var bytes: Int { files.reduce(0) { $0 + Int($1.count) } }

    /// Begins the next file.
    /// - Parameter name: as the browser says; it names nothing on the disk.
    /// - Throws: ``ImportService/Refusal/tooManyFiles``, and what the disk throws.
    public mutating func begin(_ name: String) async throws {
        try await end()
        guard files.count < Self.filesMax else { throw ImportService.Refusal.tooManyFiles }
        let key = SymmetricKey(data: randomness.bytes(32))
        files.append(SpooledFile(String(name.suffix(ImportResult.nameMax)), files.count, of: id.description, key: key, spool))
    }

    /// Adds bytes to the file that was begun last.
    /// - Throws: ``ImportService/Refusal/tooLarge``, and what the disk throws.
    public mutating func add(_ bytes: some Collection<UInt8> & Sendable) async throws {
        guard !files.isEmpty else { return }
        guard self.bytes + bytes.count <= bytesMax else { throw ImportService.Refusal.tooLarge }
        if files[files.count - 1].add(bytes) { try await flush(isEnd: false) }
    }

    /// Ends the file that was begun last. One without a byte is forgotten: browsers send such where nothing was chosen.
    mutating func end() async throws {
        guard let file = files.last else { return }
        if file.count == 0 { files.removeLast() } else { try await flush(isEnd: true) }
    }

    private mutating func flush(isEnd: Bool) async throws {
        guard let file = files.last else { return }
        files[files.count - 1] = try await queue.run {
            var file = file
            try file.flush(isEnd: isEnd)
            return file
        }
    }

    /// Removes all of it from the disk.
    func remove() throws {
        for file in files { try file.remove() }
    }
}
