import Foundation
import NIOCore
import NIOPosix
import Vitals

/// The spectators of a race, on one event loop.
final class RaceWatchers: Sendable {
    private let options: RaceOptions
    private let loop: any EventLoop
    private let shared: RaceBox.Shared
    private let path: String
    private let seen: RaceSeen
    private let state = State()

    /// Streams that are opened at the same time.
    private static let opening = 64
    /// A stream that tells nothing for so long has failed.
    private static let patience = TimeAmount.seconds(30)

    private actor State {
        var since: NIODeadline?
        var channels: [any Channel] = []

        func add(_ channel: any Channel) { channels.append(channel) }
        func begin() { since = .now() }
    }

    init(_ options: RaceOptions, _ stage: RaceStage, _ shared: RaceBox.Shared, run: FleetRun?, on loop: any EventLoop) throws {
        guard let run else { throw FleetError("Spectators need a run: a state file of `trackme-hub rehearse`.") }
        guard shared.clock.speed == 1 else { throw FleetError("What spectators see is measured at the pace of people: speed 1.") }
        (self.options, self.shared, self.loop, path) = (options, shared, loop, "/runs/\(run.code)/events")
        seen = RaceSeen(shared.sent, simulated: stage.kept, phases: stage.phases)
    }

    /// Opens all streams, then begins to count.
    func come() async throws {
        progress("\(options.spectators) spectators come")
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<options.spectators {
                if number >= Self.opening { _ = try await tasks.next() }
                tasks.addTask { [self] in await open(number) }
            }
            try await tasks.waitForAll()
        }
        let ended = seen.result.ended
        if let problem = seen.result.firstProblem { progress("\(ended) spectators were refused; the first: \(problem)") }
        seen.measure()
        await state.begin()
        progress("\(options.spectators - ended) spectators watch")
    }

    private func open(_ number: Int) async {
        let request = ByteBuffer(string: shared.hub.head("GET", path, [("Accept", "text/event-stream")]) + "\r\n")
        let ready = loop.makePromise(of: Void.self), looks = number < options.looking ? number : nil
        let channel = shared.hub.open(on: loop) { [seen] in
            RaceReader(request: request, seen: seen, looks: looks, ready: ready)
        }
        channel.whenFailure { ready.fail($0) }
        let late = loop.scheduleTask(in: Self.patience) { ready.fail(FleetError("The hub told a spectator nothing.")) }
        defer { late.cancel() }
        do {
            await state.add(try await channel.get())
            try await ready.futureResult.get()
        } catch {
            seen.refuse("\(error)")
        }
    }

    /// Their observations; nil when they had not all come.
    func result() async -> RaceResult.Spectators? {
        guard let begin = await state.since else { return nil }
        let seconds = Double((NIODeadline.now() - begin).nanoseconds) / 1e9
        let counts = seen.result
        seen.settled()
        // One more comes, and gets what everybody would get each second without deltas.
        await open(options.spectators)
        let later = seen.result
        if let problem = later.firstProblem { progress("first problem of a spectator: \(problem)") }
        let watching = max(options.spectators - counts.ended, 1)
        let perSecond = Double(counts.bytes) / Double(watching) / seconds
        for channel in await state.channels { channel.close(promise: nil) }
        return RaceResult.Spectators(
            spectators: options.spectators, seconds: seconds.rounded3, events: counts.events,
            expectedEvents: Int(seconds) * options.spectators, lost: counts.lost, twice: counts.twice, toSnapshot: counts.snapshots,
            ended: counts.ended, unreadable: later.unreadable, delays: later.delays.values.count,
            p50Seconds: later.delays.quantile(0.5)?.rounded3, p99Seconds: later.delays.quantile(0.99)?.rounded3,
            maxSeconds: later.delays.quantile(1)?.rounded3, lateP99Seconds: later.lateDelays.quantile(0.99)?.rounded3,
            errorP50Metres: later.errors.quantile(0.5)?.rounded3, errorP99Metres: later.errors.quantile(0.99)?.rounded3,
            bytesPerSecond: perSecond.rounded3, snapshotBytes: later.snapshotBytes)
    }
}
