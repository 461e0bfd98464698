import Distress
import Foundation
import HubStore
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Vitals

@testable import HubServices

/// One episode of one person, seen by a box and by the hub, over a link on which everything goes wrong. All of it follows from the seed.
struct SOSTrial {
    enum Cause: CaseIterable { case heart, helpAtTheBox, helpAtTheHub, helpAtBoth }
    enum End: CaseIterable { case none, falseAlarmAtTheBox, falseAlarmAtTheHub, taken, answeredAtTheHub }
    enum Leap: String { case step, pause }
    enum Event: Equatable {
        case boxRestarts, boxReboots, hubRestarts, helpAtTheHub, end
        /// The hub's machine stands still for so long; `wall` alone: its boot clock stood still as well.
        case hubPauses(Milliseconds, wall: Bool)
        case hubClockSteps(Milliseconds)

        /// It happens to the hub, or on its pages: not while the hub stands still.
        var needsHub: Bool { self != .boxRestarts && self != .boxReboots }
    }

    /// What is on its way: a report to the hub, or what the box hears of it.
    private enum Packet {
        case report(SOSReport, answers: Bool)
        case answer(SOSAnswer?, SOSReport)

        var isForHub: Bool { if case .report = self { true } else { false } }
    }

    static let step: Milliseconds = 500, ill: Milliseconds = 4000, healed: Milliseconds = 80_000, end: Milliseconds = 112_000
    private static let afterPause: Milliseconds = 30_000
    private static let requestLimit: Milliseconds = 8000

    let seed: UInt64
    private var random: SeededGenerator
    private(set) var town: SOSTown
    private(set) var box: SimulatedBox
    let contact: String
    private let start: Milliseconds
    private let cause: Cause, outcome: End
    /// Another device of the person, without a detector: the hub watches its readings where no box reports.
    private let device: StreamID?
    private let loss: Double, doubles: Double, delayMax: Milliseconds
    private let partitions: [Range<Milliseconds>]
    private var events: [(at: Milliseconds, event: Event)] = []
    private var packets: [(at: Milliseconds, order: Int, packet: Packet)] = []
    private var order = 0, sequence: UInt64 = 0
    private var lost: Set<UInt64> = []
    private(set) var log: [String] = []
    private var open: [String: IncidentID] = [:]
    /// Since the trial began.
    private var time: Milliseconds = 0
    /// Until then the hub stands still, and what its clocks have to catch up with.
    private var standsStillUntil: Milliseconds = 0, owed: (wall: Milliseconds, ticks: Milliseconds) = (0, 0)
    private var isStandingStill: Bool { time < standsStillUntil }
    /// Where the hub's time went on without it, by how much, and whether the hub knew the box's clock before.
    private var leaps: [(at: Milliseconds, by: Milliseconds, isBoxKnown: Bool, isStep: Bool)] = []
    /// The hub opened a second case where it could not know that it was the first one (``mayBeNew(_:after:)``): because its clock was set, or
    /// because it stood still.
    private(set) var openedAgain: Leap?
    /// The hub kept its case open where it could not know that it was over at the box (``mayBeAnother(_:)``).
    private(set) var isKeptOpen = false
    private var hubRestarts: [Milliseconds] = []
    /// The hub's time of alarms at each step.
    private var hubTimes: [(hub: Milliseconds, time: Milliseconds)] = []
    private var person: PersonID { box.person }

