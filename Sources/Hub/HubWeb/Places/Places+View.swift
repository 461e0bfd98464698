import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Hospitals and pharmacies nearby (SOS-14), for persons and crews: a map, and a list by distance.
struct PlacesPages: Sendable {
    let places: PlaceStore
    let consents: ConsentService
    let series: SeriesReader
    let care: CareStore
    let templates: Templates
    let map: PlacesMap
    let now: @Sendable () -> Milliseconds

    /// Of each kind.
    private static let count = 10

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/places") { request, context in try page(Frame(request, context), request) }
    }

    /// Around where.
    private struct Middle {
        let latitude: Double, longitude: Double
        let text: String
    }

    private func page(_ frame: Frame, _ request: Request) throws -> Response {
        let account = try frame.session().account, texts = frame.texts
        guard account.roles.contains(.person) || account.roles.contains(.responder) else { throw PageRefusal.notAllowed }
        let query = request.uri.queryParameters
        let kinds = query["kind"].flatMap { Facility.Kind(rawValue: String($0)) }.map { [$0] } ?? Facility.Kind.allCases
        let given = self.given(query["lat"].map(String.init), query["lon"].map(String.init), texts)
        let imported = try places.imported()
        var shown = PlacesPage(
            isEmpty: imported == nil, filters: filters(kinds, given, texts), mapConfig: try map.configuration(texts),
            asOf: imported.map { texts.filled("places.asOf", ["time": texts.instant($0)]) })
        if let middle = try given ?? dutyPlace(account, texts) ?? boxPlace(account, texts) {
            let found = try kinds.flatMap {
                try places.nearest(latitude: middle.latitude, longitude: middle.longitude, kinds: [$0], count: Self.count)
            }.sorted { $0.metres < $1.metres }
            shown.from = middle.text
            shown.here =
                PlacesMap.Point(
                    kind: .here, name: texts["places.you"], latitude: middle.latitude, longitude: middle.longitude, text: middle.text
                ).model
            shown.places = found.map { entry($0, texts) }
            shown.isNone = found.isEmpty && imported != nil
        } else {
            shown.isUnknown = true
        }
        return templates.page(shown, frame, title: texts["places.title"], help: "places")
    }

    private func filters(_ kinds: [Facility.Kind], _ given: Middle?, _ texts: Texts) -> [Choice] {
        let place = given.map { String(format: "&lat=%.5f&lon=%.5f", $0.latitude, $0.longitude) } ?? ""
        return [("", "all", Facility.Kind.allCases), ("hospital", "hospitals", [.hospital]), ("pharmacy", "pharmacies", [.pharmacy])].map {
            Choice(href: "/places?kind=\($0.0)\(place)", text: texts["places.\($0.1)"], isHere: $0.2 == kinds)
        }
    }

    private func entry(_ found: PlaceStore.Found, _ texts: Texts) -> PlacesPage.Place {
        let place = found.place
        let point = PlacesMap.Point(
            kind: place.kind == .hospital ? .hospital : .pharmacy, name: place.name, latitude: place.latitude, longitude: place.longitude,
            text: texts.filled("places.distance", ["distance": texts.distance(found.metres)]), isQuiet: true)
        return .init(
            point: Inline(point.model),
            kindText: texts["places.\(place.kind.rawValue)"] + (place.isEmergency ? ", \(texts["places.emergency"])" : ""),
            lines: [place.address, place.openingHours].compactMap(\.self), phone: place.phone.map(PhoneLink.init))
    }

    // MARK: Where

    private func given(_ latitude: String?, _ longitude: String?, _ texts: Texts) -> Middle? {
        guard let latitude = latitude.flatMap(Double.init), let longitude = longitude.flatMap(Double.init),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return nil }
        return Middle(latitude: latitude, longitude: longitude, text: texts["places.from_given"])
    }

    private func dutyPlace(_ account: StoredAccount, _ texts: Texts) throws -> Middle? {
        guard let duty = try care.membership(of: account)?.duty, duty.account == account.id, let place = duty.place else { return nil }
        let age = texts.age(max(0, now() - place.time))
        return Middle(latitude: place.latitude, longitude: place.longitude, text: texts.filled("places.from_duty", ["age": age]))
    }

    /// What the person's own boxes and phones sent last.
    private func boxPlace(_ account: StoredAccount, _ texts: Texts) throws -> Middle? {
        let time = now()
        guard account.roles.contains(.person), let grant = try consents.siteGrant(of: account.id.person, to: account.id),
            let place = try series.last(1, grant, now: time)?.positions.last
        else { return nil }
        let age = texts.age(max(0, time - place.time))
        return Middle(
            latitude: place.latitudeDegrees, longitude: place.longitudeDegrees, text: texts.filled("places.from_box", ["age": age]))
    }
}

struct PlacesPage: FramedPage {
    static let template = "places"

    struct Place: TemplateModel {
        let point: Inline<PlacesMap.Point.Model>
        let kindText: String
        let lines: [String]
        var phone: PhoneLink?
    }

    /// No places were imported.
    var isEmpty = false
    /// Nobody knows where the reader is.
    var isUnknown = false
    let filters: [Choice]
    /// Around where, in words.
    var from: String?
    var here: PlacesMap.Point.Model?
    let mapConfig: String
    var isNone = false
    var places: [Place] = []
    var asOf: String?
}
