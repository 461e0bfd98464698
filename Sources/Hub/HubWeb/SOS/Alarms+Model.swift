import Accounts
import Distress
import Foundation
import HubServices
import HubStore
import Vitals

/// What a crew sees of its cases. Before it accepts, what happened and how far it is; who it is, and where, whoever took it.
struct AlarmsModel {
    let crew: AccountID
    let place: CrewPosition?
    let texts: Texts
    /// As the service has it (`SOSService.now`).
    let now: Milliseconds

    func entry(
        _ found: SOSCrews.CrewCase, _ person: @autoclosure () throws -> StoredAccount?, name: (StoredAccount?) -> String
    ) rethrows -> AlarmsPage.Alarm {
        let item = found.item, isMine = item.crew?.account == crew
        var entry = AlarmsPage.Alarm(id: item.id.description, since: texts.since(item.opened, now))
        guard item.isOpen else {
            let outcome = item.outcome?.name ?? "finished"
            let text = texts["alarms.over_\(outcome)"]
            if outcome == "falseAlarm" { entry.stop = text } else { entry.over = text }
            return entry
        }
        entry.findings = findings(item)
        if isMine {
            let person = try person()
            entry.mine = details(item, found.home, person, name(person))
        } else if !item.seeksAmbulance || found.offer.state == .released {
            entry.over = texts["alarms.taken"]
        } else {
            let left = max(0, (found.offer.answerBy - now + 999) / 1000), isOpen = found.offer.state == .open && left > 0
            entry.offer = .init(
                id: item.id.description, rings: isOpen,
                distance: texts.away(found.offer.distance, toHome: found.offer.isToHome == true),
                left: isOpen ? texts.filled("alarms.left", ["n": "\(left)"]) : texts["alarms.late"])
        }
        return entry
    }

    /// What was measured, each with its age.
    private func findings(_ item: SOSCase) -> [String] {
        item.alarm.abnormalities.prefix(3).map { found in
            let age = found.limit == nil ? "" : " (\(texts.age(max(0, now - found.latest.time))))"
            return texts.findingOfOther(found) + age
        }
    }

    private func details(_ item: SOSCase, _ home: HomePin?, _ person: StoredAccount?, _ name: String) -> AlarmsPage.Mine {
        let status = item.crew?.status ?? .onTheWay
        var details = AlarmsPage.Mine(
            id: item.id.description, name: name, status: texts["alarms.status_\(status.rawValue)"], isThere: status == .there)
        if item.answerOwnerBy != nil { details.asked = texts["alarms.asked"] }
        if let person {
            // It may be any of several: no age and no telephone is said to be theirs.
            details.facts = facts(person, isAgeKnown: item.others == nil)
            if item.others == nil { details.phone = texts.phone(person) }
        }
        if let point = PlacesMap.Point(item, name, texts, now) ?? home.map({ PlacesMap.Point($0, name, texts) }) {
            details.way = GeoLink(geo: PlacesMap.geo(point.latitude, point.longitude))
            details.near = String(format: "/places?lat=%.5f&lon=%.5f", point.latitude, point.longitude)
            details.points.append(point.model)
        }
        if item.alarm.position == nil { details.noPosition = texts[home == nil ? "alarms.noPosition" : "alarms.noPositionHome"] }
        if let place {
            let text = texts.filled("duty.place", ["age": texts.age(max(0, now - place.time))])
            let name = item.crew?.label.name ?? ""
            details.points.append(
                PlacesMap.Point(
                    kind: .ambulance, name: name, latitude: place.latitude, longitude: place.longitude, error: nil, text: text
                ).model)
        }
        let rates = item.alarm.history.compactMap { point in point.heartRate.map { (time: point.time, value: Double($0)) } }
        details.plot = Plot(name: texts["alarms.before"], unit: "/min", points: rates).model(texts)
        return details
    }

    private func facts(_ person: StoredAccount, isAgeKnown: Bool) -> [String] {
        let today = CalendarDate(utc: now)
        let age = isAgeKnown ? (try? DateOfBirth(person[.dateOfBirth], today: today))?.age(on: today) : nil
        return [
            age.map { texts.filled("alarms.age", ["n": "\($0)", "date": person[.dateOfBirth]]) },
            person[.residence].isEmpty ? nil : texts.filled("alarms.lives", ["place": person[.residence]]),
        ].compactMap(\.self)
    }
}

extension Texts {
    /// The last resort where no position is known, in words; nil where it is not known either.
    func lives(_ person: StoredAccount) -> String? {
        person[.residence].isEmpty ? nil : filled("alarms.livesPerhaps", ["name": person.name, "place": person[.residence]])
    }

    /// A number to call, and how it reads.
    func phone(_ person: StoredAccount) -> PhoneLink? {
        let number = person[.phone]
        return number.isEmpty ? nil : PhoneLink(number)
    }
}

struct AlarmsPage: FramedPage {
    static let template = "alarms"

    /// A case: with `stop` or `over` once it is, with `offer` while the crew may take it, with `mine` when it did.
    struct Alarm: TemplateModel {
        let id: String, since: String
        var findings: [String] = []
        var stop: String?
        var over: String?
        var offer: Offer?
        var mine: Mine?
    }

    struct Offer: TemplateModel {
        let id: String
        let rings: Bool
        let distance: String, left: String
    }

    struct Mine: TemplateModel {
        let id: String, name: String, status: String
        let isThere: Bool
        var asked: String?
        var facts: [String] = []
        var phone: PhoneLink?
        var way: GeoLink?
        /// The address of the page with hospitals near there.
        var near: String?
        var noPosition: String?
        var points: [PlacesMap.Point.Model] = []
        var plot: PlotPart?
    }

    var problem: String?
    let alarms: [Alarm]
    let isNone: Bool
    let isOff: Bool
    let isOn: Bool
    let asOf: String, mapConfig: String
    let isTold: Bool
    let pushProblems: [String]
}

extension Texts {
    /// How far a crew has to the person, as the crow flies, or to where the person lives.
    func away(_ metres: Int, toHome: Bool) -> String {
        filled(toHome ? "alarms.distanceHome" : "alarms.distance", ["distance": distance(Double(metres))])
    }
}
