import Exchange
import Foundation
import HubServices
import HubStore
import Privacy
import Runs
import Vitals

/// The parts of the page of today, in words. No value that is older than ``CareModel/freshMax`` stands there as one of now.
struct TodayCards: Sendable {
    typealias Card = HomePage.Card

    let texts: Texts
    let now: Milliseconds
    let zone: TimeZone

    private var ages: CareModel { CareModel(people: [], now: now) }

    private func card(_ name: String, _ href: String) -> Card {
        Card(id: name, title: texts["home.\(name)"], href: href, link: texts["home.\(name)Link"])
    }

    // MARK: A person's own day

    func heart(_ reading: TodayReading) -> Card {
        var card = card("heart", "/health")
        if let newest = reading.latest.heartRate {
            let age = max(0, now - newest.sample.time), value = "\(newest.sample.beatsPerMinute)", unit = texts["live.bpm"]
            if newest.provenance != .live {
                let told = "\(value) \(unit), \(texts.age(age)), \(texts["health.source_\(newest.provenance.name)"])"
                card.lines = [.init(text: told)]
            } else if age <= CareModel.freshMax {
                (card.value, card.unit) = (value, unit)
                card.lines = [.init(text: texts.age(age), level: "good", mark: texts["care.current"])]
            } else {
                card.lines = [ages.aged("\(value) \(unit)", newest.sample.time, none: "", texts)]
            }
        } else {
            card.lines = [.init(text: texts["home.noHeart"])]
        }
        let curve = TodayCurve(points: reading.points, span: reading.span)
        if let range = curve.range {
            let values = ["low": texts.number(Int(range.low)), "high": texts.number(Int(range.high))]
            card.text = texts.filled("home.curve", values)
            card.svg = curve.svg(label: texts.filled("home.curve", values), clock: clock)
        } else {
            card.text = texts["home.noCurve"]
        }
        return card
    }

    private func clock(_ time: Milliseconds) -> String {
        let parts = HealthSpan.calendar(zone).dateComponents([.hour, .minute], from: Date(milliseconds: time))
        return texts.clock(parts.hour ?? 0, parts.minute ?? 0)
    }

    func place(_ reading: TodayReading, of person: PersonID) -> Card {
        var card = card("place", "/people/\(person)")
        if let provenance = reading.newest.provenance, provenance != .live {
            card.lines.append(.init(text: texts["care.notLive"], level: "warn", mark: texts["health.source_\(provenance.name)"]))
        }
        let position = reading.newest.positions.last
        card.lines.append(ages.aged(position.map(words), position?.time, none: "care.noPosition", texts))
        guard let position, let ground = Ground.file else { return card }
        let isFresh = card.lines.count == 1 && now - position.time <= CareModel.freshMax
        let picture = PlacePicture(
            latitude: position.latitudeDegrees, longitude: position.longitudeDegrees, isFresh: isFresh, towns: ground.towns)
        card.svg = picture.svg(
            label: texts.filled("home.picture", ["place": words(position)]), kilometres: texts.distance(PlacePicture.scaleMetres))
        card.note = ground.credits.first { $0.contains("GeoNames") }
        return card
    }

    /// The nearest town, and how far it is.
    private func words(_ position: PositionSample) -> String {
        let place = GroundFile.Place(latitude: position.latitudeDegrees, longitude: position.longitudeDegrees)
        guard let found = Ground.file?.nearestTown(to: place) else { return texts["care.position"] }
        let values = ["town": found.town.name, "km": texts.distance(found.metres)]
        return texts.filled(found.metres < 1500 ? "home.in" : "home.near", values)
    }

    func protection(_ view: SOSView?) -> Card {
        var card = card("protection", "/protection")
        guard let view else { return card }
        card.lines = [
            view.isProtected
                ? .init(text: texts["protection.yes"], level: "good", mark: texts["care.current"])
                : .init(text: texts["protection.no"], level: "bad", mark: texts["care.attention"])
        ]
        card.lines += view.reasons.prefix(3).map { .init(text: texts["protection.reason_\($0)"]) }
        return card
    }

