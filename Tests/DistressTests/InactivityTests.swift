import Foundation
import Testing
import Vitals

@testable import Distress

/// A day or more of somebody who is to give signs of life, minute by minute, in local time.
private struct Day {
    var watch: InactivityWatch
    let plan: InactivityPlan
    var isAsking = false
    private(set) var said: [String] = []
    private var time: Milliseconds

    /// - Parameter start: minutes after midnight of the first day.
    init(_ plan: InactivityPlan, start: Int) {
        self.plan = plan
        time = Milliseconds(start) * 60_000
        watch = InactivityWatch(since: time)
    }

    /// - Parameters:
    ///   - hour, minute: of the first day; hours go on beyond 24.
    ///   - each: what happens in every minute.
    mutating func pass(to hour: Int, _ minute: Int = 0, each: (inout InactivityWatch, Milliseconds) -> Void = { _, _ in }) {
        while time < Milliseconds(hour * 60 + minute) * 60_000 {
            time += 60_000
            each(&watch, time)
            let clock = "\(time / 3_600_000):\(String(format: "%02d", time / 60_000 % 60))"
            switch watch.look(plan, offset: 0, isAsking: isAsking, mayAsk: !isAsking, at: time) {
            case .ask(let silence):
                isAsking = true
                said.append("\(clock) asks after \(silence.length / 60_000)" + (silence.unseen.map { ", unseen \($0 / 60_000)" } ?? ""))
            case .withdraw:
                isAsking = false
                said.append("\(clock) sign")
            case .tellSign: said.append("\(clock) tells the sign")
            case nil: break
            }
        }
    }

    /// Nobody has answered.
    mutating func tell() {
        isAsking = false
        watch.noteTold(at: time)
    }

    mutating func press() { watch.noteSign(at: time) }

    /// A fix so many metres north of home.
    static func fix(_ metres: Double, at time: Milliseconds, error: Int32? = 80, source: PositionSource = .gnss) -> PositionSample {
        PositionSample(
            time: time, latitude: 454_642_000 + Int32(metres * 89.93), longitude: 91_900_000, horizontalError: error, source: source)
    }

    static func stays(_ watch: inout InactivityWatch, _ time: Milliseconds) { watch.take(fix(0, at: time), at: time) }
}

struct InactivityTests {
    private static let by = InactivityPlan(by: 9 * 60, timeZone: "Europe/Rome")
    private static let span = InactivityPlan(hours: 4, timeZone: "Europe/Rome")

    // MARK: When

    @Test("SOS-24: no sign between the end of the night and the time of day asks then; one that came in the night is none of the morning")
    func byTimeOfDay() {
        var day = Day(Self.by, start: 20 * 60)
        day.pass(to: 24 + 3, each: Day.stays)
        day.press()
        day.pass(to: 24 + 8, 59, each: Day.stays)
        #expect(day.said.isEmpty)
        day.pass(to: 24 + 12, each: Day.stays)
        #expect(day.said == ["33:00 asks after 360"], "once, and at nine")
    }

    @Test("SOS-24: a sign in the morning leaves the day alone, and the next morning counts by itself")
    func nextMorning() {
        var day = Day(Self.by, start: 20 * 60)
        day.pass(to: 24 + 6, 1, each: Day.stays)
        day.press()
        day.pass(to: 48 + 8, 59, each: Day.stays)
        #expect(day.said.isEmpty)
        day.pass(to: 48 + 9, each: Day.stays)
        #expect(day.said == ["57:00 asks after 1619"])
    }

    @Test("SOS-24: whoever turns it on in the morning is not asked on the same day about the hours before")
    func turnedOn() {
        var day = Day(Self.by, start: 8 * 60 + 55)
        day.pass(to: 24, each: Day.stays)
        #expect(day.said.isEmpty)
    }