    init(seed: UInt64, in town: SOSTown, person: PersonID, contact: String) {
        var random = SeededGenerator(seed: seed)
        (self.seed, self.town, self.contact, start) = (seed, town, contact, town.hub.clock.now)
        func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &random) < part }
        func moment(_ range: Range<Milliseconds>) -> Milliseconds { .random(in: range, using: &random) }
        (cause, outcome) = (Cause.allCases.randomElement(using: &random) ?? .heart, End.allCases.randomElement(using: &random) ?? .none)
        device = chance(0.5) ? .random() : nil
        (loss, doubles) = (chance(0.3) ? 0 : Double.random(in: 0..<0.5, using: &random), Double.random(in: 0..<0.4, using: &random))
        delayMax = [20, 800, 3000, 9000].randomElement(using: &random) ?? 20
        // Often from the beginning on, so that each side sees it without the other.
        var partitions = chance(0.4) ? [0..<moment(5000..<70_000)] : []
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let from = moment(2000..<60_000)
            partitions.append(from..<from + moment(1000..<30_000))
        }
        self.partitions = partitions
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            events.append((moment(2000..<90_000), [.boxRestarts, .boxReboots].randomElement(using: &random) ?? .boxRestarts))
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) { events.append((moment(2000..<90_000), .hubRestarts)) }
        if cause == .helpAtTheHub || cause == .helpAtBoth { events.append((Self.ill, .helpAtTheHub)) }
        if chance(0.25) {
            events.append(
                (moment(2000..<60_000), .hubPauses([3000, 20_000, 60_000].randomElement(using: &random) ?? 3000, wall: chance(0.5))))
        }
        for _ in 0..<(chance(0.25) ? Int.random(in: 1...2, using: &random) : 0) {
            events.append(
                (moment(2000..<90_000), .hubClockSteps([-3_600_000, -5000, 5000, 3_600_000].randomElement(using: &random) ?? 5000)))
        }
        events.append((moment(15_000..<78_000), .end))
        events.sort { $0.at < $1.at }
        box = SimulatedBox(person: person, contact: contact, offset: moment(1000..<900_000))
        self.random = random
    }

    /// Runs it. What is wrong at the end, in words; empty when all holds.
    mutating func run() async throws -> [String] {
        // A hub that stood still hears of what happened meanwhile.
        while time < max(Self.end, standsStillUntil + Self.afterPause) {
            try await happen()
            try await deliver()
            try await beat()
            box.tick(at: time)
            for report in box.takeOutbound() { send(report) }
            // What leaves does so within the step.
            try await settle()
            await passStep()
            try await settle()
            noteOpen()
        }
        try await settle()
        return try problems()
    }

    /// A step of the trial; a hub that stands still learns of the time behind it.
    private mutating func passStep() async {
        time += Self.step
        guard !isStandingStill else { return }
        town.hub.clock.advance(owed.wall + Self.step)
        town.ticks?.advance(owed.ticks + Self.step)
        owed = (0, 0)
        town.sos.lookAtPauses()
        await town.look()
        hubTimes.append((town.sos.now(), time))
    }

    /// What is open on either side stands in the log when it changes.
    private mutating func noteOpen() {
        let now = [("hub", town.sos.openCase(of: person)?.id), ("box", box.isOpen ? box.alarm?.id : nil)]
        for (side, id) in now where open[side] != id {
            log.append("\(time) \(side) \(id.map { "\($0)".prefix(4) } ?? "none")")
            open[side] = id
        }
    }

    /// When something happened that the hub dates so.
    private func trialTime(_ hub: Milliseconds) -> Milliseconds { hubTimes.last { $0.hub <= hub }?.time ?? 0 }

    // MARK: What happens

    private mutating func beat() async throws {
        guard time % 1000 == 0 else { return }
        let isIll = cause == .heart && time >= Self.ill && time < Self.healed
        box.beat(isIll ? 30 : 70, at: time)
        if time == Self.ill {
            if cause == .helpAtTheBox || cause == .helpAtBoth { box.press(.help, at: time) }
        }
        guard let device, isIll, !isStandingStill, town.sos.openCase(of: person) == nil else { return }
        sequence += 1
        let sample = HeartRateSample(time: town.hub.clock.now, beatsPerMinute: 30, contact: .detected)
        let segment = Segment(
            stream: device, sequence: sequence, person: person, provenance: .live, clock: .wall, samples: SampleSet(heartRates: [sample]))
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now, takesExpired: true)
        let body = try SegmentBatch.encode([segment.encoded()])
        _ = try await town.hub.ingest.commit(body.withUnsafeBytes { try town.hub.ingest.receive(session: session, body: $0) })
        await town.sos.detection.detect(in: Array(town.hub.bus.arrivedForSOS.take()))
    }

    private mutating func happen() async throws {
        while let place = events.firstIndex(where: { $0.at <= time && !(isStandingStill && $0.event.needsHub) }) {
            let next = events.remove(at: place)
            log.append("\(time) \(next.event)")
            switch next.event {
            case .boxRestarts: box.restart(at: time)
            case .boxReboots: box.reboot(at: time)
            case .hubRestarts:
                try await settle()
                hubRestarts.append(time)
                town = try town.restarted()
            case .hubPauses(let length, let wall):
                standsStillUntil = time + length
                noteLeap(by: length, at: standsStillUntil, isStep: false)
                owed = (length, wall ? 0 : length)
            case .hubClockSteps(let step):
                town.hub.clock.advance(step)
                noteLeap(by: step, at: time, isStep: true)
            case .helpAtTheHub: _ = try await town.sos.presses.press(.help, for: person)
            case .end: try await endIt()
            }
        }
    }

    private mutating func noteLeap(by length: Milliseconds, at time: Milliseconds, isStep: Bool) {
        let boxes = town.sos.state.withLock { $0.entries[person]?.state.boxes.values.map(\.boot) ?? [] }
        leaps.append((time, length, boxes.contains(box.boot), isStep))
    }

    private mutating func endIt() async throws {
        switch outcome {
        case .none: break
        case .falseAlarmAtTheBox: box.press(.falseAlarm, at: time)
        case .falseAlarmAtTheHub: _ = try await town.sos.presses.press(.falseAlarm, for: person)
        case .answeredAtTheHub: _ = try await town.sos.presses.press(.ok, for: person)
        case .taken:
            guard let item = town.sos.openCase(of: person) else { break }
            _ = await town.sos.helpers.act(.take, .contact(0, name: "Bruno"), on: item.id)
            if seed % 2 == 0 { _ = await town.sos.helpers.act(.finish, .contact(0, name: "Bruno"), on: item.id) }
        }
    }

    // MARK: The link

    private mutating func send(_ report: SOSReport) {
        let isOver = time >= Self.healed
        func chance(_ part: Double) -> Bool { !isOver && Double.random(in: 0..<1, using: &random) < part }
        let longest = isOver ? 20 : delayMax
        if !isOver, partitions.contains(where: { $0.contains(time) }) {
            // Refused at once, or into nothing.
            return put(.answer(nil, report), at: time + (seed % 2 == 0 ? 5 : Self.requestLimit))
        }
        put(.answer(nil, report), at: time + Self.requestLimit)
        if !chance(loss) { put(.report(report, answers: true), at: time + .random(in: 1...longest, using: &random)) }
        if chance(doubles) { put(.report(report, answers: false), at: time + .random(in: 1...longest * 3, using: &random)) }
    }

    private mutating func put(_ packet: Packet, at time: Milliseconds) {
        order += 1
        packets.append((time, order, packet))
    }

    private mutating func deliver() async throws {
        while let next = packets.filter({ $0.at <= time && !(isStandingStill && $0.packet.isForHub) }).min(by: {
            ($0.at, $0.order) < ($1.at, $1.order)
        }) {
            packets.removeAll { $0.order == next.order }
            switch next.packet {
            case .report(let report, let answers):
                let answer = try await town.send(report)
                guard answers, time >= Self.healed || Double.random(in: 0..<1, using: &random) >= loss else { continue }
                put(.answer(answer, report), at: time + .random(in: 1...(time >= Self.healed ? 20 : delayMax), using: &random))
            case .answer(let answer, let report):
                // What comes behind the request's end is heard by nobody.
                let isFirst = lost.insert(report.revision &* 31 &+ report.boot.low).inserted
                if isFirst { box.heard(answer, to: report, at: time) }
            }
        }
    }

    /// Messages leave beside the decisions.
    private func settle() async throws {
        while town.sos.state.withLock({ $0.sending > 0 }) { try await Task.sleep(for: .microseconds(200)) }
    }

    // MARK: What must hold

    /// A case, for people: when it was raised, opened and over, in the trial's time.
    private func told(_ item: SOSCase) -> String {
        let times = [item.alarm.raisedAt, item.opened, item.ended].map { $0.map { "\($0 - start)" } ?? "open" }
        let names = item.alarm.aliases.map { $0.description.prefix(4) }
        return "\(item.id.description.prefix(4)) \(times.joined(separator: " ")) \(item.alarm.abnormalities.map(\.trigger)) also \(names)"
    }

    /// Whether the hub may take what is reported behind a pause, or a step forward of its clock, for another episode than the one that was over
    /// before: by its time the answer has worn off, or it never heard of the box's clock. It cannot know, and calls once too often.
    /// - Returns: nil where it could know.
    private func mayBeNew(_ second: SOSCase, after first: SOSCase) -> Leap? {
        guard let ended = first.ended else { return nil }
        let range = trialTime(ended)...max(trialTime(ended), trialTime(second.opened))
        let found = leaps.filter {
            range.contains($0.at) && $0.by >= SOSService.pauseMin
                && (!$0.isBoxKnown || cause == .heart && $0.by >= SOSTimings.quietTime)
        }
        return found.isEmpty ? nil : found.contains(where: \.isStep) ? .step : .pause
    }

    /// Whether the hub may take what it hears to be over for another episode than its own: it stood still, was started anew before it knew for how
    /// long, with its clock set back, and had never heard of the box's clock. Its case stays open: it errs on the side of an alarm.
    private func mayBeAnother(_ cases: [SOSCase]) -> Bool {
        guard cases.count == 2, let heard = cases.first(where: { !$0.isOpen }), heard.calls.isEmpty, cases.contains(where: \.isOpen)
        else { return false }
        return leaps.contains { pause in
            pause.by >= SOSService.pauseMin && !pause.isBoxKnown
                && leaps.contains { $0.by < 0 && $0.at >= pause.at && hubRestarts.contains($0.at) }
        }
    }

    private mutating func problems() throws -> [String] {
        var problems: [String] = []
        func expect(_ condition: Bool, _ what: @autoclosure () -> String) { if !condition { problems.append(what()) } }
        let cases = try town.sos.store.cases(of: person).sorted { $0.opened < $1.opened }
        let again = zip(cases, cases.dropFirst()).map { mayBeNew($1, after: $0) }
        if !again.contains(nil) { openedAgain = again.contains(.pause) ? .pause : again.contains(.step) ? .step : nil }
        isKeptOpen = mayBeAnother(cases)
        if openedAgain != nil || isKeptOpen { return [] }
        expect(
            cases.count == 1, "the hub has \(cases.count) incidents: \(cases.map(told))")
        guard let item = cases.first, cases.count == 1 else { return problems }
        let ids = Set<IncidentID>(box.called.map { $0.alarm.id } + [box.alarm?.id].compactMap { $0 })
        for id in ids { expect(try town.sos.store.incident(id)?.id == item.id, "the box calls it \(id), the hub \(item.id)") }
        // Calls at least once, each later one as an update.
        let told = item.calls.filter { [.alert, .update].contains($0.message) }
        expect(!box.called.isEmpty || told.contains { $0.state == .sent || $0.state == .acknowledged }, "nobody was called")
        expect(
            box.called.enumerated().allSatisfy { $0.offset == 0 || $0.element.message == .update },
            "the box alerts again: \(box.called.map { "\($0.attempt) \($0.message)" })")
        let alerts = told.filter { $0.message == .alert }
        expect(Set(alerts.map(\.recipient)).count == alerts.count, "the hub alerts again: \(told.map { "\($0.number) \($0.message)" })")
        // Neither side may alert whom it knows the other has told.
        for text in box.texts where text.isAlert {
            for sent in alerts.compactMap(\.sentAt) {
                let boxKnew = box.exchanges.contains { $0.utc > sent && $0.at < text.at }
                let hubKnew = box.exchanges.contains { $0.hasCalls && $0.at > text.at && $0.at < trialTime(sent) - Self.step }
                expect(!boxKnew && !hubKnew, "both alert: the hub at \(sent), the box at \(text.at), boxKnew \(boxKnew)")
            }
        }
        if let first = told.first(where: { $0.message == .alert })?.number {
            expect(told.allSatisfy { $0.message != .update || $0.number > first }, "an update comes before its alert")
        }
        return problems
    }
}
