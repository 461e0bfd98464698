extension SourceFile {
    /// The pure target that it belongs to: the results of those in Core depend on their arguments alone.
    var pureTarget: String? { isSwift && path.hasPrefix("Sources/Core/") ? target : nil }
}

/// No clock and no I/O in the pure targets. Foundation and the C library are kept out by the imports; these come with the language.
enum PurityRule {
    static let clocks = [
        "Date()", "ContinuousClock", "SuspendingClock", "Clock", "clock_gettime", "gettimeofday", "DispatchTime", ".now", "Task.sleep",
    ]
    static let io = ["print(", "debugPrint(", "dump(", "readLine(", "CommandLine", "FileManager", "FileHandle", "fopen", "getenv"]

    static func violations(in file: SourceFile) -> [Violation] {
        guard let target = file.pureTarget else { return [] }
        let code = file.code
        func find(_ tokens: [String], _ reason: String) -> [Violation] {
            tokens.flatMap { token in
                SwiftCode.lines(of: token, in: code).map {
                    Violation(path: file.path, line: $0, what: "\(token) in the pure target \(target): \(reason)")
                }
            }
        }
        return find(clocks, "events carry their time") + find(io, "what is to be done is returned, and done elsewhere")
    }
}

/// What stops a program, and what a library says behind its caller's back.
enum CrashRule {
    /// A place where a token may stand, and why nothing else would do.
    struct Exception: Sendable {
        let path: String, token: String, reason: String
    }

    static let allowed: [Exception] = []

    static let crashes = ["try!", "as!", "fatalError("]
    static let prints = ["print(", "debugPrint(", "dump("]

    /// An executable speaks on standard output; what AgentKit and HubWeb have to say, they return or log.
    static func isLibrary(_ target: String) -> Bool { !target.hasPrefix("trackme-") }

    static func violations(in file: SourceFile, allowed: [Exception] = allowed) -> [Violation] {
        guard file.isSwift, file.path != "Package.swift" else { return [] }
        var found: [Violation] = []
        let code = file.code
        func find(_ tokens: [String], _ reason: String) {
            for token in tokens where !allowed.contains(where: { $0.path == file.path && $0.token == token }) {
                found += SwiftCode.lines(of: token, in: code).map { Violation(path: file.path, line: $0, what: "\(token): \(reason)") }
            }
        }
        find(crashes, "an error is thrown or handled; in a test it fails that test alone (try #require)")
        if let target = file.target, isLibrary(target) { find(prints, "a library returns or logs what it has to say") }
        return found
    }
}

/// Files that one can read in one go.
enum SizeRule {
    static let linesMax = 400
    static let executableLinesMax = 119
    private static let kinds: Set<Substring> = ["swift", "c", "h", "js", "css", "html", "mustache", "py", "sh"]

    static func isWritten(_ file: SourceFile) -> Bool {
        guard let name = file.path.split(separator: "/").last else { return false }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 ? kinds.contains(parts[parts.count - 1]) : file.text.hasPrefix("#!")
    }

    static func violations(in file: SourceFile) -> [Violation] {
        guard isWritten(file) else { return [] }
        let limit = file.target.map(CrashRule.isLibrary) == false ? executableLinesMax : linesMax
        let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
        guard count > limit else { return [] }
        return [Violation(path: file.path, line: count, what: "\(count) lines, of \(limit) at most: it holds more than one thing")]
    }
}

/// Documents that one can read in any window. Tables and fenced code are as wide as they are.
enum DocumentRule {
    static let widthMax = 160

    static func violations(in file: SourceFile) -> [Violation] {
        guard file.path.hasSuffix(".md") else { return [] }
        var isExample = false
        return file.lines.enumerated().compactMap { index, line in
            if line.hasPrefix("```") { isExample.toggle() }
            guard line.count > widthMax, !isExample, line.first != "|" else { return nil }
            return Violation(path: file.path, line: index + 1, what: "\(line.count) characters, of \(widthMax) at most")
        }
    }
}

/// Folders that one can see at a glance: who looks for a subject finds its room.
enum FolderRule {
    static let filesMax = 30

    static func violations(in files: [SourceFile]) -> [Violation] {
        let folders = Dictionary(grouping: files.filter(\.isSwift)) { file in
            file.path.split(separator: "/").dropLast().joined(separator: "/")
        }
        return folders.filter { $1.count > filesMax }.sorted { $0.key < $1.key }.map { folder, files in
            Violation(path: folder, line: 1, what: "\(files.count) Swift files, of \(filesMax) at most: it holds more than one subject")
        }
    }
}

/// A page's template, scripts and style lie in the room of its subject: those of HubWeb/Runs in HubWeb/Assets/Runs.
enum AssetRule {
    static let pages = "Sources/Hub/HubWeb/", assets = pages + "Assets/"

