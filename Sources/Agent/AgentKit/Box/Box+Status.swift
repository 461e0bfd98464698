internal import Monitoring
internal import Peripherals
internal import Positioning
internal import SyncProtocol
internal import Vitals

extension Box {
    /// The state now.
    func status() -> BoxStatus {
        BoxStatus(
            version: AgentVersion.current, role: context.configuration.role, language: context.configuration.language,
            time: context.clock.boottime(), utc: context.clock.utc(), clock: context.trust, hub: hubState, buffer: nil,
            power: .init(source: power.power, batteryPercent: power.batteryPercent), position: positionState,
            persons: context.identity.persons.compactMap { person in monitors[person.person].map { state(of: person, $0) } },
            recording: recording.path, voice: silence,
            thinnedSamples: parts.recorder.thinned.count > 0 ? parts.recorder.thinned.count : nil)
    }

    private var silence: [String]? {
        let problems = context.announcer.problems
        return problems.isEmpty ? nil : problems.map { "\($0)" }
    }

    private var hubState: BoxStatus.HubState {
        BoxStatus.HubState(
            address: context.identity.hub.description, agent: context.identity.agent, name: context.identity.name, link: hubLink,
            waitingSegments: chain.buffer.waiting.segments, waitingSamples: chain.buffer.waiting.samples,
            lastAnswer: parts.sync.snapshot.lastAnswer,
            questions: parts.sync.snapshot.questions > 0 ? parts.sync.snapshot.questions : nil)
    }

    private var hubLink: ChainLink {
        for person in context.people {
            if let link = monitors.link(.hub, of: person) { return link }
        }
        return ChainLink(name: .hub, condition: .unknown)
    }

    private var positionState: BoxStatus.PositionState? {
        guard let place = parts.sources.place else { return nil }
        let sample = place.sample
        return BoxStatus.PositionState(
            latitude: sample.latitudeDegrees, longitude: sample.longitudeDegrees, error: sample.horizontalError.map { Double($0) / 10 },
            source: "\(sample.source)", time: sample.time, isCurrent: place.isCurrent)
    }

    /// By the clock that is shown beside it, right or wrong, so that what is left of it can be told. In whole seconds: both clocks are read,
    /// and a millisecond between them is no news.
    private func shownUTC(of time: Milliseconds) -> Milliseconds {
        (time + context.clock.utc() - context.clock.boottime() + 500) / 1000 * 1000
    }

    private func state(of person: BoundPerson, _ monitor: PersonMonitor) -> BoxStatus.PersonState {
        let choices = choices[person.person], summary = monitor.summary
        let sensor = choices.sensor.map { address in
            let heard = SensorSearch.heard(address)
            return BoxStatus.SensorState(
                address: address, name: choices.sensorName, isConnected: summary.isConnected, batteryPercent: summary.batteryPercent,
                problem: summary.problem, signal: heard?.signal, signalTime: heard?.signalTime)
        }
        return BoxStatus.PersonState(
            person: person.person, name: person.name, sensor: sensor, wearing: summary.wearing, heartRate: summary.heartRate,
            heartRateTime: summary.heartRateTime, kinds: choices.kinds,
            pausedUntil: summary.pausedUntil.map { shownUTC(of: $0) },
            isWatched: summary.isWatched, isTracked: summary.isTracked, links: summary.links, notices: summary.notices,
            sos: protection.status(of: person.person, monitor), checkIns: checkIns.states(),
            otherSensors: sensors.otherStates(of: person.person))
    }
}
