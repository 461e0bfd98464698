import Distress
import HubStore
import Vitals

/// Never silently unprotected (SOS-21): while monitoring waits, is paused or is off, the person is told at once and again, relatives after the
/// time that the person set.
extension SOSEntry {
    /// Troubles that last until the person does something about them, the gravest first, as names of texts.
    private static let lasting = ["off"] + [Absence.waitingForReactivation, .paused, .switchedOff].map(\.rawValue)

    /// Why nobody watches, where that is the person's own act or follows from a case that is over; nil for anything else.
    func standing(now time: Milliseconds) -> String? {
        guard choice.isOn, isConsented else { return choice.offSince == nil ? nil : "off" }
        let heard = state.boxes.values.filter { time - $0.received < SOSTimings.linkSilentAfter }
        let reasons = unwatched(state.watch.incident.isWaiting || SOSEntry.isWaiting(heard), time)
        return Self.lasting.first(where: reasons.contains)
    }

    /// No box says whether it still lasts, as behind each start of this hub, and nobody watches.
    private func isUnheard(now time: Milliseconds) -> Bool {
        let boxes = state.boxes.values
        return !boxes.isEmpty && boxes.allSatisfy { time - $0.received >= SOSTimings.linkSilentAfter } && !unwatched(false, time).isEmpty
    }

    /// - Returns: whether something is to be told.
    mutating func lookAtReminder(now time: Milliseconds) -> Bool {
        guard let why = standing(now: time) else {
            if !isUnheard(now: time) { state.reminder = nil }
            return false
        }
        var reminder = state.reminder ?? Reminder(since: time)
        let isDue = reminder.isDue(at: time, choice.reminders ?? ReminderPlan())
        let relatives = choice.relativesAfter ?? SOSChoice.relativesAfterUsual
        let isForRelatives = !reminder.areRelativesTold && time - reminder.since >= relatives
        if isForRelatives { reminder.areRelativesTold = true }
        state.reminder = reminder
        guard isDue || isForRelatives else { return false }
        state.owe(.sosUnprotected, ["reason": why], isForPerson: isDue, isForCaregivers: isForRelatives, now: time)
        return true
    }
}
