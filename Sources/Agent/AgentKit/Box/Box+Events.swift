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
        let now = clock.boottime()
        hooksGlance = parts.sos.hooks()
        makeCallers()
        resumeSOS()
        resumeCheckIns()
        for person in identity.persons.map(\.person) {
            let choices = settings[person]
            addresses[person] = choices.sensor
            handle(.sensorChosen(choices.sensor != nil), of: person, at: now)
            handle(.kinds(heartRate: choices.kinds.heartRate, position: choices.kinds.position), of: person, at: now)
            if let until = remaining(choices.pause, now) {
                handle(.pause(until: until, utc: choices.pause?.knownUTC), of: person, at: now)
                // It ended while the box was off: recorded as over now, and not at every start again.
                if until <= now { pauseEnded(person) }
            }
        }
        if listening { try listen() }
    }

    /// When a pause ends in this boot's clock. That of another boot can only be known by a clock: where that is no help the pause is over,
    /// because watching too early does no harm. Where nothing confirms the clock yet, ``settlePause(of:at:)`` looks again.
    private func remaining(_ pause: BoxSettings.Pause?, _ now: Milliseconds) -> Milliseconds? {
        guard let pause else { return nil }
        if pause.boot == boot { return pause.until }
        let left = pause.utc - (confirmedUTC ?? clock.utc())
        return (0...86_400_000).contains(left) ? now + left : now
    }

    /// As soon as it is confirmed what time it is: a pause of another boot, whose rest was taken from a clock that may have stood still,
    /// ends at its time, or earlier where that clock said so; and one that was begun before gets its end for the hub and for other boots.
    private func settlePause(of person: PersonID, at now: Milliseconds) {
        guard var pause = settings[person].pause, pause.boot != boot || pause.knownUTC == nil, let utc = confirmedUTC,
            let until = monitors[person]?.summary.pausedUntil
        else { return }
        if pause.boot == boot {
            pause.utc = utc + until - now
        } else {
            (pause.boot, pause.until) = (boot, min(until, now + pause.utc - utc))
        }
        settings[person].pause = pause
        // Nobody waits for it; what goes wrong is logged.
        _ = settingsFile.write(settings)
        handle(.pause(until: pause.until, utc: pause.knownUTC), of: person, at: now)
        if pause.until <= now { pauseEnded(person) }
    }

    /// Listens to the chosen sensors, and to no other.
    func listen() throws(SourceProblem) {
        for person in identity.persons.map(\.person) where settings[person].sensor != addresses[person] {
            let now = clock.boottime(), old = addresses[person]
            addresses[person] = settings[person].sensor
            if let old { lose(old, of: person, at: now) }
            handle(.sensorChosen(addresses[person] != nil), of: person, at: now)
        }
        try parts.sources.use(addresses, others: chooseOtherSensors())
    }

    /// The series and the recording say where the readings of a sensor end.
    private func lose(_ sensor: SensorAddress, of person: PersonID, at now: Milliseconds) {
        let problem = SourceProblem(
            what: "The sensor \(sensor) is not used any more", advice: "Wear the one that was chosen", retries: false)
        let event = HeartRateEvent.lost(problem, time: now)
        watch(event, of: person)
        parts.queue.put(.heartRate(event, person))
        note(event, of: sensor)
    }

    // MARK: - What the sources tell

    func take(_ event: SourceEvent) {
        switch event {
        // One beside it; or what the sensor of before still tells.
        case .heartRate(let event, let person, let sensor) where addresses[person] != sensor: takeOther(event, of: person, from: sensor)
        case .heartRate(let event, let person, let sensor): take(event, of: person, from: sensor)
        case .position(let event): take(event)
        case .receiver(let problem):
            for person in monitors.keys.sorted() { handle(.receiver(problem), of: person, at: clock.boottime()) }
        case .power(let reading):
            power = reading
            for person in monitors.keys {
                handle(.power(reading.power, batteryPercent: reading.batteryPercent), of: person, at: clock.boottime())
            }
        case .sleep(let event): take(event)
        case .problem(let problem): logger.warning("\(problem)")
        }
    }

    private func take(_ event: HeartRateEvent, of person: PersonID, from sensor: SensorAddress) {
        var isSample = false
        switch event {
        case .connected: logger.notice("the heart-rate sensor is connected")
        case .lost(let problem, _): logger.warning("\(problem)")
        case .measurement, .reading: isSample = true
        case .battery, .bodyLocation, .charging: break
        }
        handle(.heartRate(event), of: person, at: event.time)
        guard !isSample || (settings[person].kinds.heartRate && !isPaused(person)) else { return }
        watch(event, of: person)
        if event.isRecordedAsItIs { parts.queue.put(.heartRate(event, person)) }
        note(event, of: sensor)
    }

    private func take(_ event: PositionEvent) {
        if case .lost(let problem, _) = event { logger.warning("\(problem)") }
        // A place that everybody here keeps to themselves goes into no recording either.
        let isPlace = if case .fix = event { true } else { false }
        var isNoted = !isPlace || monitors.isEmpty
        for person in monitors.keys.sorted() {
            handle(.position(event), of: person, at: event.time)
            guard settings[person].kinds.position, !isPaused(person) else { continue }
            isNoted = true
            // Each of them, also those that are not recorded: whoever is sent must know the newest place.
            if case .fix(let sample, _) = event { watch(sample, of: person) }
            guard isRecorded(event, of: person) else { continue }
            parts.queue.put(.position(configuration.role == .gateway ? event.ofFixedBox : event, person))
        }
        if isNoted { note(event) }
    }

    /// Without tracking one fix a minute is enough: so that who is sent knows the place.
    private func isRecorded(_ event: PositionEvent, of person: PersonID) -> Bool {
        guard case .fix(let sample, _) = event, monitors[person]?.isTracking == false else { return true }
        if let last = lastUntracked[person], sample.time - last < 60_000 { return false }
        lastUntracked[person] = sample.time
        return true
    }

    func isPaused(_ person: PersonID) -> Bool { monitors[person]?.summary.pausedUntil != nil }

    // MARK: - What follows from it

    func handle(_ event: MonitorEvent, of person: PersonID, at time: Milliseconds) {
        let effects = monitors[person]?.handle(event, at: time) ?? []
        for effect in effects {
            switch effect {
            case .record(let event):
                watch(event, of: person)
                parts.queue.put(.state(event, person))
            case .tell(let notice): tell(notice)
            case .over(let notice): end(notice, of: person)
            // AutomatedSOS judges every reading by itself, as the hub would from the stored series.
            case .watching, .tracking, .reading: break
            }
        }
    }

    private func pauseEnded(_ person: PersonID) {
        guard settings[person].pause != nil else { return }
        settings[person].pause = nil
        // Nobody waits for it; what goes wrong is logged.
        _ = settingsFile.write(settings)
    }

    /// What is wrong with the box is said once, and not for each person.
    private func tell(_ notice: Notice) {
        if notice.isOfBox, !boxNotices.insert(notice).inserted { return }
        logger.warning("notice: \(notice.rawValue)")
        say(notice)
    }

    private func end(_ notice: Notice, of person: PersonID) {
        if notice.isOfBox {
            guard !monitors.values.contains(where: { $0.isTold(notice) }) else { return }
            boxNotices.remove(notice)
        }
        logger.notice("over: \(notice.rawValue)")
        if notice == .paused { pauseEnded(person) }
    }

    /// Once a second: what only time tells, and what others have to say.
    func tick() {
        let now = clock.boottime()
        watchTime()
        tellHubWhatIsDue()
        tellProtection()
        lookAtHubSilence()
        lookAtInactivity()
        tellOwedWarnings()
        keepAwake()
        for person in watchings.keys.sorted() { tellReminders(of: person) }
        let contact = hubContact()
        let trouble = bufferTrouble(now)
        for person in monitors.keys.sorted() {
            handle(.hub(contact), of: person, at: now)
            handle(.buffer(trouble, goodAt: glance.answered), of: person, at: now)
            settlePause(of: person, at: now)
            handle(.tick, of: person, at: now)
        }
        lookAtCheckIns()
        recording?.flush()
        publish()
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
