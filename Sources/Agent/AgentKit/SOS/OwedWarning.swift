internal import Distress
internal import SyncProtocol
internal import Vitals

/// A warning of which not everybody has heard who is to.
struct OwedWarning: Codable, Sendable, Hashable {
    /// What the box could not tell for so long is left to the hub: it is no news to a contact.
    static let textedMax: Milliseconds = 3_600_000

    var warning: Warning
    /// The hub has it on its disk.
    var isHeard = false
    /// A text of the box left.
    var isTold = false
    /// A text of the box is on its way: after a restart it is sent again.
    var isTexting = false
    /// The person was told that nobody can be.
    var isSaid = false

    private enum CodingKeys: String, CodingKey { case warning, isHeard, isTold }

    init(_ warning: Warning) { self.warning = warning }

    /// Others are for those who look after the person, whom the box does not know.
    var isForContacts: Bool { [.heartPause, .inactivity].contains(warning.abnormality.trigger) }
}

extension SOSStation {
    static let owedWarningsMax = 8

    mutating func owe(_ warning: Warning) { owedWarnings = (owedWarnings + [OwedWarning(warning)]).suffix(Self.owedWarningsMax) }

    mutating func change(_ id: IncidentID, _ change: (inout OwedWarning) -> Void) {
        guard let place = owedWarnings.firstIndex(where: { $0.warning.id == id }) else { return }
        change(&owedWarnings[place])
    }

    /// The one that the hub is told next; one after the other.
    var warningToTell: Warning? { owedWarnings.first { !$0.isHeard }?.warning ?? warning }

    /// - Parameter isDurable: the hub has it on its disk.
    mutating func heard(_ warning: Warning?, isDurable: Bool) {
        guard isDurable, let warning, owedWarnings.contains(where: { $0.warning.id == warning.id && !$0.isHeard }) else { return }
        change(warning.id) { $0.isHeard = true }
        if owedWarnings.contains(where: { !$0.isHeard }) { hub.isOwed = true }
    }

    /// Whether the box has to tell the contacts of it. A hub that has it tells it when it can, unless it says that it cannot: of one that is
    /// silent, that was its last word.
    /// - Parameter isTold: the hub answers, and tells somebody.
    func isForBox(_ entry: OwedWarning, isHubHeard: Bool, isTold: Bool, at now: Milliseconds) -> Bool {
        guard entry.isForContacts, now - entry.warning.at <= OwedWarning.textedMax else { return false }
        guard entry.warning.abnormality.trigger == .inactivity else { return !isTold }
        guard hub.tells(entry.warning) == false || !isHubHeard && !entry.isHeard else { return false }
        // There was a sign meanwhile, or another box has told it.
        return activity?.isNews(at: entry.warning.at) ?? true
    }

    /// - Parameter told: of these the hub tells somebody.
    mutating func settleWarnings(_ told: [Warning], at now: Milliseconds) {
        owedWarnings.removeAll { entry in
            let isOver = entry.isTold || !entry.isForContacts || now - entry.warning.at > OwedWarning.textedMax
            return entry.isHeard && (isOver || told.contains(entry.warning))
        }
    }

    mutating func noteTexted() {
        for place in owedWarnings.indices where owedWarnings[place].isTexting { owedWarnings[place].isTold = true }
    }

    mutating func restoreWarnings(_ kept: SOSState.Person, shifted difference: Milliseconds) {
        (warning, owedWarnings) = (kept.warning, kept.owedWarnings ?? [])
        warning?.at += difference
        for place in owedWarnings.indices { owedWarnings[place].warning.at += difference }
    }
}

extension HubReportState {
    /// Whether the hub, as it said last, can tell somebody of such a warning; nil for one that does not say.
    func tells(_ warning: Warning) -> Bool? { answer?.warned?.contains(warning.abnormality.trigger.rawValue) }
}
