import Vitals

/// When a person of whom there is no sign of life is asked, by their own choice (SOS-24). Times of day are minutes after midnight.
public struct InactivityPlan: Hashable, Sendable, Codable {
    /// There is to be a sign between the end of the night and this time of day; nil: no such time.
    public var by: Int?
    /// Hours without a sign, those of the night left out; nil: no such span.
    public var hours: Int?
    /// Nobody is asked in the night. It may hold midnight.
    public var nightFrom: Int
    public var nightTo: Int
    /// IANA name of the person's time zone: `Europe/Rome`.
    public var timeZone: String

    public static let hoursRange = 2...48
    /// A night that leaves less of the day would keep everybody from being asked, minutes.
    static let dayMin = 480
    /// Between the end of the night and ``by`` lies so much at least, minutes.
    static let byMin = 60

    public init(by: Int? = nil, hours: Int? = nil, nightFrom: Int = 22 * 60, nightTo: Int = 6 * 60, timeZone: String) {
        (self.by, self.hours, self.nightFrom, self.nightTo, self.timeZone) = (by, hours, nightFrom, nightTo, timeZone)
    }

    /// Whether it names a time or a span, with a night that leaves room for it.
    public var isValid: Bool {
        let minutes = 0..<1440
        guard by != nil || hours != nil, minutes.contains(nightFrom), minutes.contains(nightTo), day >= Self.dayMin else { return false }
        if let hours, !Self.hoursRange.contains(hours) { return false }
        guard let by else { return true }
        return minutes.contains(by) && (Self.byMin...day).contains(afterNight(by))
    }

    /// From the end of a night to the beginning of the next, minutes.
    private var day: Int { (nightFrom - nightTo + 1440) % 1440 }
    private func afterNight(_ minutes: Int) -> Int { (minutes - nightTo + 1440) % 1440 }

    private static let dayLength: Milliseconds = 86_400_000

    /// When the day that a moment belongs to began: at the end of the night before. Both in local time.
    private func morning(before time: Milliseconds) -> Milliseconds {
        let phase = (time - Milliseconds(nightTo) * 60_000) % Self.dayLength
        return time - (phase < 0 ? phase + Self.dayLength : phase)
    }

    /// When ``hours`` of days have passed since a moment. Both in local time.
    func end(of hours: Int, from start: Milliseconds) -> Milliseconds {
        let day = Milliseconds(self.day) * 60_000
        var left = Milliseconds(hours) * 3_600_000, morning = morning(before: start), spent = min(start - morning, day)
        while left > day - spent {
            left -= day - spent
            (morning, spent) = (morning + Self.dayLength, 0)
        }
        return morning + spent + left
    }

    /// Whether somebody of whom nothing was seen since `start` is to be asked at `time`. Both in local time.
    func isDue(since start: Milliseconds, at time: Milliseconds) -> Bool {
        guard isValid else { return false }
        let morning = morning(before: time)
        guard time - morning < Milliseconds(day) * 60_000 else { return false }
        if let hours, time >= end(of: hours, from: start) { return true }
        guard let by else { return false }
        return start <= morning && time >= morning + Milliseconds(afterNight(by)) * 60_000
    }
}
