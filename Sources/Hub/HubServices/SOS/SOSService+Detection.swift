import Distress
import HubStore
import Logging
import Privacy
import Seams
public import ServiceLifecycle
import Synchronization
import Vitals

/// The hub's own watching, and its clock.
extension SOSService: Service {
    /// How often it looks what is due.
    static let lookEvery: Duration = .milliseconds(200)
    /// Buttons that come later than this by a segment are history,
    static let buttonAgeMax: Milliseconds = 600_000
    /// but for the help that somebody asked for by a phone that had no network: nobody has heard of it yet.
    static let helpAgeMax: Milliseconds = 6 * 3_600_000
    /// The rhythm of senders is stored so often at most, milliseconds.
    static let sendersEvery: Milliseconds = 60_000
    /// Links of the chain, owners and plans of tests are looked at this often.
    static let linksEvery: Duration = .seconds(10)

    public func run() async throws {
        state.withLock { $0.listening.isLooking = true }
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                // Before pages, of which thousands may ask at the same moment.
                group.addTask(priority: .high) { [self] in
                    beginUnbegun()
                    // What arrived while no hub ran.
                    await detect(in: state.withLock { Array($0.entries.keys) })
                    for await _ in bus.arrivedForSOS.signals {
                        lookAtPauses()
                        let work = await decide(in: Array(bus.arrivedForSOS.take()))
                        // The next readings wait for no disk.
                        machine.start(priority: .medium) { [self] in await keep(work) }
                    }
                }
                group.addTask { [self] in
                    while !Task.isCancelled {
                        // An alarm finds it read.
                        do { try crews.refresh(accounts, now: now(), isForced: true) } catch {
                            logger.error("who is on duty cannot be read", metadata: ["error": "\(error)"])
                        }
                        try? await machine.sleep(for: .milliseconds(CrewIndex.readEvery * 8 / 10))
                    }
                }
                // Each by itself: what waits for a disk holds up none of the others.
                repeatedly(in: &group, .milliseconds(Self.pauseLookEvery)) {}
                repeatedly(in: &group, Self.lookEvery) { [self] in
                    await keepBeside(look())
                    pulse.beat(.deadlines)
                }
                repeatedly(in: &group, Self.linksEvery) { [self] in
                    await lookAtLinks()
                    pulse.beat(.links)
                }
                repeatedly(in: &group, Self.linksEvery) { [self] in
                    await lookAtOwners()
                    await askOwners()
                }
                repeatedly(in: &group, Self.linksEvery) { [self] in await drillDue() }
                repeatedly(in: &group, Self.overdueEvery) { [self] in
                    await turnOffRevoked()
                    await lookForOverdueDrills()
                }
                group.addTask { [self] in
                    var tried: [PersonID: Milliseconds] = [:]
                    while !Task.isCancelled {
                        await computeLimits(tried: &tried)
                        try? await machine.sleep(for: .seconds(600))
                    }
                }
            }
        }
        _ = await writer.flush()
        pages.close()
    }

    private func repeatedly(in group: inout DiscardingTaskGroup, _ pause: Duration, _ body: @escaping @Sendable () async -> Void) {
        group.addTask { [self] in
            while !Task.isCancelled {
                // Behind a pause all are due at once, and nobody says which comes first.
                lookAtPauses()
                await body()
                try? await machine.sleep(for: pause)
            }
        }
    }

    /// Beside the looks, one after the other.
    private func keepBeside(_ work: Work) {
        let starts = state.withLock { state in
            state.unkept.add(work)
            defer { state.isKeeping = true }
            return !state.isKeeping
        }
        guard starts else { return }
        machine.start(priority: .medium) { [self] in
            let work = state.withLock { state in
                defer { state.unkept = Work() }
                return state.unkept
            }
            await keep(work)
            await tellOwed()
            state.withLock { $0.isKeeping = false }
        }
    }

    /// Does what is due by now, and waits for no disk.
    /// - Returns: what is to be kept.
    func look() async -> Work {
        let time = now()
        let (work, searches, untold) = state.withLock { state -> (Work, [IncidentID], [IncidentID]) in
            var work = Work(), searches: [IncidentID] = [], untold: [IncidentID] = []
            for person in state.waiting {
                guard let due = state.entries[person]?.state.watch.nextDeadline else {
                    state.waiting.remove(person)
                    continue
                }
                if due <= time { work.add(handle([(.tick, time)], of: person, &state)) }
            }
            for id in state.cases.values.filter(\.isOpen).map(\.id) {
                let ticked = dispatch(.hub(.tick), to: id, &state)
                work.crews.formUnion(ticked.crews)
                searches += ticked.searches
                if ticked.notified != nil { untold.append(id) }
            }
            return (work, searches, untold)
        }
        tellCrewsOfOffers(in: untold)
        await act(work)
        for id in searches { search(id) }
        takeUp()
        sendDue()
        return work
    }

    // MARK: Watching

    /// The hub watches a person on whom no box's detector has an eye (docs/decisions/0009): who decides.
    private static func isWatchedHere(_ entry: Entry, now: Milliseconds) -> Bool {
        guard entry.choice.isOn, entry.isConsented else { return false }
        return !entry.state.boxes.values.contains { !$0.isDetectorDown && now - $0.received < boxSilentAfter }
    }

    /// What arrives is looked at where the hub watches, and while a case is open: where is the person now?
    func lookAtDetection(of person: PersonID) {
        let isHere = state.withLock { state in
            state.entries[person].map { Self.isWatchedHere($0, now: now()) || $0.open != nil || $0.state.inactivity != nil } ?? false
        }
        bus.watchForSOS(person, isHere)
    }

    /// Reads what came for these people and tells their watches, in the order of arrival.
    func detect(in people: [PersonID]) async { await keep(decide(in: people)) }

    /// Some at a time: the first act while the others are read. What is left to do is to keep it.
    private func decide(in people: [PersonID]) async -> Work {
        await withTaskGroup(of: Work.self) { group in
            for start in stride(from: 0, to: people.count, by: Self.detectedTogether) {
                let some = people[start..<min(start + Self.detectedTogether, people.count)]
                group.addTask { [self] in
                    let work = watch(some)
                    await act(work)
                    return work
                }
            }
            return await group.reduce(into: Work()) { $0.add($1) }
        }
    }

    private static let detectedTogether = 64
    /// Segments of one person that are read at once: usually, and when they are looked at for the first time.
    private static let arrivedMax = 200, arrivedFirstMax = 20_000

    /// Whom the hub has in memory, with what came for each: one reading for all of them.
    private func watch(_ people: ArraySlice<PersonID>) -> Work {
        var entries: [(person: PersonID, entry: Entry)] = [], work = Work()
        for person in people {
            orAgain(person) {
                if try prepare(person), let entry = state.withLock({ $0.entries[person] }) { entries.append((person, entry)) }
            }
        }
        let arrived: [Result<NewArrivals, any Error>]
        do {
            // Of somebody new, what came before may be a call for help behind much else.
            let max = entries.contains { $0.entry.state.journal == 0 } ? Self.arrivedFirstMax : Self.arrivedMax
            arrived = try series.arrivals(entries.map { (.system(.detection, of: $0.person), $0.entry.state.journal) }, max: max)
        } catch {
            arrived = entries.map { _ in .failure(error) }
        }
        for ((person, entry), arrived) in zip(entries, arrived) {
            orAgain(person) { work.add(detect(person, entry, try arrived.get())) }
        }
        return work
    }

    private func orAgain(_ person: PersonID, _ body: () throws -> Void) {
        do { try body() } catch {
            logger.error("what somebody's device sent cannot be watched; it is tried again", metadata: ["error": "\(error)"])
            machine.start { [bus, machine] in
                try? await machine.sleep(for: .seconds(1))
                bus.arrivedForSOS.note([person])
            }
        }
    }

    private func detect(_ person: PersonID, _ entry: Entry, _ arrived: NewArrivals) -> Work {
        let time = now(), isHere = Self.isWatchedHere(entry, now: time), upTo = arrived.upTo
        // A box that watches reports by itself, also what its person pressed. A phone beside it has nobody else to tell.
        let hasBox = entry.state.boxes.values.contains { !$0.isDetectorDown && time - $0.received < Self.boxSilentAfter }
        let lead = clock.lead, segments = arrived.segments.filter { $0.provenance == .live }
        let live = segments.map { $0.shifted(by: Self.lead(lead, over: $0.received, at: time)) }
        let hasButtons = live.contains { $0.samples.events.contains(where: \.code.isSOS) }
        // Where that cannot be read, whoever asks for help or reports a fall is heard.
        let phones = hasButtons ? (try? accounts.devices.devices(of: person).map(\.stream)).map { Set($0) } : []
        func isPhone(_ stream: StreamID) -> Bool { phones?.contains(stream) ?? true }
        var events: [(DistressEvent, Milliseconds)] = [], newest: LastPosition?
        // A box whose detector is down still tells itself what is pressed on it.
        let speaks = entry.state.boxes.values.contains { time - $0.received < Self.boxSilentAfter }
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
        let work = state.withLock { [events, newest] state -> Work in
            guard entry.state.journal == state.entries[person]?.state.journal else { return Work() }
            state.entries[person]?.state.journal = upTo
            for segment in live { state.entries[person]?.noteLife { $0.take(segment) } }
            if !hasBox {
                for segment in live where segment.received >= entry.watchedSince {
                    state.entries[person]?.state.heard(segment.stream, at: segment.received)
                }
                if time - entry.sendersStored >= Self.sendersEvery, var entry = state.entries[person] {
                    (entry.sendersStored, entry.isDirty) = (time, true)
                    store(person, &entry, [], &state)
                }
            }
            var work = events.isEmpty ? Work() : handle(events, of: person, &state)
            if let flagged { tellUnheard(flagged, of: person, &state) }
            if let newest { work.add(moved(person, to: newest, &state)) }
            return work
        }
        lookAtDetection(of: person)
        return work
    }

    /// What a segment tells, in the order of time.
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
}

extension SOSService.Work {
    mutating func add(_ other: Self) {
        rounds += other.rounds
        questions += other.questions
        topics.formUnion(other.topics)
        crews.formUnion(other.crews)
        refusedBy = refusedBy ?? other.refusedBy
        searches += other.searches
        sends.formUnion(other.sends)
    }
}
