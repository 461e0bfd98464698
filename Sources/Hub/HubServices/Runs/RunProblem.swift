public import HubStore
public import Runs
public import Vitals

/// Why something about a run was not done, for its organiser.
public enum RunProblem: Error, Sendable, Hashable {
    /// No such run, or another one's.
    case unknown
    /// The account makes no runs here: ``RunOrganisers``.
    case notAnOrganiser
    /// The disclaimer of this version was not accepted: its name is ``OrganiserService/disclaimer``.
    case disclaimer
    /// All that is wrong with it.
    case faults([RunFault])
    /// There are ``HubStore/RunsStore/openRunsMax`` that are not over.
    case tooMany
    /// Somebody changed it meanwhile: look again.
    case changedMeanwhile
    /// It is in a state that does not allow this.
    case state(RunState)
    /// Check-in begins then (UTC milliseconds): it cannot start before.
    case tooEarly(Milliseconds)
    /// A start can be taken back for ``OrganiserService/takeBackMax`` and before the planned one alone.
    case startStands
    /// No more of these today.
    case dailyLimit(Int)
    case document(DocumentFault)
    /// Empty, or more than ``OrganiserService/messageMax`` characters.
    case message
    /// No e-mail address.
    case address

    public enum DocumentFault: Sendable, Hashable {
        /// More than ``OrganiserService/documentMax`` bytes, or none.
        case size
        /// Neither PDF, JPEG nor PNG, by what is in it.
        case type
    }
}

/// One thing that is wrong with what an organiser says about a run.
public enum RunFault: Sendable, Hashable {
    case nameMissing, nameTooLong, purposeMissing, purposeTooLong, placeMissing, placeTooLong, timeZone
    /// The start has passed, or is more than ``OrganiserService/aheadMax`` away.
    case starts
    /// Not after the start.
    case ends
    /// Longer than ``HubStore/RunsStore/durationMax``.
    case duration
    /// Enrolment would close after the start.
    case closes
    /// Below 1, over ``OrganiserService/mostMax``.
    case most
    /// More are enrolled already: so many.
    case mostBelowEnrolled(Int)
    case youngest
    /// Too many waves, one without a name, or one that does not start during the run.
    case waves
    /// It cannot be run (RUN-2).
    case course([CourseProblem])
}

/// Something that an organiser should look at, and that keeps nothing from being done (RUN-2).
public enum RunWarning: Sendable, Hashable {
    /// Another run is near, at the same time: its code where it is public, nothing of it where it is not.
    case conflict(code: String?, starts: Milliseconds, ends: Milliseconds)
    /// The hub has no map of where it goes: whether that is along a motorway or through water, nobody looked.
    case notHeldAgainstMap
}

/// A change of a run, as far as those who are enrolled are concerned (RUN-17). The raw values name texts.
enum RunChange: String, CaseIterable {
    case name, purpose, place, times, course, waves, closes

    static func between(_ old: RunPlan, _ new: RunPlan, isOtherCourse: Bool) -> [RunChange] {
        allCases.filter { change in
            switch change {
            case .name: old.name != new.name
            case .purpose: old.purpose != new.purpose
            case .place: old.place != new.place
            case .times: (old.starts, old.ends, old.timeZone) != (new.starts, new.ends, new.timeZone)
            case .course: isOtherCourse
            case .waves: old.waves != new.waves
            case .closes: old.closes != new.closes
            }
        }
    }
}

extension RunPlan {
    /// All that is wrong with it, the course aside.
    /// - Parameter enrolled: so many are on the list already.
    func faults(enrolled: Int = 0, now: Milliseconds) -> [RunFault] {
        var faults: [RunFault] = []
        func check(_ isGood: Bool, _ fault: RunFault) { if !isGood { faults.append(fault) } }
        check(!name.isEmpty, .nameMissing)
        check(name.count <= OrganiserService.nameMax, .nameTooLong)
        check(!purpose.isEmpty, .purposeMissing)
        check(purpose.count <= OrganiserService.purposeMax, .purposeTooLong)
        check(!place.isEmpty, .placeMissing)
        check(place.count <= OrganiserService.nameMax, .placeTooLong)
        check(RunText.zone(timeZone) != nil, .timeZone)
        check(starts > now && starts - now <= OrganiserService.aheadMax, .starts)
        check(ends > starts, .ends)
        check(ends <= starts || ends - starts <= RunsStore.durationMax, .duration)
        check(closes <= starts, .closes)
        check((1...OrganiserService.mostMax).contains(most), .most)
        if most < enrolled { faults.append(.mostBelowEnrolled(enrolled)) }
        check(youngest.map { (0...120).contains($0) } ?? true, .youngest)
        let named = waves.allSatisfy {
            !$0.name.isEmpty && $0.name.count <= OrganiserService.nameMax && (starts..<max(ends, starts + 1)).contains($0.gun)
        }
        check(waves.count <= OrganiserService.wavesMax && named, .waves)
        return faults
    }

    /// Without control characters and direction marks, blanks as one: what strangers read.
    var cleaned: RunPlan {
        var plan = self
        (plan.name, plan.place) = (RunText.line(name), RunText.line(place))
        plan.purpose = RunText.text(purpose)
        plan.waves = waves.map { Wave(name: RunText.line($0.name), gun: $0.gun) }
        return plan
    }
}
