import Distress
import HubStore
import Logging
import Seams
public import ServiceLifecycle
import Vitals

/// The looks that go on while the hub runs.
extension SOSService: Service {
    /// How often it looks what is due.
    static let lookEvery: Duration = .milliseconds(200)
    /// Links of the chain, owners and plans of tests are looked at this often.
    static let linksEvery: Duration = .seconds(10)

    public func run() async throws {
        state.withLock { $0.listening.isLooking = true }
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                // Before pages, of which thousands may ask at the same moment.
                group.addTask(priority: .high) { [self] in
                    beginUnbegun()
                    // Reports that arrived while no hub ran.
                    await detection.detect(in: state.withLock { Array($0.entries.keys) })
                    for await _ in bus.arrivedForSOS.signals {
                        lookAtPauses()
                        let work = await detection.actOnArrivals(of: Array(bus.arrivedForSOS.take()))
                        // The next readings wait for no disk.
                        machine.start(priority: .medium) { [self] in await keep(work) }
                    }
                }
                group.addTask { [self] in
                    while !Task.isCancelled {
                        // An alarm finds it read.
                        do { try crewIndex.refresh(accounts, now: now(), isForced: true) } catch {
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
                    await chain.look()
                    pulse.beat(.links)
                }
                repeatedly(in: &group, Self.linksEvery) { [self] in
                    await owners.releaseGone()
                    await owners.askDue()
                }
                repeatedly(in: &group, Self.linksEvery) { [self] in await drills.beginDue() }
                repeatedly(in: &group, SOSToldLedger.every) { [self] in await writeTold() }
                repeatedly(in: &group, SOSDrills.overdueEvery) { [self] in
                    await choices.turnOffRevoked()
                    await drills.lookForOverdue()
                }
                group.addTask { [self] in
                    var tried: [PersonID: Milliseconds] = [:]
                    while !Task.isCancelled {
                        await baselines.compute(tried: &tried)
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

    /// Writes down who was told, for the people concerned.
    func writeTold() async { await toldLedger.write(state.withLock { Array($0.cases.values) + Array($0.ended.values) }) }

    /// Beside the looks, one after the other.
    private func keepBeside(_ work: SOSWork) {
        let starts = state.withLock { state in
            state.unkept.add(work)
            defer { state.isKeeping = true }
            return !state.isKeeping
        }
        guard starts else { return }
        machine.start(priority: .medium) { [self] in
            let work = state.withLock { state in
                defer { state.unkept = SOSWork() }
                return state.unkept
            }
            await keep(work)
            await owedNotices.tell()
            state.withLock { $0.isKeeping = false }
        }
    }

    /// Does what is due by now, and waits for no disk.
    /// - Returns: what is to be kept.
    func look() async -> SOSWork {
        let time = now()
        let (work, searches, untold) = state.withLock { state -> (SOSWork, [IncidentID], [IncidentID]) in
            var work = SOSWork(), searches: [IncidentID] = [], untold: [IncidentID] = []
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
        crews.tellOfOffers(in: untold)
        await act(work)
        for id in searches { crews.search(id) }
        resumption.takeUp()
        sending.sendDue()
        return work
    }
}
