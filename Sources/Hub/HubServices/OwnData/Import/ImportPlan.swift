import Exchange

/// Which files there are to read, and as what: uploaded ones, and the members of archives among them.
struct ImportPlan {
    struct Entry: Sendable {
        /// As uploaded, or the path in the archive.
        let name: String
        /// Index of the uploaded file.
        let file: Int
        /// Index in the archive's list; nil for an uploaded file.
        let member: Int?
        /// Its bytes in the upload.
        let packed: UInt64
        let kind: ImportFile
        var dataSource: String?
    }

    private let files: [SpooledFile]
    private var archives: [Int: ZipReader] = [:]
    private(set) var entries: [Entry] = []
    private(set) var skipped: [(name: String, why: ImportResult.Unread)] = []
    private(set) var takesSleepSessions = true
    private(set) var isMade = false
    /// Uploaded files with records or sessions of their own.
    private var recorded: Set<Int> = []
    /// Where looking goes on.
    private var file = 0, member = 0

    /// Members whose beginnings one step looks at.
    private static let stepMax = 64

    init(_ files: [SpooledFile]) { self.files = files }

    /// Whether an upload has what programs recorded by itself, so that activities beside it are ways without sums.
    func hasRecords(_ file: Int) -> Bool { recorded.contains(file) }

    // MARK: Looking

    /// Looks at some more files.
    /// - Returns: an archive that cannot be read, or a member.
    mutating func look(_ sources: inout [SpoolSource]) throws -> (name: String, problem: ImportResult.Problem)? {
        for _ in 0..<Self.stepMax {
            guard file < files.count else {
                finish()
                return nil
            }
            do { try lookOnce(&sources) } catch let error where ImportReader.problem(error) != nil {
                let name = archives[file].map { $0.members[member].name } ?? files[file].name
                if archives[file] == nil { file += 1 } else { member += 1 }
                if let problem = ImportReader.problem(error) { return (name, problem) }
            }
        }
        return nil
    }

    private mutating func lookOnce(_ sources: inout [SpoolSource]) throws {
        if let archive = archives[file] {
            guard member < archive.members.count else {
                (file, member) = (file + 1, 0)
                return
            }
            let found = archive.members[member]
            if !found.isFolder {
                let entry = Entry(name: found.name, file: file, member: member, packed: found.packed, kind: .unknown)
                var bytes = try bytes(of: entry, &sources), head: [UInt8] = []
                while head.count < ImportFile.headMax, let next = try next(&bytes, &sources) { head += next }
                take(entry, Array(head.prefix(ImportFile.headMax)))
            }
            member += 1
            return
        }
        let uploaded = files[file]
        let head = try sources[file].read(at: 0, count: ImportFile.headMax)
        guard ImportFile(path: uploaded.name, head: head) == .archive else {
            take(Entry(name: uploaded.name, file: file, member: nil, packed: uploaded.count, kind: .unknown), head)
            file += 1
            return
        }
        archives[file] = try ZipReader(&sources[file])
        member = 0
    }

    private mutating func take(_ entry: Entry, _ head: [UInt8]) {
        let kind = ImportFile(path: entry.name, head: head)
        switch kind {
        case .unknown: skipped.append((entry.name, .unknown))
        case .clinicalDocument: skipped.append((entry.name, .repeated))
        case .archive: skipped.append((entry.name, .nested))
        default:
            var source: String?
            if kind == .takeoutData { source = TakeoutFit.dataSource(of: head) }
            if [.appleHealth, .takeoutData, .takeoutDay, .takeoutSession].contains(kind) { recorded.insert(entry.file) }
            entries.append(
                Entry(
                    name: entry.name, file: entry.file, member: entry.member, packed: entry.packed, kind: kind, dataSource: source))
        }
    }

    /// Leaves out what Google's folder has several times.
    private mutating func finish() {
        let plan = TakeoutFit.plan(entries.map { TakeoutFit.File(path: $0.name, kind: $0.kind, dataSource: $0.dataSource) })
        takesSleepSessions = plan.takesSleepSessions
        for (entry, choice) in zip(entries, plan.choices) where choice != .read { skipped.append((entry.name, .repeated)) }
        entries = zip(entries, plan.choices).filter { $0.1 == .read }.map(\.0)
        isMade = true
    }

    // MARK: Bytes

    func bytes(of entry: Entry, _ sources: inout [SpoolSource]) throws -> ImportBytes {
        guard let member = entry.member, let archive = archives[entry.file] else { return ImportBytes(file: entry.file) }
        let inflate = try Inflate()
        let pieces = try archive.begin(archive.members[member], from: &sources[entry.file]) { try inflate.unpack($0, $1) }
        return ImportBytes(file: entry.file, pieces: pieces)
    }

    /// The next bytes of a file; nil at its end.
    mutating func next(_ bytes: inout ImportBytes, _ sources: inout [SpoolSource]) throws -> [UInt8]? {
        if var pieces = bytes.pieces {
            defer { bytes.pieces = pieces }
            return try archives[bytes.file]?.next(&pieces, from: &sources[bytes.file])
        }
        let next = try sources[bytes.file].read(at: bytes.at, count: ImportBytes.stepBytes)
        bytes.at += UInt64(next.count)
        return next.isEmpty ? nil : next
    }
}

/// The bytes of one file, in steps.
struct ImportBytes {
    static let stepBytes = 65_536

    let file: Int
    var at: UInt64 = 0
    var pieces: ZipPieces?

    /// Bytes of the upload that were read.
    var done: UInt64 { pieces?.done ?? at }
}
