import Database
import Foundation

/// A named thing on a map: a street, a place, a hospital.
public struct MapName: Sendable, Hashable {
    /// Raw values are stored.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        case place = 1
        case street, hospital, pharmacy, station, peak, park, water
    }

    public var kind: Kind
    public var name: String
    /// The place that it belongs to; nil where none is near.
    public var town: String?
    /// Degrees, WGS 84.
    public var latitude: Double, longitude: Double
    /// Of a place, 0 where nobody says.
    public var people: Int

    public init(kind: Kind, name: String, town: String? = nil, latitude: Double, longitude: Double, people: Int = 0) {
        (self.kind, self.name, self.town, self.latitude) = (kind, name, town, latitude)
        (self.longitude, self.people) = (longitude, people)
    }

    /// Its words as they are compared: without capitals and accents.
    public static func words(of text: String) -> [String] {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).lowercased()
            .split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// Metres as the crow flies, on a plane: for comparing what is near.
    public func metres(from latitude: Double, _ longitude: Double) -> Double {
        let turn = (self.longitude - longitude).remainder(dividingBy: 360)
        let east = turn * cos((self.latitude + latitude) / 2 * .pi / 180), north = self.latitude - latitude
        return (east * east + north * north).squareRoot() * 111_195
    }
}

/// The names of a map: a file of SQLite that an import makes and replaces as a whole. It holds nothing about anybody.
///
/// Words lie in cells of a quarter of a degree, so that a search looks at what is near first, and ends.
public final class NameStore: Sendable {
    /// Rows and cells of one search at most, and words of a question.
    static let rowsMax = 20_000, cellsMax = 4000, wordsMax = 6
    private static let cellsInDegree = 4.0, columns = 1440
    /// Cells that cannot be read, in one search.
    private static let damagedMax = 100

    static let migrations = [
        Migration(
            name: "1 names",
            sql: """
                CREATE TABLE map_name(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, name TEXT NOT NULL, town TEXT, latitude REAL NOT NULL,
                    longitude REAL NOT NULL, people INTEGER NOT NULL);
                CREATE TABLE map_word(cell INTEGER NOT NULL, word TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY(cell, word, id))
                    WITHOUT ROWID;
                CREATE TABLE map_cell(cell INTEGER PRIMARY KEY);
                """)
    ]

    private let pool: DatabasePool
    private let cells: [Int]

    /// Opens what ``make(_:at:)`` made.
    /// - Throws: where it is no such file.
    public init(path: String) throws {
        let pool = try DatabasePool(reading: path)
        cells = try pool.read { try $0.fetchAll(Int.self, sql: "SELECT cell FROM map_cell WHERE cell >= 0") }
        self.pool = pool
    }

    /// - Parameter path: where nothing is yet.
    public static func make(_ names: [MapName], at path: String) throws {
        let pool = try DatabasePool(path: path, migrations: migrations)
        try pool.write { db in
            let row = try db.cachedStatement(
                sql: "INSERT INTO map_name(id, kind, name, town, latitude, longitude, people) VALUES(?, ?, ?, ?, ?, ?, ?)")
            let word = try db.cachedStatement(sql: "INSERT INTO map_word(cell, word, id) VALUES(?, ?, ?) ON CONFLICT DO NOTHING")
            var cells: Set<Int> = []
            for (id, name) in names.enumerated() {
                let cell = cell(name.latitude, name.longitude)
                cells.insert(cell)
                try row.execute(
                    arguments: [id, name.kind.rawValue, name.name, name.town, name.latitude, name.longitude, name.people])
                for text in MapName.words(of: name.name) { try word.execute(arguments: [cell, text, id]) }
            }
            let put = try db.cachedStatement(sql: "INSERT INTO map_cell(cell) VALUES(?)")
            for cell in cells.sorted() { try put.execute(arguments: [cell]) }
        }
        try pool.closeAsOneFile()
    }

