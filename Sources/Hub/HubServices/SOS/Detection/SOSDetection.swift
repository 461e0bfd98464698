import Distress
import HubStore
import Logging
import Privacy
import Seams
import SyncProtocol
import Vitals

/// The hub's own watching, of people on whom no box has an eye.
struct SOSDetection: SOSSubject {
    let sos: SOSService

    /// Buttons that come later than this by a segment are history,
    static let buttonAgeMax: Milliseconds = 600_000
    /// but for the help that somebody asked for by a phone that had no network: nobody has heard of it yet.
    static let helpAgeMax: Milliseconds = 6 * 3_600_000
    /// The rhythm of senders is stored so often at most, milliseconds.
    static let sendersEvery: Milliseconds = 60_000
    /// A person is told so often at most that nobody was asked about a flagged event.
    static let unheardEvery: Milliseconds = 3_600_000

    /// The hub watches a person on whom no box's detector has an eye (docs/decisions/0009): who decides.
    private static func isWatchedHere(_ entry: SOSEntry, now: Milliseconds) -> Bool {
        guard entry.choice.isOn, entry.isConsented else { return false }
        return !entry.state.boxes.values.contains { !$0.isDetectorDown && now - $0.received < SOSTimings.boxSilentAfter }
    }

    /// Arrivals are looked at where the hub watches, and while a case is open: where is the person now?
    func updateWatch(of person: PersonID) {
        let isHere = sos.state.withLock { state in
            state.entries[person].map { Self.isWatchedHere($0, now: now()) || $0.open != nil || $0.state.inactivity != nil } ?? false
        }
        bus.watchForSOS(person, isHere)
    }

    /// Reads what came for these people and tells their watches, in the order of arrival.
    func detect(in people: [PersonID]) async { await sos.keep(actOnArrivals(of: people)) }

    /// Some at a time: the first act while the others are read. What is left to do is to keep it.
    func actOnArrivals(of people: [PersonID]) async -> SOSWork {
        await withTaskGroup(of: SOSWork.self) { group in
            for start in stride(from: 0, to: people.count, by: Self.detectedTogether) {
                let some = people[start..<min(start + Self.detectedTogether, people.count)]
                group.addTask { [self] in
                    let work = watch(some)
                    await sos.act(work)
                    return work
                }
            }
            return await group.reduce(into: SOSWork()) { $0.add($1) }
        }
    }

    private static let detectedTogether = 64

    /// Segments of one person that are read at once: usually, and when they are looked at for the first time.
    private static let arrivedMax = 200, arrivedFirstMax = 20_000

    /// The people whom the hub has in memory, with the arrivals for each: one reading for all of them.
    private func watch(_ people: ArraySlice<PersonID>) -> SOSWork {
        var entries: [(person: PersonID, entry: SOSEntry)] = [], work = SOSWork()
        for person in people {
            orAgain(person, &work) { _ in
                if try sos.prepare(person), let entry = sos.state.withLock({ $0.entries[person] }) { entries.append((person, entry)) }
            }
        }
        let arrived: [Result<NewArrivals, any Error>]
        do {
            // Of somebody new, what came before may be a call for help behind much else.
            let max = entries.contains { $0.entry.state.journal == 0 } ? Self.arrivedFirstMax : Self.arrivedMax
            arrived = try detectionReader.arrivals(entries.map { (.system(.detection, of: $0.person), $0.entry.state.journal) }, max: max)
        } catch {
            arrived = entries.map { _ in .failure(error) }
        }
        for ((person, entry), arrived) in zip(entries, arrived) {
            orAgain(person, &work) { work in work.add(detect(person, entry, try arrived.get())) }
        }
        return work
    }

    private func orAgain(_ person: PersonID, _ work: inout SOSWork, _ body: (inout SOSWork) throws -> Void) {
        do { try body(&work) } catch {
            work.unread.insert(person)
            logger.error("what somebody's device sent cannot be watched; it is tried again", metadata: ["error": "\(error)"])
            machine.start { [bus, machine] in
                try? await machine.sleep(for: .seconds(1))
                bus.arrivedForSOS.note([person])
            }
        }
    }

