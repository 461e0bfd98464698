import TestSupport
import Testing
import Vitals

@testable import Peripherals

/// Runs a plan against channels that behave as a test says, on a clock of its own.
private struct Play {
    enum Behaviour: Hashable {
        case works
        case fails
        case hangs
    }

    var alarm: LocalAlarm
    var now: Milliseconds = 1000
    var started: [(time: Milliseconds, attempt: LocalAlarm.Attempt)] = []
    var cancelled: [LocalAlarm.Attempt] = []
    var endings: [LocalAlarm.Ending] = []
    var answers: [Int] = []
    var behaviour: (LocalAlarm.Attempt) -> Behaviour

    init(
        _ plan: LocalAlarm.Plan, mode: LocalAlarm.Mode = .live, isUpdate: Bool = false,
        behaviour: @escaping (LocalAlarm.Attempt) -> Behaviour = { _ in .works }
    ) {
        alarm = LocalAlarm(plan, mode: mode, isUpdate: isUpdate, at: now)
        self.behaviour = behaviour
        send(.tick)
    }

    mutating func send(_ event: LocalAlarm.Event) {
        for effect in alarm.handle(event, at: now) {
            switch effect {
            case .start(let attempt):
                started.append((now, attempt))
                switch behaviour(attempt) {
                case .works: outcomes.append((now + 1000, .sent(attempt.id)))
                case .fails: outcomes.append((now + 1000, .failed(attempt.id, mayHaveArrived: false)))
                case .hangs: break
                }
            case .cancel(let attempt): cancelled.append(attempt)
            case .ended(let ending): endings.append(ending)
            case .answered(let who): answers.append(who)
            }
        }
    }

    private var outcomes: [(time: Milliseconds, event: LocalAlarm.Event)] = []

    mutating func run(_ duration: Milliseconds) {
        let end = now + duration
        var steps = 0
        while true {
            steps += 1
            guard steps < 100_000 else {
                Issue.record("the clock stands still at \(now)")
                break
            }
            let outcome = outcomes.indices.min { outcomes[$0].time < outcomes[$1].time }
            guard let next = [alarm.deadline, outcome.map { outcomes[$0].time }].compactMap(\.self).min(), next <= end else { break }
            now = max(now, next)
            if let outcome, outcomes[outcome].time <= now { send(outcomes.remove(at: outcome).event) } else { send(.tick) }
        }
        now = end
    }

    func times(_ channel: LocalAlarm.Channel) -> [Milliseconds] { started.filter { $0.attempt.channel == channel }.map(\.time) }
    func contents(_ channel: LocalAlarm.Channel) -> [LocalAlarm.Content] {
        started.filter { $0.attempt.channel == channel }.map(\.attempt.content)
    }
}

@Suite struct LocalAlarmTests {
    private static func people(_ count: Int) -> [LocalAlarm.Recipient] {
        (0..<count).compactMap { index in
            PhoneNumber("+3933311122\(10 + index)").map { LocalAlarm.Recipient(name: "Contact \(index)", number: $0) }
        }
    }

    private let plan = LocalAlarm.Plan(recipients: people(3))

    @Test("SOS-5: sound, hooks, all texts and the first call start with the first event")
    func atOnce() {
        let play = Play(plan) { _ in .hangs }
        #expect(play.started.map(\.attempt.channel) == [.sound, .hooks, .text(0), .text(1), .text(2), .call(0)])
        #expect(play.started.allSatisfy { $0.time == 1000 && $0.attempt.content == .alert && !$0.attempt.isTest })
    }

    @Test("SOS-7: calls go round in order until somebody acknowledges; a call that hangs holds nobody up")
    func calls() {
        var play = Play(plan) { $0.channel == .call(0) ? .hangs : $0.channel == .call(1) ? .fails : .works }
        play.run(900_000)
        let order = play.started.compactMap { if case .call(let who) = $0.attempt.channel { who } else { nil } }
        #expect(order.prefix(7).elementsEqual([0, 1, 2, 0, 1, 2, 0]))
        #expect(play.times(.call(1)).first == 1000 + plan.callLimit + plan.callPause)
        #expect(play.cancelled.first?.channel == .call(0))
        // Nobody else waited for it.
        #expect(play.times(.text(2)).prefix(2) == [1000, 2000 + plan.firstRepeat])
    }

