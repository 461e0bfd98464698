import Exchange
import HubServices
import HubStore
import Vitals

/// The form for files, and what was imported before.
struct ImportPage: FramedPage {
    static let template = "import"

    struct Row: TemplateModel {
        let href: String, time: String, state: String
    }

    var problem: String?
    let intro: String
    let action: String
    /// What browsers offer to choose.
    let accept: String
    let hint: String
    /// Whether no import goes on.
    let isFree: Bool
    let hasRows: Bool
    let rows: [Row]
    let back: Link
}

/// One import: how far it is, or what became of it.
struct ImportResultPage: FramedPage {
    static let template = "importResult"

    struct Progress: TemplateModel {
        let all: String, done: String, text: String
    }

    struct Button: TemplateModel {
        let action: String, button: String
    }

    struct Kind: TemplateModel {
        let name: String, taken: String, duplicates: String, leftOut: String
    }

    struct File: TemplateModel {
        let name: String
        let lines: [String]
        let hasProblems: Bool
        let problems: [String]
    }

    var problem: String?
    var progress: Progress?
    var cancel: Button?
    let lines: [String]
    var hasKinds: Bool
    var kinds: [Kind]
    var hasFiles: Bool
    var files: [File]
    var undo: Button?
    /// What stays of it all the same.
    var undoStays: String?
    let back: Link
}

/// Imports in words.
struct ImportWords {
    let texts: Texts

    func state(_ state: ImportService.State) -> String {
        switch state {
        case .running: texts["import.running"]
        case .interrupted: texts["import.interrupted"]
        case .ended: texts["import.ended"]
        case .undone: texts["import.undone"]
        }
    }

    func refusal(_ refusal: ImportService.Refusal, bytesMax: Int) -> String {
        switch refusal {
        case .tooLarge: texts.filled("import.tooLarge", ["size": texts.megabytes(bytesMax)])
        case .tooManyFiles: texts.filled("import.tooManyFiles", ["limit": texts.number(ImportUpload.filesMax)])
        case .busy, .clearing, .crowded, .noFile, .gone, .disk: texts["import.\(refusal)"]
        }
    }

    func progress(_ progress: ImportProgress) -> String {
        let percent = progress.all > 0 ? Int(clamping: min(progress.done, progress.all) * 100 / progress.all) : 0
        let values = [
            "percent": String(percent), "taken": texts.number(progress.taken), "duplicates": texts.number(progress.duplicates),
            "file": progress.file,
        ]
        return texts.filled(progress.file.isEmpty ? "import.progressStart" : "import.progress", values)
    }

    /// What is to be said of the whole.
    func lines(_ shown: ImportService.Shown) -> [String] {
        var lines: [String] = []
        switch shown.state {
        case .running: lines.append(texts["import.runningText"])
        case .interrupted: lines.append(texts["import.interruptedText"])
        case .undone: lines.append(texts["import.undoneText"])
        case .ended: break
        }
        guard let result = shown.result else { return lines + [texts["import.unreadable"]] }
        if shown.state == .ended {
            switch result.end {
            case .cancelled: lines.append(texts["import.cancelledText"])
            case .failed: lines.append(texts["import.failedText"])
            case .running, .done: break
            }
            lines.append(texts.counted("import.taken", result.taken))
        }
        if !result.names.isEmpty { lines.append(texts.filled("import.names", ["names": result.names.joined(separator: ", ")])) }
        for why in ImportResult.Unread.allCases {
            if let count = result.unread[why] { lines.append(texts.counted("import.unread_\(why.rawValue)", count)) }
        }
        if !result.unreadNames.isEmpty {
            lines.append(texts.filled("import.unreadNames", ["names": result.unreadNames.joined(separator: ", ")]))
        }
        return lines
    }

    func kinds(_ result: ImportResult) -> [ImportResultPage.Kind] {
        let kinds = result.kinds
        return DataKind.allCases.compactMap { kind in
            kinds[kind.name].map { counts in
                ImportResultPage.Kind(
                    name: texts["field.kind\(kind.rawValue)"], taken: texts.number(counts.taken),
                    duplicates: texts.number(counts.duplicates), leftOut: texts.number(counts.tooDense + counts.outside))
            }
        }
    }

    func file(_ file: ImportResult.File) -> ImportResultPage.File {
        var lines: [String] = []
        if let format = texts.find("importFormat.\(file.format)") { lines.append(format) }
        for kind in DataKind.allCases {
            guard let counts = file.kinds[kind.name] else { continue }
            let parts = [
                ("import.count_taken", counts.taken), ("import.count_duplicates", counts.duplicates),
                ("import.count_tooDense", counts.tooDense), ("import.count_outside", counts.outside),
            ].filter { $0.1 > 0 }.map { texts.filled($0.0, ["n": texts.number($0.1)]) }
            if !parts.isEmpty { lines.append("\(texts["field.kind\(kind.rawValue)"]): \(parts.joined(separator: ", "))") }
        }
        for (name, count) in file.leftOut.sorted(by: { $0.key < $1.key }) {
            lines.append("\(texts.find("importLeftOut.\(name)") ?? name): \(texts.number(count))")
        }
        if !file.unknown.isEmpty {
            let names = file.unknown.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) (\(texts.number($0.value)))" }
            lines.append(texts.filled("import.unknown", ["names": names.joined(separator: ", ")]))
        }
        let problems = file.problems.map(problem)
        let name = file.name.isEmpty ? texts.counted("import.others", file.files) : file.name
        return ImportResultPage.File(name: name, lines: lines, hasProblems: !problems.isEmpty, problems: problems)
    }

    /// What is wrong, where, and how often.
    func problem(_ problem: ImportResult.Problem) -> String {
        let section =
            switch problem.family {
            case .samples: "importProblem"
            case .activity: "activityProblem"
            case .ecg: "ecgProblem"
            case .archive: "archiveProblem"
            }
        // Names of kinds are details.
        let detail = problem.detail.map { detail in DataKind(name: detail).map { texts["field.kind\($0.rawValue)"] } ?? detail } ?? ""
        var text = texts.filled("\(section).\(problem.code)", ["detail": detail])
        if let kind = problem.placeKind, let place = problem.place { text = texts.filled("ecgPlace.\(kind)", ["at": place]) + ": " + text }
        return problem.count > 1 ? text + " " + texts.filled("import.times", ["n": texts.number(problem.count)]) : text
    }
}
