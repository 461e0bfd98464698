import Alerts
public import Distress
import Foundation
import HubStore
import Languages
import Logging
import Seams
import SyncProtocol
public import Vitals

/// No sign of life (SOS-24): a box of the person asks by itself, the hub where none does. Either way the hub tells those who look after the person.
public struct SOSInactivity: SOSSubject {
    let sos: SOSService

    /// So long after this hub began to listen, phones and boxes may not have been heard yet: nobody is asked.
    static let listensFor: Milliseconds = 600_000

    // MARK: Signs

    /// The person opened a page of the hub, or sent a form.
    public func noteLife(of person: PersonID) {
        let time = now()
        sos.state.withLock { $0.entries[person]?.noteLife { $0.noteSign(at: time) } }
    }

    // MARK: What is due

    /// With the looks at the links.
    func look(at people: ArraySlice<PersonID>) async {
        let time = now()
        let (work, isDue) = sos.state.withLock { state -> (SOSWork, Bool) in
            let isListening = time - state.listening.since >= Self.listensFor
            var work = SOSWork(), isDue = false
            for person in people {
                guard let entry = state.entries[person], entry.choice.inactivity != nil || entry.state.inactivity != nil,
                    let step = look(at: person, entry, isListening: isListening, time, &state)
                else { continue }
                isDue = true
                switch step {
                case .ask(let silence):
                    let key = SampleKey(stream: randomness.id(), sequence: 0, kind: .event, index: 0)
                    work.add(sos.handle([(.inactive(Abnormality(silence, key: key, at: time)), time)], of: person, &state))
                case .withdraw: work.add(sos.handle([(.active, time)], of: person, &state))
                case .tellSign: break
                }
            }
            return (work, isDue)
        }
        guard isDue else { return }
        await sos.finish(work)
        await owedNotices.tell()
    }

    /// Under the lock.
    private func look(
        at person: PersonID, _ known: SOSEntry, isListening: Bool, _ time: Milliseconds, _ state: inout State
    ) -> InactivityWatch.Step? {
        var entry = known
        let heard = entry.state.boxes.values.filter { time - $0.received < SOSTimings.boxSilentAfter }
        let isPaused = heard.contains { $0.unprotected.contains(.paused) } || entry.state.watch.protection.reasons.contains(.paused)
        guard entry.choice.isOn, entry.isConsented, !isPaused, let plan = entry.choice.inactivity else {
            guard entry.state.inactivity != nil else { return nil }
            (entry.state.inactivity, entry.isDirty) = (nil, true)
            sos.store(person, &entry, [], &state)
            // Nobody is to be told of what the person does not want to be asked any more.
            return entry.state.watch.incident.isWarned(of: .inactivity) ? .withdraw : nil
        }
        var watch = entry.state.inactivity ?? InactivityWatch(since: time)
        let incident = entry.state.watch.incident, boxAsks = heard.contains { $0.asksInactivity == true }
        let step = watch.look(
            plan, offset: plan.offset(at: time), isAsking: incident.isWarned(of: .inactivity),
            mayAsk: isListening && !boxAsks && incident.isFree, at: time)
        entry.isDirty = entry.isDirty || step != nil || entry.state.inactivity == nil
        entry.state.inactivity = watch
        if step == .tellSign {
            entry.state.owe(.sosActive, isForPerson: false, isForCaregivers: true, now: time)
            state.owing.insert(person)
        }
        sos.store(person, &entry, [], &state)
        return step
    }

    // MARK: Settings

    /// - Parameter plan: nil: the person is not to be asked where there is no sign of life.
    public func setPlan(_ plan: InactivityPlan?, of person: PersonID, by account: AccountID) async throws {
        if let plan {
            guard plan.isValid, TimeZone(identifier: plan.timeZone) != nil else { throw SOSSettingProblem.inactivity }
            let time = now(), hasModem = sos.state.withLock { $0.entries[person]?.state.hasModem(at: time) ?? false }
            let isWritten = outlets.canWrite(to: try store.choice(of: person).contacts, hasModem: hasModem)
            guard try isWritten || !addressees.caregivers(of: person).isEmpty else { throw SOSSettingProblem.nobodyToTell }
        }
        try store.change(person, by: account, now: now()) { choice in
            guard choice.inactivity != plan else { return [] }
            choice.inactivity = plan
            return ["inactivity: \(plan?.text ?? "off")"]
        }
        try await sos.reload(person)
        await look(at: [person])
        detection.updateWatch(of: person)
    }
}