    @Test("SOS-20: with two lines the next one is called while the first line waits for a key; one line after the other without")
    func lines() {
        var plan = plan
        plan.lines = 2
        var play = Play(plan) { $0.channel == .call(0) ? .hangs : .fails }
        #expect(play.times(.call(0)) == [1000] && play.times(.call(1)) == [1000] && play.times(.call(2)).isEmpty)
        play.run(20_000)
        #expect(play.times(.call(1)).count > 1 && play.times(.call(2)).isEmpty)
        play.run(plan.callLimit + plan.callPause)
        #expect(play.times(.call(2)).first == 1000 + plan.callLimit + plan.callPause)
        play.send(.acknowledged(by: 1))
        #expect(play.endings == [.acknowledged(by: 1)])
        plan.lines = 9
        #expect(Play(plan) { _ in .hangs }.started.count { if case .call = $0.attempt.channel { true } else { false } } == 3)
    }

    @Test("SOS-20: whoever took it is asked by text and call whether somebody is there, and nobody else; their yes ends the question")
    func question() {
        var play = Play(plan)
        play.run(2000)
        play.send(.ask(1))
        #expect(play.contents(.call(1)).isEmpty, "nobody has it")
        play.send(.acknowledged(by: 1))
        play.run(10_000)
        let before = play.started.count
        play.send(.ask(1))
        #expect(play.started.dropFirst(before).map(\.attempt.channel) == [.text(1), .call(1)])
        #expect(play.started.dropFirst(before).allSatisfy { $0.attempt.content == .question })
        play.send(.acknowledged(by: 0))
        #expect(play.answers.isEmpty)
        play.send(.acknowledged(by: 1))
        play.run(600_000)
        #expect(play.answers == [1] && play.started.count == before + 2 && play.endings == [.acknowledged(by: 1)])
        // Without an answer it is not asked for ever.
        var silent = Play(plan) { $0.content == .question ? .fails : .works }
        silent.send(.acknowledged(by: 0))
        silent.send(.ask(0))
        silent.run(3_600_000)
        #expect(silent.started.count { $0.attempt.content == .question } == 10 && silent.alarm.deadline == nil)
    }

    @Test("SOS-9: what goes out under the same incident after the first is an update; what surely failed is not")
    func updates() {
        var play = Play(plan) { $0.channel == .text(0) && $0.id < 20 ? .fails : .works }
        play.run(400_000)
        #expect(play.contents(.text(1)) == [.alert, .update])
        #expect(play.contents(.text(0)).filter { $0 == .alert }.count >= 2)
        #expect(Play(plan, isUpdate: true).started.allSatisfy { $0.attempt.content == .update })
        var hanging = Play(plan) { $0.channel == .text(0) ? .hangs : .works }
        hanging.run(plan.textLimit * 3 + plan.firstRetry)
        #expect(hanging.contents(.text(0)).prefix(2) == [.alert, .update])
    }

    @Test("SOS-9: whom somebody else has told gets an update, also where that is heard between two tries; in a drill nobody counts as told")
    func toldByOthers() {
        var plan = plan
        plan.recipients[0].isTold = true
        var play = Play(plan) { $0.channel == .text(1) ? .fails : .works }
        #expect(play.contents(.text(0)) == [.update] && play.contents(.call(0)) == [.update])
        #expect(play.contents(.text(1)) == [.alert] && play.contents(.sound) == [.alert] && play.contents(.hooks) == [.alert])
        play.run(2000)
        play.send(.told([plan.recipients[1].number]))
        play.run(plan.firstRetry)
        #expect(play.contents(.text(1)) == [.alert, .update])
        #expect(Play(plan, mode: .drill).started.allSatisfy { $0.attempt.content == .alert })
    }

