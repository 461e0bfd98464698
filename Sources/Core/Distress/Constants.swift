public import Vitals

/// Every number that decides, with its source. Times in milliseconds. They are engineering proposals and no clinical advice.
public enum DistressConstants {
    // MARK: Quality gate

    /// Beats per minute that can be a person's (SOS-3): what lies outside is no reading.
    public static let countedRange: ClosedRange<Int> = 25...240
    /// RR intervals that can be a beat's at such a rate, in milliseconds: the range above, turned over. A shorter one is none; a longer one is a
    /// missed beat or a pause, and the rate may be a mean with it or without it.
    public static let rrRange: ClosedRange<Int> = 250...2400
    /// The rate may disagree with the mean of its RR intervals by so much, in percent.
    public static let rrDisagreementMax = 15
    /// Over how many beats sensors average: which window one uses is not told, so agreement with any of 1 to so many beats is enough.
    public static let rrWindowMax = 16
    /// A change of more beats per minute in one second, without RR intervals to match, is not believed at once ...
    public static let jumpMax = 25
    /// ... but after so many rejections it is.
    public static let jumpRejectionsMax = 3
    /// The same value for so long without RR intervals is frozen: not protected, and told.
    public static let frozenAfter: Milliseconds = 60_000
    /// Contradiction: a leap back of more than ``jumpMax``, or a second sensor that is so far away, weighs so much, each other reading takes one
    /// away; so a third of the readings suffice ...
    public static let contradictionWeight = 2
    /// ... and ten of them in a row, seconds that averaging and delay can explain in one heart. It ends when nothing is left.
    public static let contradictionBegins = 20
    /// A reading that comes so late says nothing about now.
    public static let staleAfter: Milliseconds = 60_000

    // MARK: Pauses

    /// A pause of the heart is longer, in milliseconds: pauses of 3 s and more are what recordings are read for (ACC/AHA/HRS 2018).
    public static let pauseMin = 3000
    /// A missed beat: within so many percent of these multiples of the interval before.
    public static let missedBeatPercent = 15, missedBeatMultiples = 2...3
    /// An interval cannot be longer than the time since intervals were told before, but for the delay of notifications.
    public static let pauseDelayMax: Milliseconds = 2_000
    /// The sensor shows 0 with skin contact for so long.
    public static let zeroAfter: Milliseconds = 10_000
    /// A second pause, or one after a critical reading, within so long is critical.
    public static let pauseWindow: Milliseconds = 60_000

    // MARK: Trigger

    /// Three consecutive valid readings (SOS-3) ...
    public static let readingsNeeded = 3
    /// ... that span at least this ...
    public static let spanMin: Milliseconds = 2_000
    /// ... with no gap over this. It is also how long a missing reading is only missing: after it there is no signal.
    public static let gapMax: Milliseconds = 10_000
    /// Persistence of a warning: consumer watches alert after 10 min at rest.
    public static let warningAfter: Milliseconds = 600_000
    /// A warning outlives a hole of this length: it is about a trend.
    public static let warningGapMax: Milliseconds = 60_000
    /// Armed again after so long inside the limits ...
    public static let rearmAfter: Milliseconds = 60_000
    /// ... by so many beats per minute.
    public static let rearmMargin = 5

    // MARK: The question

