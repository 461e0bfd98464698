public import Vitals

/// Signs of life of one person, and what is due without one (SOS-24). A value without a clock, the same on the box and in the hub.
///
/// A sign of life is: the person is found elsewhere, steps, a button, an answer, a page that the person opened. A heart rate is none: a heart beats
/// fast in somebody who lies on the floor in pain, too.
public struct InactivityWatch: Hashable, Sendable, Codable {
    /// Two places are two where they lie farther apart than this and the errors of both, metres; and twice in a row, as one fix may be wrong.
    static let movedMin = 50.0, movedCount = 2
    /// A position that may be wrong by more tells nothing; one that does not say may be wrong by this, 0.1 m.
    static let errorMax: Int32 = 2000, errorUnknown: Int32 = 500
    /// Fewer steps are a sensor that was shaken; they count when they were told twice within ``stepsWithin``.
    static let stepsMin = 20, stepsWithin: Milliseconds = 30_000
    /// Nothing that could have shown movement for so long: nobody can say that there was none.
    static let unseenAfter: Milliseconds = 3_600_000
    /// Somebody of whom there is still no sign is asked again after this.
    static let againAfter: Milliseconds = 86_400_000
    /// Time to answer: the person may be in another room.
    public static let answerTime: Milliseconds = 600_000

    /// Since when signs are looked for.
    public private(set) var since: Milliseconds
    /// The last sign of life; nil for none yet.
    public private(set) var sign: Milliseconds?
    /// The last one that this side noticed by itself.
    public private(set) var ownSign: Milliseconds?
    /// When something was heard last that would have shown movement: a position or a step sensor.
    public private(set) var seen: Milliseconds?
    private var asked: Milliseconds?
    private var told: Milliseconds?
    private var place: Place?
    private var elsewhere = 0
    private var stepped: Milliseconds?

    private struct Place: Hashable, Sendable, Codable {
        var time: Milliseconds, latitude: Int32, longitude: Int32, error: Int32
    }

    /// - Parameter time: now: what was before is not known.
    public init(since time: Milliseconds) { since = time }

    // MARK: - Signs

    /// A button, an answer, a page.
    public mutating func noteSign(at time: Milliseconds) {
        ownSign = max(ownSign ?? time, time)
        heard(sign: time, seen: nil)
    }

    /// The other side's notice.
    public mutating func heard(sign: Milliseconds?, seen: Milliseconds?) {
        if let sign { self.sign = max(self.sign ?? sign, sign) }
        if let seen { self.seen = max(self.seen ?? seen, seen) }
    }

    /// The place that was set for a box tells nothing.
    public mutating func take(_ sample: PositionSample, at now: Milliseconds) {
        let error = max(sample.horizontalError ?? Self.errorUnknown, 0), time = min(sample.time, now)
        guard sample.source != .fixed, error <= Self.errorMax, time > place?.time ?? .min else { return }
        heard(sign: nil, seen: time)
        let here = Place(time: time, latitude: sample.latitude, longitude: sample.longitude, error: error)
        guard var place else {
            self.place = here
            return
        }
        let metres = ContextTracker.distance(place.latitude, place.longitude, here.latitude, here.longitude)
        if metres > Self.movedMin + Double(place.error + here.error) / 10 {
            elsewhere += 1
            if elsewhere >= Self.movedCount {
                (place, elsewhere) = (here, 0)
                noteSign(at: time)
            }
        } else {
            elsewhere = 0
            if here.error < place.error { place = here }
        }
        place.time = time
        self.place = place
    }

    /// Steps, strides or turns of the pedals.
    public mutating func take(cadence perMinute: Int, at now: Milliseconds) {
        heard(sign: nil, seen: now)
        guard perMinute >= Self.stepsMin else {
            stepped = nil
            return
        }
        if let stepped, now - stepped <= Self.stepsWithin { noteSign(at: now) }
        stepped = now
    }

    // MARK: - What is due

    /// Nothing of the person, for so long.
    public struct Silence: Hashable, Sendable {
        /// Since the last sign, milliseconds.
        public let length: Milliseconds
        /// For so long nothing was heard that would have shown movement, milliseconds; nil where that is no reason.
        public let unseen: Milliseconds?
    }

    public enum Step: Hashable, Sendable {
        /// Ask the person.
        case ask(Silence)
        /// There is a sign: the question ends.
        case withdraw
        /// There is a sign, and whoever was told hears so.
        case tellSign
    }

    /// - Parameters:
    ///   - plan: when the person wants to be asked.
    ///   - offset: what makes local time of the caller's, milliseconds.
    ///   - isAsking: the question of ``Step/ask(_:)`` is open.
    ///   - mayAsk: nothing else is open, and this side is the one that asks.
    ///   - now: on the caller's axis, milliseconds.
    public mutating func look(
        _ plan: InactivityPlan, offset: Milliseconds, isAsking: Bool, mayAsk: Bool, at now: Milliseconds
    ) -> Step? {
        if isAsking { return sign ?? .min > asked ?? .min ? .withdraw : nil }
        if let told, let sign, sign > told {
            self.told = nil
            return .tellSign
        }
        let start = max(sign ?? since, since)
        if let asked, asked >= start, now - asked < Self.againAfter { return nil }
        guard mayAsk, plan.isDue(since: start + offset, at: now + offset) else { return nil }
        asked = now
        let seen = max(seen ?? since, since)
        return .ask(Silence(length: now - start, unseen: now - seen > Self.unseenAfter ? now - seen : nil))
    }

    /// Somebody was told at this time that there is no sign.
    public mutating func noteTold(at time: Milliseconds) { told = time }

    /// The question was lost with the machine that asked: it is asked again.
    public mutating func forgetQuestion() { asked = nil }

    /// Whether people are to be told at this time: nobody was since the last sign, or it is long ago. Another box may have told them.
    public func isNews(at time: Milliseconds) -> Bool {
        if let sign, sign > time { return false }
        return told.map { max(sign ?? .min, $0) != $0 || time - $0 >= Self.againAfter / 2 } ?? true
    }

    /// With all times on another axis: after a reboot of the box its clock begins anew.
    public func shifted(by difference: Milliseconds) -> InactivityWatch {
        var watch = self
        watch.since += difference
        for path in [\InactivityWatch.sign, \.ownSign, \.seen, \.asked, \.told, \.stepped] {
            watch[keyPath: path] = self[keyPath: path].map { $0 + difference }
        }
        watch.place?.time += difference
        return watch
    }
}

extension Abnormality {
    /// - Parameters:
    ///   - silence: how long there was no sign of life.
    ///   - key: of a sample that does not exist, from which the question has its name.
    ///   - now: on the caller's axis, milliseconds.
    public init(_ silence: InactivityWatch.Silence, key: SampleKey, at now: Milliseconds) {
        let minutes = Int(silence.length / 60_000)
        self.init(
            trigger: .inactivity, tier: .warning, limit: nil, context: .unknown, first: Reading(time: now, value: minutes, key: key),
            latest: Reading(time: now, value: Int((silence.unseen ?? 0) / 60_000), key: key), worst: minutes, count: 1,
            answerTime: InactivityWatch.answerTime)
    }

    /// The sign of life that was not seen, for ``Trigger/inactivity``; nil for any other.
    public var silence: InactivityWatch.Silence? {
        guard trigger == .inactivity else { return nil }
        let unseen = Milliseconds(latest.value) * 60_000
        return .init(length: Milliseconds(first.value) * 60_000, unseen: unseen > 0 ? unseen : nil)
    }
}
