import Distress
import HubStore
import Vitals

extension SOSService {
    /// The state that the lock guards.
    struct State: Sendable {
        var entries: [PersonID: SOSEntry] = [:]
        /// Open, or with something still to be sent.
        var cases = SOSCases()
        /// Messages that are due or on their way.
        var queue = SendQueue()
        /// Messages on their way, notices apart.
        var sending: Int { queue.sending }
        /// People whose watch waits for a time.
        var waiting: Set<PersonID> = []
        /// Real cases that ended since ``SOSTimings/endShown``.
        var ended: [IncidentID: SOSCase] = [:]
        /// People to whom, or to whose caregivers, notices are owed.
        var owing: Set<PersonID> = []
        /// Crews that have a case: when their pages or their places were seen last.
        var crewsSeen: [AccountID: Milliseconds] = [:]
        /// Planned tests that were begun by this process.
        var drilled: Set<IncidentID> = []
        /// Crews to be notified of their offers, each once.
        var crewsToTell: Set<OfferKey> = []
        /// A case that goes from a helper to a crew or a control room, while that is decided.
        var handingOver: IncidentID?
        /// Tests of the last day, whose recipients may still say that they arrived.
        var tests: [IncidentID: SOSCase] = [:]
        /// Somebody tells what is owed.
        var isTelling = false
        /// When this hub listened.
        var listening = SOSListening(since: .min / 2, ticks: nil)
        /// What looks left to be kept while an earlier one is still being kept.
        var unkept = SOSWork()
        var isKeeping = false
    }

    struct OfferKey: Hashable {
        let incident: IncidentID
        let crew: AccountID
    }
}

extension SOSService.State {
    /// Tests whose recipients may still confirm them; beyond, the oldest are forgotten.
    static let testsMax = 20_000

    func openCase(of person: PersonID) -> SOSCase? { cases.open(of: person, own: entries[person]?.open) }

    mutating func keepEnd(of item: SOSCase, now: Milliseconds) {
        ended[item.id] = item
        ended = ended.filter { now - ($0.value.ended ?? 0) < SOSTimings.endShown }
    }

    /// It is over, and everybody was told.
    mutating func settle(_ item: SOSCase) {
        cases[item.id] = nil
        if item.isTest, !item.calls.isEmpty {
            tests[item.id] = item
            if tests.count > Self.testsMax, let oldest = tests.values.min(by: { $0.opened < $1.opened }) { tests[oldest.id] = nil }
        }
        if ended[item.id] != nil { ended[item.id] = item }
    }
}
