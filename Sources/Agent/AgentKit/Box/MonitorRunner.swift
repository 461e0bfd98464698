internal import Distress
internal import Logging
internal import Monitoring
internal import SyncProtocol
internal import Vitals

/// Does what the monitors ask for: records, notices, and the ends of pauses.
@BoxActor
final class MonitorRunner {
    private let context: BoxContext
    private let choices: BoxChoices
    private let monitors: PersonMonitors
    private let sos: AutomatedSOS
    private let queue: SampleQueue
    /// Of the whole box, told and not over.
    private var boxNotices: Set<Notice> = []

    init(_ context: BoxContext, _ choices: BoxChoices, _ monitors: PersonMonitors, _ sos: AutomatedSOS, _ queue: SampleQueue) {
        (self.context, self.choices, self.monitors, self.sos, self.queue) = (context, choices, monitors, sos, queue)
    }

    /// Earlier choices hold, and earlier pauses go on.
    func begin(_ person: PersonID, at now: Milliseconds) {
        let kinds = choices[person].kinds, pause = choices[person].pause
        handle(.kinds(heartRate: kinds.heartRate, position: kinds.position), of: person, at: now)
        guard let pause else { return }
        let until = pause.end(in: context.boot, at: now, utc: context.confirmedUTC ?? context.clock.utc())
        handle(.pause(until: until, utc: pause.knownUTC), of: person, at: now)
        // It ended while the box was off: recorded as over now, and not at every start again.
        if until <= now { choices.endPause(of: person) }
    }

    func settlePause(of person: PersonID, at now: Milliseconds) {
        guard var pause = choices[person].pause, pause.isUnsettled(in: context.boot), let utc = context.confirmedUTC,
            let until = monitors[person]?.summary.pausedUntil
        else { return }
        pause = pause.settled(in: context.boot, until: until, at: now, utc: utc)
        choices[person].pause = pause
        choices.keep()
        handle(.pause(until: pause.until, utc: pause.knownUTC), of: person, at: now)
        if pause.until <= now { choices.endPause(of: person) }
    }

    func handle(_ event: MonitorEvent, of person: PersonID, at time: Milliseconds) {
        for effect in monitors.handle(event, of: person, at: time) {
            switch effect {
            case .record(let event):
                sos.watch(event, of: person)
                queue.put(.state(event, person))
            case .tell(let notice): tell(notice)
            case .over(let notice): end(notice, of: person)
            // AutomatedSOS judges every reading by itself, as the hub would from the stored series.
            case .watching, .tracking, .reading: break
            }
        }
    }

    /// Problems of the box are told once, and not for each person.
    private func tell(_ notice: Notice) {
        if notice.isOfBox, !boxNotices.insert(notice).inserted { return }
        context.logger.warning("notice: \(notice.rawValue)")
        context.say(notice)
    }

    private func end(_ notice: Notice, of person: PersonID) {
        if notice.isOfBox {
            guard !monitors.isTold(notice) else { return }
            boxNotices.remove(notice)
        }
        context.logger.notice("over: \(notice.rawValue)")
        if notice == .paused { choices.endPause(of: person) }
    }

    /// It ends a pause, and takes the heart rate in again.
    /// - Returns: whether there was anything to bring back.
    @discardableResult
    func bringBack(_ persons: [PersonID]) -> Bool {
        var changed = choices.settings
        for person in persons {
            changed[person].pause = nil
            // Where AutomatedSOS is off at the hub, that would protect nobody.
            if sos.stations[person]?.settings.distress.isOn == true { changed[person].kinds.heartRate = true }
        }
        guard changed != choices.settings else { return false }
        choices.settings = changed
        let now = context.clock.boottime()
        for person in persons {
            let kinds = changed[person].kinds
            handle(.resume, of: person, at: now)
            handle(.kinds(heartRate: kinds.heartRate, position: kinds.position), of: person, at: now)
        }
        choices.keep()
        return true
    }
}
