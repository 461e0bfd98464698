internal import Distress
internal import SyncProtocol
internal import Vitals

/// Why nobody is watched, or could be called: what is told of it, also of another box of the person (SOS-21).
extension SOSStation {
    /// So long it may come and go before it is told: with ``HubReportState/heardMax`` below the minute in which it must be.
    private static let nobodyAfter: Milliseconds = 12_000

    /// Whether it is to be told now that nobody could be called: once, until somebody can be.
    mutating func isNobodyNews(canCall: Bool, at now: Milliseconds) -> Bool {
        guard !canCall, settings.distress.isOn else {
            (nobodySince, isNobodyTold) = (nil, false)
            return false
        }
        let since = nobodySince ?? now
        nobodySince = since
        guard now - since >= Self.nobodyAfter, !isNobodyTold else { return false }
        isNobodyTold = true
        return true
    }

    /// The obstacle that keeps somebody from being watched until somebody ends it, the gravest first.
    static let lasting: [Absence] = [.waitingForReactivation, .paused, .switchedOff]

    /// The person's own act, or a case that is over; nil while neither keeps this box from watching. A person who never turned AutomatedSOS on
    /// is not reminded of it.
    var standing: Absence? {
        guard settings.distress.isOn || settings.wasTurnedOff == true || watch.incident.isWaiting else { return nil }
        return Self.lasting.first(where: watch.protection.reasons.contains)
    }

    /// The same at another box, where nobody watches the person, this box neither.
    /// - Parameter isHeard: the hub answered a moment ago.
    func elsewhere(isHeard: Bool, at now: Milliseconds) -> Absence? {
        guard isHeard, settings.distress.isOn, !isOpen, !isWatching(at: now), let word = hub.answer?.elsewhere else { return nil }
        return Self.lasting.first { $0.rawValue == word }
    }

    private func isWatching(at now: Milliseconds) -> Bool { watch.protection.isProtected && !isDetectorDown(at: now) }

    /// The person pressed here to be watched again: their other boxes are to hear of it.
    mutating func askElsewhere(isHeard: Bool, at now: Milliseconds) {
        if elsewhere(isHeard: isHeard, at: now) != nil { broughtBack = now }
    }

    /// The hub has taken what a report says of it.
    mutating func heardBroughtBack(in report: SOSReport) {
        if broughtBack == report.broughtBack { broughtBack = nil }
    }

    /// Whether a press at another box of the person counts here: not where they chose anew since.
    func isBroughtBack(by press: SOSAnswer.Pressed, at now: Milliseconds) -> Bool {
        press.button == .reactivate && press.bringsBack == true && now - max(0, press.ago) >= chosen ?? .min
    }

    /// The person was just told to press, and another box was asked: it may take half a minute until that watches.
    func isAskedElsewhere(at now: Milliseconds) -> Bool { broughtBack != nil && !isWatching(at: now) }

    /// So long the hub's word may be missing: it comes and goes where the strap does, and is not said anew each time.
    private static let elsewhereGone: Milliseconds = 120_000

    /// What is to be said now of a time in which nobody watches: at once, and again. nil for nothing.
    mutating func nextReminder(isHeard: Bool, at now: Milliseconds) -> (why: Absence, isElsewhere: Bool)? {
        let own = standing, other = own == nil ? elsewhere(isHeard: isHeard, at: now) : nil
        // One's own is said at once, whatever was said of another box.
        if own != nil, elsewhereSeen != nil { (reminder, elsewhereSeen) = (nil, nil) }
        if other != nil { elsewhereSeen = now }
        guard let why = own ?? other else {
            if elsewhereSeen.map({ now - $0 >= Self.elsewhereGone }) ?? true { (reminder, elsewhereSeen) = (nil, nil) }
            return nil
        }
        var next = reminder ?? Reminder(since: now)
        let isDue = next.isDue(at: now, settings.reminders ?? ReminderPlan())
        reminder = next
        // A pause is said by its notice when it begins.
        return isDue && (own != .paused || next.count > 1) ? (why, own == nil) : nil
    }
}