extension SOSWatchState.OwedNotice {
    /// The text to a contact; nil for a notice of something else.
    func inactivityText(_ person: String, _ phone: String?, _ language: Language) -> String? {
        guard NoticeKind(rawValue: kind)?.isOfInactivity == true else { return nil }
        let begin = arguments["since"].flatMap(Milliseconds.init), what = arguments["what"]
        let length = begin.map { Int((since - $0) / 3_600_000) }
        return InactivityText.text(
            person: person, phone: phone, missing: what.flatMap(InactivityText.Missing.init), hours: max(1, length ?? 1), in: language)
    }
}

extension NoticeKind {
    var isOfInactivity: Bool { self == .sosInactive || self == .sosActive }
}

extension InactivityPlan {
    /// The difference from UTC to the person's local time, milliseconds.
    func offset(at utc: Milliseconds) -> Milliseconds {
        (TimeZone(identifier: timeZone) ?? .current).offset(at: utc)
    }

    /// For the list of changes: `10:00, 8 h`.
    var text: String {
        func time(_ minutes: Int) -> String { "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)" }
        return [by.map(time), hours.map { "\($0) h" }].compactMap(\.self).joined(separator: ", ")
    }
}

extension InactivityWatch {
    /// Samples that a phone or a box stored: where it was, and which button was pressed.
    mutating func take(_ segment: ArrivedSegment) {
        for position in segment.samples.positions { take(position, at: segment.received) }
        for event in segment.samples.events where event.code.isPressed { noteSign(at: min(event.time, segment.received)) }
    }
}

extension SOSEntry {
    /// Signs are stored at most so often.
    private static let signsEvery: Milliseconds = 300_000

    /// Contacts who may be told without a call for help.
    var contactsInNeed: [SOSContact] { isConsented ? choice.contacts : [] }

    mutating func noteLife(_ body: (inout InactivityWatch) -> Void) {
        guard var watch = state.inactivity else { return }
        let before = watch.sign
        body(&watch)
        state.inactivity = watch
        if watch.sign.map({ $0 / Self.signsEvery }) != before.map({ $0 / Self.signsEvery }) { isDirty = true }
    }

    /// A box's notice, and whether it asks by itself.
    mutating func noteSigns(of report: SOSReport, _ agent: String) {
        guard let box = state.boxes[agent] else { return }
        state.boxes[agent]?.asksInactivity = report.activity == nil ? nil : true
        guard let activity = report.activity, let offset = box.offset else { return }
        let sign = activity.sign.map { $0 + offset }, seen = activity.seen.map { $0 + offset }
        state.boxes[agent]?.sign = sign
        noteLife { $0.heard(sign: sign, seen: seen) }
    }
}

extension SOSWatchState {
    /// The last sign of life of which a box may not know: those that the hub and other boxes noticed.
    func sign(notOf agent: String) -> Milliseconds? {
        ([inactivity?.ownSign] + boxes.filter { $0.key != agent }.map(\.value.sign)).compactMap(\.self).max()
    }

    /// "No movement" is said only where movement would have been seen.
    mutating func oweInactivity(_ silence: InactivityWatch.Silence, _ choice: SOSChoice, at asked: Milliseconds, now: Milliseconds) {
        // There was a sign meanwhile, or another box has told it.
        guard inactivity?.isNews(at: asked) ?? true else { return }
        inactivity?.noteTold(at: asked)
        var what = InactivityText.Missing.movement, since = asked - silence.length
        if let unseen = silence.unseen { (what, since) = (.sensors, asked - unseen) }
        // Where phones are heard it is not silent.
        if silence.unseen != nil, let heard = boxes.values.map(\.received).max(), now - heard >= SOSTimings.boxSilentAfter {
            (what, since) = (.box, heard)
        }
        let arguments = [
            "what": what.rawValue, "since": "\(since)", "last": "\(asked - silence.length)", "zone": choice.inactivity?.timeZone ?? "",
        ]
        owe(.sosInactive, arguments, isForPerson: false, isForCaregivers: true, now: now)
    }
}
