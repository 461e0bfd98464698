import Alerts
import Distress
import EmergencyDispatch
import HubStore
import Vitals

/// The hub's state of one person in memory.
struct SOSEntry {
    var state: SOSWatchState
    var open: IncidentID?
    var choice: SOSChoice
    var isConsented: Bool
    /// Who it is, as the accounts said last: where those cannot be read, whoever is called hears a name all the same.
    var account: StoredAccount?
    var reloads = Reloads()
    /// Changed since it was stored last.
    var isDirty = false
    /// When the rhythm of senders was stored last.
    var sendersStored: Milliseconds = .min / 2
    /// Nobody would hear of an alarm, as it was looked at last, and when that was.
    var reachesNobody = false
    /// There is somebody, and every way to them has failed: these.
    var failedWays: Set<Way> = []
    /// The hub itself reaches nobody; a box may.
    var hubReachesNobody = false
    /// Of which warnings somebody hears by the hub; nil: not looked at yet.
    var warned: WarningsTold?
    var addresseesSeen: Milliseconds = .min / 2
    /// A message to one of whom an alarm would reach has failed since: they are looked at with the next look.
    var isReachStale = false
    /// Of what arrived before this, only calls for help and flagged events count: nobody watched this person.
    var watchedSince: Milliseconds = .min
    /// When the person was told last of a flagged event about which nobody was asked.
    var unheardTold: Milliseconds = .min / 2
}

extension SOSEntry {
    /// Two changes at once are read at once as well. Whoever began to read later has seen both: what the other one read must not take its place.
    struct Reloads {
        private var begun = 0, done = 0

        mutating func begin() -> Int {
            begun += 1
            return begun
        }

        /// - Returns: false where a later one is done already.
        mutating func end(_ number: Int) -> Bool {
            guard number > done else { return false }
            done = number
            return true
        }
    }
}
