internal import Monitoring
internal import Vitals

/// One ``PersonMonitor`` for each person. What they ask for is done by ``MonitorRunner``.
@BoxActor
final class PersonMonitors {
    private(set) var all: [PersonID: PersonMonitor]

    nonisolated init(_ people: [PersonID], _ configuration: MonitorConfiguration, at now: Milliseconds) {
        all = people.reduce(into: [:]) { $0[$1] = PersonMonitor(configuration: configuration, at: now) }
    }

    var people: [PersonID] { all.keys.sorted() }

    subscript(person: PersonID) -> PersonMonitor? { all[person] }

    func handle(_ event: MonitorEvent, of person: PersonID, at time: Milliseconds) -> [MonitorEffect] {
        all[person]?.handle(event, at: time) ?? []
    }

    func isPaused(_ person: PersonID) -> Bool { all[person]?.summary.pausedUntil != nil }

    func isTold(_ notice: Notice) -> Bool { all.values.contains { $0.isTold(notice) } }

    func link(_ name: ChainLink.Name, of person: PersonID) -> ChainLink? { all[person]?.links.first { $0.name == name } }
}
