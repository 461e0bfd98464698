// Measures the detector: `Detection FOLDER EPISODES HOURS HOLES`. FOLDER holds scenario files made of captures, by packaging/bench/detection;
// what comes of them and of the made-up series is printed as JSON. HOURS of exercise are played twice: from the seeds by which the rules were
// found, and from others.
import Distress
import Foundation

struct Played: Codable {
    var file: String
    var alarms: [Played.Alarm] = []
    var questions = 0, questionsToTheLetter = 0
    /// How often the readings were found to contradict each other.
    var contradictions = 0
    var problem: String?

    struct Alarm: Codable {
        /// Seconds of the series: of the first qualifying reading, and of the alarm.
        var first: Double, raised: Double
        var trigger: String, value: Int, limit: Int, context: String, isLost: Bool
    }
}

struct Output: Codable {
    var played: [Played] = []
    var episodes: [Episodes.Result] = []
    var exercise: [Exercise.Result] = []
    var holes: [Holes.Result] = []
}

func play(_ url: URL, _ name: String) -> Played {
    do {
        let report = Replay.run(try Scenario(text: try String(contentsOf: url, encoding: .utf8)))
        var played = Played(file: name)
        played.questions = report.decisions.count { $0.kind == .asked }
        played.questionsToTheLetter = report.questionsToTheLetter
        played.contradictions = report.decisions.count { $0.reasons.contains(.absent(.contradictory)) }
        played.alarms = report.alarms.map { alarm in
            let found = alarm.abnormalities[0]
            return Played.Alarm(
                first: Double(found.first.time) / 1000, raised: Double(alarm.raisedAt) / 1000, trigger: found.trigger.rawValue,
                value: found.latest.value, limit: found.limit ?? 0, context: found.context.rawValue, isLost: found.isLost)
        }
        return played
    } catch {
        return Played(file: name, problem: "\(error)")
    }
}

/// Minutes of work: how far it is goes to standard error, twenty times.
struct Progress {
    let what: String
    let whole: Double
    private var told = -1

    init(_ what: String, of whole: Double) { (self.what, self.whole) = (what, whole) }

    mutating func at(_ done: Double) {
        let step = Int(20 * done / max(whole, 1))
        guard step != told else { return }
        told = step
        FileHandle.standardError.write(Data("  \(what): \(Int(done)) of \(Int(whole))\n".utf8))
    }
}

func each<Result>(_ what: String, _ count: UInt64, _ one: (UInt64) -> Result) -> [Result] {
    var progress = Progress(what, of: Double(count))
    return (0..<count).map { seed in
        progress.at(Double(seed))
        return one(seed)
    }
}

/// Seeds from here on were not looked at while the rules were made.
let heldBack: UInt64 = 1_000_000
let arguments = CommandLine.arguments
guard arguments.count == 5, let episodes = UInt64(arguments[2]), let hours = Double(arguments[3]), let holes = UInt64(arguments[4]) else {
    FileHandle.standardError.write(Data("usage: Detection FOLDER EPISODES HOURS HOLES\n".utf8))
    exit(64)
}
var output = Output()
let folder = URL(filePath: arguments[1])
let files = (FileManager.default.enumerator(atPath: folder.path())?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".txt") }.sorted()
output.played = files.map { play(folder.appending(path: $0), $0) }
output.episodes = each("episodes", episodes, Episodes.one)
output.exercise = [0, heldBack].map { Exercise.hours(hours, from: $0) }
output.holes = each("drop-outs", holes, Holes.one)
let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys]
FileHandle.standardOutput.write(try encoder.encode(output))
