import Foundation
import Vitals

/// The life of somebody who does not exist, day by day: how fit they are, when they sleep, when they train. Each day follows from the seed
/// and its place in the year alone, so that the same day is made up again with the same samples.
struct MadeUpYear: Sendable {
    let seed: UInt64
    /// Of the wearer's clock.
    private let calendar: Calendar
    private let first: Date

    /// The effect of training within a year, days.
    static let season = 365.0
    /// Places in the year: ill in bed; away without the box.
    private static let ill = 196...203, away = 131...135

    /// - Parameters:
    ///   - zone: of the wearer, an IANA name; UTC where nobody knows it.
    ///   - begins: on the first day, UTC milliseconds.
    init(seed: UInt64, zone: String, begins: Milliseconds) {
        self.seed = seed
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
        self.calendar = calendar
        first = calendar.startOfDay(for: Self.date(begins))
    }

    private static func date(_ time: Milliseconds) -> Date { Date(timeIntervalSince1970: Double(time) / 1000) }

    /// A day of the wearer.
    struct Day: Sendable, Hashable {
        /// From 0.
        let index: Int
        /// From midnight to midnight, UTC milliseconds.
        let span: Range<Milliseconds>
        /// 1 is Sunday.
        let weekday: Int

        var isWeekend: Bool { weekday == 1 || weekday == 7 }

        /// - Parameter hours: of the wearer's clock; negative before this day.
        func time(_ hours: Double) -> Milliseconds { span.lowerBound + Milliseconds(hours * 3_600_000) }
    }

    func day(_ index: Int) -> Day {
        func midnight(_ index: Int) -> Date { calendar.date(byAdding: .day, value: index, to: first) ?? first }
        func time(_ date: Date) -> Milliseconds { Milliseconds(date.timeIntervalSince1970 * 1000) }
        let start = midnight(index)
        return Day(index: index, span: time(start)..<time(midnight(index + 1)), weekday: calendar.component(.weekday, from: start))
    }

    /// The index of the day on which a time lies.
    func index(of time: Milliseconds) -> Int {
        calendar.dateComponents([.day], from: first, to: calendar.startOfDay(for: Self.date(time))).day ?? 0
    }

    /// What is made up for one purpose must not change with what is made up for another.
    enum Purpose: UInt64 {
        case form, night, plan, heart, course, steps, seconds
    }

    func random(_ index: Int, _ purpose: Purpose) -> SplitMix64 {
        SplitMix64(seed: (seed &* 0x9E37_79B9_7F4A_7C15) ^ (UInt64(bitPattern: Int64(index)) &* 64 &+ purpose.rawValue))
    }

    // MARK: Form

    /// How fit somebody is on a day.
    struct Form: Sendable {
        /// Beats a minute, at rest.
        var resting: Double
        /// Root mean square of successive differences of RR intervals at night, milliseconds.
        var variability: Double
        /// Metres a second of an easy run.
        var speed: Double
        /// Kilograms.
        var weight: Double
    }

    /// Training helps quickly at first.
    func form(_ index: Int) -> Form {
        let share = min(max(Double(index) / Self.season, 0), 1), trained = (1 - exp(-2 * share)) / (1 - exp(-2))
        var random = random(index, .form)
        let isIll = Self.ill.contains(index)
        return Form(
            resting: 63 - 10 * trained + 1.2 * sin(Double(index) / 9) + random.around(2) + (isIll ? 7 : 0),
            variability: 31 + 17 * trained + random.around(8) - (isIll ? 12 : 0),
            speed: 2.75 + 0.55 * trained + random.around(0.12),
            weight: 67.8 - 3.4 * trained + random.around(0.6))
    }

    /// Whether the box is worn at all that day.
    func isWorn(_ index: Int) -> Bool {
        var random = random(index, .form)
        for _ in 0..<8 { _ = random.next() }
        return !Self.away.contains(index) && random.unit() >= 0.015
    }

    // MARK: Nights

    /// A stage of sleep, by its code of ``DataKind/sleep``.
    struct Stage: Sendable {
        let code: Int64
        let span: Range<Milliseconds>
    }

    private static let awake: Int64 = 2, light: Int64 = 3, deep: Int64 = 4, rem: Int64 = 5

    /// The night that begins in the evening of a day: cycles of an hour and a half, deep ones first, dreams later.
    func night(_ index: Int) -> [Stage] {
        let day = day(index), next = self.day(index + 1)
        var random = random(index, .night)
        let isLong = next.isWeekend, ill = Self.ill.contains(index)
        var time = day.time((ill ? 21.5 : isLong ? 23.4 : 22.8) + random.around(0.9))
        let end = next.time((ill ? 8 : isLong ? 7.8 : 6.5) + random.around(0.7))
        var stages: [Stage] = []
        func add(_ code: Int64, _ minutes: Double) {
            let until = min(end, time + Milliseconds(minutes * 60) * 1000)
            if until > time { stages.append(Stage(code: code, span: time..<until)) }
            time = until
        }
        var cycle = 0.0
        while time < end {
            add(Self.light, 24 + random.around(12))
            add(Self.deep, max(0, 32 - 8 * cycle + random.around(10)))
            add(Self.light, 18 + random.around(10))
            add(Self.rem, 8 + 7 * cycle + random.around(6))
            if random.unit() < 0.45 { add(Self.awake, 2 + random.unit() * 7) }
            cycle += 1
        }
        return stages
    }

    /// Beats a minute by which a stage differs from the rate at rest.
    static func difference(_ stage: Stage) -> Double {
        switch stage.code {
        case deep: -2
        case rem: 4
        case awake: 9
        default: 0.5
        }
    }

    // MARK: Training

    /// The activity of a day; mostly nothing.
    func workouts(_ index: Int) -> [MadeUpWorkout] {
        guard isWorn(index), !Self.ill.contains(index) else { return [] }
        let day = day(index)
        var random = random(index, .plan)
        let does = random.unit(), hour = random.around(0.8), length = random.unit(), loop = Int(random.next() % 5)
        func planned(_ effort: MadeUpWorkout.Effort, _ chance: Double, at time: Double, _ minutes: Double) -> [MadeUpWorkout] {
            guard does < chance else { return [] }
            return [
                MadeUpWorkout(
                    effort: effort, start: day.time(time + hour), seconds: Int(minutes * 60), loop: loop, form: form(index),
                    random: self.random(index, .course))
            ]
        }
        switch day.weekday {
        case 3: return planned(.easy, 0.9, at: 18.6, 32 + 16 * length)
        case 5: return planned(.intervals, 0.86, at: 18.4, 34 + 10 * length)
        case 7: return planned(.long, 0.9, at: 9.4, 58 + 45 * length)
        case 1: return planned(.ride, 0.22, at: 10.2, 60 + 40 * length)
        default: return []
        }
    }
}
