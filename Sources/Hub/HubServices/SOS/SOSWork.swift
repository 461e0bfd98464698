import Distress
import EmergencyDispatch
import HubStore
import Vitals

/// Work that a decision leaves to be done without the lock.
struct SOSWork {
    /// Cases whose plan is to be read.
    var rounds: [IncidentID] = []
    var questions: [PersonID] = []
    var topics: Set<SOSBus.Topic> = []
    /// Crews whose case is over, taken by others or withdrawn.
    var crews: Set<AccountID> = []
    /// The owner who had it already.
    var refusedBy: Owner?
    /// Why a case did not take an act.
    var refusal: DispatchEffect.Refusal?
    /// Cases for which crews are looked for at once, and of which it is sent what is due.
    var searches: [IncidentID] = [], sends: Set<IncidentID> = []
    /// Of one case: which crews are looked for; the message that leaves; crews to notify, none for those that are due.
    var find: CrewSearch?, call: SOSCall?, notified: [AccountID]?
    /// Its owner gave no answer.
    var lostOwner = false
    /// Nothing was decided about an alarm in a report: the box goes on by itself, and says it again.
    var isLeftOpen = false
    /// Of whom it could not be read what arrived: that is tried again.
    var unread: Set<PersonID> = []
}

extension SOSWork {
    mutating func add(_ other: Self) {
        rounds += other.rounds
        questions += other.questions
        topics.formUnion(other.topics)
        crews.formUnion(other.crews)
        refusedBy = refusedBy ?? other.refusedBy
        searches += other.searches
        sends.formUnion(other.sends)
        unread.formUnion(other.unread)
    }

    /// Pages of all these people show something new.
    func showing(_ people: [PersonID]) -> Self {
        var work = self
        work.topics.formUnion(people)
        return work
    }
}