    /// - Parameters:
    ///   - boxes: their names.
    ///   - phones: and detectors.
    func box(_ reading: TodayReading, boxes: [String], phones: [StoredDevice]) -> Card {
        var card = card("box", "/boxes")
        guard !boxes.isEmpty || !phones.isEmpty else {
            card.lines = [.init(text: texts["home.noBox"])]
            return card
        }
        if !boxes.isEmpty {
            let state = CareState(reading.newest, now: now)
            card.lines.append(ages.aged(state.received.map { _ in texts["care.box"] }, state.received, none: "care.noBox", texts))
            card.lines.append(ages.sensor(state, texts))
            let batteries = [("home.sensorBattery", StateEvent.Code.sensorBattery), ("home.boxBattery", .boxBattery)]
            card.lines += batteries.compactMap { battery(reading.last($0.1), $0.0) }
            if let until = state.pausedUntil {
                let text = until == 0 ? texts["care.paused"] : texts.filled("care.pausedUntil", ["time": texts.instant(until)])
                card.lines.append(.init(text: text, level: "warn", mark: texts["care.attention"]))
            }
        }
        card.lines += phones.prefix(3).map { phone in
            phone.seen.map { ages.aged(phone.name, $0, none: "", texts) } ?? .init(text: "\(phone.name): \(texts["boxes.neverSeen"])")
        }
        return card
    }

    /// From this many percent down somebody charges it.
    private static let batteryLow: Int64 = 20

    private func battery(_ event: StateEvent?, _ key: String) -> CareModel.Line? {
        guard let event, (0...100).contains(event.value) else { return nil }
        let told = texts.filled(key, ["percent": String(event.value), "age": texts.age(max(0, now - event.time))])
        return event.value > Self.batteryLow ? .init(text: told) : .init(text: told, level: "warn", mark: texts["home.charge"])
    }

    func nextRun(_ mine: [EnrolmentService.MyRun]) -> Card {
        let coming = mine.filter { !$0.state.isOver && $0.enrolment.state != .withdrawn }.min { $0.starts < $1.starts }
        guard let next = coming else {
            var card = Card(id: "run", title: texts["home.run"], href: "/runs", link: texts["runs.findRun"])
            card.lines = [.init(text: texts["home.noRun"])]
            return card
        }
        let isLive = next.state == .live, path = "/runs/\(next.run.code)"
        var card = Card(
            id: "run", title: texts["home.run"], href: isLive ? "\(path)/live" : "\(path)/mine",
            link: texts[isLive ? "home.runLiveLink" : "home.runLink"])
        card.text = next.run.plan.name
        let when = "\(texts.instant(next.starts, in: next.run.plan.timeZone)) · \(next.run.plan.place)"
        card.lines = [.init(text: when, level: "good", mark: isLive ? texts.runState(.live) : nil)]
        if next.state == .scheduled, now >= next.run.checkInOpens, next.enrolment.state == .enrolled {
            card.lines.append(.init(text: texts["runs.checkInNow"], level: "warn", mark: texts["care.attention"]))
        } else {
            card.lines.append(.init(text: MyRunModel.standing(next, texts)))
        }
        return card
    }

    func workout(_ record: StoredWorkoutRecord?) -> Card {
        var card = card("workout", "/workouts")
        guard let record, let entry = WorkoutWords(texts: texts, zone: zone).entry(record, "/workouts") else {
            card.lines = [.init(text: texts["home.noWorkout"])]
            return card
        }
        card.sketch = entry.svg
        card.items = [.init(href: entry.href, name: entry.title, about: "\(entry.when) · \(entry.text)")]
        return card
    }

    // MARK: Others

    /// - Parameter count: of all whom the reader looks after.
    func people(_ shown: some Sequence<CaredPerson>, of count: Int) -> [Card] {
        let shown = Array(shown)
        return shown.enumerated().map { index, person in
            let entry = ages.entry(person, texts)
            var card = Card(
                id: "person-\(entry.id)", title: entry.name, href: "/care/person/\(entry.id)", link: texts["home.personLink"])
            card.lines = entry.lines
            card.items = [.init(href: "/people/\(entry.id)", name: texts["care.live"])]
            if index == shown.count - 1, count > shown.count {
                card.items.append(.init(href: "/care", name: texts.counted("home.morePeople", count - shown.count)))
            }
            return card
        }
    }

