internal import Monitoring
internal import Peripherals
internal import Positioning
internal import SyncProtocol
internal import Vitals

extension Box {
    /// The state now.
    func status() -> BoxStatus {
        BoxStatus(
            version: AgentVersion.current, role: configuration.role, language: configuration.language, time: clock.boottime(),
            utc: clock.utc(), clock: trust, hub: hubState(), buffer: nil,
            power: .init(source: power.power, batteryPercent: power.batteryPercent), position: positionState(),
            persons: identity.persons.compactMap { person in monitors[person.person].map { state(of: person, $0) } },
            recording: recording?.path, voice: silence,
            thinnedSamples: parts.recorder.thinned.count > 0 ? parts.recorder.thinned.count : nil)
    }

    private var silence: [String]? {
        let problems = parts.announcer.problems
        return problems.isEmpty ? nil : problems.map { "\($0)" }
    }

    var trust: BoxStatus.ClockTrust {
        switch parts.time.now().source {
        case .hub: .hub
        case .gnss: .gnss
        case .box: clock.isSynchronized() ? .ntp : .unconfirmed
        case .floor: .unconfirmed
        }
    }

    /// UTC as the hub, a satellite fix or NTP has told it since the boot; nil before.
    var confirmedUTC: Milliseconds? { trust == .unconfirmed ? nil : parts.time.utc() }

    private func hubState() -> BoxStatus.HubState {
        BoxStatus.HubState(
            address: identity.hub.description, agent: identity.agent, name: identity.name, link: hubLink,
            waitingSegments: glance.waiting.segments, waitingSamples: glance.waiting.samples, lastAnswer: parts.sync.snapshot.lastAnswer,
            questions: parts.sync.snapshot.questions > 0 ? parts.sync.snapshot.questions : nil)
    }

    private func positionState() -> BoxStatus.PositionState? {
        guard let place = parts.sources.place else { return nil }
        let sample = place.sample
        return BoxStatus.PositionState(
            latitude: sample.latitudeDegrees, longitude: sample.longitudeDegrees, error: sample.horizontalError.map { Double($0) / 10 },
            source: "\(sample.source)", time: sample.time, isCurrent: place.isCurrent)
    }

    /// By the clock that is shown beside it, right or wrong, so that what is left of it can be told. In whole seconds: both clocks are read,
    /// and a millisecond between them is no news.
    private func shownUTC(of time: Milliseconds) -> Milliseconds { (time + clock.utc() - clock.boottime() + 500) / 1000 * 1000 }

    private func state(of person: BoundPerson, _ monitor: PersonMonitor) -> BoxStatus.PersonState {
        let choices = settings[person.person], summary = monitor.summary
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
            sos: sosStatus(of: person.person, monitor), checkIns: answersCheckIns ? checkInStates() : nil,
            otherSensors: otherSensorStates(of: person.person))
    }
}
