import Foundation
import TestSupport
import Testing
import Vitals

@testable import Distress

/// The tables of docs/detection.md: each way of the two state machines, and a scenario that goes it.
@Suite struct TransitionTests {
    private static let document = Repository.url("docs/detection.md")

    /// What a scenario file went through: "from → to, cause" of the incident, and what the detector decided.
    private func ways(_ name: String) throws -> Set<String> {
        let scenario = try Scenario(text: String(contentsOf: ScenarioTests.folder.appending(path: name), encoding: .utf8))
        var replay = Replay(scenario), ways: Set<String> = []
        var told = replay.report.decisions.count
        func note(_ before: Incident, _ cause: String) {
            let (from, to) = (Self.name(before), Self.name(replay.watch.incident)), new = replay.report.decisions.dropFirst(told)
            told += new.count
            // What a case hears and stays as it is.
            let isHeard = new.contains { [.delivering, .ignored, .answered, .over].contains($0.kind) }
            let isCorrected = cause == "false alarm" && new.contains { $0.kind == .over }
            if from != to || (isHeard && before.alarm != nil) || isCorrected {
                ways.insert("\(from) → \(to), \(cause)")
            }
        }
        for timed in scenario.events {
            // What time alone brings, before the event.
            for _ in 0..<Replay.ticksMax {
                guard let due = replay.watch.nextDeadline, due < timed.time else { break }
                let before = replay.watch.incident
                replay.take(.init(time: due, event: .tick))
                note(before, "time")
            }
            let before = replay.watch.incident
            replay.take(timed)
            note(before, Self.cause(timed.event))
        }
        for _ in 0..<Replay.ticksMax {
            guard let due = replay.watch.nextDeadline, due < scenario.end else { break }
            let before = replay.watch.incident
            replay.take(.init(time: due, event: .tick))
            note(before, "time")
        }
        return ways.union(replay.report.decisions.compactMap(Self.detected))
    }

    private static func name(_ incident: Incident) -> String {
        if case .delivering(let delivering) = incident.state, delivering.nextAt == nil { return "with the hub" }
        return incident.state.name
    }

    private static func cause(_ event: DistressEvent) -> String {
        switch event {
        case .heartRate, .temperature: "a reading"
        case .position, .place, .box, .cadence: "movement"
        case .flagged: "a flagged event"
        case .settings: "settings"
        case .otherSide(let word, _):
            switch word {
            case .addresseeReached: "the hub reached somebody"
            case .nobodyReached: "the hub reached nobody"
            case .reachable, .unreachable: "the hub is \(word.rawValue)"
            }
        case .reported: "reported by the other side"
        case .taken: "somebody takes it"
        case .released: "the owner gives it back"
        case .finished: "the owner has finished"
        case .awoke: "a sleep"
        case .inactive, .active: "signs of life"
        case .tick: "time"
        case .state(let event, _):
            switch event.code {
            case .ok: "\"I'm OK\""
            case .help: "help"
            case .falseAlarm: "false alarm"
            case .reactivated: "reactivated"
            case .paused: "pause"
            case .kindsChosen: "kinds chosen"
            default: "sensor or box"
            }
        }
    }

    /// nil for what the incident decided.
    private static func detected(_ decision: Decision) -> String? {
        switch decision.kind {
        case .counting, .qualified, .lost, .rearmed, .warned, .warningOver: return decision.kind.rawValue
        case .cleared, .silenced, .suspected, .notCounting, .context: break
        default: return nil
        }
        func words(_ reason: Reason) -> String {
            switch reason {
            case .rejected(.absent(let absence)): "absent \(absence.rawValue)"
            case .rejected(let rejection): String("\(rejection)".prefix { $0 != "(" })
            case .context(let context): context.rawValue
            case .beyond(let trigger, _, _, let tier): "\(trigger.rawValue) \(tier.rawValue)"
            case .flagged(let flag): flag.rawValue
            case .absent(let absence): absence.rawValue
            case .silenced(let trigger, _): trigger.rawValue
            default: String("\(reason)".prefix { $0 != "(" })
            }
        }
        return decision.reasons.first.map { "\(decision.kind.rawValue): \(words($0))" } ?? decision.kind.rawValue
    }

    @Test("Every way of the two state machines has a scenario that goes it, as the tables of docs/detection.md say")
    func tables() throws {
        var seen: [String: Set<String>] = [:]
        for name in ScenarioTests.names { for way in try ways(name) { seen[way, default: []].insert(String(name.dropLast(4))) } }
        let rows = try String(contentsOf: Self.document, encoding: .utf8).split(separator: "\n").compactMap { line -> (String, String)? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[2].hasPrefix("`") || cells[2].hasPrefix("test") else { return nil }
            return (
                cells[0].contains("→") ? "\(cells[0]), \(cells[1])" : cells[1].isEmpty ? cells[0] : "\(cells[0]): \(cells[1])", cells[2]
            )
        }
        for (way, scenario) in rows where scenario.hasPrefix("`") {
            #expect(seen[way]?.contains(scenario.filter { $0 != "`" }) == true, "\(way): \(seen[way]?.sorted() ?? [])")
        }
        let known = Set(rows.map(\.0))
        #expect(rows.count > 40 && known.count == rows.count)
        for (way, names) in seen.sorted(by: { $0.key < $1.key }) where !known.contains(way) {
            Issue.record("the tables do not have | \(way) | \(names.sorted().prefix(3))")
        }
    }
}