    @Test("SOS-24: a span without a sign asks when it is over; the night is not counted, and nobody is asked in it")
    func span() {
        var day = Day(Self.span, start: 12 * 60)
        day.pass(to: 16, each: Day.stays)
        #expect(day.said == ["16:00 asks after 240"])
        var evening = Day(Self.span, start: 12 * 60)
        evening.pass(to: 20, each: Day.stays)
        evening.isAsking = false
        evening.press()
        evening.pass(to: 24 + 7, 59, each: Day.stays)
        #expect(evening.said == ["16:00 asks after 240"], "two hours before the night, and two less a minute after it")
        evening.pass(to: 24 + 8, each: Day.stays)
        #expect(evening.said.last == "32:00 asks after 720")
    }

    @Test(
        "SOS-24: hours of days are counted exactly, over nights of every kind",
        arguments: [(22, 6), (0, 6), (20, 4), (23, 7), (1, 10)], [2, 5, 16, 17, 40])
    func hoursOfDays(night: (from: Int, to: Int), hours: Int) {
        let plan = InactivityPlan(hours: hours, nightFrom: night.from * 60, nightTo: night.to * 60, timeZone: "Europe/Rome")
        for start in stride(from: 0, to: 1440, by: 17) {
            // Minute by minute, as one would on paper.
            var left = hours * 60, minute = start
            while left > 0 {
                let hour = minute / 60 % 24, isNight = (hour - night.from + 24) % 24 < (night.to - night.from + 24) % 24
                left -= isNight ? 0 : 1
                minute += 1
            }
            #expect(plan.end(of: hours, from: Milliseconds(start) * 60_000) == Milliseconds(minute) * 60_000, "from \(start)")
        }
    }

    @Test("SOS-24: after an unanswered question it is asked again a day later, not before, as long as there is no sign")
    func again() {
        var day = Day(Self.span, start: 8 * 60)
        day.pass(to: 12, 10, each: Day.stays)
        day.tell()
        day.pass(to: 35, 59, each: Day.stays)
        #expect(day.said == ["12:00 asks after 240"])
        day.pass(to: 36, each: Day.stays)
        #expect(day.said.last == "36:00 asks after 1680")
    }

    // MARK: What is a sign

    @Test("SOS-24: an answer ends the question; once people were told, the next sign is told, and only once")
    func signs() {
        var day = Day(Self.span, start: 8 * 60)
        day.pass(to: 12, 5, each: Day.stays)
        day.press()
        day.pass(to: 15, each: Day.stays)
        #expect(day.said == ["12:00 asks after 240", "12:06 sign"])
        day.pass(to: 16, 5, each: Day.stays)
        day.tell()
        day.pass(to: 17, each: Day.stays)
        day.press()
        day.pass(to: 20, each: Day.stays)
        #expect(day.said.dropFirst(2) == ["16:05 asks after 240", "17:01 tells the sign"])
    }

