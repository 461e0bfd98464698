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
    let series: SeriesStore
    let accounts: AccountStore
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
        var model: [String: Any] = ["mapConfig": try map.configuration(texts), "filters": filters(kinds, given, texts)]
        let imported = try places.imported()
        if let imported { model["asOf"] = texts.filled("places.asOf", ["time": texts.instant(imported)]) } else { model["isEmpty"] = true }
        if let middle = try given ?? dutyPlace(account, texts) ?? boxPlace(account, texts) {
            let found = try kinds.flatMap {
                try places.nearest(latitude: middle.latitude, longitude: middle.longitude, kinds: [$0], count: Self.count)
            }.sorted { $0.metres < $1.metres }
            model["from"] = middle.text
            model["here"] =
                PlacesMap.Point(
                    kind: .here, name: texts["places.you"], latitude: middle.latitude, longitude: middle.longitude, text: middle.text
                ).model
            model["places"] = found.map { entry($0, texts) }
            model["isNone"] = found.isEmpty && imported != nil
        } else {
            model["isUnknown"] = true
        }
        return templates.page("places", frame.model(title: texts["places.title"], help: "places", model))
    }

    private func filters(_ kinds: [Facility.Kind], _ given: Middle?, _ texts: Texts) -> [[String: Any]] {
        let place = given.map { String(format: "&lat=%.5f&lon=%.5f", $0.latitude, $0.longitude) } ?? ""
        return [("", "all", Facility.Kind.allCases), ("hospital", "hospitals", [.hospital]), ("pharmacy", "pharmacies", [.pharmacy])].map {
            ["href": "/places?kind=\($0.0)\(place)", "text": texts["places.\($0.1)"], "isHere": $0.2 == kinds] as [String: Any]
        }
    }

    private func entry(_ found: PlaceStore.Found, _ texts: Texts) -> [String: Any] {
        let place = found.place
        let point = PlacesMap.Point(
            kind: place.kind == .hospital ? .hospital : .pharmacy, name: place.name, latitude: place.latitude, longitude: place.longitude,
            text: texts.filled("places.distance", ["km": texts.decimal(found.metres / 1000, 1)]), isQuiet: true)
        var entry = point.model
        entry["kindText"] = texts["places.\(place.kind.rawValue)"] + (place.isEmergency ? ", \(texts["places.emergency"])" : "")
        if let phone = place.phone { entry["phone"] = ["number": phone, "link": phone.filter { $0 == "+" || $0.isNumber }] }
        entry["lines"] = [place.address, place.openingHours].compactMap(\.self)
        return entry
    }

    // MARK: Where

    private func given(_ latitude: String?, _ longitude: String?, _ texts: Texts) -> Middle? {
        guard let latitude = latitude.flatMap(Double.init), let longitude = longitude.flatMap(Double.init),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return nil }
        return Middle(latitude: latitude, longitude: longitude, text: texts["places.from_given"])
    }

    private func dutyPlace(_ account: StoredAccount, _ texts: Texts) throws -> Middle? {
        guard let duty = try accounts.membership(of: account)?.duty, duty.account == account.id, let place = duty.place else { return nil }
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
