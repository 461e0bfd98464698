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

    func model(_ texts: Texts, now: Milliseconds) -> FollowedPage {
        var values: [FollowedPage.Value] = []
        // 0 is no reading.
        let hearts = reading.heartRates.filter { $0.beatsPerMinute > 0 }
        if let last = hearts.last {
            values.append(
                .init(
                    name: texts["kind.heart_rate"], value: "\(last.beatsPerMinute) \(texts["live.bpm"])",
                    time: texts.moment(last.time, now: now)))
        }
        if let last = reading.positions.last {
            let place = "\(texts.degrees(last.latitudeDegrees)), \(texts.degrees(last.longitudeDegrees))"
            values.append(.init(name: texts["kind.position"], value: place, time: texts.moment(last.time, now: now)))
        }
        let events = reading.events.suffix(Self.eventsMax).reversed().compactMap { event in
            texts.find("live.event\(event.code.rawValue)").map { "\(texts.instant(event.time)): \($0)" }
        }
        let points = hearts.map { (time: $0.time, value: Double($0.beatsPerMinute)) }
        return FollowedPage(
            followed: Inline(Self.entry(followed, texts)), values: values, isEmpty: values.isEmpty && events.isEmpty,
            plot: Plot(name: texts["kind.heart_rate"], unit: texts["live.bpm"], points: points).model(texts),
            health: HealthPages.link("/following/\(followed.consent.id)", followed.grant.kinds, texts),
            hasEvents: !events.isEmpty, events: events,
            ecg: followed.consent.scope.kinds.contains(.ecg)
                ? Link(href: "/following/\(followed.consent.id)/ecg", text: texts["ecg.title"]) : nil,
            tracks: TracksPages.link("/following/\(followed.consent.id)", [followed.grant.kinds], texts))
    }

    static func entry(_ followed: ConsentService.Followed, _ texts: Texts) -> FollowedEntry {
        let scope = followed.consent.scope
        return FollowedEntry(
            id: followed.consent.id.description, name: followed.name, kinds: texts.kinds(scope.kinds), term: texts.term(scope.term),
            purpose: scope.purpose)
    }
}

extension Texts {
    /// About a metre.
    fileprivate func degrees(_ value: Double) -> String { decimal(value, 5) }
}

/// Somebody who lets the reader read.
struct FollowedEntry: TemplateModel {
    let id: String, name: String, kinds: String, term: String, purpose: String
}

struct FollowedPage: FramedPage {
    static let template = "followed"

    struct Value: TemplateModel {
        let name: String, value: String, time: String
    }

    let followed: Inline<FollowedEntry>
    let values: [Value]
    let isEmpty: Bool
    var plot: PlotPart?
    var health: Link?
    let hasEvents: Bool
    let events: [String]
    var ecg: Link?
    var tracks: Link?
}

struct FollowingPage: FramedPage {
    static let template = "following"

    struct Offer: TemplateModel {
        let id: String, name: String, kinds: String, term: String, purpose: String, expires: String
    }

    var problem: String?
    let offers: [Offer]
    let people: [FollowedEntry]
    let isEmpty: Bool
}