    struct Walk: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// North of home, one fix a minute.
        let metres: [Double]
        let error: Int32?
        let isSign: Bool
    }

    private static let walks: [Walk] = [
        Walk(testDescription: "a walk", metres: [0, 0, 200, 400, 500, 500], error: 80, isSign: true),
        Walk(testDescription: "to the garden and back", metres: [0, 0, 70, 75, 0, 0], error: 30, isSign: true),
        Walk(testDescription: "one wild fix", metres: [0, 0, 900, 0, 0, 0], error: 80, isSign: false),
        Walk(testDescription: "indoor drift", metres: [0, 20, -25, 30, -30, 10], error: 80, isSign: false),
        Walk(testDescription: "within the errors", metres: [0, 0, 150, 160, 150, 140], error: 600, isSign: false),
        Walk(testDescription: "useless fixes", metres: [0, 0, 900, 950, 900, 900], error: 3000, isSign: false),
        Walk(testDescription: "no error known", metres: [0, 0, 120, 120, 0, 0], error: nil, isSign: false),
        Walk(testDescription: "far, no error known", metres: [0, 0, 400, 420, 430, 0], error: nil, isSign: true),
    ]

    @Test("SOS-24: a place is another one beyond 50 m and both errors, twice in a row; a wild fix and a drift are none", arguments: walks)
    func moved(walk: Walk) {
        var watch = InactivityWatch(since: 0)
        for (minute, metres) in walk.metres.enumerated() {
            let time = Milliseconds(minute + 1) * 60_000
            watch.take(Day.fix(metres, at: time, error: walk.error), at: time)
        }
        #expect((watch.sign != nil) == walk.isSign)
    }

    @Test("SOS-24: the place that was set for a box shows no movement, wherever it is set, and an older fix none either")
    func fixedPlace() {
        var watch = InactivityWatch(since: 0)
        for minute in 1...6 {
            let time = Milliseconds(minute) * 60_000
            watch.take(Day.fix(Double(minute) * 300, at: time, source: .fixed), at: time)
        }
        #expect(watch.sign == nil && watch.seen == nil)
        watch.take(Day.fix(0, at: 900_000), at: 900_000)
        for minute in 1...6 { watch.take(Day.fix(900, at: Milliseconds(minute) * 60_000), at: 900_000) }
        #expect(watch.sign == nil && watch.seen == 900_000)
    }

    @Test("SOS-24: steps count when they are told twice within 30 s; a sensor that was shaken once, or stands still, does not")
    func steps() {
        func watch(_ told: [(second: Int, perMinute: Int)]) -> InactivityWatch {
            var watch = InactivityWatch(since: 0)
            for (second, perMinute) in told { watch.take(cadence: perMinute, at: Milliseconds(second) * 1000) }
            return watch
        }
        #expect(watch([(1, 60), (2, 62)]).sign == 2000)
        #expect(watch([(1, 60), (60, 60)]).sign == nil && watch([(1, 60), (2, 0), (3, 60)]).sign == nil)
        #expect(watch([(1, 0), (2, 0)]).sign == nil && watch([(1, 0), (2, 0)]).seen == 2000)
    }

    // MARK: What nobody could see

    @Test("SOS-24: where nothing could have shown movement it is said so, and since when; a heart that beats shows none")
    func unseen() {
        var day = Day(Self.span, start: 8 * 60)
        day.pass(to: 9, 30, each: Day.stays)
        day.pass(to: 12)
        #expect(day.said == ["12:00 asks after 240, unseen 150"])
        var never = Day(Self.span, start: 8 * 60)
        never.pass(to: 12)
        #expect(never.said == ["12:00 asks after 240, unseen 240"])
        var late = Day(Self.span, start: 8 * 60)
        late.pass(to: 11, 10, each: Day.stays)
        late.pass(to: 12)
        #expect(late.said == ["12:00 asks after 240"], "less than an hour is a receiver that rests")
    }

    @Test("SOS-24: stored, read and moved to the clock of another boot, it asks at the same time; a question that was lost is asked again")
    func kept() throws {
        var day = Day(Self.span, start: 8 * 60)
        day.pass(to: 11, each: Day.stays)
        let stored = try JSONEncoder().encode(day.watch), gap: Milliseconds = 10 * 3_600_000
        var read = try JSONDecoder().decode(InactivityWatch.self, from: stored).shifted(by: -gap)
        let due = Milliseconds(12 * 60) * 60_000 - gap
        #expect(read.look(Self.span, offset: gap, isAsking: false, mayAsk: true, at: due - 60_000) == nil)
        #expect(read.look(Self.span, offset: gap, isAsking: false, mayAsk: false, at: due) == nil, "another side asks")
        #expect(read.look(Self.span, offset: gap, isAsking: false, mayAsk: true, at: due) != nil)
        #expect(read.look(Self.span, offset: gap, isAsking: false, mayAsk: true, at: due + 60_000) == nil)
        read.forgetQuestion()
        #expect(read.look(Self.span, offset: gap, isAsking: false, mayAsk: true, at: due + 60_000) != nil)
    }

    @Test("SOS-24: a second box that asks about the same silence tells nobody again; a sign behind its question is no news either")
    func isNews() {
        var watch = InactivityWatch(since: 0)
        #expect(watch.isNews(at: 1000))
        watch.noteTold(at: 1000)
        #expect(!watch.isNews(at: 2000) && watch.isNews(at: 1000 + InactivityWatch.againAfter))
        watch.noteSign(at: 5000)
        #expect(watch.isNews(at: 6000) && !watch.isNews(at: 4000))
    }

    @Test("SOS-24: a plan that would never ask, or at once, is none")
    func plans() {
        func isValid(by: Int? = nil, hours: Int? = nil, from: Int = 22 * 60, to: Int = 6 * 60) -> Bool {
            InactivityPlan(by: by, hours: hours, nightFrom: from, nightTo: to, timeZone: "Europe/Rome").isValid
        }
        #expect(isValid(by: 7 * 60) && isValid(hours: 2) && isValid(by: 22 * 60, hours: 48) && isValid(hours: 5, from: 60, to: 9 * 60))
        #expect(!isValid() && !isValid(by: 6 * 60 + 59) && !isValid(by: 3 * 60) && !isValid(hours: 1) && !isValid(hours: 49))
        #expect(
            !isValid(hours: 4, from: 6 * 60, to: 6 * 60) && !isValid(hours: 4, from: 12 * 60, to: 6 * 60) && !isValid(hours: 4, from: -1))
        #expect(!InactivityPlan(hours: 1, timeZone: "").isDue(since: 0, at: 1_000_000_000_000))
    }

    // MARK: The question

    /// A watch that was told that there is no sign.
    private func asked(asksFirst: Bool, _ made: inout Made) -> (DistressWatch, [DistressEffect]) {
        var watch = DistressWatch(
            person: made.person, provenance: .live, side: .box, settings: DistressSettings(asksFirst: asksFirst, age: 70), at: 0)
        let silence = InactivityWatch.Silence(length: 14_400_000, unseen: nil)
        let effects = watch.handle(.inactive(Abnormality(silence, key: made.key(.event), at: 1000)), at: 1000)
        return (watch, effects)
    }

    @Test(
        "SOS-24: it asks for ten minutes, also with the question switched off; then it warns, and raises no alarm",
        arguments: [true, false])
    func warns(asksFirst: Bool) {
        var made = Made(seed: 24)
        var (watch, effects) = asked(asksFirst: asksFirst, &made)
        #expect(effects.contains { if case .ask(let question) = $0 { question.trigger == .inactivity } else { false } })
        effects = watch.handle(.tick, at: 600_999)
        #expect(!effects.contains { if case .warn = $0 { true } else { false } })
        effects = watch.handle(.tick, at: 601_000)
        let warnings = effects.compactMap { if case .warn(let warning) = $0 { warning } else { nil } }
        #expect(warnings.map(\.abnormality.silence) == [InactivityWatch.Silence(length: 14_400_000, unseen: nil)])
        #expect(watch.incident.alarm == nil && watch.incident.isFree)
    }

    @Test("SOS-24: an answer and a sign of life end the question, and nobody is told", arguments: [true, false])
    func ended(byAnswer: Bool) {
        var made = Made(seed: 25)
        var (watch, _) = asked(asksFirst: true, &made)
        let effects = watch.handle(byAnswer ? made.state(.ok, 60) : .active, at: 60_000)
        #expect(effects.contains { if case .withdraw(_, let why) = $0 { why == (byAnswer ? .answered : .backInside) } else { false } })
        #expect(watch.incident.isFree)
        #expect(!watch.handle(.tick, at: 700_000).contains { if case .warn = $0 { true } else { false } })
    }
}
