import Distress
import Vitals

@testable import EmergencyDispatch

/// One case or several as a text file: who may be called, what happens, and every single thing that must follow. `docs/alerts.md` describes
/// the form.
struct DispatchScenario {
    struct Event {
        var time: Milliseconds
        var words: [String]
        var line: Int
    }

    /// Who may be in trouble; empty for one person without a name.
    var people: [String] = []
    var contacts: [SOSContact] = []
    var caregivers: [String] = []
    var rooms: [String] = []
    /// With metres from each of ``people``, or from all of them.
    var crews: [(name: String, metres: [Int])] = []
    /// It takes so long to read who is near and on duty, milliseconds: other searches may run beside it.
    var searchTime: Milliseconds = 0
    var isConsented = true
    var hasVoice = false
    /// The person's position is known from the beginning.
    var hasPlace = true
    /// It is the place that was set for a box.
    var isPlaceFixed = false
    var events: [Event] = []
    /// What must follow, complete and in order.
    var expected: [String] = []

    struct Problem: Error, CustomStringConvertible {
        let line: Int
        let what: String
        var description: String { "line \(line): \(what)" }
    }

    init(text: String) throws(Problem) {
        for (index, raw) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = index + 1, said = raw.prefix { $0 != "#" }
            let words = said.split(separator: " ").map(String.init)
            guard let first = words.first else { continue }
            let rest = Array(words.dropFirst())
            if first == "expect" {
                expected.append(rest.joined(separator: " "))
            } else if let time = Self.time(first) {
                guard !rest.isEmpty else { throw Problem(line: line, what: "nothing happens at \(first)") }
                guard time >= events.last?.time ?? 0 else { throw Problem(line: line, what: "\(first) is earlier than the line before") }
                events.append(Event(time: time, words: rest, line: line))
            } else {
                try set(first, rest, line)
            }
        }
        guard events.last?.words == ["end"] else { throw Problem(line: 0, what: "the last event is no `end`") }
        for crew in crews where ![1, people.count].contains(crew.metres.count) {
            throw Problem(line: 0, what: "`crew \(crew.name)` has metres for \(crew.metres.count) people, of \(people.count)")
        }
    }

    private mutating func set(_ name: String, _ words: [String], _ line: Int) throws(Problem) {
        guard let first = words.first else { throw Problem(line: line, what: "`\(name)` says nothing") }
        switch name {
        case "contact":
            let ways = Set(words.dropFirst())
            guard ways.isSubset(of: ["text", "mail", "call"]) else { throw Problem(line: line, what: "ways are text, mail and call") }
            contacts.append(
                SOSContact(
                    name: first, phone: ways.contains("text") || ways.contains("call") ? Self.number(contacts.count) : nil,
                    email: ways.contains("mail") ? "\(first)@example.org" : nil, language: "en", isTexted: ways.contains("text"),
                    isCalled: ways.contains("call")))
        case "caregiver": caregivers.append(first)
        case "room": rooms.append(first)
        case "crew":
            let metres = words.dropFirst().compactMap { Int($0) }
            guard words.count > 1, metres.count == words.count - 1 else { throw Problem(line: line, what: "write its name and metres") }
            crews.append((first, metres))
        case "person": people.append(first)
        case "search":
            guard let seconds = Milliseconds(first), (1...60).contains(seconds) else { throw Problem(line: line, what: "write 1 to 60 s") }
            searchTime = seconds * 1000
        case "consent": isConsented = first == "on"
        case "voice": hasVoice = first == "on"
        case "place":
            guard ["on", "off", "fixed"].contains(first) else { throw Problem(line: line, what: "place is on, off or fixed") }
            (hasPlace, isPlaceFixed) = (first != "off", first == "fixed")
        default: throw Problem(line: line, what: "`\(name)` is neither a time nor a setting")
        }
    }

    /// The nearest first.
    func crews(near person: Int) -> [(name: String, metres: Int)] {
        crews.enumerated().map { (index: $0, name: $1.name, metres: $1.metres.count == 1 ? $1.metres[0] : $1.metres[person]) }
            .sorted { ($0.metres, $0.index) < ($1.metres, $1.index) }.map { ($0.name, $0.metres) }
    }

    /// The telephone of the contact at a place of the list.
    static func number(_ index: Int) -> String { "+3900000\(index)" }

    /// `m:ss` or `h:mm:ss`.
    static func time(_ word: String) -> Milliseconds? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
        guard (2...3).contains(parts.count) else { return nil }
        var seconds: Int64 = 0
        for part in parts {
            guard let part, (0...1000).contains(part) else { return nil }
            seconds = seconds * 60 + part
        }
        return seconds * 1000
    }

    static func clock(_ time: Milliseconds) -> String {
        let seconds = time / 1000, rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}
