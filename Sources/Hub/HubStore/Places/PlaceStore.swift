import Database
import Foundation
public import Vitals

/// A hospital or a pharmacy of the operator's map data (SOS-14).
public struct Facility: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable { case hospital, pharmacy }
    public var kind: Kind
    public var name: String
    /// Degrees, WGS 84.
    public var latitude: Double
    public var longitude: Double
    public var phone: String?
    public var address: String?
    /// As OpenStreetMap writes them.
    public var openingHours: String?
    /// A hospital that says that it takes emergencies.
    public var isEmergency: Bool

    public init(
        kind: Kind, name: String, latitude: Double, longitude: Double, phone: String? = nil, address: String? = nil,
        openingHours: String? = nil, isEmergency: Bool = false
    ) {
        (self.kind, self.name, self.latitude, self.longitude) = (kind, name, latitude, longitude)
        (self.phone, self.address, self.openingHours, self.isEmergency) = (phone, address, openingHours, isEmergency)
    }
}

/// Hospitals and pharmacies, found by place with SQLite's R*Tree. A database of its own: it holds nothing about anybody, and an import of a
/// country holds up nobody's alarm.
public final class PlaceStore: Sendable {
    private let pool: DatabasePool

    public init(_ directory: HubDirectory) throws {
        pool = try directory.open("places", pageSize: 4096, migrations: Self.migrations)
    }

    private static let migrations = [
        Migration(
            name: "1 places",
            sql: """
                CREATE TABLE place(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, latitude REAL NOT NULL,
                    longitude REAL NOT NULL, phone TEXT, address TEXT, hours TEXT, emergency INTEGER NOT NULL);
                CREATE VIRTUAL TABLE place_area USING rtree(id, south, north, west, east);
                CREATE TABLE import(id INTEGER PRIMARY KEY CHECK(id = 1), time INTEGER NOT NULL);
                """)
    ]

    /// Puts these in the place of all that were there before.
    public func replaceAll(_ places: [Facility], now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM place")
            try db.execute(sql: "DELETE FROM place_area")
            let row = try db.cachedStatement(
                sql: """
                    INSERT INTO place(kind, name, latitude, longitude, phone, address, hours, emergency) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
                    RETURNING id
                    """)
            let area = try db.cachedStatement(sql: "INSERT INTO place_area VALUES(?, ?, ?, ?, ?)")
            for place in places {
                let id = try row.fetchOne(
                    Int64.self,
                    arguments: [
                        place.kind.rawValue, place.name, place.latitude, place.longitude, place.phone, place.address, place.openingHours,
                        place.isEmergency,
                    ])
                let (latitude, longitude) = (place.latitude, place.longitude)
                try area.execute(arguments: [id, latitude, latitude, longitude, longitude])
            }
            try db.execute(
                sql: "INSERT INTO import(id, time) VALUES(1, ?) ON CONFLICT(id) DO UPDATE SET time = excluded.time", arguments: [now])
        }
    }

    /// When the last import was; nil for never.
    public func imported() throws -> Milliseconds? {
        try pool.read { try $0.fetchOne(Milliseconds.self, sql: "SELECT time FROM import WHERE EXISTS(SELECT 1 FROM place)") }
    }

    /// The number of each kind.
    public func counts() throws -> [Facility.Kind: Int] {
        try pool.read { db in
            try db.fetchAll(sql: "SELECT kind, count(*) FROM place GROUP BY kind").reduce(into: [:]) { counts, row in
                if let kind = Facility.Kind(rawValue: row[0]) { counts[kind] = row[1] }
            }
        }
    }

    /// A place and how far it is, in metres as the crow flies.
    public struct Found: Sendable, Hashable {
        public let place: Facility
        public let metres: Double
    }

    /// Half the side of the area that is looked at, in degrees of latitude (about 1, 6 and 50 km): the first one with enough in it will do.
    private static let reaches = [0.01, 0.055, 0.45]
    /// Metres; farther ones are not nearby.
    public static let metresMax = 50_000.0

    /// The nearest, the nearest first.
    public func nearest(
        latitude: Double, longitude: Double, kinds: Set<Facility.Kind>, count: Int
    ) throws -> [Found] {
        for (index, reach) in Self.reaches.enumerated() {
            let found = try within(reach, latitude, longitude, kinds).sorted { $0.metres < $1.metres }
            // Beyond the side of the square something nearer may lie than what its corners hold.
            let sure = found.prefix { $0.metres <= reach * Self.degree }
            if sure.count >= count || index == Self.reaches.count - 1 {
                return Array(found.prefix { $0.metres <= Self.metresMax }.prefix(count))
            }
        }
        return []
    }

    /// Metres in a degree of latitude.
    private static let degree = 111_195.0

    private func within(_ reach: Double, _ latitude: Double, _ longitude: Double, _ kinds: Set<Facility.Kind>) throws -> [Found] {
        let strips = Self.strips(reach, latitude, longitude)
        return try pool.read { db in
            try strips.flatMap { west, east in
                try db.fetchAll(
                    sql: """
                        SELECT place.* FROM place_area JOIN place USING(id)
                        WHERE south <= ? AND north >= ? AND west <= ? AND east >= ?
                        """, arguments: [latitude + reach, latitude - reach, east, west]
                ).compactMap(Self.place)
            }.filter { kinds.contains($0.kind) }.map { place in
                Found(place: place, metres: Self.metres(place.latitude, place.longitude, latitude, longitude))
            }
        }
    }

    /// The longitudes that lie within `reach` degrees of a place: from, to.
    private static func strips(_ reach: Double, _ latitude: Double, _ longitude: Double) -> [(west: Double, east: Double)] {
        // All meridians meet in a pole.
        guard abs(latitude) + reach < 90 else { return [(-180, 180)] }
        // Meridians lie closer to each other away from the equator; a circle is widest poleward of its middle.
        let radians = Double.pi / 180, wide = asin(min(1, sin(reach * radians) / cos(latitude * radians))) / radians
        // West of the date line is east of it.
        return [0, -360, 360].map { (longitude - wide + $0, longitude + wide + $0) }.filter { $0.1 >= -180 && $0.0 <= 180 }
    }

    private static func place(_ row: Row) -> Facility? {
        guard let kind = Facility.Kind(rawValue: row["kind"]) else { return nil }
        return Facility(
            kind: kind, name: row["name"], latitude: row["latitude"], longitude: row["longitude"], phone: row["phone"],
            address: row["address"], openingHours: row["hours"], isEmergency: row["emergency"])
    }

    /// Great-circle distance (haversine on a sphere of 6,371 km).
    private static func metres(_ latitudeA: Double, _ longitudeA: Double, _ latitudeB: Double, _ longitudeB: Double) -> Double {
        let radians = Double.pi / 180
        let (up, across) = (sin((latitudeB - latitudeA) * radians / 2), sin((longitudeB - longitudeA) * radians / 2))
        let a = up * up + cos(latitudeA * radians) * cos(latitudeB * radians) * across * across
        return 2 * 6_371_000 * asin(min(1, a.squareRoot()))
    }
}
