import Accounts
import Distress
import HubStore
public import Logging
import Privacy
import Seams
public import ServiceLifecycle
import SyncProtocol
import Synchronization
import Vitals

/// Tells people who want to know of an irregular heartbeat (SOS-24), from what their straps have sent to this hub, whoever watches them.
///
/// It stands beside AutomatedSOS: it reads what has arrived once a minute, by a value of its own (``Distress/HeartRhythm``), and leaves behind a
/// notice to the person. No detector, question or alarm ever hears of it.
public final class RhythmService: Service {
    private struct Reader {
        var rhythm: HeartRhythm
        /// The place of the journal up to which it has read.
        var journal: Int64 = 0
    }

    static let every: Duration = .seconds(60)
    /// People that are read together, and segments of one person at a time.
    private static let together = 64, segmentsMax = 400

    private let sos: SOSService
    private let logger: Logger
    private let readers = Mutex<[PersonID: Reader]>([:])

    public init(sos: SOSService, logger: Logger) { (self.sos, self.logger) = (sos, logger) }

    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                look()
                try? await sos.machine.sleep(for: Self.every)
            }
        }
    }

    /// Reads what has come since the last look, of everybody who wants to be told.
    func look() {
        let wanted = sos.state.withLock { state in
            state.entries.filter(\.value.wantsRhythm).mapValues { $0.state.rhythm ?? HeartRhythm.Standing() }
        }
        let found = readers.withLock { readers in
            readers = readers.filter { wanted[$0.key] != nil }
            return wanted.map { ($0.key, readers[$0.key] ?? Reader(rhythm: HeartRhythm($0.value))) }
        }
        for start in stride(from: 0, to: found.count, by: Self.together) {
            let some = found[start..<min(start + Self.together, found.count)]
            orAgain {
                let arrived = try sos.detectionReader.arrivals(
                    some.map { (.system(.detection, of: $0.0), $0.1.journal) }, max: Self.segmentsMax)
                for ((person, reader), arrived) in zip(some, arrived) { orAgain { take(try arrived.get(), reader, of: person) } }
            }
        }
    }

    private func orAgain(_ body: () throws -> Void) {
        do { try body() } catch {
            logger.error("what straps sent cannot be read for the rhythm; it is tried again", metadata: ["error": "\(error)"])
        }
    }

    private func take(_ arrived: NewArrivals, _ before: Reader, of person: PersonID) {
        var reader = before, told: IrregularRhythm?
        reader.journal = arrived.upTo
        let live = arrived.segments.filter { $0.provenance == .live }
        let beats = live.flatMap { segment in segment.samples.heartRates.map { ($0, segment.stream) } }.sorted { $0.0.time < $1.0.time }
        var positions = live.flatMap(\.samples.positions).sorted { $0.time < $1.time }[...]
        for (sample, stream) in beats {
            while let position = positions.first, position.time <= sample.time {
                reader.rhythm.take(position)
                positions.removeFirst()
            }
            told = reader.rhythm.take(sample, of: stream) ?? told
        }
        for position in positions { reader.rhythm.take(position) }
        readers.withLock { [reader] in $0[person] = reader }
        if reader.rhythm.standing != before.rhythm.standing { keep(reader.rhythm.standing, telling: told, of: person) }
    }

    /// - Parameter found: what the person is to be told now; nil for nothing.
    private func keep(_ standing: HeartRhythm.Standing, telling found: IrregularRhythm?, of person: PersonID) {
        sos.state.withLock { state in
            guard var entry = state.entries[person], entry.wantsRhythm else { return }
            entry.isDirty = entry.isDirty || entry.state.rhythm?.isIrregular != standing.isIrregular
            entry.state.rhythm = standing
            guard let found else { return sos.store(person, &entry, [], &state) }
            logger.notice("an irregular heartbeat is told to the person, who asked for it")
            sos.owedNotices.owe(
                .irregularRhythm, ["begin": "\(found.from)", "end": "\(found.to)"], isForCaregivers: false, about: person, &entry,
                &state)
        }
    }
}

extension SOSEntry {
    fileprivate var wantsRhythm: Bool { choice.isOn && isConsented && choice.tellsRhythm == true }

    /// For the pages of the person's boxes: what they were told within a day.
    func rhythmToShow(at time: Milliseconds) -> SOSAnswer.Rhythm? {
        guard wantsRhythm, let told = state.rhythm?.told else { return nil }
        let ago = max(0, time - told.to)
        return ago < RhythmLimits.noticeEvery ? SOSAnswer.Rhythm(ago: ago) : nil
    }
}
