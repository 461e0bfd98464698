internal import Distress
internal import Foundation
internal import Logging
internal import SyncProtocol
internal import Vitals

// No sign of life (SOS-24): the box asks by itself. Whom it tells without an answer is ``SOSNotices/tellOwedWarnings()``'s.
extension AutomatedSOS {
    /// Who may be in another room is asked again and again until there is an answer.
    private static let inactivityAskEvery: Milliseconds = 120_000
    private static let activityKeptEvery: Milliseconds = 900_000

    /// With each tick of the box.
    func lookAtInactivity() {
        let now = context.clock.boottime()
        for person in stations.people {
            guard let plan = stations.all[person]?.inactivityPlan else {
                // Nobody is to be told of what the person does not want to be asked any more.
                if stations.all[person]?.watch.incident.isWarned(of: .inactivity) == true { feed(.active, of: person) }
                stations.all[person]?.activity = nil
                continue
            }
            if stations.all[person]?.activity == nil { stations.all[person]?.activity = InactivityWatch(since: now) }
            switch stations.all[person]?.lookAtInactivity(plan, offset: localOffset(plan), at: now) {
            case .ask(let found): feed(.inactive(found), of: person)
            case .withdraw: feed(.active, of: person)
            case .tellSign: if let watching = stations.all[person] { calls.text("text.active", [:], of: person, watching) }
            case nil: break
            }
            askAgain(person, at: now)
            keepActivity(of: person, at: now)
        }
    }

    /// What makes the person's local time of the boot clock. Where nothing confirms the clock, it goes by what that says.
    private func localOffset(_ plan: InactivityPlan) -> Milliseconds {
        let zone = TimeZone(identifier: plan.timeZone) ?? .current, utc = context.confirmedUTC ?? context.clock.utc()
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(utc) / 1000))
        return utc - context.clock.boottime() + Milliseconds(seconds) * 1000
    }

    /// After a crash the signs are at most so much older than they were.
    private func keepActivity(of person: PersonID, at now: Milliseconds) {
        if let kept = stations.all[person]?.activityKept, now - kept < Self.activityKeptEvery { return }
        stations.all[person]?.activityKept = now
        stations.keep()
    }

    private func askAgain(_ person: PersonID, at now: Milliseconds) {
        guard let question = stations.all[person]?.question, question.trigger == .inactivity else { return }
        let last = stations.all[person]?.inactivityAsked ?? question.askedAt
        guard now - max(last, question.askedAt) >= Self.inactivityAskEvery else { return }
        stations.all[person]?.inactivityAsked = now
        ask(question, of: person)
    }
}

extension SOSStation {
    enum InactivityStep {
        case ask(Abnormality)
        case withdraw, tellSign
    }

    /// The person's choice, while they are watched; nil otherwise.
    var inactivityPlan: InactivityPlan? {
        let isPaused = watch.protection.reasons.contains(.paused)
        return settings.distress.isOn && !isPaused ? settings.distress.inactivity : nil
    }

    mutating func lookAtInactivity(_ plan: InactivityPlan, offset: Milliseconds, at now: Milliseconds) -> InactivityStep? {
        let incident = watch.incident, isAsking = incident.isWarned(of: .inactivity)
        switch activity?.look(plan, offset: offset, isAsking: isAsking, mayAsk: incident.isFree, at: now) {
        case .ask(let silence): return .ask(Abnormality(silence, key: nextEventKey(), at: now))
        case .withdraw: return .withdraw
        case .tellSign: return .tellSign
        case nil: return nil
        }
    }

    mutating func restoreActivity(_ kept: SOSState.Person, shifted difference: Milliseconds) {
        activity = kept.activity?.shifted(by: difference)
        func isAsking(_ watch: DistressWatch) -> Bool { watch.incident.isWarned(of: .inactivity) }
        if isAsking(kept.watch), !isAsking(watch) { activity?.forgetQuestion() }
    }

    mutating func noteSigns(in event: DistressEvent, at now: Milliseconds) {
        switch event {
        case .position(let sample): activity?.take(sample, at: now)
        case .cadence(let perMinute): activity?.take(cadence: perMinute, at: now)
        case .state(let event, _) where event.code.isPressed: activity?.noteSign(at: min(event.time, now))
        default: break
        }
    }
}
