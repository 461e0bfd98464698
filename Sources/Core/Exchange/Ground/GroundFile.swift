/// The ground of the maps, as `packaging/ground/make` writes it (form: `packaging/ground/README.md`).
///
/// Lines are for the browser alone. Here are the parts that it asks for, and the towns, for the search of places.
public struct GroundFile: Sendable {
    /// A country or dependent territory.
    public struct Country: Sendable, Hashable {
        /// ISO 3166-1 alpha-2.
        public let code: String
        /// In English.
        public let name: String
    }

    public struct Town: Sendable, Hashable {
        /// As it is written there, or in English where GeoNames has it so.
        public let name: String
        /// Degrees, WGS 84, steps of 1/2000.
        public let latitude: Double, longitude: Double
        /// People, to within 5 %; at least 500.
        public let population: Int
        public let isCapital: Bool
        /// Index in ``GroundFile/countries``.
        public let country: Int
        /// Index in ``GroundFile/regions``; nil where the file has none for it.
        public let region: Int?
    }

    /// Why bytes are no ground.
    public enum Problem: Error, Sendable, Hashable {
        /// Another first word.
        case noGround
        /// A version that this program does not know.
        case version(Int)
        /// The length is not the one that its head says.
        case length(said: Int, found: Int)
        /// A value at this byte is cut, too large, or none of those that may stand there.
        case malformed(at: Int)
    }

    /// Larger files are refused, bytes.
    public static let bytesMax = 4_000_000
    public static let version = 1

    /// Attribution of the data, with licences; shown where the data are shown.
    public let credits: [String]
    public let countries: [Country]
    /// Names of the first level below countries.
    public let regions: [String]
    public let towns: [Town]
    /// Tells files apart: first 32 bits of the SHA-256 of the content, in hexadecimal.
    public let identifier: String

    let bytes: [UInt8]
    /// Names, the directory, and the coarsest level.
    let headLength: Int
    /// Of each cell, in the order of the file.
    let cells: [Range<Int>]
    /// For each town its names, lower case: the shown one and the others, each behind a zero.
    let names: [UInt8]
    /// Where in ``names`` those of a town begin; one more than there are towns.
    let nameStarts: [Int]

    /// - Throws: ``Problem``.
    public init(_ bytes: [UInt8]) throws(Problem) {
        var reader = GroundReader(bytes)
        let content = try reader.read()
        self.bytes = bytes
        (credits, countries, regions) = (content.credits, content.countries, content.regions)
        (towns, names, nameStarts) = (content.towns, content.names, content.nameStarts + [content.names.count])
        (headLength, cells, identifier) = (content.headLength, content.cells, content.identifier)
    }

    /// The part that the browser asks for: `index`, the head without its cells; ``identifier`` `-world`, the cells of the coarsest level; or
    /// ``identifier`` `-` number of a cell. Nil for anything else, as after a change of the file.
    public func part(_ name: String) -> ArraySlice<UInt8>? {
        let indexLength = cells.first?.lowerBound ?? headLength
        if name == "index" { return bytes[..<indexLength] }
        if name == "\(identifier)-world" { return bytes[indexLength..<headLength] }
        let words = name.split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 2, words[0] == identifier, let number = Int(words[1]), cells.indices.contains(number) else { return nil }
        return bytes[cells[number]]
    }
}
