import Database
import Privacy
public import Seams
import Vitals

/// A store of one subject about series. All of them share the databases and the state of one ``SeriesStore``; none keeps anything of its
/// own.
protocol SeriesSubjectStore: SealingStore, Sendable {
    /// The series, which hold the databases.
    var store: SeriesStore { get }
}

extension SeriesSubjectStore {
    var journal: DatabasePool { store.journal }
    var series: DatabasePool { store.series }
    var accounts: AccountStore { store.accounts }
    var keys: KeyStore { store.keys }

    /// One transaction for as much of this as fits into ``SeriesStore/slice``: each costs a sync of the disk.
    func inSlices<Part>(_ parts: [Part], _ body: (Part, Connection) throws -> Void) throws {
        var left = parts[...]
        while !left.isEmpty {
            try series.write { db in
                let started = keys.machine.uptime
                repeat { try body(left.removeFirst(), db) } while !left.isEmpty && keys.machine.uptime - started < SeriesStore.slice
            }
        }
    }

    /// As ``AccountStore/reading(_:now:_:)``; of somebody who was deleted no grant holds, so that every stream about them ends.
    func reading<Value>(_ grant: Grant, now: Milliseconds, _ body: () throws -> Value) throws -> Value? {
        guard try keys.key(of: grant.person) != nil else { return nil }
        return try accounts.reading(grant, now: now, body)
    }
}

/// Merges the journal into blocks of an hour, and knows what waits for that.
public struct SeriesMerger: SeriesSubjectStore {
    let store: SeriesStore
}

/// Reads people's series by their grants.
public struct SeriesReader: SeriesSubjectStore {
    let store: SeriesStore

    /// The machine that the hub was built on.
    public var machine: Machine { store.machine }
}

/// Reads by arrival what came for a person, by a grant.
public struct ArrivalReader: SeriesSubjectStore {
    let store: SeriesStore
}

/// Reads what the hub's own detector needs: what came behind a place of the journal, and minutes of rest.
public struct DetectionReader: SeriesSubjectStore {
    let store: SeriesStore
}

/// Reads what the emergency chain may see, while a person has an open case.
public struct EmergencyReader: SeriesSubjectStore {
    let store: SeriesStore
    /// Says, in a transaction around each read, whether the grant holds.
    let cases: SOSStore
}

/// Reads what devices sent already, so that they may send it again.
public struct DeviceSeries: SeriesSubjectStore {
    let store: SeriesStore
}

/// Removes parts of a person's series, and all that is left of a deleted person.
public struct SeriesErasure: SeriesSubjectStore {
    let store: SeriesStore
}

/// The space that each person's series take, and the overwriting of the oldest.
public struct SpaceStore: SeriesSubjectStore {
    let store: SeriesStore
}

// MARK: Each subject from the series

extension SeriesStore {
    public var merger: SeriesMerger { SeriesMerger(store: self) }
    public var reader: SeriesReader { SeriesReader(store: self) }
    public var arrivals: ArrivalReader { ArrivalReader(store: self) }
    public var detection: DetectionReader { DetectionReader(store: self) }
    public var devices: DeviceSeries { DeviceSeries(store: self) }
    public var erasure: SeriesErasure { SeriesErasure(store: self) }
    public var space: SpaceStore { SpaceStore(store: self) }

    /// - Parameter cases: upholds the grants of the emergency chain.
    public func emergency(upheldBy cases: SOSStore) -> EmergencyReader { EmergencyReader(store: self, cases: cases) }
}
