/// One thing that is wrong with a hub: what, where, and what to do.
public struct DoctorFinding: Sendable, Hashable {
    /// What was looked at.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
        case settings, certificate, mail, texts, disk, clock, ports, proxy, tiles, permissions, backups, masterKey
    }

    public enum Severity: String, Sendable, Hashable, Comparable {
        /// The hub works, and something will go wrong or is left undone.
        case warning
        /// Something does not work.
        case fault

        public static func < (one: Self, other: Self) -> Bool { one == .warning && other == .fault }
    }

    public let subject: Subject
    /// A word for programs, which stays: `certificate.ended`.
    public let code: String
    public let severity: Severity
    /// A sentence.
    public let what: String
    /// The file, setting or address that it is about.
    public let place: String
    /// What to do.
    public let advice: String
    /// What the doctor can do itself.
    public let mending: DoctorMending?

    /// - Parameter word: behind the subject's in the code.
    init(
        _ severity: Severity, _ subject: Subject, _ word: String, _ what: String, at place: String, _ advice: String,
        mending: DoctorMending? = nil
    ) {
        (self.severity, self.subject, self.what, self.place, self.advice) = (severity, subject, what, place, advice)
        (code, self.mending) = ("\(subject.rawValue).\(word)", mending)
    }

    /// A fault.
    init(
        _ subject: Subject, _ word: String, _ what: String, at place: String, _ advice: String, mending: DoctorMending? = nil
    ) {
        self.init(.fault, subject, word, what, at: place, advice, mending: mending)
    }
}

/// What the doctor mends itself, once it may.
public enum DoctorMending: Sendable, Hashable, CustomStringConvertible {
    /// Takes these rights on a file or folder from whoever has them.
    case take(rights: UInt32, path: String)

    /// As a command that does the same.
    public var description: String {
        switch self {
        case .take(let rights, let path):
            let classes: [(mask: UInt32, letter: String)] = [(0o070, "g"), (0o007, "o")]
            let kinds: [(mask: UInt32, letter: String)] = [(0o044, "r"), (0o022, "w"), (0o011, "x")]
            let who = classes.filter { rights & $0.mask != 0 }.map { $0.letter }.joined()
            let what = kinds.filter { rights & $0.mask != 0 }.map { $0.letter }.joined()
            return "chmod \(who)-\(what) '\(path)'"
        }
    }
}
