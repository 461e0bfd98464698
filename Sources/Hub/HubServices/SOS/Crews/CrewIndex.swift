import Foundation
public import HubStore
import Synchronization
public import Vitals

/// Where the crews on duty are, in memory: the nearest of ten thousand are found in milliseconds. It is a copy; whoever is chosen is asked of the
/// store again before an offer goes out.
public final class CrewIndex: Sendable {
    private struct State {
        private(set) var crews: [AccountID: OnDutyCrew] = [:]
        private(set) var grid = CrewGrid()
        var read: Milliseconds = .min
        var moved: (@Sendable (AccountID) -> Void)?

        mutating func put(_ crew: OnDutyCrew?, for account: AccountID) {
            func cell(_ place: CrewPosition?) -> CrewGrid.Cell? { place.map { CrewGrid.cell($0.latitude, $0.longitude) } }
            grid.move(account, from: cell(crews[account]?.place), to: cell(crew?.place))
            crews[account] = crew
        }
    }

    private let state = Mutex(State())

    /// A place older than this says too little of where a crew is: it comes behind all others.
    static let placeAgeMax: Milliseconds = 600_000
    /// What other processes changed is seen after this.
    static let readEvery: Milliseconds = 10_000

    /// An index without crews.
    public init() {}

    /// A crew with its distance.
    public struct Found: Sendable, Hashable {
        /// The person.
        public let crew: OnDutyCrew
        /// Metres as the crow flies.
        public let metres: Int
    }

    /// Reads everybody on duty, where that was long ago.
    func refresh(_ accounts: AccountStore, now: Milliseconds, isForced: Bool = false) throws {
        let isDue = state.withLock { isForced || now >= $0.read &+ Self.readEvery || $0.read == .min }
        guard isDue else { return }
        set(try accounts.care.onDutyCrews(), now: now)
    }

    func set(_ crews: [OnDutyCrew], now: Milliseconds) {
        state.withLock { state in
            let known = Set(crews.map(\.account))
            for gone in state.crews.keys where !known.contains(gone) { state.put(nil, for: gone) }
            for crew in crews { state.put(crew, for: crew.account) }
            state.read = now
        }
    }

    /// The store has something new of this crew: off duty it is out at once, what else changed is read before the next offer.
    func changed(_ account: AccountID, place: CrewPosition? = nil, isOnDuty: Bool = true) {
        keep(account, place: place, isOnDuty: isOnDuty)
        state.withLock(\.moved)?(account)
    }

    /// Has somebody told of crews that moved.
    func tell(_ moved: @escaping @Sendable (AccountID) -> Void) { state.withLock { $0.moved = moved } }

    private func keep(_ account: AccountID, place: CrewPosition?, isOnDuty: Bool) {
        state.withLock { state in
            guard isOnDuty else {
                state.put(nil, for: account)
                return
            }
            guard let place, let known = state.crews[account] else {
                state.read = .min
                return
            }
            guard known.place.map({ $0.time < place.time }) ?? true else { return }
            let crew = OnDutyCrew(
                ambulance: known.ambulance, label: known.label, hospital: known.hospital, account: account, since: known.since, place: place
            )
            state.put(crew, for: account)
        }
    }

    /// The last known place of a crew on duty.
    public func place(of account: AccountID) -> CrewPosition? { state.withLock { $0.crews[account]?.place } }

    /// The nearest, the nearest first; crews whose place is not known are left out.
    func nearest(
        latitude: Double, longitude: Double, count: Int, now: Milliseconds, but excluded: (AccountID) -> Bool
    ) -> [Found] {
        state.withLock { state in
            var best = Best(count: count)
            func look(_ crew: OnDutyCrew) {
                guard let place = crew.place else { return }
                let metres = Self.metres(place.latitude, place.longitude, latitude, longitude)
                // A crew that told nothing for long is asked last.
                let key = metres + (now - place.time > Self.placeAgeMax ? Self.behind : 0)
                if best.isWanted(key), !excluded(crew.account) { best.insert(crew, key, metres) }
            }
            let isDone = state.grid.visit(latitude, longitude) { ring in
                for account in ring { state.crews[account].map(look) }
                return best.last
            }
            if !isDone {
                best = Best(count: count)
                for crew in state.crews.values { look(crew) }
            }
            return best.found
        }
    }

    /// The nearest so far.
    private struct Best {
        let count: Int
        private var entries: [(key: Double, crew: OnDutyCrew, metres: Double)] = []

        init(count: Int) { self.count = count }

        /// The key of the last one, once there are enough.
        var last: Double? { entries.count < count ? nil : entries.last?.key }
        func isWanted(_ key: Double) -> Bool { last.map { key < $0 } ?? true }

        mutating func insert(_ crew: OnDutyCrew, _ key: Double, _ metres: Double) {
            entries.insert((key, crew, metres), at: entries.firstIndex { $0.key > key } ?? entries.endIndex)
            if entries.count > count { entries.removeLast() }
        }

        var found: [Found] { entries.map { Found(crew: $0.crew, metres: Int($0.metres)) } }
    }

    static let earthRadius = 6_371_000.0
    /// Metres that put a crew behind all others.
    private static let behind = 1e9

    /// Great-circle distance (haversine on a sphere of 6,371 km).
    static func metres(_ latitudeA: Double, _ longitudeA: Double, _ latitudeB: Double, _ longitudeB: Double) -> Double {
        let radians = Double.pi / 180
        let dLatitude = (latitudeB - latitudeA) * radians, dLongitude = (longitudeB - longitudeA) * radians
        let a =
            sin(dLatitude / 2) * sin(dLatitude / 2) + cos(latitudeA * radians) * cos(latitudeB * radians) * sin(dLongitude / 2)
            * sin(dLongitude / 2)
        return 2 * earthRadius * asin(min(1, a.squareRoot()))
    }
}