    private func detect(_ person: PersonID, _ entry: SOSEntry, _ arrived: NewArrivals) -> SOSWork {
        let time = now(), isHere = Self.isWatchedHere(entry, now: time), upTo = arrived.upTo
        // A box that watches reports by itself, also what its person pressed. A phone beside it has nobody else to tell.
        let hasBox = entry.state.boxes.values.contains { !$0.isDetectorDown && time - $0.received < SOSTimings.boxSilentAfter }
        let lead = clock.lead, segments = arrived.segments.filter { $0.provenance == .live }
        let live = segments.map { $0.shifted(by: SOSService.lead(lead, over: $0.received, at: time)) }
        let hasButtons = live.contains { $0.samples.events.contains(where: \.code.isSOS) }
        // Where that cannot be read, whoever asks for help or reports a fall is heard.
        let phones = hasButtons ? (try? accounts.devices.devices(of: person).map(\.stream)).map { Set($0) } : []
        func isPhone(_ stream: StreamID) -> Bool { phones?.contains(stream) ?? true }
        var events: [(DistressEvent, Milliseconds)] = [], newest: LastPosition?
        // A box whose detector is down still tells itself what is pressed on it.
        let speaks = entry.state.boxes.values.contains { time - $0.received < SOSTimings.boxSilentAfter }
        for segment in live {
            if !hasBox || isPhone(segment.stream) {
                let buttonAge = isPhone(segment.stream) ? Self.helpAgeMax : speaks ? nil : Self.buttonAgeMax
                let isWatched = isHere && !hasBox && segment.received >= entry.watchedSince
                events += Self.events(
                    segment, isWatched: isWatched, buttonAge: buttonAge, isPhone: isPhone(segment.stream), now: time)
            }
            // That a place was set for a box says nothing new of where the person is.
            for position in segment.samples.positions where position.source != .fixed && newest.map({ $0.time < position.time }) ?? true {
                newest = LastPosition(position)
            }
        }
        let flagged = live.filter { isPhone($0.stream) }.flatMap(\.samples.events).filter { Flag($0.code) != nil }.map(\.time).max()
        let work = sos.state.withLock { [events, newest] state -> SOSWork in
            guard entry.state.journal == state.entries[person]?.state.journal else { return SOSWork() }
            state.entries[person]?.state.journal = upTo
            for segment in live { state.entries[person]?.noteLife { $0.take(segment) } }
            if !hasBox {
                for segment in live where segment.received >= entry.watchedSince {
                    state.entries[person]?.state.heard(segment.stream, at: segment.received)
                }
                if time - entry.sendersStored >= Self.sendersEvery, var entry = state.entries[person] {
                    (entry.sendersStored, entry.isDirty) = (time, true)
                    sos.store(person, &entry, [], &state)
                }
            }
            var work = events.isEmpty ? SOSWork() : sos.handle(events, of: person, &state)
            if let flagged { tellUnheard(flagged, of: person, &state) }
            if let newest { work.add(positions.moved(person, to: newest, &state)) }
            return work
        }
        updateWatch(of: person)
        return work
    }

    /// The events of a segment, in the order of time.
    /// - Parameters:
    ///   - buttonAge: how old a call for help, or a flagged event, may be, milliseconds; nil where it is told in another way.
    ///   - isPhone: it asks nobody by itself. About what it flagged the person is asked from its arrival on.
    static func events(
        _ segment: ArrivedSegment, isWatched: Bool, buttonAge: Milliseconds? = buttonAgeMax, isPhone: Bool = false, now: Milliseconds
    ) -> [(DistressEvent, Milliseconds)] {
        func key(_ kind: DataKind, _ index: Int) -> SampleKey {
            SampleKey(stream: segment.stream, sequence: segment.sequence, kind: kind, index: UInt32(index))
        }
        var events: [(time: Milliseconds, order: Int, event: DistressEvent)] = []
        events += segment.samples.positions.map { ($0.time, 0, .position($0)) }
        if isWatched {
            if let box = DistressEvent.box(of: segment.stream, segment.samples.positions) { events.append((box.time, -1, box.event)) }
            events += segment.samples.heartRates.enumerated().map { ($1.time, 1, .heartRate($1, key(.heartRate, $0))) }
        }
        events += segment.samples.events.enumerated().compactMap { index, event in
            guard isWatched || event.code.isSOS else { return nil }
            if event.code.isSOS {
                let isCall = event.code == .help || Flag(event.code) != nil
                guard let buttonAge, now - event.time <= (isCall ? buttonAge : buttonAgeMax) else { return nil }
            }
            let isAskedFromNow = isPhone && Flag(event.code) != nil
            return (isAskedFromNow ? segment.received : event.time, 2, .event(event, key(.event, index)))
        }
        return events.sorted { ($0.time, $0.order) < ($1.time, $1.order) }.map {
            ($0.event, min(max($0.time, segment.received - 60_000), segment.received))
        }
    }

    // MARK: Flagged events

    /// The outcome of a flagged event that was stored a moment ago.
    /// - Parameter time: when it was noticed, UTC.
    /// - Throws: ``StorageFailure`` where it cannot be read: what becomes of it is not known yet.
    func flagOutcome(noticedAt time: Milliseconds, of person: PersonID) async throws -> FlagOutcome {
        // What waits to be looked at is looked at first.
        let work = await actOnArrivals(of: [person])
        await sos.keep(work)
        guard !work.unread.contains(person) else { throw StorageFailure(description: "what a device reported cannot be read") }
        guard now() - time <= Self.helpAgeMax else { return .late }
        return sos.state.withLock { $0.entries[person]?.state.watch.flagOutcome } ?? .unheard(.switchedOff)
    }

    /// The person hears of a flagged event about which nobody was asked: the program that reported it may show no answer. Under the lock.
    private func tellUnheard(_ noticed: Milliseconds, of person: PersonID, _ state: inout State) {
        let time = now()
        guard var entry = state.entries[person], time - entry.unheardTold >= Self.unheardEvery else { return }
        if time - noticed <= Self.helpAgeMax {
            guard case .unheard = entry.state.watch.flagOutcome else { return }
        }
        entry.unheardTold = time
        owedNotices.owe(.sosUnheard, isForCaregivers: false, about: person, &entry, &state)
    }
}
