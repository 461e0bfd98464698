import Glibc
public import Sensing

/// The programs in the folder of hooks: which may run, and why others may not.
public struct HookFolder: Sendable, Hashable {
    /// More are refused.
    static let hooksMax = 16
    /// Paths, in the order of their names.
    public var programs: [String] = []
    /// Everything that keeps a program from running, in the words for the box's owner.
    public var problems: [SourceProblem] = []

    /// Looks at the folder. One that is not there is empty.
    init(_ path: String) {
        guard let names = DirectoryNames.read(path, max: 256) else {
            if errno != ENOENT {
                problems.append(Self.problem(path, "cannot be read (\(String(cString: strerror(errno))))", "chmod 755 \(path)"))
            }
            return
        }
        let wanted = names.filter(Self.isWanted).sorted()
        guard !wanted.isEmpty else { return }
        if let problem = Self.fault(of: path, type: S_IFDIR) {
            problems.append(problem)
            return
        }
        for name in wanted {
            let file = "\(path)/\(name)"
            if let problem = Self.fault(of: file, type: S_IFREG) {
                problems.append(problem)
            } else if programs.count == Self.hooksMax {
                problems.append(
                    Self.problem(file, "is one too many: \(Self.hooksMax) at most are run", "Call several things from one of them"))
            } else {
                programs.append(file)
            }
        }
    }

    /// Not what editors and the package manager leave behind.
    private static func isWanted(_ name: String) -> Bool {
        !name.hasPrefix("README") && !name.hasSuffix("~") && !name.hasSuffix(".swp") && !name.contains(".dpkg-")
    }

    /// What others could write would let them speak in the box's name, and run as its agent.
    private static func fault(of path: String, type: mode_t) -> SourceProblem? {
        var facts = stat()
        guard lstat(path, &facts) == 0 else {
            return problem(path, "cannot be looked at (\(String(cString: strerror(errno))))", "ls -l \(path)")
        }
        guard facts.st_mode & S_IFMT == type else {
            return problem(path, "is no plain file", "Put the program itself there, not a link to it")
        }
        guard facts.st_uid == 0 || facts.st_uid == geteuid() else { return problem(path, "belongs to somebody else", "chown root \(path)") }
        guard facts.st_mode & 0o022 == 0 else { return problem(path, "can be written by others", "chmod go-w \(path)") }
        guard type == S_IFDIR || facts.st_mode & 0o111 != 0 else { return problem(path, "is not executable", "chmod 755 \(path)") }
        return nil
    }

    private static func problem(_ path: String, _ why: String, _ advice: String) -> SourceProblem {
        SourceProblem(what: "The hook \(path) does not run in an emergency: it \(why)", advice: advice, retries: true)
    }
}
