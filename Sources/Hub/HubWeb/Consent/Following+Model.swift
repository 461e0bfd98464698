import HubServices
import HubStore
import Privacy
import Vitals

/// What somebody sees of a person who lets them read: the newest of the granted kinds.
struct FollowedModel {
    let followed: ConsentService.Followed
    let reading: Reading

    /// Heart rates of the plot, and lines of what happened, at most.
    static let heartRatesMax = 600, eventsMax = 10

    func model(_ texts: Texts) -> [String: Any] {
        var values: [[String: String]] = []
        // 0 is no reading.
        let hearts = reading.heartRates.filter { $0.beatsPerMinute > 0 }
        if let last = hearts.last {
            values.append([
                "name": texts["kind.heart_rate"], "value": "\(last.beatsPerMinute) \(texts["live.bpm"])", "time": texts.instant(last.time),
            ])
        }
        if let last = reading.positions.last {
            let place = "\(texts.degrees(last.latitudeDegrees)), \(texts.degrees(last.longitudeDegrees))"
            values.append(["name": texts["kind.position"], "value": place, "time": texts.instant(last.time)])
        }
        let events = reading.events.suffix(Self.eventsMax).reversed().compactMap { event in
            texts.find("live.event\(event.code.rawValue)").map { "\(texts.instant(event.time)): \($0)" }
        }
        var model = Self.entry(followed, texts).merging([
            "values": values, "isEmpty": values.isEmpty && events.isEmpty, "events": events, "hasEvents": !events.isEmpty,
        ]) { $1 }
        let points = hearts.map { (time: $0.time, value: Double($0.beatsPerMinute)) }
        model["plot"] = Plot(name: texts["kind.heart_rate"], unit: texts["live.bpm"], points: points).model(texts)
        return model
    }

    static func entry(_ followed: ConsentService.Followed, _ texts: Texts) -> [String: Any] {
        let scope = followed.consent.scope
        return [
            "id": followed.consent.id.description, "name": followed.name, "kinds": texts.kinds(scope.kinds), "purpose": scope.purpose,
            "term": texts.term(scope.term),
        ]
    }
}

extension Texts {
    /// About a metre.
    fileprivate func degrees(_ value: Double) -> String { decimal(value, 5) }
}
