/// Reads a ground from its first to its last byte; every number is held against what may stand there.
struct GroundReader {
    struct Content {
        var credits: [String] = []
        var countries: [GroundFile.Country] = []
        var regions: [String] = []
        var towns: [GroundFile.Town] = []
        var names: [UInt8] = []
        var nameStarts: [Int] = []
        var headLength = 0
        var cells: [Range<Int>] = []
        var identifier = ""
    }

    private struct Level {
        var degrees: Int
        var hasLines: Bool
        /// Number on the grid, and bytes.
        var cells: [(index: Int, length: Int)]
    }

    private static let headerLength = 24
    private static let stepsPerDegree = 2000
    private static let levelsMax = 8
    private static let textMax = 1000

    private let bytes: [UInt8]
    private var at = 0
    /// No value may reach beyond.
    private var end: Int
    private var content = Content()

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        end = bytes.count
    }

    mutating func read() throws(GroundFile.Problem) -> Content {
        try header()
        content.credits = try list { reader throws(GroundFile.Problem) in try reader.text() }
        content.countries = try list { reader throws(GroundFile.Problem) in
            let country = GroundFile.Country(code: try reader.text(), name: try reader.text())
            try reader.skipLabel()
            return country
        }
        content.regions = try list { reader throws(GroundFile.Problem) in
            _ = try reader.number(below: reader.content.countries.count)
            let name = try reader.text()
            try reader.skipLabel()
            return name
        }
        let levels = try list { reader throws(GroundFile.Problem) in try reader.level() }
        guard levels.count <= Self.levelsMax else { throw .malformed(at: at) }
        for (number, level) in levels.enumerated() {
            for cell in level.cells { try self.cell(cell.index, cell.length, level) }
            // The coarsest level belongs to the head.
            if number == 0, at != content.headLength { throw .malformed(at: at) }
        }
        guard at == bytes.count else { throw .malformed(at: at) }
        return content
    }

    private mutating func header() throws(GroundFile.Problem) {
        guard bytes.count >= Self.headerLength, bytes.starts(with: "TMGROUND".utf8) else { throw .noGround }
        guard bytes.count <= GroundFile.bytesMax else { throw .length(said: GroundFile.bytesMax, found: bytes.count) }
        let words = (0..<4).map { word in (0..<4).reduce(0) { $0 | Int(bytes[8 + 4 * word + $1]) << (8 * $1) } }
        guard words[0] == GroundFile.version else { throw .version(words[0]) }
        guard words[2] == bytes.count else { throw .length(said: words[2], found: bytes.count) }
        guard (Self.headerLength...bytes.count).contains(words[1]) else { throw .malformed(at: 12) }
        content.headLength = words[1]
        let digits = String(words[3], radix: 16)
        content.identifier = String(repeating: "0", count: 8 - digits.count) + digits
        at = Self.headerLength
    }

    private mutating func level() throws(GroundFile.Problem) -> Level {
        _ = try number(below: 30)
        let from = at, degrees = try number(below: 181)
        guard degrees > 0, 180 % degrees == 0 else { throw .malformed(at: from) }
        let unit = try number(below: 100_000)
        _ = try number(below: 100_000)
        let most = (360 / degrees) * (180 / degrees)
        var index = -1
        let cells = try list { reader throws(GroundFile.Problem) in
            index += try reader.number(below: most) + 1
            guard index < most else { throw .malformed(at: reader.at) }
            return (index: index, length: try reader.number(below: reader.bytes.count))
        }
        return Level(degrees: degrees, hasLines: unit > 0, cells: cells)
    }

    private mutating func cell(_ index: Int, _ length: Int, _ level: Level) throws(GroundFile.Problem) {
        let from = at
        guard length <= bytes.count - from else { throw .malformed(at: from) }
        end = from + length
        if level.hasLines { for _ in 0..<3 { try skipLines() } }
        let columns = 360 / level.degrees
        let west = (index % columns * level.degrees - 180) * Self.stepsPerDegree
        let south = (index / columns * level.degrees - 90) * Self.stepsPerDegree
        let width = level.degrees * Self.stepsPerDegree + 1
        for _ in 0..<(try number(below: length + 1)) { try town(west, south, width) }
        guard at == end else { throw .malformed(at: at) }
        end = bytes.count
        content.cells.append(from..<at)
    }

    private mutating func town(_ west: Int, _ south: Int, _ width: Int) throws(GroundFile.Problem) {
        let longitude = west + (try number(below: width)), latitude = south + (try number(below: width))
        let size = try byte(), country = try number(below: content.countries.count)
        let region = try number(below: content.regions.count + 1), name = try text()
        content.nameStarts.append(content.names.count)
        content.names += [0] + Array(name.lowercased().utf8)
        for _ in 0..<(try number(below: 16)) { content.names += [0] + Array(try text().lowercased().utf8) }
        content.towns.append(
            GroundFile.Town(
                name: name, latitude: Double(latitude) / Double(Self.stepsPerDegree),
                longitude: Double(longitude) / Double(Self.stepsPerDegree),
                population: Self.population(Int(size >> 1)), isCapital: size & 1 == 1, country: country,
                region: region > 0 ? region - 1 : nil))
    }

    /// Eighths of an octave above 500.
    private static func population(_ size: Int) -> Int {
        let eighths = [1, 1.0905077, 1.1892071, 1.2968396, 1.4142136, 1.5422108, 1.6817928, 1.8340081]
        return Int((500 * eighths[size % 8] * Double(1 << (size / 8))).rounded())
    }

    // MARK: Parts

    private mutating func skipLines() throws(GroundFile.Problem) {
        for _ in 0..<(try number(below: end - at)) {
            for _ in 0..<(try number(below: end - at)) {
                _ = try number()
                _ = try number()
            }
        }
    }

    /// Where a name stands on the map.
    private mutating func skipLabel() throws(GroundFile.Problem) {
        guard try number() > 0 else { return }
        _ = try number()
        _ = try number()
    }

    /// Each element takes a byte at least, which bounds the count.
    private mutating func list<Element>(
        _ element: (inout GroundReader) throws(GroundFile.Problem) -> Element
    ) throws(GroundFile.Problem) -> [Element] {
        var found: [Element] = []
        for _ in 0..<(try number(below: max(1, end - at))) { found.append(try element(&self)) }
        return found
    }

    private mutating func byte() throws(GroundFile.Problem) -> UInt8 {
        guard at < end else { throw .malformed(at: at) }
        at += 1
        return bytes[at - 1]
    }

    /// LEB128, at most 35 bits.
    private mutating func number() throws(GroundFile.Problem) -> Int {
        let from = at
        var value = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            let byte = try byte()
            value |= Int(byte & 127) << shift
            if byte < 128 { return value }
        }
        throw .malformed(at: from)
    }

    private mutating func number(below bound: Int) throws(GroundFile.Problem) -> Int {
        let from = at, value = try number()
        guard value < bound else { throw .malformed(at: from) }
        return value
    }

    private mutating func text() throws(GroundFile.Problem) -> String {
        let from = at, length = try number(below: Self.textMax)
        guard length <= end - at, let text = String(validating: bytes[at..<(at + length)], as: UTF8.self) else {
            throw .malformed(at: from)
        }
        at += length
        return text
    }
}
