public import Sensing
public import Vitals

extension ScalarSample {
    /// One of a kind that is a scalar.
    public static func made(_ kind: DataKind, _ value: Int64, second: Int64? = nil, at time: Milliseconds = 0) -> ScalarSample {
        guard let sample = ScalarSample(kind, time: time, value: value, second: second) else { fatalError("\(kind) is no scalar") }
        return sample
    }
}

extension HeartRateEvent {
    /// What a sensor beside the heart rate measured, in the resolution of the table of kinds.
    public static func reading(_ kind: DataKind, _ value: Int64, at time: Milliseconds = 0) -> HeartRateEvent {
        .reading(.made(kind, value, at: time))
    }
}
