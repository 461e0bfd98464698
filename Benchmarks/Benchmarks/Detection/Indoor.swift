import Distress
import Vitals

/// Hours of made-up effort within a house, where no fix and no cadence tells of it. Nobody is in trouble: each alarm is false.
///
/// No recording is at hand; the curves are published ones. What an activity costs: Compendium of Physical Activities 2011, stairs after Bassett
/// et al. 1997 (up 8.6 METs, down 2.9) and Teh and Aziz 2002 (9.6 METs, 159 beats/min after 11 floors). What people can: the medians of the FRIEND
/// registry (Kaminsky et al. 2015: 48.0 and 37.6 ml/kg/min in the twenties to 24.4 and 18.3 in the seventies). The share of the heart-rate
/// reserve is that of the oxygen reserve (Swain and Leutholtz 1997). The heart follows within 30 s in the twenties and 0.36 s more for each year
/// (Clinical Science 2002, 102: 31), and comes down more slowly.
enum Indoor {
    static let kinds = ["stairs", "housework", "home trainer", "home trainer with cadence"]
    /// How the same hours are played: a box that is carried, one that stays in its place, and SOS-4 to the letter.
    static let ways = ["unknown", "home", "strict"]

    struct Result: Codable {
        var kind: String
        var hours = 0.0, sessions = 0
        /// By way.
        var alarms: [String: Int] = [:], questions: [String: Int] = [:]
    }

    static func hours(_ wanted: Double, from first: UInt64) -> [Result] {
        var all = kinds.map { Result(kind: $0) }, seed = first, done = 0.0, progress = Progress("hours of indoor effort", of: wanted)
        while done < wanted {
            progress.at(done)
            let index = Int(seed % UInt64(kinds.count)), one = session(seed, kinds[index])
            done += one.hours
            all[index].hours += one.hours
            all[index].sessions += 1
            all[index].alarms.merge(one.alarms, uniquingKeysWith: +)
            all[index].questions.merge(one.questions, uniquingKeysWith: +)
            seed += 1
        }
        return all
    }

    private static func session(_ seed: UInt64, _ kind: String) -> Result {
        var chance = Chance(seed: seed &* 6_364_136 &+ 5)
        var person = Person(&chance), strap = Strap(&chance)
        var replays = ways.map { Self.replay($0, person) }
        let length = chance.whole(1200...3600), before = 300, after = 600
        var plan = Plan(kind: kind), lockUntil = 0
        for second in 0..<before + length + after {
            let time = Milliseconds(second) * 1000
            let cost = second < before || second >= before + length ? 1.2 : plan.cost(at: second, &chance)
            let rate = person.heart(at: cost, shareMax: plan.shareMax, &chance)
            if chance.happens(1.0 / 1200) { plan.holeUntil = second + chance.whole(2...60) }
            if second < plan.holeUntil { continue }
            // An optical sensor that takes the steps for the heart: on stairs and in housework.
            if !strap.sendsRR, cost > 2.5, !kind.hasPrefix("home"), chance.happens(1.0 / 3600) { lockUntil = second + chance.whole(5...30) }
            let event = strap.reading(second < lockUntil ? chance.real(100...140) : rate, at: time, &chance)
            for index in replays.indices {
                if kind == "home trainer with cadence", cost > 2 { replays[index].take(.init(time: time, event: .cadence(perMinute: 80))) }
                replays[index].take(.init(time: time, event: event))
            }
        }
        var result = Result(kind: kind, hours: Double(before + length + after) / 3600)
        for (index, way) in ways.enumerated() {
            let report = replays[index].finish(at: Milliseconds(before + length + after) * 1000)
            result.alarms[way] = report.alarms.count
            result.questions[way] = report.decisions.count { $0.kind == .asked }
        }
        return result
    }

    private static func replay(_ way: String, _ person: Person) -> Replay {
        let settings = DistressSettings(age: person.age, personal: person.personal, strict: way == "strict" ? true : nil)
        var replay = Replay(Scenario(provenance: .live, side: .hub, settings: settings))
        if way != "unknown" { replay.take(.init(time: 0, event: .box(Strap.stream, isFixed: true))) }
        return replay
    }

    /// Somebody's heart.
    private struct Person {
        let age: Int
        let personal: PersonalLimits?
        private let resting: Double, maximum: Double, capacity: Double, rise: Double, fall: Double
        private var rate: Double

        init(_ chance: inout Chance) {
            age = chance.whole(18...85)
            resting = chance.real(50...80)
            maximum = 208 - 0.7 * Double(age) + 10 * chance.normal()
            // The medians of men and women, which go down by a tenth in ten years, with a fifth of standard deviation.
            let young = chance.happens(0.5) ? 48.0 : 37.6, old = young == 48 ? 24.4 : 18.3
            let median = max(12, young + (old - young) * (Double(age) - 25) / 50)
            capacity = max(3.5, median / 3.5 * (1 + 0.2 * chance.normal()))
            rise = max(15, (30 + 0.36 * (Double(age) - 25)) * (1 + 0.25 * chance.normal()))
            fall = 1.6 * rise
            rate = resting + 8
            personal =
                chance.happens(0.5)
                ? PersonalLimits(version: 1, computedAt: 0, restingMedian: Int(resting), restingDeviation: 3, days: 10) : nil
        }

        mutating func heart(at cost: Double, shareMax: Double, _ chance: inout Chance) -> Double {
            let share = max(0, min(shareMax, (cost - 1) / (capacity - 1)))
            let wanted = resting + (maximum - resting) * share
            rate += (wanted - rate) / (wanted > rate ? rise : fall) + 0.6 * chance.normal()
            return rate
        }
    }

    /// What somebody does, in METs.
    private struct Plan {
        let kind: String
        var holeUntil = 0
        /// People slow down before they are at their end: assumed, for want of a source.
        var shareMax: Double { kind == "stairs" ? 0.95 : kind == "housework" ? 0.75 : 0.9 }
        private var until = 0, cost = 1.2, nextDown = 0

        init(kind: String) { self.kind = kind }

        mutating func cost(at second: Int, _ chance: inout Chance) -> Double {
            guard second >= until else { return cost }
            switch kind {
            case "stairs": climb(second, &chance)
            case "housework":
                // Cooking, sweeping, vacuuming, making beds; scrubbing and carrying now and then; a moment of rest.
                cost = chance.pick([1.5, 2.5, 3.3, 3.3, 3.3, 3.5, 3.8, 5.0, 6.5])
                until = second + (cost > 4 ? chance.whole(20...180) : chance.whole(30...400))
            default:
                // 50 W, 100 W, 150 W; intervals.
                cost = chance.pick([3.5, 6.8, 6.8, 6.8, 8.8, 11.0])
                until = second + (cost > 10 ? chance.whole(20...60) : chance.whole(60...600))
            }
            return cost
        }

        /// One to four floors up, each in 12 to 20 s, something to do there, and down again.
        private mutating func climb(_ second: Int, _ chance: inout Chance) {
            if nextDown > 0 {
                (cost, until, nextDown) = (2.9, second + nextDown, 0)
            } else if cost > 5 {
                (cost, until) = (1.8, second + chance.whole(20...300))
                nextDown = chance.whole(10...60)
            } else if cost == 1.3 {
                let floors = chance.pick([1, 1, 1, 2, 2, 3, 4])
                (cost, until) = (chance.pick([5.0, 8.6, 8.6, 9.6]), second + floors * chance.whole(12...20))
            } else {
                (cost, until) = (1.3, second + chance.whole(60...600))
            }
        }
    }
}