    @Test("SOS-9: news goes out to everybody, and nobody is texted more than once a minute")
    func changes() {
        var play = Play(plan)
        for _ in 0..<200 {
            play.run(1000)
            play.send(.changed)
        }
        let times = play.times(.text(0))
        #expect((3...4).contains(times.count))
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= plan.shortestRepeat })
    }

    @Test("SOS-9: a modem that appears in the middle of an alarm is used at once, however long the next try was put off")
    func returned() {
        var isThere = false
        var play = Play(plan) { attempt in
            switch attempt.channel {
            case .text, .call: isThere ? .works : .fails
            case .sound, .hooks: .works
            }
        }
        play.run(600_000)
        let before = play.started.count
        isThere = true
        play.send(.returned)
        let now = play.started.dropFirst(before)
        #expect(Set(now.map(\.attempt.channel)).isSuperset(of: [.text(0), .text(1), .text(2)]) && now.allSatisfy { $0.time == play.now })
        #expect(now.contains { if case .call = $0.attempt.channel { true } else { false } })
        // Those who have it are not told again for that.
        play.run(5000)
        let told = play.started.count { if case .text = $0.attempt.channel { true } else { false } }
        play.send(.returned)
        #expect(play.started.count { if case .text = $0.attempt.channel { true } else { false } } == told)
    }

    @Test("SOS-10: a siren that counts as failed is switched off with the alarm, too")
    func silenced() {
        for mode in [LocalAlarm.Mode.live, .drill] {
            var play = Play(plan, mode: mode) { $0.channel == .sound ? .fails : .works }
            play.run(1500)
            play.send(.stopped)
            #expect(play.cancelled.contains { $0.channel == .sound })
        }
    }

    @Test("SOS-7: who takes it keeps the line, all else ends, and who was told is told that it is over")
    func acknowledged() {
        var play = Play(plan) { $0.channel == .call(0) || $0.channel == .hooks ? .hangs : $0.channel == .text(2) ? .fails : .works }
        play.run(3000)
        play.send(.acknowledged(by: 0))
        #expect(play.endings == [.acknowledged(by: 0)])
        #expect(Set(play.cancelled.map(\.channel)) == [.sound, .hooks])
        #expect(play.started.suffix(3).map(\.attempt.channel) == [.hooks, .text(0), .text(1)])
        #expect(play.started.suffix(3).allSatisfy { $0.attempt.content == .standDown })
        play.run(3_600_000)
        #expect(play.started.filter { $0.attempt.content == .standDown && $0.attempt.channel == .hooks }.count == 5)
        #expect(play.alarm.deadline == nil && play.alarm.running.isEmpty)
        play.send(.stopped)
        #expect(play.endings.count == 1)
    }

    @Test("SOS-7: stopped before anything was out, nobody hears of it but those who may have")
    func stopped() {
        var play = Play(plan) { $0.channel == .text(0) ? .hangs : .fails }
        play.run(2000)
        play.send(.stopped)
        #expect(play.endings == [.stopped])
        #expect(play.started.last?.attempt.channel == .text(0) && play.started.last?.attempt.content == .standDown)
        #expect(Set(play.cancelled.map(\.channel)) == [.sound, .text(0)])
    }

    @Test("SOS-9: a text that the network gives up after it was sent is sent again soon")
    func undelivered() {
        var play = Play(plan)
        play.run(3000)
        let id = play.started.first { $0.attempt.channel == .text(0) }?.attempt.id ?? 0
        play.send(.failed(id, mayHaveArrived: false))
        play.run(plan.firstRetry)
        #expect(play.times(.text(0)).count == 2)
        play.send(.failed(id, mayHaveArrived: false))
        play.run(plan.firstRetry)
        #expect(play.times(.text(0)).count == 2)
    }

    @Test("SOS-19: a drill says TEST everywhere, tries every channel, and ends with what worked")
    func drill() {
        var play = Play(plan, mode: .drill) { $0.channel == .text(1) ? .fails : $0.channel == .call(2) ? .hangs : .works }
        play.run(60_000)
        play.send(.acknowledged(by: 0))
        play.run(3_600_000)
        #expect(!play.started.contains { !$0.attempt.isTest })
        guard case .drillOver(let results)? = play.endings.first else { return #expect(Bool(false)) }
        #expect(results.count == 8 && Set(results.filter { !$0.value }.keys) == [.text(1), .call(2)])
        #expect(play.times(.text(1)).count == 3 && play.times(.call(1)).count == 1)
        #expect(play.alarm.acknowledged == [0] && play.alarm.deadline == nil && play.alarm.running.isEmpty)
    }

    @Test(
        "SOS-7: whatever channels do, a live alarm goes on until it is taken or stopped, and every channel is tried again",
        arguments: 0..<200)
    func goesOn(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...4, using: &random)
        var plan = LocalAlarm.Plan(
            recipients: Self.people(count), hasSound: .random(using: &random), hasHooks: .random(using: &random))
        for index in plan.recipients.indices {
            plan.recipients[index].isTexted = .random(using: &random)
            plan.recipients[index].isCalled = .random(using: &random)
        }
        var play = Play(plan) { _ in [.works, .fails, .hangs].randomElement(using: &random) ?? .fails }
        let channels = Set(play.alarm.running.map(\.channel)).union(
            plan.recipients.indices.filter { plan.recipients[$0].isCalled }.map { .call($0) })
        for _ in 0..<30 {
            let before = play.started.count
            // The longest pause, and what a round of calls that all hang takes.
            play.run(plan.longestRepeat + plan.callLimit * 5)
            let recent = Set(play.started[before...].map(\.attempt.channel)).union(play.alarm.running.map(\.channel))
            #expect(recent.isSuperset(of: channels), "seed \(seed)")
            if Bool.random(using: &random) { play.send(.changed) }
            play.send(.failed(UInt64.random(in: 0...50, using: &random), mayHaveArrived: true))
        }
        #expect(play.endings.isEmpty)
        #expect(Set(play.started.map(\.attempt.id)).count == play.started.count)
        play.send(.stopped)
        #expect(play.endings == [.stopped])
        play.run(86_400_000)
        #expect(play.alarm.running.isEmpty && play.alarm.deadline == nil, "seed \(seed)")
    }
}
