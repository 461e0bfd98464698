import Foundation
import HubStore
import Vitals

/// The newest value of each kind as a table, for who has no JavaScript.
struct LastValues {
    let reading: Reading
    let texts: Texts

    init(_ reading: Reading, texts: Texts) { (self.reading, self.texts) = (reading, texts) }

    /// `kind`, `value` and `time` of each of these kinds that has one.
    func rows(_ kinds: Set<DataKind>) -> [[String: String]] {
        Texts.kindsOffered.filter(kinds.contains).compactMap { kind in
            let last: (value: String, time: Milliseconds)? =
                switch kind {
                case .heartRate: reading.heartRates.last.map { (heartRate($0), $0.time) }
                case .position: reading.positions.last.map { (position($0), $0.time) }
                case .event: reading.events.last { name($0) != nil }.flatMap { event in name(event).map { ($0, event.time) } }
                default: nil
                }
            return last.map { ["kind": texts["field.kind\(kind.rawValue)"], "value": $0.value, "time": texts.instant($0.time)] }
        }
    }

    private func heartRate(_ sample: HeartRateSample) -> String {
        if sample.contact == .notDetected { return texts["live.heartNotWorn"] }
        return sample.beatsPerMinute > 0 ? "\(sample.beatsPerMinute) \(texts["live.bpm"])" : texts["live.heartNoReading"]
    }

    private func position(_ sample: PositionSample) -> String {
        let place = String(format: "%.5f, %.5f", sample.latitudeDegrees, sample.longitudeDegrees)
        guard let error = sample.horizontalError else { return place }
        return "\(place) ± \(Int((Double(error) / 10).rounded(.up))) m"
    }

    private func name(_ event: StateEvent) -> String? { texts.find("live.event\(event.code.rawValue)") }
}
