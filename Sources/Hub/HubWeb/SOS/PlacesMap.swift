import Distress
import Foundation
import HubStore
import Synchronization
import Vitals

/// A map of a few points, as `placesMap.mustache` and places.js draw it. The points stand in the page as text, so it is of use without a script.
struct PlacesMap {
    private let map: HubConfiguration.Map
    /// The same for every page of a language: a thousand alarms ask for it thousands of times.
    private let made = Made()

    private final class Made: Sendable {
        let configurations = Mutex<[String: [Measures: String]]>([:])
    }

    init(map: HubConfiguration.Map) { self.map = map }

    /// One point of the map, with what the page says about it.
    struct Point {
        enum Kind: String { case person, home, ambulance, hospital, pharmacy, here }
        let kind: Kind
        let name: String
        let latitude: Double, longitude: Double
        /// Metres.
        var error: Double?
        let text: String
        /// Its name is shown only when it is asked for.
        var isQuiet = false

        struct Model: TemplateModel {
            let kind: String, name: String, lat: String, lon: String, text: String, geo: String
            /// Metres; empty where it is not known.
            let error: String
        }

        var model: Model {
            Model(
                kind: kind.rawValue, name: name, lat: String(format: "%.6f", latitude), lon: String(format: "%.6f", longitude), text: text,
                geo: PlacesMap.geo(latitude, longitude),
                error: error.map { $0 > 0 ? String(Int($0.rounded(.up))) : "" } ?? "")
        }
    }

    private struct Configuration: Encodable {
        let lang: String
        let tiles: String?
        let attribution: String?
        let t: [String: String]
        let units: LiveUnits
    }

    /// What the script needs, for `mapConfig`.
    func configuration(_ texts: Texts) throws -> String {
        if let text = made.configurations.withLock({ $0[texts.lang]?[texts.measures] }) { return text }
        let configuration = Configuration(
            lang: texts.lang, tiles: map.tiles, attribution: map.attribution, t: texts.sections["live"] ?? [:],
            units: LiveUnits(texts.measures))
        let text = try ScriptJSON.text(configuration)
        made.configurations.withLock { $0[texts.lang, default: [:]][texts.measures] = text }
        return text
    }

    /// Opens the phone's own navigation (RFC 5870), with a mark there.
    static func geo(_ latitude: Double, _ longitude: Double) -> String {
        String(format: "geo:%.6f,%.6f?q=%.6f,%.6f", latitude, longitude, latitude, longitude)
    }
}

extension PlacesMap.Point {
    /// From then on a position is called the last known one, milliseconds.
    private static let oldFrom: Milliseconds = 600_000

    /// Where somebody in distress was known to be: what kind of place it is, and how old.
    init?(_ item: SOSCase, _ name: String, _ texts: Texts, _ now: Milliseconds) {
        guard let position = item.alarm.position else { return nil }
        let past = max(0, now - position.time), age = ["age": texts.age(past), "span": texts.span(past)]
        let key =
            position.source == .fixed
            ? "alarms.positionFixed"
            : position.isAgeUnknown == true ? "alarms.positionUnknown" : past > Self.oldFrom ? "alarms.positionOld" : "alarms.position"
        let error = position.horizontalError.map { Double($0) / 10 }
        let accuracy = error.map { ", ±\(Int($0.rounded(.up))) m" } ?? ""
        self.init(
            kind: .person, name: name, latitude: Double(position.latitude) / 1e7, longitude: Double(position.longitude) / 1e7, error: error,
            text: texts.filled(key, age.merging(["accuracy": accuracy]) { $1 }))
    }

    /// Where somebody lives of whom no position is known.
    init(_ home: HomePin, _ name: String, _ texts: Texts) {
        self.init(
            kind: .home, name: texts.filled("alarms.homeOf", ["name": name]), latitude: Double(home.latitude) / 1e7,
            longitude: Double(home.longitude) / 1e7, error: nil, text: texts["alarms.home"])
    }
}
