import Distress
import Vitals

/// Hours of made-up exercise: nobody is in trouble, so each alarm is false. Played as live, so that after one nothing is raised until the
/// person reactivates, as it would be.
enum Exercise {
    struct Result: Codable {
        var hours = 0.0
        var questions = 0
        var sessions = 0
        var alarms: [String] = []
        /// With `strict`: SOS-4 to the letter.
        var toTheLetter = 0
    }

    static func session(_ seed: UInt64) -> Result {
        var chance = Chance(seed: seed &* 7919 &+ 1)
        let age = chance.whole(16...75)
        let maximum = 208 - 0.7 * Double(age) + 10 * chance.normal()
        let resting = chance.real(45...75)
        let sport = chance.pick(["run", "run", "ride", "walk", "intervals", "hike"])
        let knowsAge = chance.happens(0.7)
        var settings = DistressSettings(
            age: knowsAge ? age : nil,
            personal: chance.happens(0.5)
                ? PersonalLimits(
                    version: 1, computedAt: 0, restingMedian: Int(resting), restingDeviation: 4, days: 10, maximum: Int(0.95 * maximum))
                : nil)
        var strap = Strap(&chance)
        var replay = Replay(Scenario(provenance: .live, side: .hub, settings: settings))
        settings.strict = true
        var strict = Replay(Scenario(provenance: .live, side: .hub, settings: settings))
        func take(_ event: DistressEvent, at time: Milliseconds) {
            replay.take(.init(time: time, event: event))
            strict.take(.init(time: time, event: event))
        }
        let length = chance.whole(1800...9000), before = chance.whole(0...1) * chance.whole(30...600), after = 900
        var heart = resting + 12, pace = 0.0, holeUntil = 0, fixHoleUntil = before + chance.whole(0...60), lockUntil = 0, standsUntil = 0,
            fitness = chance.real(0.55...0.97)
        if sport == "walk" || sport == "hike" { fitness = chance.real(0.4...0.7) }
        for second in 0..<before + length + after {
            let time = Milliseconds(second) * 1000
            let isMoving = second >= before && second < before + length
            if isMoving, second > standsUntil, chance.happens(1.0 / 600) { standsUntil = second + chance.whole(10...150) }
            let moves = isMoving && second >= standsUntil
            let hard = sport == "intervals" ? ((second - before) / 120 % 2 == 0 ? 1.0 : 0.5) : 1.0
            let wantedPace = moves ? Self.pace(sport) * (0.7 + 0.3 * hard) : 0
            pace += (wantedPace - pace) * 0.4
            let effort = moves ? fitness * (0.75 + 0.25 * hard) + 0.05 * Double(second - before) / Double(length) : 0.12
            let wanted = resting + (maximum - resting) * min(1, effort)
            heart += (wanted - heart) * (wanted > heart ? 1.0 / 35 : 1.0 / 70) + 0.6 * chance.normal()
            heart = min(heart, maximum)
            if chance.happens(1.0 / 1800) { fixHoleUntil = second + chance.whole(5...180) }
            if second >= fixHoleUntil { take(moving(pace + 0.25 * abs(chance.normal()), at: time), at: time) }
            if chance.happens(1.0 / 1200) { holeUntil = second + chance.whole(2...60) }
            if second < holeUntil { continue }
            // An optical sensor that takes the steps for the heart.
            if moves, !strap.sendsRR, chance.happens(1.0 / 3600) { lockUntil = second + chance.whole(10...90) }
            take(strap.reading(second < lockUntil ? chance.real(160...178) : heart, at: time, &chance), at: time)
        }
        let report = replay.finish(at: Milliseconds(before + length + after) * 1000)
        var result = Result(hours: Double(before + length + after) / 3600)
        result.sessions = 1
        result.toTheLetter = strict.finish(at: Milliseconds(before + length + after) * 1000).alarms.count
        result.questions = report.decisions.count { $0.kind == .asked }
        result.alarms = report.alarms.map { alarm in
            let found = alarm.abnormalities[0]
            return
                "\(sport), age \(age)\(knowsAge ? "" : " (not known)"), own maximum \(Int(maximum)): \(found.trigger.text) \(found.latest.value) "
                + "beyond \(found.limit ?? 0), \(found.context.rawValue), \(Reason.clock(alarm.raisedAt)) of "
                + "\(Reason.clock(Milliseconds(before) * 1000)) to \(Reason.clock(Milliseconds(before + length) * 1000)), "
                + "\(found.isLost ? "lost" : "third reading")"
        }
        return result
    }

    static func hours(_ wanted: Double, from first: UInt64) -> Result {
        var all = Result(), seed = first, progress = Progress("hours of exercise", of: wanted)
        while all.hours < wanted {
            progress.at(all.hours)
            let one = session(seed)
            all.hours += one.hours
            all.questions += one.questions
            all.sessions += one.sessions
            all.alarms += one.alarms
            all.toTheLetter += one.toTheLetter
            seed += 1
        }
        return all
    }

    private static func pace(_ sport: String) -> Double {
        switch sport {
        case "run", "intervals": 3.2
        case "ride": 7.5
        default: 1.75
        }
    }
}
