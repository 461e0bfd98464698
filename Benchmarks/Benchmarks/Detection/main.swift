// Measures the detector: `Detection FOLDER EPISODES HOURS HOLES`. FOLDER holds scenario files made of captures, by packaging/bench/detection;
// what comes of them and of the made-up series is printed as JSON. HOURS of exercise are played twice: from the seeds by which the rules were
// found, and from others.
import Distress
import Foundation

struct Played: Codable {
    var file: String
    var alarms: [Played.Alarm] = []
    var questions = 0, alarmsToTheLetter = 0
    /// How often the readings were found to contradict each other.
    var contradictions = 0
    /// When a pause was asked about, or alarmed for.
    var pauses: [Double] = []
    /// Of beats: with what is known of rest, and without.
    var rhythm: [Rhythm.Played] = []
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
    /// The same seeds: with a rate between the limit and what must be found, and, where no movement is known, at home and strict.
    var between: [Episodes.Result] = [], home: [Episodes.Result] = [], strict: [Episodes.Result] = []
    var pauses: [Pauses.Result] = []
    var indoor: [[Indoor.Result]] = []
    var exercise: [Exercise.Result] = []
    var holes: [Holes.Result] = []
    var rhythm: [Rhythm.Result] = []
    /// Nanoseconds of one interval.
    var rhythmCost = 0.0
}

func play(_ url: URL, _ name: String) -> Played {
    do {
        var scenario = try Scenario(text: try String(contentsOf: url, encoding: .utf8))
        let report = Replay.run(scenario)
        var played = Played(file: name)
        played.questions = report.decisions.count { $0.kind == .asked }
        // Recorded beats are those of people who lie still, which is known: strict changes nothing there.
        if name.hasPrefix("activity/") {
            scenario.settings.strict = true
            played.alarmsToTheLetter = Replay.run(scenario).alarms.count
        }
        if name.hasPrefix("beats/") { played.rhythm = [true, false].map { Rhythm.play(scenario.events, isRestKnown: $0) } }
        played.pauses = report.decisions.filter(\.isAboutPause).map { Double($0.time) / 1000 }
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

extension Decision {
    /// A pause was found, whether the question was open already or not.
    fileprivate var isAboutPause: Bool {
        guard kind == .suspected, case .beyond(.heartPause, _, _, _)? = reasons.first else { return false }
        return true
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
let some = episodes / 5
output.between = each("episodes between", some) { Episodes.one($0, .usual, .between) }
output.home = each("episodes at home", episodes) { Episodes.other($0, .home) }.compactMap(\.self)
output.strict = each("episodes, strict", episodes) { Episodes.other($0, .strict) }.compactMap(\.self)
output.pauses = each("pauses", some, Pauses.one)
output.indoor = [0, heldBack].map { Indoor.hours(hours / 3, from: $0) }
output.exercise = [0, heldBack].map { Exercise.hours(hours, from: $0) }
output.holes = each("drop-outs", holes, Holes.one)
output.rhythm = each("rhythms", some, Rhythm.one)
output.rhythmCost = Rhythm.cost()
let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys]
FileHandle.standardOutput.write(try encoder.encode(output))
