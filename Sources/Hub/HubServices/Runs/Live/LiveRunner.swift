import HubStore
import Privacy
import Runs
import Vitals

/// One runner of a run that goes on, or has ended lately: what their box sent, as far as they let it be read.
struct LiveRunner: Sendable {
    /// Whether all that the store has is in what is known here.
    enum Reading: Hashable, Sendable {
        case done
        /// Due at an instant, UTC milliseconds.
        case due(Milliseconds)
        /// `again`: something came meanwhile that does not fit.
        case running(again: Bool)
    }

    /// A heart rate at a time, UTC milliseconds.
    struct Beat: Hashable, Sendable {
        var time: Milliseconds
        var rate: Int
    }

    var enrolment: StoredEnrolment
    /// As the organiser has it.
    var name = ""
    let gun: Milliseconds
    var grants = RunGrants()
    /// nil when the run is over and all is read.
    var matcher: Matcher?
    var progress: Progress?
    /// Of the last ``pastMax`` and the delay, ascending.
    var beats: [Beat] = []
    /// Of a run that is over.
    var summary: HeartSummary?
    var reading = Reading.due(.min)
    /// Once: nobody is shown to everybody before.
    var wasRead = false
    /// The last reading failed: what is known of them may not be all.
    var hasFailed = false
    /// Samples that came while it was read.
    var meanwhile: [PositionSample] = []
    /// Nothing is known of them but what a replay or a drill sent.
    var isTest = false
    /// Somebody is written down as a reader.
    var isRecordedForOrganiser = false
    var isRecordedForAll = false

    /// A heart rate is one of now for so long, milliseconds.
    static let beatAge: Milliseconds = 15_000
    /// Positions that wait while others are read, at most.
    static let meanwhileMax = 5000

    init(_ enrolment: StoredEnrolment, gun: Milliseconds) { (self.enrolment, self.gun) = (enrolment, gun) }

    var bib: Int { enrolment.bib }

    /// Something of what may be read is not known yet, or could not be: who has not started looks the same, and may be out there.
    var isUnread: Bool { (!wasRead || hasFailed) && grants.own != nil }
    /// What is known of them is all that could be.
    var wasTried: Bool { wasRead || hasFailed }

    var view: PublicView { PublicView(zones: enrolment.choices.home.map { [$0] } ?? [], delay: enrolment.choices.delay) }

    /// Nothing may be read any more: nothing stays in memory either.
    mutating func forget() {
        (matcher, progress, beats, summary, meanwhile, isTest, hasFailed) = (nil, nil, [], nil, [], false, false)
        reading = .due(.min)
    }

    mutating func read(at time: Milliseconds) {
        switch reading {
        case .done: reading = .due(time)
        case .due(let old): reading = .due(min(old, time))
        case .running: reading = .running(again: true)
        }
    }

    /// Takes what just came.
    /// - Parameter window: what may be read, UTC milliseconds.
    mutating func take(_ samples: SampleSet, in window: ClosedRange<Milliseconds>, now: Milliseconds) {
        take(samples.heartRates, in: window, now: now)
        let positions = samples.positions.filter { window.contains($0.time) }
        guard !positions.isEmpty else { return }
        switch reading {
        case .running:
            if meanwhile.count + positions.count <= Self.meanwhileMax { meanwhile += positions } else { reading = .running(again: true) }
        // Before the first reading there is no matcher: that reading finds them.
        case .due, .done: insert(positions, now: now)
        }
    }

    private mutating func insert(_ positions: [PositionSample], now: Milliseconds) {
        guard let insertion = matcher?.insert(positions) else { return }
        // A matcher that forgot these begins anew, from the store: not with each of thousands.
        if insertion.tooOld > 0 { read(at: now + 10_000) }
        if insertion.used > 0 { progress = matcher?.progress }
    }

    private mutating func take(_ rates: [HeartRateSample], in window: ClosedRange<Milliseconds>, now: Milliseconds) {
        guard grants.own?.kinds.contains(.heartRate) == true || grants.heartRate != nil else { return }
        let oldest = now - Self.beatAge - enrolment.choices.delay
        let new = rates.filter { sample in
            window.contains(sample.time) && sample.time >= oldest && sample.time <= now + 60_000 && sample.contact != .notDetected
                && sample.beatsPerMinute > 0 && sample.beatsPerMinute <= SampleLimits.beatsPerMinuteMax
        }.map { Beat(time: $0.time, rate: Int($0.beatsPerMinute)) }
        guard !new.isEmpty else { return }
        beats.append(contentsOf: new)
        if beats.count > new.count, let first = new.first, beats[beats.count - new.count - 1].time > first.time {
            beats.sort { $0.time < $1.time }
        }
        let gone = beats.prefix { $0.time < oldest }.count
        if gone > 0 { beats.removeFirst(gone) }
    }

    /// The heart rate that is known at a time; nil for none lately.
    func heartRate(at time: Milliseconds) -> Int? {
        guard let beat = beats.last(where: { $0.time <= time }), time - beat.time <= Self.beatAge else { return nil }
        return beat.rate
    }

    /// As the store had it.
    mutating func take(_ read: RunReading, isOver: Bool, now: Milliseconds) {
        guard case .running(let again) = reading else { return }
        (wasRead, hasFailed) = (true, false)
        (progress, summary, isTest) = (read.matcher.progress, read.summary, read.isTest)
        matcher = isOver ? nil : read.matcher
        reading = again ? .due(now + 10_000) : .done
        let waiting = meanwhile
        meanwhile = []
        if isOver { if !waiting.isEmpty { self.read(at: now) } } else { insert(waiting, now: now) }
        take(read.beats, in: .min ... .max, now: now)
    }

    /// Why the organiser should look, by what the runner let them read alone; nil for no reason.
    func alarm(now: Milliseconds) -> String? {
        guard let progress, grants.own != nil, progress.start != nil, progress.finish == nil, enrolment.entry == .entered else {
            return nil
        }
        if grants.own?.kinds.contains(.heartRate) == true, let rate = heartRate(at: now), !Self.usualRates.contains(rate) {
            return "heartRate"
        }
        if let since = progress.stoppedSince, now - since >= Self.stoppedAlarm { return "stopped" }
        return now - progress.time >= Self.silentAlarm ? "silent" : nil
    }

    /// Beats per minute of somebody who runs.
    private static let usualRates = 45...210
    /// Milliseconds of standing and of silence after which somebody is looked for.
    private static let stoppedAlarm: Milliseconds = 300_000, silentAlarm: Milliseconds = 600_000
}

/// The stored state of a runner, worked out.
struct RunReading: Sendable {
    var matcher: Matcher
    var isTest: Bool
    /// The newest.
    var beats: [HeartRateSample]
    var summary: HeartSummary?
}
