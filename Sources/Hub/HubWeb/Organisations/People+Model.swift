import Foundation
import HubStore
import Vitals

/// The newest value of each kind as a table, for who has no JavaScript.
struct LastValues {
    let reading: Reading
    let scalars: [NewestScalar]
    let texts: Texts

    init(_ reading: Reading, scalars: [NewestScalar], texts: Texts) {
        (self.reading, self.scalars, self.texts) = (reading, scalars, texts)
    }

    /// The newest of each of these kinds that has one.
    func rows(_ kinds: Set<DataKind>) -> [PersonPage.Row] {
        Texts.kindsOffered.filter(kinds.contains).compactMap { kind in
            let last: (value: String, time: Milliseconds)? =
                switch kind {
                case .heartRate: reading.heartRates.last.map { (heartRate($0), $0.time) }
                case .position: reading.positions.last.map { (position($0), $0.time) }
                case .event: reading.events.last { name($0) != nil }.flatMap { event in name(event).map { ($0, event.time) } }
                default: scalars.first { $0.sample.kind == kind }.map { (texts.amount($0.sample), $0.sample.time) }
                }
            return last.map { .init(kind: texts["field.kind\(kind.rawValue)"], value: $0.value, time: texts.instant($0.time)) }
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

struct PeoplePage: FramedPage {
    static let template = "people"

    struct Person: TemplateModel {
        let id: String, name: String, kinds: String
        /// Through which they consented.
        var service: String?
        let purpose: String, state: String
        let isOnce: Bool
    }

    let isEmpty: Bool
    let people: [Person]
    /// Where older ones begin.
    var next: String?
}

struct PersonPage: FramedPage {
    static let template = "person"

    struct Row: TemplateModel {
        let kind: String, value: String, time: String
    }

    struct Values: TemplateModel {
        let isEmpty: Bool
        let rows: [Row]
    }

    struct Board: TemplateModel {
        let hasHeart: Bool
        let hasPlace: Bool
        let hasEvents: Bool
        let hasScalars: Bool
        let lengthUnit: String, paceUnit: String, speedUnit: String, heightUnit: String
        /// JSON.
        let config: String
    }

    struct Strict: TemplateModel {
        let choice: Inline<StrictPart>
        let isSaved: Bool
        /// A box of an older version waits longer.
        let waits: String?
    }

    let id: String, kinds: String, purpose: String, state: String
    var health: Link?, ecg: Link?, tracks: Link?
    var values: Values?
    var board: Board?
    var strict: Strict?
}