    func duty(_ membership: CrewMembership?, _ account: StoredAccount) -> Card {
        var card = card("duty", "/duty")
        guard let membership else {
            card.lines = [.init(text: texts["duty.none"])]
            return card
        }
        card.text = "\(membership.label.name), \(membership.label.plate)"
        let mine = membership.duty.flatMap { $0.account == account.id ? $0 : nil }
        if let mine {
            let since = texts.filled("duty.on", ["time": texts.instant(mine.since)])
            card.lines = [.init(text: since, level: "good", mark: texts["care.current"])]
            card.lines.append(ages.aged(mine.place.map { _ in texts["care.position"] }, mine.place?.time, none: "duty.noPlace", texts))
        } else {
            card.lines = [.init(text: texts["duty.off"])]
        }
        card.items = [.init(href: "/duty/alarms", name: texts["alarms.title"])]
        return card
    }

    func organised(_ runs: [StoredRun], mayCreate: Bool, _ known: inout FirstSteps.Known) -> Card {
        known.hasRun = !runs.isEmpty
        known.hasRunners = runs.contains { $0.enrolled > 0 }
        var card = card("organised", "/runs/mine")
        let open = runs.filter { !$0.state(at: now).isOver }.sorted { $0.plan.starts < $1.plan.starts }
        card.items = open.prefix(3).map { run in
            let said = [texts.runState(run.state(at: now)), texts.when(run.plan), texts.counted("home.enrolled", run.enrolled)]
            return .init(href: "/runs/\(run.code)/people", name: run.plan.name, about: said.joined(separator: " · "))
        }
        if open.isEmpty, mayCreate { card.items = [.init(href: "/runs/new", name: texts["runs.newTitle"])] }
        return card
    }

    func requests(_ asked: [AskedConsent], _ known: inout FirstSteps.Known) -> Card {
        let running = asked.count(where: \.isRunning)
        let waiting = asked.count { item in
            switch item.shown {
            case .awaitingOperator, .pending: true
            case .accepted, .over: false
            }
        }
        known.hasAsked = !asked.isEmpty
        known.isLetRead = running > 0
        var card = card("requests", "/requests")
        card.items = [
            .init(href: "/organisation/people", name: texts.counted("home.running", running)),
            .init(href: "/requests", name: texts.counted("home.asked", waiting)),
        ]
        return card
    }

    /// - Parameter services: that wait for an operator.
    func toCheck(_ frame: Frame, services: Int) -> Card {
        var card = card("toCheck", "/operator/maintenance")
        card.items = [
            .init(href: "/operator/requests", name: texts.counted("home.checkRequests", frame.waiting["/operator/requests"] ?? 0)),
            .init(href: "/operator/groups", name: texts.counted("home.checkGroups", frame.waiting["/operator/groups"] ?? 0)),
            .init(href: "/operator/services", name: texts.counted("home.checkServices", services)),
            .init(href: "/operator/ways", name: texts[frame.failingWays.isEmpty ? "home.waysGood" : "home.waysBad"]),
        ]
        return card
    }
}

/// What waits for the reader's answer.
struct TodayWaiting {
    private let texts: Texts
    private(set) var items: [HomePage.Waiting] = []

    init(_ frame: Frame, _ cared: [CaredPerson]) {
        texts = frame.texts
        for (address, key) in [("/followers", "home.questions"), ("/notices", "notices.count")] {
            if let count = frame.waiting[address], count > 0 { items.append(.init(href: address, text: texts.counted(key, count))) }
        }
        for person in cared where person.questions > 0 {
            let text = "\(person.name): \(texts.counted("care.questions", person.questions))"
            items.append(.init(href: "/care/person/\(person.person)", text: text))
        }
    }

    mutating func add(_ name: String, _ href: String) { items.append(.init(href: href, text: texts["home.wait_\(name)"])) }
}
