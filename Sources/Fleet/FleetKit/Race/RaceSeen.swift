import Dispatch
import Foundation
import Synchronization
import Vitals

/// The updates of the spectators of a race.
final class RaceSeen: Sendable {
    struct Counts: Sendable {
        var events = 0
        var bytes = 0
        var snapshots = 0
        /// Bytes of the newest snapshot.
        var snapshotBytes = 0
        /// Events that were left out, by their count, and that came twice.
        var lost = 0, twice = 0
        /// Streams that the hub ended, or never began.
        var ended = 0
        var unreadable = 0
        var firstProblem: String?
        /// Seconds from a fix to its arrival at a spectator, for those that a row told of.
        var delays = Delays()
        /// Likewise of fixes that left their box late; from that moment on.
        var lateDelays = Delays()
        /// Metres between what was shown and where the runner truly was, at the time of the newest fix.
        var errors = Delays()
        /// Runners that the last event of some spectator knew.
        var runners = 0
    }

    private let counts = Mutex(Counts())
    private let isMeasuring = Mutex(false)
    /// The newest fix that a spectator was told of, by spectator and bib: a row may tell again of one that is old.
    private let newest = Mutex<[Int: [Int: Milliseconds]]>([:])
    private let decoding = DispatchQueue(label: "trackme.spectators")
    private let sent: RaceSent
    private let simulated: [Int: SimulatedRunner]
    private let phases: [Int: Milliseconds]

    /// - Parameters:
    ///   - simulated: runners whose truth is known, by bib.
    ///   - phases: milliseconds by which their seconds are behind the gun's.
    init(_ sent: RaceSent, simulated: [Int: SimulatedRunner] = [:], phases: [Int: Milliseconds] = [:]) {
        (self.sent, self.simulated, self.phases) = (sent, simulated, phases)
    }

    func change(_ body: (inout Counts) -> Void) { counts.withLock { body(&$0) } }

    /// A stream never began, or ended before the run did.
    func refuse(_ why: String) {
        change {
            $0.ended += 1
            $0.firstProblem = $0.firstProblem ?? why
        }
    }

    /// Everything that was seen so far is forgotten, and what comes counts.
    func measure() {
        isMeasuring.withLock { $0 = true }
        counts.withLock { counts in
            let (ended, problem, size) = (counts.ended, counts.firstProblem, counts.snapshotBytes)
            counts = Counts()
            (counts.ended, counts.firstProblem, counts.snapshotBytes) = (ended, problem, size)
        }
    }

    var isCounting: Bool { isMeasuring.withLock { $0 } }

    var result: Counts { counts.withLock { $0 } }

    /// When everything was looked at.
    func settled() { decoding.sync {} }

    /// Looks at an event of one of a few spectators, elsewhere than on the thread that reads.
    func look(_ data: [UInt8], _ kind: RaceLines.Kind, by spectator: Int, at arrival: Double) {
        decoding.async { self.decode(data, kind, by: spectator, at: arrival) }
    }

    private func decode(_ data: [UInt8], _ kind: RaceLines.Kind, by spectator: Int, at arrival: Double) {
        let event: RaceEvent
        do { event = try JSONDecoder().decode(RaceEvent.self, from: Data(data)) } catch {
            return change {
                $0.unreadable += 1
                $0.firstProblem = $0.firstProblem ?? "an event that cannot be read: \(error)"
            }
        }
        let fresh = newest.withLock { newest in
            for bib in event.moved.map(\.bib) { newest[spectator, default: [:]][bib] = event.t }
            return event.rows.filter { row in
                guard row.seen > newest[spectator]?[row.bib] ?? 0 else { return false }
                newest[spectator, default: [:]][row.bib] = row.seen
                return true
            }
        }
        // A snapshot tells of fixes that others saw before.
        guard kind == .delta, isCounting else { return }
        let late = sent.result.late
        change { counts in
            counts.runners = max(counts.runners, event.rows.count + event.moved.count)
            for row in fresh {
                if let left = late[row.bib]?[row.seen] {
                    counts.lateDelays.add((arrival - Double(left)) / 1000)
                } else {
                    counts.delays.add((arrival - Double(row.seen)) / 1000)
                }
                guard let runner = simulated[row.bib] else { continue }
                let truth = max(runner.metres(at: row.seen - (phases[row.bib] ?? 0)), 0)
                // A runner who waits behind the line, and is shown there, tells nothing about the matching.
                if truth > 0 || row.metres > 0 { counts.errors.add(abs(Double(row.metres) - truth)) }
            }
        }
    }
}
