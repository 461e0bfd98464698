extension GroundFile {
    /// A place, degrees, WGS 84.
    public struct Place: Sendable, Hashable {
        public let latitude: Double, longitude: Double
        public init(latitude: Double, longitude: Double) {
            (self.latitude, self.longitude) = (latitude, longitude)
        }
    }

    /// Letters of a search beyond these are left out.
    public static let prefixMax = 60

    /// Towns of which a name, or a word in it, begins so: written as there or without accents, in capitals or not.
    ///
    /// Whole names come before beginnings of names, and these before beginnings of words; then what is large, and near where a place is given:
    /// each doubling of the distance beyond 10 km counts like a halving of the people.
    /// - Parameters:
    ///   - prefix: nothing is found for an empty one.
    ///   - near: for instance the middle of the map.
    ///   - limit: how many at most.
    public func search(_ prefix: String, near: Place? = nil, limit: Int = 10) -> [Town] {
        let words = prefix.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let wanted = Array(words.prefix(Self.prefixMax).lowercased().utf8)
        guard !wanted.isEmpty, limit > 0 else { return [] }
        var found: [(town: Int, rank: Int, weight: Double)] = []
        for index in towns.indices {
            guard let rank = rank(wanted, index) else { continue }
            var weight = Double(towns[index].population) * (towns[index].isCapital ? 4 : 1)
            if let near { weight /= max(1, Self.metres(near, towns[index]) / 10_000) }
            found.append((index, rank, weight))
        }
        // The file's order settles what is equal: the same search has the same answer.
        found.sort { ($0.rank, -$0.weight, $0.town) < ($1.rank, -$1.weight, $1.town) }
        return found.prefix(limit).map { towns[$0.town] }
    }

    /// The town whose middle is closest, and how far that is; nil for a file without towns and for a place that is none.
    ///
    /// The distance is worked out on a plane: within 300 km and 70 degrees of latitude it is good to 1 %.
    public func nearestTown(to place: Place) -> (town: Town, metres: Double)? {
        guard (-90...90).contains(place.latitude), (-180...180).contains(place.longitude) else { return nil }
        var best: (index: Int, metres: Double)?
        for index in towns.indices {
            // A place that is farther to the north alone than another town is no candidate.
            if let best, abs(towns[index].latitude - place.latitude) * Self.metresPerDegree > best.metres { continue }
            let metres = Self.metres(place, towns[index])
            if metres < best?.metres ?? .infinity { best = (index, metres) }
        }
        return best.map { (towns[$0.index], $0.metres) }
    }

    /// 0 for a whole name, 1 for the beginning of one, 2 for that of a word in one.
    private func rank(_ wanted: [UInt8], _ town: Int) -> Int? {
        let end = nameStarts[town + 1]
        var best: Int?
        for start in nameStarts[town]..<end where Self.isBetweenWords(names[start]) {
            let from = start + 1
            guard end - from >= wanted.count, names[from..<(from + wanted.count)].elementsEqual(wanted) else { continue }
            let after = from + wanted.count
            let rank = names[start] != 0 ? 2 : after == end || names[after] == 0 ? 0 : 1
            best = min(best ?? rank, rank)
        }
        return best
    }

    private static func isBetweenWords(_ byte: UInt8) -> Bool {
        byte == 0 || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "'")
    }

    /// Of a sphere of 6,371,008.8 m.
    private static let metresPerDegree = 6_371_008.8 * Double.pi / 180

    /// On a plane, with the meridians as close as they are in the middle between the two.
    private static func metres(_ place: Place, _ town: Town) -> Double {
        let middle = (place.latitude + town.latitude) / 2 * .pi / 180, square = middle * middle
        // A pure target has no mathematical library: the series of the cosine, good to 1e-6 up to a quarter turn.
        let cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))))
        let turn = town.longitude - place.longitude, east = (turn - 360 * (turn / 360).rounded()) * cosine
        let north = town.latitude - place.latitude
        return (north * north + east * east).squareRoot() * metresPerDegree
    }
}
