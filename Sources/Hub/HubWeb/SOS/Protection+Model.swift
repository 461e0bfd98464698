import Distress
import Foundation
import HubServices
import HubStore
import SyncProtocol
import Vitals

/// Whether somebody is protected, what is asked, and what is being done, as a page shows it to the person or a caregiver.
struct ProtectionModel {
    let view: SOSView
    let coming: SOSComing?
    /// As the service has it (`SOSService.now`).
    let now: Milliseconds
    /// The reader is the person, or a minor's parent.
    let isOwn: Bool
    let name: String
    /// Where the buttons post to.
    let base: String
    /// How the reader is called as the owner of a case.
    let owner: String
    /// Names of others who may be meant by the case.
    let others: [String]
    /// The person is one of several who may be meant, and said that they are OK.
    var isOK = false
    /// The reader may end the case as the person would.
    var mayEnd = false
    /// Where the person lives, in words.
    var lives: String?

    struct SOSComing {
        let latitude: Double, longitude: Double
        let age: Milliseconds
        let arrivalIn: Milliseconds?

        init(_ coming: SOSAnswer.Coming) {
            (latitude, longitude) = (Double(coming.latitude) / 1e7, Double(coming.longitude) / 1e7)
            (age, arrivalIn) = (coming.age, coming.arrivalIn)
        }
    }

    struct Question: TemplateModel {
        let text: String, base: String
        let isOwn: Bool
    }

    /// How far the ambulance is.
    struct Coming: TemplateModel {
        let status: String
        var arrival: String?
    }

    struct ShownPoint: TemplateModel {
        let point: Inline<PlacesMap.Point.Model>
        /// A link leads there.
        let leads: Bool
    }

    struct OpenCase: TemplateModel {
        let base: String
        let isOwn: Bool
        var nobody: String?
        /// Which case the page calls whoever is near for; nil where others can be called.
        var callsNear: String?
        var asked: String?
        let lines: [String]
        var coming: Coming?
        let points: [ShownPoint]
        var noPosition: String?
        var lives: String?
        let hasOwner: Bool
        let saysWhere: Bool
        var cannotFinish: String?
        let mayFinish: Bool
        let isMine: Bool
        let calls: [String]
    }

    /// Whether the person is protected, with what is asked and the case that is open.
    struct Live: TemplateModel {
        let base: String
        var question: Question?
        var `case`: OpenCase?
        let state: String, level: String
        let isProtected: Bool
        let reasons: [String]
        let weaknesses: [String]
        let asOf: String
        var answered: String?
        let isWaiting: Bool
        let canHelp: Bool
    }

    /// The part that is renewed while one looks.
    func live(_ texts: Texts) -> Live {
        var live = Live(
            base: base, state: texts[view.isProtected ? "protection.yes" : "protection.no"],
            level: view.isProtected ? "good" : "bad", isProtected: view.isProtected,
            reasons: view.reasons.map { texts["protection.reason_\($0)"] },
            weaknesses: view.weaknesses.map { texts["protection.weak_\($0)"] },
            asOf: texts.filled("care.asOf", ["time": texts.instant(now)]), isWaiting: view.isWaiting && isOwn,
            canHelp: isOwn && view.item == nil && view.question == nil)
        if let until = view.answeredUntil {
            live.answered = texts.filled(
                "protection.answered\(view.isProtected ? "" : "Only")\(isOwn ? "" : "Of")", ["time": texts.instant(until)])
        }
        live.question = view.question.map { .init(text: texts.why($0.trigger, isOwn: isOwn), base: base, isOwn: isOwn) }
        live.case = view.item.map { self.case($0, texts) }
        return live
    }

    private func `case`(_ item: SOSCase, _ texts: Texts) -> OpenCase {
        let shown = Case(item: item, coming: coming, now: now, isOwn: isOwn, name: name)
        let isMine = item.owner.map { $0.id == owner } ?? false, mayFinish = !isOwn && (mayEnd || isMine && !item.hasAmbulance)
        var lines = shown.found(texts)
        if !others.isEmpty {
            let names = ["names": others.joined(separator: ", "), "name": name]
            lines.append(texts.filled(isOK ? isOwn ? "protection.goesOn" : "protection.goesOnOf" : "protection.mayAlsoBe", names))
        }
        if let owner = item.owner {
            lines.append(texts.filled("protection.owner", ["name": item.ownerName ?? owner.id]))
        } else if !item.hasNobody {
            lines.append(texts["protection.noOwner"])
        }
        var model = OpenCase(
            base: base, isOwn: isOwn, lines: lines,
            // Nobody is led to themselves, or after an ambulance.
            points: shown.points(texts).map { .init(point: Inline($0.model), leads: !isOwn && $0.kind == .person) },
            hasOwner: item.owner != nil, saysWhere: (isMine || item.owner == nil) && item.someoneThere == nil, mayFinish: mayFinish,
            isMine: isMine, calls: item.calls.suffix(12).map { texts.call($0, of: item) } + texts.boxTries(of: item).suffix(6))
        if item.hasNobody {
            model.nobody = texts["protection.nobody\(item.calls.isEmpty ? "Called" : "Reached")\(isOwn ? "" : "Of")"]
            if isOwn { model.callsNear = "\(item.id)" }
        }
        model.coming = item.crew.map { shown.coming($0, texts) }
        if isMine, !mayFinish { model.cannotFinish = texts.filled("protection.cannotFinish", ["name": name]) }
        if isMine, item.answerOwnerBy != nil { model.asked = texts.filled("protection.asked", ["name": name]) }
        if item.alarm.position == nil {
            model.noPosition = texts["alarms.noPosition"]
            if !isOwn { model.lives = lives }
        }
        return model
    }

