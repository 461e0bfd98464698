import Foundation
import NIOCore
import NIOPosix
import Runs
import SyncProtocol
import Vitals

extension Fleet {
    /// Plays a race: a box for each runner, which sends over the real protocol what the simulator says, when it says it.
    public mutating func race(_ options: RaceOptions) async throws -> RaceResult {
        Limits.raiseFiles(for: (options.runners ?? state.persons.count) + options.spectators)
        let stage = try stage(options)
        let shared = RaceBox.Shared(
            hub: try HubConnection(state), head: RaceHead(try await raceHead()), clock: state.clock ?? RaceClock(),
            provenance: state.run?.isRehearsal == true ? .drill : .live, sent: RaceSent())
        // One thread for the boxes and one for who watches: the hub's other cores are the hub's.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: options.spectators > 0 ? 2 : 1)
        do {
            let boxes = try await RaceBoxes(stage, shared, on: group.next())
            let result = try await play(boxes, stage, options, on: group.next())
            try await group.shutdownGracefully()
            return result
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private func stage(_ options: RaceOptions) throws -> RaceStage {
        var settings = options.settings
        let plan: CoursePlan
        if let file = options.course {
            plan = try RaceCourse.plan(of: file, laps: options.laps)
        } else if let run = state.run {
            plan = RaceCourse.plan(of: run)
        } else {
            throw FleetError("There is no course: give one with --course, or a state file of `trackme-hub rehearse`.")
        }
        let course = try RaceCourse.course(plan), known = state.run?.runners
        settings.runners = options.runners ?? known?.count ?? state.persons.count
        let people = try known.map { Array($0.map(\.person).prefix(settings.runners)) } ?? Array(state.people(settings.runners))
        guard people.count == settings.runners, settings.runners > 0 else {
            throw FleetError("The run has \(people.count) runners, not \(settings.runners).")
        }
        settings.gun = state.run?.starts ?? state.now + RaceStage.wait
        progress("\(people.count) runners on \(Int(course.length)) m; the gun is in \(max(settings.gun - state.now, 0) / 1000) s")
        return RaceStage(course: course, settings: settings, people: people, bibs: known?.map(\.bib), now: state.now)
    }

    private mutating func raceHead() async throws -> String {
        let token = try await token()
        return try HubConnection(state).head("POST", SyncRoute.segments, Self.segmentFields(token: token))
    }

    private mutating func play(
        _ boxes: RaceBoxes, _ stage: RaceStage, _ options: RaceOptions, on loop: any EventLoop
    ) async throws -> RaceResult {
        let shared = boxes.shared, start = NIODeadline.now(), processor = Clocks.processorSeconds()
        try await boxes.begin(over: max(min(stage.settings.gun - state.now, 10_000), 1000) / Milliseconds(shared.clock.speed))
        let watchers = options.spectators > 0 ? try RaceWatchers(options, stage, shared, run: state.run, on: loop) : nil
        var told = NIODeadline.now() - .hours(1), renewal = told, watching: Task<Void, any Error>?
        while true {
            let now = shared.clock.now, status = try await boxes.status(at: now)
            if NIODeadline.now() - told >= .seconds(10) {
                progress(status.line(since: stage.settings.gun, now: now, shared.sent.result))
                told = .now()
            }
            if let seconds = options.seconds, now >= stage.settings.gun + Milliseconds(seconds) * 1000 { break }
            if status.done == boxes.count { break }
            if let watchers, watching == nil, now >= stage.settings.gun + Self.comingAfter {
                watching = Task { try await watchers.come() }
            }
            // The hub takes the old token until it sees the new one. Where it does not answer, boxes try again, and so does this.
            if state.tokenExpires < state.now + Self.raceTokenLeft, NIODeadline.now() >= renewal {
                renewal = .now() + .seconds(5)
                do { shared.head.current = try await raceHead() } catch { progress("no new token yet: \(error)") }
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        watching?.cancel()
        let seen = await watchers?.result()
        try await boxes.stop()
        let sent = shared.sent.result, finished = try await boxes.status(at: shared.clock.now).finished
        if let problem = sent.firstProblem { progress("first problem of a box: \(problem)") }
        return RaceResult(
            runners: boxes.count, finished: finished, seconds: (Double((NIODeadline.now() - start).nanoseconds) / 1e9).rounded3,
            requests: sent.requests, samples: sent.samples, repeats: sent.repeats, refused: sent.refused,
            answerP99Milliseconds: sent.answerDelays.quantile(0.99)?.rounded3,
            clientProcessorSeconds: (Clocks.processorSeconds() - processor).rounded3, spectators: seen)
    }

    /// Spectators come so long after the gun, milliseconds: by then the hub knows who is on the list.
    private static let comingAfter: Milliseconds = 5000

    /// A token with less left is replaced during a race.
    private static let raceTokenLeft: Milliseconds = 900_000
}

/// A race before it is played.
struct RaceStage: Sendable {
    /// Milliseconds to a gun that nobody set.
    static let wait: Milliseconds = 10_000
    /// Of every so many runners the truth is kept to compare.
    static let keptEvery = 10
    /// Before the gun nobody sends longer than this, seconds.
    private static let leadMax: Milliseconds = 1800

    let course: Course
    let settings: RaceSettings
    let people: [PersonID]
    let plays: [RacePlay]
    /// Some whose truth is known, by bib.
    private(set) var kept: [Int: SimulatedRunner] = [:]
    private(set) var phases: [Int: Milliseconds] = [:]

    /// - Parameter bibs: the numbers that the hub gave; 1 and up without.
    init(course: Course, settings: RaceSettings, people: [PersonID], bibs: [Int]?, now: Milliseconds) {
        (self.course, self.settings, self.people) = (course, settings, people)
        let lead = Int(min(max(settings.gun - now, 0) / 1000, Self.leadMax))
        var simulator = RaceSimulator(course: course, settings: settings), plays: [RacePlay] = []
        for number in people.indices {
            let runner = simulator.runner(number + 1), bib = bibs.map { $0[number] } ?? number + 1
            let play = RacePlay(runner, bib: bib, on: simulator, phase: Milliseconds(number * 1000 / people.count), lead: lead)
            plays.append(play)
            guard bib.isMultiple(of: Self.keptEvery) else { continue }
            kept[bib] = runner
            phases[bib] = play.origin - settings.gun
        }
        self.plays = plays
    }
}
