/// A handle that looks like the one of heart rates, found by ``BluetoothCaptureReader/guess``.
public struct HandleGuess: Sendable, Hashable {
    public let handle: UInt16
    /// On how many notifications the guess rests.
    public let notifications: UInt64
}

/// Looks at notifications whose characteristic the capture does not tell, for a guess.
///
/// A handle qualifies when there are at least ``readingsMin`` readings above 0 and every value is a valid and plausible Heart Rate
/// Measurement that differs from the one before it by at most ``changeMax``. The guess is made when exactly one handle qualifies.
struct HandleSurvey: Sendable {
    static let readingsMin: UInt64 = 10
    static let changeMax = 40
    static let handlesMax = 64

    fileprivate struct Candidate: Sendable {
        var notifications: UInt64 = 0
        var readings: UInt64 = 0
        var isPlausible = true
        var last: UInt16 = 0
    }

    private var candidates: [UInt16: Candidate] = [:]
    /// More handles than can be followed: nothing is guessed.
    private var isCrowded = false

    var guess: HandleGuess? {
        guard !isCrowded else { return nil }
        let fitting = candidates.filter { $0.value.isPlausible && $0.value.readings >= Self.readingsMin }
        guard fitting.count == 1, let (handle, candidate) = fitting.first else { return nil }
        return HandleGuess(handle: handle, notifications: candidate.notifications)
    }

    /// The handles with their numbers of notifications, by handle.
    var handles: [(handle: UInt16, notifications: UInt64)] {
        candidates.map { ($0.key, $0.value.notifications) }.sorted { $0.0 < $1.0 }
    }

    mutating func note(handle: UInt16, value: RawSpan) {
        guard candidates[handle] != nil || candidates.count < Self.handlesMax else {
            isCrowded = true
            return
        }
        candidates[handle, default: Candidate()].note(value)
    }
}

extension HandleSurvey.Candidate {
    fileprivate mutating func note(_ value: RawSpan) {
        notifications += 1
        guard isPlausible else { return }
        guard HeartRateMeasurement.isPlausible(value), let reading = try? HeartRateMeasurement(value).beatsPerMinute else {
            isPlausible = false
            return
        }
        guard reading > 0 else { return }
        if last > 0, abs(Int(reading) - Int(last)) > HandleSurvey.changeMax { isPlausible = false }
        readings += 1
        last = reading
    }
}
