internal import BlueZ
internal import Logging
internal import Monitoring
internal import Peripherals
internal import Sensing
internal import SyncProtocol
internal import Vitals

extension Box {
    /// Begins: pauses of before go on, and the sensors are listened to.
    func begin(listening: Bool = true) throws(SourceProblem) {
        let now = context.clock.boottime()
        calls.begin()
        sos.resume(parts.sos.state)
        callOutcomes.begin()
        checkIns.resume()
        for person in context.people {
            sensors.begin(person, at: now)
            monitoring.begin(person, at: now)
        }
        if listening { try sensors.listen() }
    }

    /// The last: a running recording is closed, and the settings are on the disk, should it come back in time.
    func end() async {
        await recording.end()
        _ = await choices.written().value(within: .seconds(2))
        sos.stop()
        callOutcomes.stop()
        stations.keep()
        places.keepNewest()
        _ = await places.written().value(within: .seconds(2))
        _ = await stations.written().value(within: .seconds(2))
        publisher.finish()
    }

    // MARK: - What the sources tell

    func take(_ event: SourceEvent) {
        switch event {
        // One beside it; or what the sensor of before still tells.
        case .heartRate(let event, let person, let sensor) where sensors.addresses[person] != sensor:
            sensors.takeOther(event, of: person, from: sensor)
        case .heartRate(let event, let person, let sensor): take(event, of: person, from: sensor)
        case .position(let event): take(event)
        case .receiver(let problem):
            for person in monitors.people { monitoring.handle(.receiver(problem), of: person, at: context.clock.boottime()) }
        case .power(let reading):
            power = reading
            for person in monitors.all.keys {
                monitoring.handle(.power(reading.power, batteryPercent: reading.batteryPercent), of: person, at: context.clock.boottime())
            }
        case .sleep(let event): sos.take(event)
        case .problem(let problem): context.logger.warning("\(problem)")
        }
    }

    private func take(_ event: HeartRateEvent, of person: PersonID, from sensor: SensorAddress) {
        var isSample = false
        switch event {
        case .connected: context.logger.notice("the heart-rate sensor is connected")
        case .lost(let problem, _): context.logger.warning("\(problem)")
        case .measurement, .reading: isSample = true
        case .battery, .bodyLocation, .charging: break
        }
        monitoring.handle(.heartRate(event), of: person, at: event.time)
        guard !isSample || (choices[person].kinds.heartRate && !monitors.isPaused(person)) else { return }
        sos.watch(event, of: person)
        if event.isRecordedAsItIs { parts.queue.put(.heartRate(event, person)) }
        recording.note(event, of: sensor)
    }

    private func take(_ event: PositionEvent) {
        if case .lost(let problem, _) = event { context.logger.warning("\(problem)") }
        // A place that everybody here keeps to themselves goes into no recording either.
        let isPlace = if case .fix = event { true } else { false }
        var isNoted = !isPlace || monitors.all.isEmpty
        for person in monitors.people {
            monitoring.handle(.position(event), of: person, at: event.time)
            guard choices[person].kinds.position, !monitors.isPaused(person) else { continue }
            isNoted = true
            // Each of them, also those that are not recorded: whoever is sent must know the newest place.
            if case .fix(let sample, _) = event { sos.watch(sample, of: person) }
            guard isRecorded(event, of: person) else { continue }
            parts.queue.put(.position(context.configuration.role == .gateway ? event.ofFixedBox : event, person))
        }
        if isNoted { recording.note(event) }
    }

    /// Without tracking one fix a minute is enough: so that who is sent knows the place.
    private func isRecorded(_ event: PositionEvent, of person: PersonID) -> Bool {
        guard case .fix(let sample, _) = event, monitors[person]?.isTracking == false else { return true }
        if let last = lastUntracked[person], sample.time - last < 60_000 { return false }
        lastUntracked[person] = sample.time
        return true
    }

    // MARK: - What only time tells

    /// Once a second: that, and what others have to say.
    func tick() {
        let now = context.clock.boottime()
        sos.watchTime()
        sos.tellHubWhatIsDue()
        protection.tellProtection()
        notices.lookAtHubSilence()
        sos.lookAtInactivity()
        notices.tellOwedWarnings()
        parts.sources.keep(awake: protection.isToStayAwake(power.power))
        for person in stations.people { protection.tellReminders(of: person) }
        let contact = chain.hubContact()
        let trouble = chain.bufferTrouble(now)
        for person in monitors.people {
            monitoring.handle(.hub(chain.contact(contact, of: person)), of: person, at: now)
            monitoring.handle(.buffer(trouble, goodAt: chain.buffer.answered), of: person, at: now)
            monitoring.settlePause(of: person, at: now)
            monitoring.handle(.tick, of: person, at: now)
        }
        checkIns.look()
        recording.flush()
        publisher.publish()
    }

    /// From time to time: in an emergency nobody looks.
    func lookAtHooks() {
        drills.endOld()
        calls.lookAtHooks()
    }
}

extension PositionEvent {
    /// As a gateway stores it: whoever reads it takes it for the place of a box that stays, and no minute of its wearers for one of rest.
    fileprivate var ofFixedBox: PositionEvent {
        guard case .fix(var sample, let utc) = self else { return self }
        (sample.source, sample.speed) = (.fixed, nil)
        return .fix(sample, utc: utc)
    }
}
