public import Vitals

/// The numbers of the matching. Each has its reason here and in docs/runs.md; a run of another kind (skates, bicycles) may want others.
public struct MatchRules: Hashable, Sendable {
    /// Metres a second that nobody exceeds for a minute. 10: the record over 400 m is 9.3.
    public var sprint = 10.0
    /// Metres a second that nobody exceeds for longer. 6.5: the record of an hour is 5.9.
    public var sustained = 6.5
    /// Fixes with a worse error (0.1 m) are signs of life and give no progress (EDGE-3).
    public var errorMax = PositionSample.accuracyForRankingMax
    /// Milliseconds of which the last fix stands for all: nothing is gained by more than one fix a second.
    public var spacing: Milliseconds = 1000
    /// Fixes that are kept to put late ones among them, at least; twice as many at most. 1,024 are 17 minutes at one a second, longer than
    /// most tunnels and dead spots. What comes later asks for a new matching (``Matcher/Insertion/tooOld``).
    public var fixesKept = 1024

    public init() {}

    /// Metres that can be run in `seconds`.
    func reach(_ seconds: Double) -> Double { sprint * min(seconds, 60) + sustained * max(seconds - 60, 0) }
}

/// Numbers that belong to the method, not to the kind of run. Costs are natural logarithms of how unlikely something is.
enum MatchCosts {
    /// Metres from the course that are usual beside the receiver's own error: half of a wide road, and what maps are off.
    static let courseWidth = 10.0
    /// Metres of error of a fix that tells none: the usual one of a receiver under open sky.
    static let errorUnknown = 5.0
    /// No receiver is better than this beside a body.
    static let errorMin = 3.0
    /// On the course is up to four times the usual distance.
    static let distanceMax = 4.0
    /// Seconds after which two errors have little to do with each other. Fixes closer in time count for less, so that the cadence does not
    /// matter: satellite errors drift over tens of seconds.
    static let independent = 15.0
    /// The cost of a fix off the course, and the most that one on it does: 4² / 4.
    static let away = 4.0
    /// The cost of being beside the course where the fix is on some part of it: more than going backward there for 3 m, which it often is.
    static let awayOnCourse = 12.0
    /// Each metre backward. A reversed direction costs as much as a leap after 125 m.
    static let backward = 0.2
    /// A leap ahead that nobody can run: half a minute on the wrong part explains it as well.
    static let leap = 25.0
    /// A stretch that somebody was seen to leave out, in a time in which it could have been run.
    static let leftOut = 8.0
    /// Another unit for each of these metres, so that of several laps the next one is believed.
    static let leapLength = 1000.0
    /// Metres a second by which somebody's pace changes: between running and walking.
    static let paceChange = 1.2
    /// The most that an unlikely pace costs: everything that can be run stays open.
    static let paceMax = 6.0
    /// Metres a second of somebody of whom nothing is known: the middle of a road race's field.
    static let paceUsual = 2.8
    /// Seconds over which the pace is followed.
    static let paceMemory = 60.0
    /// Hypotheses kept, and how much worse than the best they may be.
    static let hypotheses = 8
    static let costMax = 40.0
    /// Metres within which two hypotheses are the same one.
    static let same = 15.0
    /// Metres that count as left out or as not seen; less is a bend cut by noise.
    static let stretchMin = 150.0
    /// Metres from the course that say somebody was elsewhere, and not beside a badly drawn course.
    static let elsewhere = 100.0
    /// Seconds without a fix that make a stretch one that was not seen.
    static let unseen = 60.0
    /// Seconds beside the course before it is called "off course": reflections between houses last less.
    static let offCourse = 20.0
    /// Metres before the finish that are the finish: twice the error of a receiver; people stop their watch early.
    static let finish = 10.0
    /// Seconds between two fixes up to which a crossing between them is seen. Over a longer hole the pace tells better: people rest behind the
    /// finish, and wait before the start.
    static let seenCrossing = 15.0
    /// Seconds after which a finish time is not improved any more: who stops behind the line crosses it again with each drift of the error.
    static let finishSettles = 5.0
    /// Metres after which nobody is at the start line any more; until then a later crossing of it replaces an earlier one.
    static let startArea = 50.0
    /// Somebody who was seen elsewhere after the gun begins within this many metres of the start, or not at all.
    static let lateStart = 500.0
    /// Before the finish nobody appears who left out more than this share of the course or the metres.
    static let finalStretch = 200.0, finalShare = 0.05, finalLength = 1000.0
    /// Points of a trail: a metre or a time apart, whichever is first.
    static let trailMetres = 25.0, trailSeconds = 30.0
    /// Stretches that are remembered for a runner; further ones are counted.
    static let stretchesMax = 64
}
