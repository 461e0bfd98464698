public import Exchange
import Vitals

/// The outcome of an import: what each file brought, and what is missing. It is kept sealed with the person's key.
public struct ImportResult: Sendable, Hashable, Codable {
    /// How it ended.
    public enum End: String, Sendable, Hashable, Codable, CaseIterable {
        /// The hub reads, or was stopped while it did.
        case running
        case done
        /// By the person: what was added before stays.
        case cancelled
        /// The hub could not go on: its disk, or its databases.
        case failed
    }

    /// The outcome of the samples of one kind.
    public struct Counts: Sendable, Hashable, Codable {
        public internal(set) var taken = 0
        /// There already.
        public internal(set) var duplicates = 0
        /// More of them in ten seconds than any sensor measures.
        public internal(set) var tooDense = 0
        /// Outside of the limits of what is stored: time, value, place.
        public internal(set) var outside = 0

        public static func + (left: Counts, right: Counts) -> Counts {
            Counts(
                taken: left.taken + right.taken, duplicates: left.duplicates + right.duplicates, tooDense: left.tooDense + right.tooDense,
                outside: left.outside + right.outside)
        }
    }

    /// Something that is missing. `code` is the name of a case of `ImportProblem.Code`, `ActivityProblem.Code`, `ECGProblem.Code` or
    /// ``ArchiveProblem``, as `family` says.
    public struct Problem: Sendable, Hashable, Codable {
        public enum Family: String, Sendable, Hashable, Codable {
            case samples, activity, ecg, archive
        }

        public let family: Family
        public let code: String
        /// `line`, `byte`, `element`, `signal`, `lead`; nil for the whole file.
        public var placeKind: String?
        public var place: String?
        public var detail: String?
        public var count = 1
    }

    /// A problem of an archive, or of one of its members.
    public enum ArchiveProblem: String, Sendable, Hashable, Codable, CaseIterable {
        case damaged, severalDisks, tooManyMembers, encrypted, method, cut, checksum, tooLarge
        /// An ECG in it, which the disk did not take.
        case notStored
    }

    /// Why a whole file was not read.
    public enum Unread: String, Sendable, Hashable, Codable, CaseIterable {
        /// It is none of what is read.
        case unknown
        /// Another file has the same: `export_cda.xml`, sums of days, data that Google merged.
        case repeated
        /// An archive within an archive.
        case nested
    }

    /// One file, or one member of an archive.
    public struct File: Sendable, Hashable, Codable {
        /// As it was uploaded, or its path in the archive; empty for several together.
        public internal(set) var name: String
        /// A name of `ImportFile`, or the format of an activity.
        public internal(set) var format: String
        /// The number of files that this tells of.
        public internal(set) var files = 1
        /// By the names of the kinds; `ecg` counts strips.
        public internal(set) var kinds: [String: Counts] = [:]
        /// By the names of `ImportReport.LeftOut`, `ActivityFile.LeftOut` and ``LeftOut``.
        public internal(set) var leftOut: [String: Int] = [:]
        /// Types that no kind is for, by their names in the file.
        public internal(set) var unknown: [String: Int] = [:]
        public internal(set) var problems: [Problem] = []

        init(_ name: String, _ format: String) { (self.name, self.format) = (name, format) }
    }

    /// Parts of a file of ours that are not imported.
    public enum LeftOut: String, Sendable, Hashable, CaseIterable {
        /// Which segments of a box were lost.
        case gaps
        /// Samples that the file marks as no measurement: a drill, a replay.
        case drills
    }

    public internal(set) var end = End.running
    /// As the uploaded files are named.
    public internal(set) var names: [String] = []
    /// The importer: the person, or a parent. 32 hexadecimal digits.
    public internal(set) var uploader = ""
    public internal(set) var files: [File] = []
    public internal(set) var unread: [Unread: Int] = [:]
    /// A few of the names of what was not read.
    public internal(set) var unreadNames: [String] = []
    /// Strips that it added, so that they can be taken back.
    public internal(set) var strips: [String] = []

    /// Files that are told of one by one, at most; the others are one entry.
    static let filesMax = 60
    static let unreadNamesMax = 20
    /// Characters of a file's name.
    static let nameMax = 160
    /// Of one file.
    static let problemsMax = 30
    static let unknownMax = 100

