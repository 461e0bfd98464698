import Distress
import EmergencyDispatch
public import HubStore
import Logging
import Seams
import SyncProtocol
public import Vitals

/// Tests of the way of an alarm, on request and by plan (SOS-19). A planned one asks the person's boxes to try their own means as well.
public struct SOSDrills: SOSSubject {
    let sos: SOSService

    /// Why a plan was not set.
    public enum Problem: Error, Sendable, Hashable {
        /// The plan's numbers or its time zone.
        case plan
        /// Neither the person, nor a caregiver or parent.
        case notAllowed
    }

    /// A plan that is later than this is not made up for: nobody wants a test at three in the morning because a hub was down.
    static let lateMax: Milliseconds = 3 * 3_600_000
    /// While a real case is open a drill waits so long.
    static let wait: Milliseconds = 600_000
    static let atOnce = 100

    /// Has the way tested by plan; nil ends that.
    /// - Throws: ``Problem``.
    public func setPlan(_ plan: SOSDrillPlan?, for person: PersonID, by account: AccountID) async throws {
        let isAllowed = try account.person == person || addressees.caregivers(of: person).contains(account)
        guard isAllowed else { throw Problem.notAllowed }
        let time = now()
        guard let due = plan.map({ $0.isValid ? $0.first(after: time, for: person) : nil }) ?? 0 else { throw Problem.plan }
        try store.setDrillPlan(plan, due: due, of: person, by: account, now: time)
        pages.changed(person)
    }

    /// How often the way is tested for whoever turns AutomatedSOS on and chooses nothing else, in weeks.
    public static let usualWeeks = 4

    /// The plan of whoever turns AutomatedSOS on: on the day and at the hour that they chose before, else on Mondays at ten. Its time counts
    /// from now on: while it was off nothing was tested.
    /// - Parameter weeks: from one test to the next; 0 for none.
    /// - Throws: ``Problem``.
    func setPlan(every weeks: Int, for person: PersonID, by account: AccountID) throws {
        let time = now()
        guard weeks != 0 else { return try store.setDrillPlan(nil, due: 0, of: person, by: account, now: time) }
        var plan = try store.drill(of: person)?.plan ?? SOSDrillPlan(everyWeeks: weeks, weekday: 1, hour: 10)
        plan.everyWeeks = weeks
        guard let due = plan.first(after: time, for: person) else { throw Problem.plan }
        try store.setDrillPlan(plan, due: due, of: person, by: account, now: time)
    }

    /// The plan by which the way is tested; nil for none.
    public func plan(of person: PersonID) async throws -> SOSDrillPlan? { try store.drill(of: person)?.plan }

    /// When the next one is, UTC milliseconds; nil without a plan.
    public func next(of person: PersonID) async throws -> Milliseconds? { try store.drill(of: person)?.due }

    /// Does the tests that are due. One that cannot be done keeps none of the others.
    func beginDue() async {
        do {
            for drill in try store.drillsDue(Self.atOnce, now: now()) {
                do { try await take(drill) } catch {
                    logger.error(
                        "a planned test cannot be done; it is tried again",
                        metadata: ["person": "\(drill.person)", "error": "\(error)"])
                }
            }
        } catch { logger.error("planned tests cannot be read; they are tried again", metadata: ["error": "\(error)"]) }
    }

    /// The timer moves behind the test: a hub that is killed between finds the test under the same name.
    private func take(_ drill: SOSPlannedDrill) async throws {
        let time = now(), place = drill.plan.place(of: drill.due, for: drill.person)
        guard let next = drill.plan.next(after: drill.due, for: drill.person, now: time) else { return }
        if sos.openCase(of: drill.person) != nil {
            try store.moveDrill(drill, to: time + Self.wait)
        } else if time - drill.due > Self.lateMax {
            logger.warning("a planned test was missed; the next one stands", metadata: ["person": "\(drill.person)"])
            try store.moveDrill(drill, to: next)
        } else if place > time {
            // An older hub set all of them to the full hour.
            try store.moveDrill(drill, to: place)
        } else {
            try await begin(drill)
            try store.moveDrill(drill, to: next)
        }
    }

    private func begin(_ drill: SOSPlannedDrill) async throws {
        let key = SampleKey(
            stream: StreamID(high: drill.person.high, low: drill.person.low), sequence: UInt64(clamping: drill.due), kind: .event, index: 0)
        let id = IncidentID(person: drill.person, first: key)
        // Where nothing can be stored nobody is tested on and on.
        guard try sos.prepare(drill.person) else { return }
        let isFirst = sos.state.withLock { state in
            let isOn = state.entries[drill.person].map { $0.choice.isOn && $0.isConsented } ?? false
            return isOn && state.drilled.insert(id).inserted
        }
        guard isFirst, try store.incident(id) == nil else { return }
        try await run(for: drill.person, key: key)
    }

