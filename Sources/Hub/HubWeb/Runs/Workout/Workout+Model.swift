import Foundation
import HubServices
import HubStore
import Runs
import Vitals

/// A workout in words.
struct WorkoutModel {
    let texts: Texts

    init(_ texts: Texts) { self.texts = texts }

    // MARK: One that goes on

    /// - Parameter stream: where its script listens.
    func live(_ shown: WorkoutShown, stream: String, map: PlacesMap, isFriend: Bool = false) throws -> WorkoutPart {
        var place: String?
        if let lat = shown.lat, let lon = shown.lon { place = String(format: "%.5f, %.5f", lat, lon) }
        return WorkoutPart(
            stream: stream, isFriend: isFriend, isBad: shown.isSilent || shown.place == .old, state: state(shown, isFriend),
            isTest: shown.isTest, metres: texts.distance(Double(shown.metres)),
            time: shown.began.map { Self.clock((shown.t - $0) / 1000) } ?? "–", pace: pace(shown.pace), average: pace(shown.average),
            hr: shown.hr.map { "\($0) \(texts["live.bpm"])" } ?? "–", heart: heart(shown), place: place, hasLegs: !shown.legs.isEmpty,
            legs: legs(shown.legs, after: shown.legsBefore), mapConfig: try map.configuration(texts), now: try ScriptJSON.text(shown),
            scriptTexts: try scriptTexts())
    }

    /// Where the data stands, in one line.
    private func state(_ shown: WorkoutShown, _ isFriend: Bool) -> String {
        guard let heard = shown.heard else { return texts[isFriend ? "workout.friendNothing" : "workout.nothing"] }
        if shown.isSilent { return texts.filled("workout.silent", ["time": texts.instant(heard)]) }
        switch shown.place {
        case .none: return texts[isFriend ? "workout.friendHidden" : "workout.noPlace"]
        case .old:
            return texts.filled(
                isFriend ? "workout.friendOld" : "workout.oldPlace", ["age": texts.age(max(0, shown.t - (shown.seen ?? 0)))])
        case .now: return texts[shown.isStanding ? "workout.standing" : "workout.running"]
        }
    }

    /// Why there is no heart rate; empty where there is one.
    private func heart(_ shown: WorkoutShown) -> String {
        if shown.hr != nil { return "" }
        return texts.filled("workout.heart_\(shown.heart)", ["age": shown.beat.map { texts.age(max(0, shown.t - $0)) } ?? ""])
    }

    /// What the script says: the texts `workout.*`, and how it writes an age.
    private func scriptTexts() throws -> String {
        var own = texts.sections["workout"] ?? [:]
        own["bpm"] = texts["live.bpm"]
        return try ScriptJSON.text(own)
    }

    private func legs(_ legs: [Int], after before: Int) -> [WorkoutPart.Leg] {
        legs.enumerated().map { .init(km: texts.number(before + $0.offset + 1), time: Self.clock(Milliseconds($0.element))) }
    }

    /// - Parameter seconds: a kilometre.
    private func pace(_ seconds: Int?) -> String {
        let measures = texts.measures
        return seconds.map {
            "\(Self.clock(Milliseconds((Double($0) * measures.length / 1000).rounded()))) /\(measures.lengthUnit)"
        } ?? "–"
    }

    /// Seconds as `1:02:03`.
    static func clock(_ seconds: Milliseconds) -> String {
        let whole = max(seconds, 0)
        return whole >= 3600
            ? String(format: "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60) : String(format: "%d:%02d", whole / 60, whole % 60)
    }

    // MARK: One that is over

    private func duration(_ workout: StoredWorkout) -> String { Self.clock(((workout.ended ?? workout.began) - workout.began) / 1000) }

    /// In the list.
    func entry(_ workout: StoredWorkout, _ runner: RunSite.Runner) -> WorkoutPage.Done {
        var parts = [duration(workout)]
        if let summary = workout.content.summary {
            if summary.hasPositions { parts.insert(texts.distance(summary.metres), at: 0) }
            if let seconds = summary.secondsPerKilometre { parts.append(pace(seconds)) }
            if let heart = summary.heart { parts.append("\(Int(heart.average.rounded())) \(texts["live.bpm"])") }
        }
        return .init(
            href: "/runs/workout/\(workout.id)\(runner.query)", when: texts.instant(workout.began), text: parts.joined(separator: " · "))
    }

    func done(_ workout: StoredWorkout, _ runner: RunSite.Runner) -> WorkoutDonePage {
        let summary = workout.content.summary
        var facts = [("began", texts.instant(workout.began)), ("time", duration(workout))]
        if let summary {
            facts.append(("distance", summary.hasPositions ? texts.distance(summary.metres) : texts["workout.noPositions"]))
            if let seconds = summary.secondsPerKilometre { facts.append(("average", pace(seconds))) }
            if let heart = summary.heart {
                facts += [
                    ("heartMean", "\(Int(heart.average.rounded())) \(texts["live.bpm"])"),
                    ("heartMax", "\(heart.max) \(texts["live.bpm"])"),
                ]
            } else {
                facts.append(("heartMean", texts["workout.noHeart"]))
            }
        }
        let splits = (summary?.splits ?? []).map { split in
            WorkoutDonePage.Split(
                km: texts.number(Int((split.metres / 1000).rounded())), leg: Self.clock((split.leg + 500) / 1000), isGuess: !split.isSeen,
                time: Self.clock((split.net + 500) / 1000))
        }
        return WorkoutDonePage(
            runner: runner.isOwn ? nil : runner.name, isTest: summary?.isTest ?? false, isOpen: workout.isOpen, isDone: !workout.isOpen,
            isComing: summary == nil, facts: facts.map { Fact(label: texts["workout.fact_\($0.0)"], value: $0.1) },
            hasSplits: !splits.isEmpty, splits: splits, id: workout.id.description, who: runner.isOwn ? "" : runner.person.description,
            query: runner.query)
    }
}

/// A workout that goes on (`workoutLive.mustache`).
struct WorkoutPart: TemplateModel {
    struct Leg: TemplateModel {
        let km: String, time: String
    }

    let stream: String
    let isFriend: Bool
    let isBad: Bool
    let state: String
    let isTest: Bool
    let metres: String, time: String, pace: String, average: String
    /// The rate, and why there is none.
    let hr: String, heart: String
    var place: String?
    let hasLegs: Bool
    let legs: [Leg]
    /// JSON.
    let mapConfig: String, now: String, scriptTexts: String
}

struct WorkoutDonePage: FramedPage {
    static let template = "workoutDone"

    struct Split: TemplateModel {
        let km: String, leg: String
        let isGuess: Bool
        let time: String
    }

    /// The child's name.
    var runner: String?
    let isTest: Bool
    let isOpen: Bool
    let isDone: Bool
    let isComing: Bool
    let facts: [Fact]
    let hasSplits: Bool
    let splits: [Split]
    let id: String, who: String, query: String
}
