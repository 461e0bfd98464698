import Languages

/// Why the agent cannot do what it was asked, in words for the person at the box.
public struct AgentProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem, and where it is.
    public var what: String
    /// The remedy.
    public var advice: String
    /// Somebody has to do something first: the same again gives the same.
    var isFinal = false
    /// Where the agent itself answers that the box belongs to no hub yet: the language of those next to it.
    var unenrolled: Language?
    /// With which the program ends: 3 where another one runs, or none that was asked for.
    public internal(set) var status: Int32 = 1
    /// For which the page has words in its reader's language; nil where only the words above say it.
    public var kind: Kind?

    public init(_ what: String, advice: String, kind: Kind? = nil) {
        self.what = what
        self.advice = advice
        self.kind = kind
    }

    public var description: String { "\(what). \(advice)." }

    /// Key of ``kind`` in the language files.
    public var words: String? { kind.map { "refusal.\($0.rawValue)" } }

    /// Why a button of the page did nothing. Under `refusal.` in the language files.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A test of the alarm: a question or an alarm is open, or another test goes on.
        case drillWhileOpen, drillGoesOn
        /// A check-in: the run has started, or it was answered before.
        case checkInLate, checkedIn, checkInAnswered
        /// A check-in: this box answers none, or not this one.
        case checkInElsewhere, checkInUnknown
        /// Too many answers wait for the hub.
        case checkInsWait
        /// Setting up: no address of a hub, no answer from it, or another one than the fingerprint says.
        case hubAddress, hubUnreachable, hubStranger
        /// Setting up: the hub knows no such page, does not take the code, or the set-up is over there.
        case hubOld, setUpCode, setUpOver
        /// Setting up: too many tries, or the box's state cannot be written.
        case setUpTries, setUpDisk
    }
}

extension AgentProblem {
    static func inUse(_ path: String) -> AgentProblem {
        var problem = AgentProblem(
            "\(path) and the buffer in it are in use by another program: an agent that runs, or a replay",
            advice: "Stop it first (systemctl stop trackme-agent), or choose another directory with --state and enrol it")
        problem.status = 3
        return problem
    }

    static func enrolledAlready(_ hub: HubAddress) -> AgentProblem {
        AgentProblem(
            "This box is enrolled already, at \(hub)",
            advice: "Use `trackme-agent enrol --replace` to enrol it anew; what waits to be sent is kept and goes to the new hub")
    }

    static func notEnrolled(_ directory: String) -> AgentProblem {
        AgentProblem(
            "This box belongs to no hub yet (nothing in \(directory))",
            advice: "Run `trackme-hub enrolment-code --person …` on the hub, then here `trackme-agent enrol URL CODE`")
    }
}