    /// Sums over all files by the names of the kinds.
    public var kinds: [String: Counts] {
        files.reduce(into: [:]) { sums, file in sums.merge(file.kinds, uniquingKeysWith: +) }
    }

    public var taken: Int { files.reduce(0) { $0 + $1.kinds.values.reduce(0) { $0 + $1.taken } } }

    mutating func add(_ file: File) {
        var file = file
        file.problems = Array(file.problems.prefix(Self.problemsMax))
        if file.unknown.count > Self.unknownMax {
            let most = file.unknown.sorted { $0.value > $1.value }.prefix(Self.unknownMax)
            file.unknown = Dictionary(uniqueKeysWithValues: most.map { ($0.key, $0.value) })
        }
        guard files.count >= Self.filesMax, var others = files.last else { return files.append(file) }
        others.merge(file)
        files[files.count - 1] = others
    }

    mutating func skip(_ name: String, _ why: Unread) {
        unread[why, default: 0] += 1
        if unreadNames.count < Self.unreadNamesMax { unreadNames.append(String(name.suffix(Self.nameMax))) }
    }
}

extension ImportResult.File {
    fileprivate mutating func merge(_ other: Self) {
        (name, files) = ("", files + other.files)
        if format != other.format { format = "" }
        kinds.merge(other.kinds, uniquingKeysWith: +)
        leftOut.merge(other.leftOut, uniquingKeysWith: +)
        for (name, count) in other.unknown where unknown[name] != nil || unknown.count < ImportResult.unknownMax {
            unknown[name, default: 0] += count
        }
        problems = Array((problems + other.problems).prefix(ImportResult.problemsMax))
    }

    mutating func note(_ report: ImportReport) {
        problems += report.problems.map(ImportResult.Problem.init)
        for (what, count) in report.leftOut { leftOut[what.rawValue, default: 0] += count }
        unknown.merge(report.unknown, uniquingKeysWith: +)
        if report.unknownOthers > 0 { unknown["…", default: 0] += report.unknownOthers }
    }
}

extension ImportResult.Problem {
    /// The findings of a reader of samples.
    public init(_ problem: ImportProblem) {
        self.init(family: .samples, code: problem.code.rawValue, detail: problem.detail, count: problem.count)
        switch problem.place {
        case .file: break
        case .line(let line): (placeKind, place) = ("line", String(line))
        case .item(let list, let index): (placeKind, place) = ("element", "\(list)[\(index)]")
        }
    }

    init(_ problem: ActivityProblem) {
        self.init(family: .activity, code: problem.code.rawValue, detail: problem.detail, count: problem.count)
        switch problem.place {
        case .file: break
        case .line(let line): (placeKind, place) = ("line", String(line))
        case .byte(let byte): (placeKind, place) = ("byte", String(byte))
        }
    }

    init(_ problem: ECGProblem) {
        self.init(family: .ecg, code: problem.code.rawValue, detail: problem.detail)
        switch problem.place {
        case .file: break
        case .line(let line): (placeKind, place) = ("line", String(line))
        case .byte(let byte): (placeKind, place) = ("byte", String(byte))
        case .element(let path): (placeKind, place) = ("element", path)
        case .signal(let signal): (placeKind, place) = ("signal", String(signal))
        case .lead(let lead): (placeKind, place) = ("lead", String(lead))
        }
    }

    init(_ fault: ZipFault) {
        let (code, detail): (ImportResult.ArchiveProblem, String?) =
            switch fault {
            case .noDirectory: (.damaged, nil)
            case .severalDisks: (.severalDisks, nil)
            case .tooManyMembers(let max): (.tooManyMembers, String(max))
            case .encrypted: (.encrypted, nil)
            case .method(let method): (.method, String(method))
            case .cut: (.cut, nil)
            case .checksum: (.checksum, nil)
            case .tooLarge(let max): (.tooLarge, String(max >> 20))
            case .bomb: (.tooLarge, nil)
            }
        self.init(family: .archive, code: code.rawValue, detail: detail)
    }
}

/// How far an import is.
public struct ImportProgress: Sendable, Hashable {
    /// Uploaded bytes that were read, of all.
    public internal(set) var done: UInt64 = 0
    public internal(set) var all: UInt64 = 0
    /// Samples that were added.
    public internal(set) var taken = 0
    public internal(set) var duplicates = 0
    /// The file that is being read.
    public internal(set) var file = ""
}