    /// Those in whose name or town each word of a question begins a word, one of them in the name. Whole names come first, then what is near.
    /// - Parameters:
    ///   - near: degrees; nil for nowhere.
    ///   - limit: how many at most.
    ///   - damaged: told why a cell cannot be read; the others are searched all the same.
    public func search(
        _ text: String, near: (latitude: Double, longitude: Double)? = nil, limit: Int, damaged: (any Error) -> Void = { _ in }
    ) throws -> [MapName] {
        let words = Array(MapName.words(of: text).prefix(Self.wordsMax))
        guard !words.isEmpty, limit > 0 else { return [] }
        let order = order(near), whole = words.joined(separator: " ")
        // The longest word is the rarest, as a rule: `via` is not.
        for key in Set(words).sorted(by: { ($1.count, $0) < ($0.count, $1) }) {
            let found = try pool.read { try search(key, words, order, limit, $0, damaged) }
            guard !found.isEmpty else { continue }
            let ranked = found.map { name in
                let isWhole = MapName.words(of: name.name).joined(separator: " ") == whole
                return (name, isWhole ? 0 : 1, near.map { name.metres(from: $0.latitude, $0.longitude) } ?? -Double(name.people))
            }
            return ranked.sorted { ($0.1, $0.2, $0.0.name) < ($1.1, $1.2, $1.0.name) }.prefix(limit).map(\.0)
        }
        return []
    }

    private func search(
        _ key: String, _ words: [String], _ order: [Int], _ limit: Int, _ db: Connection, _ damaged: (any Error) -> Void
    ) throws -> [MapName] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT kind, name, town, latitude, longitude, people FROM map_word JOIN map_name USING(id)
                WHERE cell = ? AND word >= ? AND word < ? LIMIT ?
                """)
        var found: [MapName] = [], left = Self.rowsMax
        for (index, cell) in order.enumerated() where left > 0 {
            // The nearest of all may lie in any cell around that of the question.
            if found.count >= limit, index >= 9 { break }
            do {
                let rows = try statement.fetchAll(arguments: [cell, key, key + "\u{10FFFF}", left])
                left -= rows.count
                found += rows.compactMap(Self.name).filter { Self.matches($0, words) }
            } catch {
                damaged(error)
                // Where no cell can be read, the search ends, too.
                left -= Self.rowsMax / Self.damagedMax
            }
        }
        return found
    }

    private static func matches(_ name: MapName, _ words: [String]) -> Bool {
        let own = MapName.words(of: name.name) + MapName.words(of: name.town ?? "")
        return words.allSatisfy { word in own.contains { $0.hasPrefix(word) } }
    }

    private static func name(_ row: Row) -> MapName? {
        guard let kind = MapName.Kind(rawValue: row[0]) else { return nil }
        return MapName(kind: kind, name: row[1], town: row[2], latitude: row[3], longitude: row[4], people: row[5])
    }

    private static func cell(_ latitude: Double, _ longitude: Double) -> Int {
        func part(_ value: Double, _ count: Int) -> Int { min(count - 1, max(0, Int((value * cellsInDegree).rounded(.down)))) }
        return part(latitude + 90, 720) * columns + part(longitude + 180, columns)
    }

    /// The cells of the map, the nearest first.
    private func order(_ near: (latitude: Double, longitude: Double)?) -> [Int] {
        guard let near else { return Array(cells.prefix(Self.cellsMax)) }
        let away = cells.map { cell in
            let latitude = (Double(cell / Self.columns) + 0.5) / Self.cellsInDegree - 90
            let longitude = (Double(cell % Self.columns) + 0.5) / Self.cellsInDegree - 180
            let middle = MapName(kind: .place, name: "", latitude: latitude, longitude: longitude)
            return (cell, middle.metres(from: near.latitude, near.longitude))
        }
        return away.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(Self.cellsMax).map(\.0)
    }
}
