import HubServices
import Privacy
import Vitals

/// What the list of people who are looked after says (ACC-11): each value with its age, and what is old called old.
struct CareModel {
    let people: [CaredPerson]
    let now: Milliseconds

    /// Up to so many milliseconds a value is of now; beyond the other it is old.
    static let freshMax: Milliseconds = 120_000, agingMax: Milliseconds = 900_000

    /// Somebody who is looked after: what is known of them now.
    struct Person: TemplateModel {
        let id: String, name: String
        let lines: [Line]
        var questions: String?
    }

    struct Line: TemplateModel {
        var text: String
        /// As ``trackme.css`` has it for badges.
        var level = "plain"
        var mark: String?
    }

    func model(_ texts: Texts) -> [Person] { people.map { entry($0, texts) } }

    func entry(_ person: CaredPerson, _ texts: Texts) -> Person {
        Person(
            id: person.person.description, name: person.name, lines: lines(person, texts),
            questions: person.questions > 0 ? texts.counted("care.questions", person.questions) : nil)
    }

    private func lines(_ person: CaredPerson, _ texts: Texts) -> [Line] {
        let state = person.state, kinds = person.grant.kinds
        var lines: [Line] = []
        if let provenance = state.provenance, provenance != .live {
            lines.append(Line(text: texts["care.notLive"], level: "warn", mark: texts["care.\(provenance.name)"]))
        }
        if kinds.contains(.heartRate) {
            let beats = state.heartRate
            let value = beats.map { texts.filled("care.heartRate", ["bpm": String($0.beatsPerMinute)]) }
            lines.append(aged(value, beats?.time, none: "care.noHeartRate", texts))
        }
        if kinds.contains(.position) {
            lines.append(aged(state.position.map { _ in texts["care.position"] }, state.position, none: "care.noPosition", texts))
        }
        if kinds.contains(.event) {
            lines.append(sensor(state, texts))
            lines.append(aged(state.received.map { _ in texts["care.box"] }, state.received, none: "care.noBox", texts))
            if let until = state.pausedUntil {
                let text = until == 0 ? texts["care.paused"] : texts.filled("care.pausedUntil", ["time": texts.instant(until)])
                lines.append(Line(text: text, level: "warn", mark: texts["care.attention"]))
            }
        }
        let missing = Set(Texts.kindsLive).subtracting(kinds)
        if !missing.isEmpty { lines.append(Line(text: texts.filled("care.notShared", ["kinds": texts.kinds(missing)]))) }
        return lines
    }

    func sensor(_ state: CareState, _ texts: Texts) -> Line {
        var text = texts["care.sensor.\(state.sensor.rawValue)"]
        if let since = state.sensorSince { text += " " + texts.filled("care.since", ["time": texts.instant(since)]) }
        switch state.sensor {
        case .connected: return Line(text: text)
        case .unknown: return Line(text: text, level: "warn", mark: texts["care.unknown"])
        case .lost, .notWorn, .charging, .away, .frozen: return Line(text: text, level: "warn", mark: texts["care.attention"])
        }
    }

    /// What was measured then, and how old that is.
    func aged(_ text: String?, _ time: Milliseconds?, none: String, _ texts: Texts) -> Line {
        guard let text, let time else { return Line(text: texts[none], level: "bad", mark: texts["care.nothing"]) }
        let age = max(0, now - time), told = "\(text), \(texts.age(age))"
        if age <= Self.freshMax { return Line(text: told, level: "good", mark: texts["care.current"]) }
        return Line(text: told, level: age <= Self.agingMax ? "warn" : "bad", mark: texts[age <= Self.agingMax ? "care.aging" : "care.old"])
    }
}

extension Texts {
    /// "3 min ago".
    func age(_ age: Milliseconds) -> String { filled("care.ago", ["age": span(age)]) }

    /// The same without "ago".
    func span(_ age: Milliseconds) -> String {
        let seconds = Int(age / 1000)
        let (key, count) =
            seconds < 120
            ? ("live.ageSeconds", seconds)
            : seconds < 7200
                ? ("live.ageMinutes", seconds / 60)
                : seconds < 172_800 ? ("live.ageHours", seconds / 3600) : ("live.ageDays", seconds / 86_400)
        return filled(key, ["n": number(count)])
    }
}
