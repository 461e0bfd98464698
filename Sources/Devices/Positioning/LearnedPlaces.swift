public import Vitals

/// Where the Wi-Fi networks stand that this box often hears: a value, without clock and I/O.
///
/// A network's place is learned from good satellite fixes of a box that rests, seen several times, and forgotten when the network turns
/// up elsewhere, as a telephone's does. Networks are kept under a keyed hash of their address.
public struct LearnedPlaces: Sendable, Hashable, Codable {
    /// Networks that are remembered; the one not heard for longest makes place.
    static let networksMax = 256
    /// Of those, so many may still be unproven: passing by many must not push out one's home.
    static let unprovenMax = 64
    /// Fixes with a larger error teach nothing, in 0.1 m.
    static let errorMax: Int32 = 150
    /// Faster than this, in 0.01 m/s, a box does not rest.
    static let speedMax: Int32 = 50
    /// Networks heard longer ago, in milliseconds, are perhaps not here any more.
    static let ageMax: Int64 = 15_000
    /// Two sightings count as two when so many milliseconds lie between them.
    static let sightingInterval: Milliseconds = 600_000
    /// Sightings after which a place is believed, and how many more after each move.
    static let sightingsMin = 3
    /// A network does not reach farther, in metres, so it must have moved.
    static let reach = 300.0
    /// The best certainty, in metres: an access point is heard from so far away.
    static let range = 50.0
    private static let movesMax = 8

    private struct Spot: Sendable, Hashable, Codable {
        var latitude: Int32
        var longitude: Int32
    }

    private struct Network: Sendable, Hashable, Codable {
        var id: UInt64
        /// The latest ones, as many as are needed.
        var spots: [Spot]
        var moves = 0

        var needed: Int { LearnedPlaces.sightingsMin * (1 + moves) }
        var isProven: Bool { spots.count >= needed }

        /// The median of each coordinate: one bad fix does not shift it.
        var place: Spot {
            func median(_ values: [Int32]) -> Int32 { values.sorted()[values.count / 2] }
            return Spot(latitude: median(spots.map(\.latitude)), longitude: median(spots.map(\.longitude)))
        }
    }

    private let hash: KeyedHash
    /// The one heard last is the last.
    private var networks: [Network] = []
    /// When sightings last counted, in a clock that starts anew with the box; not stored.
    private var lastSighting: Milliseconds?

    private enum CodingKeys: String, CodingKey { case hash, networks }

    /// - Parameter generator: makes the key of the hash.
    public init(using generator: inout some RandomNumberGenerator) {
        hash = KeyedHash(first: generator.next(), second: generator.next())
    }

    /// How many networks are remembered, and of how many the place is known.
    public var counts: (known: Int, remembered: Int) { (networks.count(where: \.isProven), networks.count) }

    /// What is heard where a satellite fix is. True when something worth storing was learned.
    public mutating func learn(_ heard: [VisibleNetwork], at fix: PositionSample) -> Bool {
        guard fix.source == .gnss, let error = fix.horizontalError, error <= Self.errorMax else { return false }
        let ids = heard.filter { $0.age <= Self.ageMax }.map { hash($0.address) }
        let spot = Spot(latitude: fix.latitude, longitude: fix.longitude)
        var changed = forgetMoved(ids, spot)
        let isResting = fix.speed.map { $0 <= Self.speedMax } ?? false
        guard isResting, lastSighting.map({ fix.time - $0 >= Self.sightingInterval }) ?? true, !ids.isEmpty else { return changed }
        lastSighting = fix.time
        for id in ids.prefix(Self.unprovenMax) {
            count(id, spot)
            changed = true
        }
        return changed
    }

    /// Where the box is, by the networks that it hears: their places' median. nil when none is known, or they contradict each other.
    /// The sample's time is `time`, its error at least 50 m.
    public func place(of heard: [VisibleNetwork], at time: Milliseconds) -> PositionSample? {
        let ids = Set(heard.lazy.filter { $0.age <= Self.ageMax || $0.isConnected }.map { hash($0.address) })
        let known = networks.filter { ids.contains($0.id) && $0.isProven }
        let places = known.map(\.place)
        // A network that moved and was not heard since says something else than the others: the majority counts.
        let agreeing = places.map { place in places.indices.filter { distance(places[$0], place) <= Self.reach } }
        guard let best = agreeing.max(by: { $0.count < $1.count }), best.count * 2 > places.count else { return nil }
        let joint = Network(id: 0, spots: best.map { places[$0] }).place
        let spread = best.flatMap { known[$0].spots }.map { distance($0, joint) }.max() ?? 0
        return PositionSample(
            time: time, latitude: joint.latitude, longitude: joint.longitude,
            horizontalError: Int32(((Self.range + spread) * 10).rounded(.up)), mode: .unknown, source: .network)
    }

    /// Forgets the places of networks that are heard where they cannot be.
    private mutating func forgetMoved(_ ids: [UInt64], _ spot: Spot) -> Bool {
        var changed = false
        for index in networks.indices where ids.contains(networks[index].id) {
            guard let first = networks[index].spots.first, distance(first, spot) > Self.reach else { continue }
            networks[index].spots = []
            networks[index].moves = min(networks[index].moves + 1, Self.movesMax)
            changed = true
        }
        return changed
    }

    private mutating func count(_ id: UInt64, _ spot: Spot) {
        var network = Network(id: id, spots: [])
        if let index = networks.firstIndex(where: { $0.id == id }) {
            network = networks.remove(at: index)
        } else if networks.count(where: { !$0.isProven }) >= Self.unprovenMax, let index = networks.firstIndex(where: { !$0.isProven }) {
            networks.remove(at: index)
        } else if networks.count >= Self.networksMax {
            networks.removeFirst()
        }
        network.spots.append(spot)
        network.spots.removeFirst(max(0, network.spots.count - network.needed))
        networks.append(network)
    }

    private func distance(_ one: Spot, _ other: Spot) -> Double {
        PositionSample.distance(one.latitude, one.longitude, other.latitude, other.longitude)
    }
}
