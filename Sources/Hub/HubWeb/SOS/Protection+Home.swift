import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Where the person lives, as a point of the map, set by them or by somebody who looks after them: by a tap, by the place of the device, or as
/// two numbers. Without a script the numbers do.
extension ProtectionPages {
    func routesOfHome(_ router: some RouterMethods<HubContext>) {
        router.get("/protection/home") { request, context in try homePage(try own(Frame(request, context))) }
        router.post("/protection/home") { request, context in try await setHome(try own(Frame(request, context)), request) }
        router.post("/protection/home/remove") { request, context in try await removeHome(try own(Frame(request, context))) }
        router.get("/care/person/:id/protection/home") { request, context in try homePage(try cared(request, context)) }
        router.post("/care/person/:id/protection/home") { request, context in try await setHome(try cared(request, context), request) }
        router.post("/care/person/:id/protection/home/remove") { request, context in try await removeHome(try cared(request, context)) }
    }

    private func homePage(_ place: Place, values: [String: String]? = nil) throws -> Response {
        let texts = place.frame.texts, home = try sos.homes.home(of: place.person)
        let known = home.map { Degrees(latitude: Double($0.pin.latitude) / 1e7, longitude: Double($0.pin.longitude) / 1e7) }
        let name = ["name": place.name]
        let form = FormModel(
            action: place.base + "/home", button: texts["protection.homeSave"],
            fields: [
                FormField(name: "homeLatitude", kind: .text, hint: texts["protection.homeLatitudeHint"]),
                FormField(name: "homeLongitude", kind: .text, hint: texts["protection.homeLongitudeHint"]),
            ], values: values ?? known?.fields ?? [:])
        let page = HomePinPage(
            problem: values == nil ? nil : texts["protection.notAPlace"],
            about: texts.filled(place.isOwn ? "protection.homeAbout" : "protection.homeAboutOf", name),
            address: try accounts.account(.init(place.person)).flatMap { account in
                account[.residence].isEmpty ? nil : texts.filled("protection.homeAddress", ["place": account[.residence]])
            },
            state: home.map {
                .init(text: Self.state(of: $0, isOwn: place.isOwn, name: place.name, texts), isCurrent: $0.isCurrent)
            }, homeName: texts["protection.homeName"], homeForm: form.model(texts), base: place.base,
            mapConfig: try map.configuration(texts))
        let title = place.isOwn ? texts["protection.home"] : texts.filled("protection.homeOf", name)
        return templates.page(page, place.frame, title: title, help: "protection", status: values == nil ? .ok : .conflict)
    }

    private func setHome(_ place: Place, _ request: Request) async throws -> Response {
        let sent = try await SentForm(request)
        guard let degrees = Degrees(sent["homeLatitude"], sent["homeLongitude"]) else { return try homePage(place, values: sent.fields) }
        do {
            try await sos.homes.set(latitude: degrees.latitude, longitude: degrees.longitude, of: place.person, by: place.reader.id)
        } catch SOSSettingProblem.notAllowed {
            throw PageRefusal.notAllowed
        } catch SOSSettingProblem.notAPlace {
            return try homePage(place, values: sent.fields)
        }
        return .redirect(to: place.base + "/home", type: .normal)
    }

    private func removeHome(_ place: Place) async throws -> Response {
        do { try await sos.homes.remove(of: place.person, by: place.reader.id) } catch SOSSettingProblem.notAllowed {
            throw PageRefusal.notAllowed
        }
        return .redirect(to: place.base + "/home", type: .normal)
    }

    /// What the page of the protection says of the pin, with the way to it.
    func home(_ place: Place) throws -> ProtectionPage.Home {
        let texts = place.frame.texts, home = try sos.homes.home(of: place.person), name = ["name": place.name]
        var part = ProtectionPage.Home(
            title: place.isOwn ? texts["protection.home"] : texts.filled("protection.homeOf", name),
            href: place.base + "/home", link: texts[home == nil ? "protection.homeSet" : "protection.homeChange"])
        if let home {
            let state = Self.state(of: home, isOwn: place.isOwn, name: place.name, texts)
            if home.isCurrent { part.text = state } else { part.warning = state }
        } else {
            part.text = texts.filled(place.isOwn ? "protection.homeNone" : "protection.homeNoneOf", name)
        }
        return part
    }

    private static func state(of home: SOSHomes.Home, isOwn: Bool, name: String, _ texts: Texts) -> String {
        guard home.isCurrent else { return texts.filled(isOwn ? "protection.homeMoved" : "protection.homeMovedOf", ["name": name]) }
        return texts.filled("protection.homeIsSet", ["time": texts.instant(home.pin.at)])
    }
}

/// Two numbers as people type them, or copy them from a map in one go: `45.46420, 9.18998`.
private struct Degrees {
    let latitude: Double, longitude: Double

    init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }

    init?(_ first: String, _ second: String) {
        let second = second.trimmingCharacters(in: .whitespaces)
        var parts = [first.trimmingCharacters(in: .whitespaces), second]
        if second.isEmpty {
            parts = first.replacingOccurrences(of: ", ", with: " ").split(whereSeparator: { $0 == " " || $0 == ";" }).map(String.init)
            // `45.46420,9.18998`
            if parts.count == 1, first.contains(".") { parts = first.split(separator: ",").map(String.init) }
        }
        let numbers = parts.compactMap { Double($0.replacingOccurrences(of: ",", with: ".")) }
        guard numbers.count == 2 else { return nil }
        (latitude, longitude) = (numbers[0], numbers[1])
    }

    var fields: [String: String] {
        ["homeLatitude": String(format: "%.6f", latitude), "homeLongitude": String(format: "%.6f", longitude)]
    }
}

struct HomePinPage: FramedPage {
    static let template = "homePin"

    struct State: TemplateModel {
        let text: String
        let isCurrent: Bool
    }

    var problem: String?
    let about: String
    var address: String?
    /// Where a pin is set.
    var state: State?
    let homeName: String
    let homeForm: FormPart
    let base: String, mapConfig: String
}
