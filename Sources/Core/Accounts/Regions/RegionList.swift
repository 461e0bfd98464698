/// The fixed list of regions to which residences are mapped: countries, their first-level subdivisions, and Italy's provinces and municipalities.
///
/// packaging/regions/README.md says where it comes from and how its file is written.
public struct RegionList: Sendable {
    /// A file that is no list of regions.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// From 1.
        public let line: Int
        public let what: String

        public var description: String { "The list of regions is broken in line \(line): \(what)" }
    }

    /// Attribution of the data.
    public let credits: [String]
    /// In the file's order: what lies around a place comes before it.
    public let regions: [Region]
    let places: [RegionCode: Int]
    /// Each region's names as they are compared: see `Normalisation.folded`.
    let folded: [[String]]
    /// Regions by one of those names.
    let named: [String: [Int]]
    /// Italian municipalities by postal code.
    let postal: [Int: [Int]]
    /// Municipalities of which a postal code is known.
    let coded: Set<Int>

    /// An empty list, in which nobody has a region.
    public static let empty = RegionList(Reader())

    /// - Parameter file: UTF-8.
    public init(_ file: some Collection<UInt8>) throws(Problem) {
        var reader = Reader(), number = 0
        for line in file.split(separator: UInt8(ascii: "\n")) {
            number += 1
            do { try reader.read(String(decoding: line, as: UTF8.self), first: number == 1) } catch {
                throw Problem(line: number, what: error.what)
            }
        }
        guard number > 0 else { throw Problem(line: 1, what: "it is empty") }
        self.init(reader)
    }

    private init(_ reader: Reader) {
        (credits, regions, postal) = (reader.credits, reader.regions, reader.postal)
        coded = Set(reader.postal.values.joined())
        var places: [RegionCode: Int] = [:], folded: [[String]] = [], named: [String: [Int]] = [:]
        for (index, region) in regions.enumerated() {
            places[region.code] = index
            var names = [Normalisation.folded(region.name)]
            for other in [region.otherName, reader.letters[index] ?? ""] where !other.isEmpty {
                let name = Normalisation.folded(other)
                if !names.contains(name) { names.append(name) }
            }
            for name in names where !name.isEmpty { named[name, default: []].append(index) }
            folded.append(names)
        }
        (self.places, self.folded, self.named) = (places, folded, named)
    }

    public subscript(code: RegionCode) -> Region? { places[code].map { regions[$0] } }

    /// The place itself and what lies around it, the country last; empty for what the list does not have.
    public func path(of code: RegionCode) -> [Region] {
        var path: [Region] = [], next: RegionCode? = code
        while let code = next, let region = self[code] {
            path.append(region)
            next = region.parent
        }
        return path
    }

    /// The place around it of a level, or the place itself; nil where there is none.
    public func part(of code: RegionCode, _ level: RegionLevel) -> RegionCode? { path(of: code).first { $0.level == level }?.code }

    /// The places right within one.
    public func children(of code: RegionCode) -> [Region] { regions.filter { $0.parent == code } }

    /// Places of which a name begins so, or a word in it: whole names come first, then large places, then those with many people.
    /// - Parameter limit: how many at most.
    public func search(_ typed: String, limit: Int) -> [Region] {
        let wanted = Normalisation.folded(typed)
        guard !wanted.isEmpty else { return [] }
        var found: [(rank: Int, index: Int)] = []
        for (index, names) in folded.enumerated() {
            let ranks = names.compactMap { name in
                name == wanted ? 0 : name.hasPrefix(wanted) ? 1 : " \(name)".contains(" \(wanted)") ? 2 : nil
            }
            if let rank = ranks.min() { found.append((rank, index)) }
        }
        func key(_ entry: (rank: Int, index: Int)) -> (Int, Int, Int, Int) {
            let region = regions[entry.index]
            return (entry.rank, region.level.rawValue, -(region.population ?? 0), entry.index)
        }
        return found.sorted { key($0) < key($1) }.prefix(max(0, limit)).map { regions[$0.index] }
    }
}

extension RegionList {
    private struct LineProblem: Error { let what: String }

    /// Reads line by line; a line belongs to the last one of the level above it.
    private struct Reader {
        var credits: [String] = [], regions: [Region] = [], postal: [Int: [Int]] = [:]
        /// ISO 3166-1 alpha-3, of countries.
        var letters: [Int: String] = [:]
        private var around: [RegionLevel: RegionCode] = [:]

        static let head = "TMREGIONS 1"

        mutating func read(_ line: String, first: Bool) throws(LineProblem) {
            if first {
                guard line == Self.head else { throw LineProblem(what: "it does not begin with \(Self.head)") }
                return
            }
            let fields = Self.fields(line.dropFirst())
            switch line.first {
            case "!": credits.append(String(line.dropFirst()))
            case "=":
                letters[regions.count] = fields.count > 3 ? fields[3] : nil
                try add(RegionCode(fields[0]), .country, fields, in: nil)
            case "+": try add(code(fields[0]), .region, fields, in: around[.country])
            case "-": try add(code(fields[0]), .province, fields, in: around[.region])
            default: try municipality(Self.fields(line[...]))
            }
        }

        private static func fields(_ line: Substring) -> [String] {
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }

        private func code(_ part: String) throws(LineProblem) -> RegionCode? {
            guard let country = around[.country] else { throw LineProblem(what: "no country comes before it") }
            return RegionCode(RegionCode(country: country.text, part).text)
        }

        private mutating func add(
            _ code: RegionCode?, _ level: RegionLevel, _ fields: [String], in parent: RegionCode?, population: Int? = nil,
            centre: Region.Centre? = nil
        ) throws(LineProblem) {
            guard let code else { throw LineProblem(what: "\(fields[0]) is no code") }
            guard level == .country || parent != nil else { throw LineProblem(what: "nothing comes before it that it could lie in") }
            guard fields.count > 1, !fields[1].isEmpty else { throw LineProblem(what: "\(code) has no name") }
            around = around.filter { $0.key < level }
            around[level] = code
            regions.append(
                Region(
                    code: code, level: level, name: fields[1], otherName: fields.count > 2 ? fields[2] : "", parent: parent,
                    population: population, centre: centre))
        }

        /// Number, name, other name, postal codes, people, latitude, longitude.
        private mutating func municipality(_ fields: [String]) throws(LineProblem) {
            let index = regions.count
            func field(_ number: Int) -> String { fields.count > number ? fields[number] : "" }
            var centre: Region.Centre?
            if let latitude = Double(field(5)), let longitude = Double(field(6)) {
                centre = Region.Centre(latitude: latitude, longitude: longitude)
            }
            try add(code(field(0)), .municipality, fields, in: around[.province], population: Int(field(4)), centre: centre)
            for range in field(3).split(separator: " ") {
                let ends = range.split(separator: "-").map { Int($0) }
                guard let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last, last - first < 1000 else {
                    throw LineProblem(what: "\(range) are no postal codes")
                }
                for code in first...last { postal[code, default: []].append(index) }
            }
        }
    }
}