    /// How long the person has to answer (SOS-4), from the first qualifying reading.
    public static let answerTime: Milliseconds = 5_000
    /// ... where nobody knows whether the person moves, and the rate rose like an effort's does and no higher: between the 5 s and the 10 min at rest after
    /// which consumer watches alert. Measured (docs/detection.md, "Where we depart from SOS-4") ...
    public static let answerTimeGradual: Milliseconds = 180_000
    /// ... at home, where the box stays in its place and no fix tells: stairs and housework are over sooner than a walk.
    public static let answerTimeGradualHome: Milliseconds = 60_000
    /// ... which is over when readings are inside for so long: a fibrillating heart dips for a beat or two. What is
    /// left of the minutes is kept for the next time, until the limit is armed again.
    public static let dipMax: Milliseconds = 10_000
    /// ... from the last reading, where the signal went away before the third: one or two readings prove less than three.
    public static let answerTimeLost: Milliseconds = 30_000
    /// ... where a rise that may be an effort's is lost: straps are mostly lost when they get loose, and that is when people begin to move. Never
    /// longer than it would have been with the signal.
    public static let answerTimeLostGradual: Milliseconds = 60_000
    /// ... for a sudden rise without RR intervals where nobody knows whether the person moves: optical sensors take the steps for the heart, mostly when
    /// somebody begins to walk or to run. In so long receivers find their first fix, and speed tells.
    public static let answerTimeUnconfirmed: Milliseconds = 60_000
    /// ... at home, where no fix is to be waited for.
    public static let answerTimeUnconfirmedHome: Milliseconds = 20_000
    /// ... for a flagged fall or seizure: wearables' falls are mostly none (17 false alarms a month in one study), and 30 s is what they ask.
    public static let answerTimeFlag: Milliseconds = 30_000
    /// A question that a sleep or a restart of the machine ran over is asked again, at most so often.
    public static let askedAgainMax = 3
    /// ... for a warning, before the caregiver is told.
    public static let answerTimeWarning: Milliseconds = 60_000
    /// A rise of more beats per minute within so long is sudden, as arrhythmias begin; an effort's takes half a minute.
    public static let suddenRise = 30
    public static let suddenWithin: Milliseconds = 10_000
    /// After a hole the last reading before it counts: for so long as it is, and so long with twice the rise.
    public static let suddenHole: Milliseconds = 30_000, suddenHoleMax: Milliseconds = 60_000
    /// "I'm OK" silences that limit for so long.
    public static let silence: Milliseconds = 600_000
    /// Asked again earlier when it is worse than at the answer by so many beats per minute upwards, downwards, or hundredths of a degree.
    public static let clearlyWorseHigh = 15, clearlyWorseLow = 5, clearlyWorseTemperature = 50

    // MARK: Context

    /// Median speed of a moving person, in 0.01 m/s: brisk walking and more.
    public static let exerciseSpeed = 150
    /// The window of that median; rest is known after so long without exercise ...
    public static let contextWindow: Milliseconds = 300_000
    /// ... and the one by which exercise begins: a run's first minute raises the rate more than its first five minutes' median tells.
    public static let contextOnset: Milliseconds = 20_000
    /// Values that the onset needs.
    public static let onsetValuesMin = 3
    /// Steps, strokes or turns of the pedals a minute: swimmers have 25 and more, nobody has so many at rest.
    public static let exerciseCadence = 20
    /// 7 m/s (25 km/h): as fast as vehicles. With a heart at rest that is not exercise.
    public static let vehicleSpeed = 700
    /// 11 m/s (40 km/h): faster than nearly all cyclists for minutes. Below it a rider's heart counts, over the last so many points of 10 s.
    public static let vehicleSpeedLikely = 1100, vehicleHeartPoints = 6
    /// 25 m/s (90 km/h) for minutes: nobody moves so by their own force.
    public static let vehicleSpeedCertain = 2500
    /// A heart at rest, where no baseline says so, in beats per minute; with one, the median and ``restAboveMedian``.
    public static let restUnknown = 100
    public static let restAboveMedian = 30
    /// The high limit falls from exercise to rest over so long after exercise.
    public static let recovery: Milliseconds = 300_000
    /// Without a fix for so long nobody knows whether the person moves.
    public static let fixOld: Milliseconds = 60_000
    /// A hole of up to so long ends neither exercise nor recovery.
    public static let fixHold: Milliseconds = 600_000
    /// The error (0.1 m) of a fix that tells none.
    public static let fixErrorUnknown: Int32 = 50
    /// No more steps, strokes or turns a minute are taken for true.
    public static let cadenceMax = 1_000
    /// Times beyond plus or minus this are taken for this: 285,000 years.
    public static let timeMax: Milliseconds = 1 << 53
    /// A fix with a larger error (0.1 m) tells no speed.
    public static let fixErrorMax: Int32 = 500

    // MARK: Delivery

    /// The box starts its own channels unless the hub has said within this time that an addressee was reached (design, SOS).
    public static let hubWord: Milliseconds = 2_000
    /// Repeated after so long (an offer waits 15 s, SOS-11) ...
    public static let repeatAfter: Milliseconds = 15_000
    /// ... and after so many times less often, without end (SOS-7).
    public static let repeatsQuick = 4
    public static let repeatSlow: Milliseconds = 60_000
}
