import Distress
import HubStore
import Synchronization
import Vitals

/// Never silently unprotected (SOS-21): while monitoring waits, is paused or is off, the person is told at once and again, relatives after the
/// time that the person set.
extension SOSService {
    /// What lasts until the person does something about it, the gravest first, as names of texts.
    private static let lasting = ["off"] + [Absence.waitingForReactivation, .paused, .switchedOff].map(\.rawValue)

    /// Why nobody watches, where that is the person's own act or follows from a case that is over; nil for anything else.
    func standing(_ entry: Entry, now time: Milliseconds) -> String? {
        guard entry.choice.isOn, entry.isConsented else { return entry.choice.offSince == nil ? nil : "off" }
        let heard = entry.state.boxes.values.filter { time - $0.received < Self.linkSilentAfter }
        let reasons = unwatched(entry, entry.state.watch.incident.isWaiting || Self.isWaiting(heard), time)
        return Self.lasting.first(where: reasons.contains)
    }

    /// No box says whether it still lasts, as behind each start of this hub, and nobody watches.
    private func isUnheard(_ entry: Entry, now time: Milliseconds) -> Bool {
        let boxes = entry.state.boxes.values
        return !boxes.isEmpty && boxes.allSatisfy { time - $0.received >= Self.linkSilentAfter } && !unwatched(entry, false, time).isEmpty
    }

    /// - Returns: whether something is to be told.
    func lookAtReminder(_ entry: inout Entry, now time: Milliseconds) -> Bool {
        guard let why = standing(entry, now: time) else {
            if !isUnheard(entry, now: time) { entry.state.reminder = nil }
            return false
        }
        var reminder = entry.state.reminder ?? Reminder(since: time)
        let isDue = reminder.isDue(at: time, entry.choice.reminders ?? ReminderPlan())
        let relatives = entry.choice.relativesAfter ?? SOSChoice.relativesAfterUsual
        let isForRelatives = !reminder.areRelativesTold && time - reminder.since >= relatives
        if isForRelatives { reminder.areRelativesTold = true }
        entry.state.reminder = reminder
        guard isDue || isForRelatives else { return false }
        entry.state.owe(.sosUnprotected, ["reason": why], isForPerson: isDue, isForCaregivers: isForRelatives, now: time)
        return true
    }
}