    static func violations(in files: [SourceFile]) -> [Violation] {
        var rooms: Set<Substring> = [], templates: [Substring: Substring] = [:]
        for file in files where file.isSwift && file.path.hasPrefix(pages) {
            let parts = file.path.dropFirst(pages.count).split(separator: "/")
            guard parts.count > 1 else { continue }
            rooms.insert(parts[0])
            for match in file.text.matches(of: /static let template\b[^=\n]*= "(\w+)"/) { templates[match.1 + ".mustache"] = parts[0] }
        }
        return files.compactMap { file in
            guard file.path.hasPrefix(assets) else { return nil }
            let parts = file.path.dropFirst(assets.count).split(separator: "/")
            guard let name = parts.last, parts.count > 1 || !name.hasSuffix(".json") else { return nil }
            let room = parts.count > 1 ? parts[0] : nil
            if let model = templates[name] {
                return room == model ? nil : Violation(path: file.path, line: 1, what: "lies in Assets/\(model), where its model's room is")
            }
            guard room.map(rooms.contains) != true else { return nil }
            return Violation(path: file.path, line: 1, what: "lies in the folder of a room of HubWeb; what all pages use in Assets/Pages")
        }
    }
}

/// Types that one can know: all the extensions of a type in its target, taken together.
enum TypeSizeRule {
    static let linesMax = 800

    static func violations(in files: [SourceFile]) -> [Violation] {
        var sizes: [String: (lines: Int, path: String)] = [:]
        for file in files where file.isSwift {
            guard let target = file.target else { continue }
            for (name, lines) in sizesOfTypes(in: file.code) {
                let key = "\(target) \(name)"
                sizes[key] = ((sizes[key]?.lines ?? 0) + lines, min(sizes[key]?.path ?? file.path, file.path))
            }
        }
        return sizes.filter { $1.lines > linesMax }.map { key, size in
            Violation(path: size.path, line: 1, what: "\(key) has \(size.lines) lines, of \(linesMax) at most")
        }.sorted { $0.what < $1.what }
    }

    /// What begins in the first column, up to the brace that closes it there.
    private static func sizesOfTypes(in code: String) -> [(name: String, lines: Int)] {
        var found: [(name: String, lines: Int)] = [], open: (name: String, line: Int)?
        for (index, line) in code.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let begun = open, line.hasPrefix("}") {
                found.append((begun.name, index - begun.line + 1))
                open = nil
            } else if open == nil, let name = declared(line) {
                open = line.contains("}") ? nil : (name, index)
            }
        }
        return found
    }

    private static func declared(_ line: Substring) -> String? {
        guard let first = line.first, first.isLetter || first == "@" else { return nil }
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }
        let kinds: Set<Substring> = ["extension", "class", "struct", "enum", "actor", "protocol"]
        guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count else { return nil }
        return String(words[kind + 1])
    }
}

/// A clone works anywhere: nothing names the place where it was written.
enum WorkplaceRule {
    /// Taken apart, so that this file does not find itself.
    static let places = ["/" + "work" + "/", "/" + "tmp" + "/helper"]
    static let beside = ".." + "/shared"

    static func violations(in file: SourceFile) -> [Violation] {
        let patterns = file.path == ".ci/run" ? places : places + [beside]
        return file.lines.enumerated().flatMap { index, line in
            patterns.filter { line.contains($0) }.map {
                Violation(path: file.path, line: index + 1, what: "names \($0), which exists at its author's only")
            }
        }
    }
}

/// Public declarations of the pure targets say what they are: units, ranges, errors.
enum DocumentationRule {
    private static let kinds: Set<Substring> = ["struct", "enum", "class", "actor", "protocol", "func", "let", "var", "typealias", "macro"]

    static func violations(in file: SourceFile) -> [Violation] {
        guard file.pureTarget != nil else { return [] }
        let code = file.code.split(separator: "\n", omittingEmptySubsequences: false), raw = file.lines
        var depth = 0
        var found: [Violation] = []
        for (index, line) in code.enumerated() {
            defer { depth += line.reduce(0) { $0 + ($1 == "{" ? 1 : $1 == "}" ? -1 : 0) } }
            guard depth == 0, declares(line) else { continue }
            var above = index
            repeat { above -= 1 } while above >= 0 && raw[above].hasPrefix("@")
            if above < 0 || !raw[above].hasPrefix("///") {
                let what = "no doc comment: \(raw[index].prefix { $0 != "{" })"
                found.append(Violation(path: file.path, line: index + 1, what: what))
            }
        }
        return found
    }

    private static func declares(_ line: Substring) -> Bool {
        let words = line.prefix { $0 != "{" }.split(whereSeparator: { $0 == " " || $0 == "(" || $0 == ":" })
        guard let kind = words.firstIndex(where: kinds.contains) else { return false }
        let modifiers = words[..<kind]
        return (modifiers.contains("public") || modifiers.contains("open")) && !modifiers.contains("import")
    }
}

/// A model is a type: a key that is not there does not compile. What has any shape is decoded into a type that says which.
enum ModelRule {
    static let adapter = "Sources/Hub/HubWeb/Pages/TemplateModel.swift"
    static let tokens = [
        "[String: Any]", "[String: any Sendable]", "[String: AnyObject]", "NSDictionary", "JSONSerialization", "Mirror(reflecting",
    ]

    static func violations(in file: SourceFile) -> [Violation] {
        guard file.target != nil, file.path.hasPrefix("Sources/"), file.path != adapter else { return [] }
        let code = file.code
        return tokens.flatMap { token in
            SwiftCode.lines(of: token, in: code).map {
                Violation(path: file.path, line: $0, what: "\(token): only the adapter of the templates looks keys up by name")
            }
        }
    }
}
