import Foundation
import NIOCore
import Vitals

/// All boxes of a race, on one event loop.
final class RaceBoxes: Sendable {
    let shared: RaceBox.Shared
    let count: Int
    private let loop: any EventLoop
    private let boxes: NIOLoopBound<[RaceBox]>

    init(_ stage: RaceStage, _ shared: RaceBox.Shared, on loop: any EventLoop) async throws {
        (self.shared, self.loop, count) = (shared, loop, stage.people.count)
        boxes = try await loop.submit {
            NIOLoopBound(zip(stage.people, stage.plays).map { RaceBox($0, $1, shared, on: loop) }, eventLoop: loop)
        }.get()
    }

    /// Switches them on, spread over some milliseconds.
    func begin(over time: Milliseconds) async throws {
        let (boxes, loop, count) = (boxes, loop, count)
        try await loop.submit {
            for index in boxes.value.indices {
                loop.scheduleTask(in: .milliseconds(time * Milliseconds(index) / Milliseconds(max(count, 1)))) {
                    boxes.value[index].begin()
                }
            }
        }.get()
    }

    func stop() async throws {
        let boxes = boxes
        try await loop.submit { for box in boxes.value { box.stop() } }.get()
    }

    struct Status: Sendable {
        var running = 0, finished = 0, silent = 0, done = 0

        func line(since gun: Milliseconds, now: Milliseconds, _ sent: RaceSent.Counts) -> String {
            let time = abs(now - gun) / 1000
            let clock = String(format: "%d:%02d:%02d", Int(time / 3600), Int(time / 60 % 60), Int(time % 60))
            return "\(now < gun ? "-" : "")\(clock): \(running) on the way, \(finished) finished, \(silent) without network; "
                + "\(sent.samples) samples sent, \(sent.repeats) repeats, \(sent.refused) refused"
        }
    }

    func status(at now: Milliseconds) async throws -> Status {
        let boxes = boxes
        return try await loop.submit {
            var status = Status()
            for box in boxes.value {
                if box.play.isThrough(at: now) { status.finished += 1 } else { status.running += 1 }
                if box.play.isSilent(at: now) { status.silent += 1 }
                if box.isDone { status.done += 1 }
            }
            return status
        }.get()
    }
}