    /// What a box reached by its own means stands with its test; a way that failed is a broken link of the chain.
    /// - Returns: whether it is on the disk.
    func takeEnd(_ report: SOSReport, from agent: String) async -> Bool {
        guard let alarm = report.alarm, var item = (try? store.incident(alarm.id)) ?? nil, item.isTest, item.person == report.person else {
            return true
        }
        let isNews = item.boxTries == nil
        item.boxTries = report.tries
        let failed = report.failedWays
        sos.state.withLock { [item] state in
            writer.add(item.person, state: nil, cases: [item])
            if failed.isEmpty { noteTested(agent, of: item.person, &state) }
            guard isNews, let first = failed.first, var entry = state.entries[item.person] else { return }
            let name = entry.choice.contacts.first { $0.phone == first }?.name ?? first
            owedNotices.owe(.sosUnprotected, ["reason": "drill", "owner": name], about: item.person, &entry, &state)
        }
        await owedNotices.tell()
        pages.changed(item.person)
        return await writer.flush()
    }

    /// A box has reached everybody: that stands with the hub's test of the day, of which it is a part. Under the lock.
    private func noteTested(_ agent: String, of person: PersonID, _ state: inout State) {
        for var test in state.recentTests(at: now()) where test.person == person && test.boxesTested?[agent] == false {
            test.boxesTested?[agent] = true
            state.keepTest(test)
            writer.add(person, state: nil, cases: [test])
        }
    }

    /// A test of the way to caregivers, contacts and control rooms, marked as one in every format; no crew hears of it (SOS-19).
    public func run(for person: PersonID) async throws {
        let id = randomness.id(IncidentID.self)
        try await run(for: person, key: SampleKey(stream: StreamID(high: id.high, low: id.low), sequence: 0, kind: .event, index: 0))
    }

    /// A test of the way to caregivers, contacts and control rooms, marked as one in every format; no crew hears of it. The person's boxes are
    /// asked to try their own means as well.
    func run(for person: PersonID, key: SampleKey) async throws {
        guard try sos.prepare(person), let entry = sos.state.withLock({ $0.entries[person] }) else { return }
        let time = now(), position = entry.state.watch.detector.position
        let plan = addressees.plan(for: person, at: position).withLinks(of: addressees)
        // The same detector as always, told that this is an exercise.
        var watch = DistressWatch(person: person, provenance: .drill, side: .hub, settings: DistressSettings(), at: time)
        let pressed = watch.handle(.state(StateEvent(time: time, code: .help), key), at: time)
        guard var alarm = pressed.lazy.compactMap({ if case .test(let alarm) = $0 { alarm } else { nil } }).first else { return }
        alarm.position = position
        let id = alarm.id
        sos.state.withLock { state in
            var item = SOSCase(alarm, isTest: true, opened: time)
            _ = item.handle(.hub(.tested(plan)), at: time)
            if var entry = state.entries[person], entry.choice.isOn, entry.isConsented {
                item.boxesTested = entry.beginDrill(at: time)
                item.wasHeartHeard = entry.unwatched(false, time).allSatisfy { $0 == Absence.waitingForReactivation.rawValue }
                sos.store(person, &entry, [], &state)
            }
            if item.due != nil { state.cases[item.id] = item }
            writer.add(person, state: nil, cases: [item])
        }
        sending.sendDue(of: id)
        _ = await writer.flush()
        pages.changed(person)
    }
}

extension SOSEntry {
    /// A modem that was there within this is a part of the chain, also where it is dead now.
    private static let hadMeansMax: Milliseconds = 30 * 86_400_000

    /// Asks the person's boxes to do a test.
    /// - Returns: those without which it is not whole: heard within the last day, with a modem; nil for none.
    mutating func beginDrill(at time: Milliseconds) -> [String: Bool]? {
        state.boxDrill = .init(number: max((state.boxDrill?.number ?? 0) + 1, UInt64(clamping: time)), at: time)
        isDirty = true
        let boxes = state.boxes.filter { _, box in
            time - box.received < SOSTimings.awayAfter && box.hadMeans.map { time - $0 < Self.hadMeansMax } ?? false
        }
        return boxes.isEmpty ? nil : boxes.mapValues { _ in false }
    }

    /// A box does a planned test once.
    mutating func noteDrill(by agent: String) {
        guard let drill = state.boxDrill, !drill.done.contains(agent) else { return }
        state.boxDrill?.done.append(agent)
        isDirty = true
    }
}

extension SOSWatchState.BoxDrill {
    /// A box that was away does it later, but not at another time of the day.
    private static let lateMax: Milliseconds = 3_600_000

    func isOpen(for agent: String, at time: Milliseconds) -> SOSAnswer.Drill? {
        time - at < Self.lateMax && !done.contains(agent) ? .init(number: number) : nil
    }
}

extension SOSReport {
    /// Recipients, or for a sound and hooks the way's own name, to whom nothing went out.
    var failedWays: [String] {
        func way(_ call: LocalCall) -> String { "\(call.channel.rawValue) \(call.recipient)" }
        let worked = Set(calls.filter { $0.state == .sent || $0.state == .acknowledged }.map(way))
        var failed: [String] = []
        for call in calls where call.state == .failed && !worked.contains(way(call)) {
            let name = call.recipient.isEmpty ? call.channel.rawValue : call.recipient
            if !failed.contains(name) { failed.append(name) }
        }
        return failed
    }
}
