import Sensing
import Vitals

extension HeartRateEvent {
    /// What a sensor beside the heart rate measured, in the resolution of the table of kinds; another event for a kind that is no scalar.
    static func reading(_ kind: DataKind, _ value: Int64, at time: Milliseconds = 0) -> HeartRateEvent {
        ScalarSample(kind, time: time, value: value).map { .reading($0) } ?? .connected(time: time)
    }
}