    /// A case that is open, as others than the crew see it.
    struct Case {
        let item: SOSCase
        let coming: SOSComing?
        let now: Milliseconds
        let isOwn: Bool
        let name: String

        func found(_ texts: Texts) -> [String] {
            [texts.since(item.opened, now)]
                + (item.someoneThere.map { [texts.filled("protection.someoneThere", ["ago": texts.age(max(0, now - $0))])] } ?? [])
                + item.alarm.abnormalities.prefix(3).map { texts.finding($0, isOwn: isOwn) }
        }

        /// How far the ambulance is, and when it comes.
        func coming(_ crew: SOSCrew, _ texts: Texts) -> Coming {
            var model = Coming(status: texts["protection.crew_\(crew.status.rawValue)"])
            guard crew.status == .onTheWay else { return model }
            let arrival = coming?.arrivalIn.map { texts.counted("protection.arrival", max(1, Int(($0 + 59_999) / 60_000))) }
            model.arrival = arrival ?? texts[coming == nil ? "protection.comingUnknown" : "protection.arrivalUnknown"]
            return model
        }

        /// The person, and whoever comes.
        func points(_ texts: Texts) -> [PlacesMap.Point] {
            var points = [PlacesMap.Point(item, name, texts, now)].compactMap(\.self)
            if let coming, let crew = item.crew {
                points.append(
                    PlacesMap.Point(
                        kind: .ambulance, name: crew.label.name, latitude: coming.latitude, longitude: coming.longitude, error: nil,
                        text: texts.filled("protection.coming", ["age": texts.age(coming.age)])))
            }
            return points
        }
    }
}

extension Texts {
    /// Since when a case is open, and how long ago that is.
    func since(_ opened: Milliseconds, _ now: Milliseconds) -> String {
        filled("protection.caseSince", ["time": instant(opened), "ago": age(max(0, now - opened))])
    }

    /// What set it off, said to the person or to others.
    func why(_ trigger: Trigger, isOwn: Bool) -> String { self["\(isOwn ? "protection" : "alarms").why_\(trigger.rawValue)"] }

    func findingOfOther(_ found: Abnormality) -> String { finding(found, isOwn: false) }

    /// The findings, in one line.
    func finding(_ found: Abnormality, isOwn: Bool) -> String {
        let line = why(found.trigger, isOwn: isOwn)
        guard let limit = found.limit else { return line }
        let isTemperature = found.trigger == .temperatureLow || found.trigger == .temperatureHigh
        let value = isTemperature ? "\(decimal(Double(found.latest.value) / 100, 1)) °C" : "\(found.latest.value)/min"
        let bound = isTemperature ? "\(decimal(Double(limit) / 100, 1)) °C" : "\(limit)/min"
        return filled("protection.found", ["what": line, "value": value, "limit": bound])
    }

    /// What the box did by its own means: the last state of each way.
    func boxTries(of item: SOSCase) -> [String] {
        var ways: [String] = [], last: [String: SOSBoxTry] = [:]
        for one in item.boxTries ?? [] {
            let way = "\(one.channel) \(one.recipient)"
            if last.updateValue(one, forKey: way) == nil { ways.append(way) }
        }
        return ways.compactMap { last[$0] }.map { one in
            let name = (item.contacts ?? []).first { $0.phone == one.recipient }?.name ?? one.recipient
            let state = find("protection.boxState_\(one.isDelivered == true ? "delivered" : one.state)") ?? one.state
            // A newer box may know more reasons than this hub has words for.
            let why = one.why.flatMap { find("protection.boxWhy_\($0)") } ?? one.problem
            return filled("protection.box_\(one.channel)", ["name": name]) + ": " + state + (why.map { " (\($0))" } ?? "")
        }
    }

    /// Alarms of boxes that came when it was over, and counted as it.
    func joined(to item: SOSCase) -> [String] {
        (item.joined ?? []).map { filled("protection.joined", ["time": instant($0.at)]) }
    }

    /// One message to one recipient, and what became of it.
    func call(_ call: SOSCall, of item: SOSCase) -> String {
        let name =
            switch call.recipient {
            case .contact(_, let contact): contact.name
            case .account(let account) where account.person == item.person: self["protection.you"]
            case .account(let account) where item.offers.contains { $0.account == account }: self["protection.crew"]
            case .account: self["protection.caregiver"]
            case .room(let name): name
            }
        var became = call.state
        // It was written down, and could not leave.
        if case .account(let account) = call.recipient, became == .sent, item.unreached?.contains(account) == true { became = .failed }
        let state = self["protection.call_\(became.rawValue)"] + (call.sentAt.map { ", " + instant($0) } ?? "")
        let way = self["protection.channel_\(call.channel.rawValue)"], what = self["protection.message_\(call.message.rawValue)"]
        return "\(name), \(way): \(what), \(state)"
    }
}
