public import Vitals

/// Import of what other programs know of a person's health (DATA-2): see ``HealthReader`` and ``ImportFile``.
public enum HealthImport {
    /// The source, as the file names it.
    public struct Source: Sendable, Hashable {
        /// A program, such as `Health Mate`; empty where the file names none.
        public let name: String
        /// The device that measured it, such as `Apple Watch (Watch6,2)`.
        public let device: String?

        public init(name: String, device: String? = nil) {
            self.name = String(name.prefix(Limits.nameMax))
            self.device = device.map { String($0.prefix(Limits.nameMax)) }
        }
    }

    /// Samples of one source. Their times are UTC, and stand in the order of the file.
    public struct Part: Sendable, Hashable {
        public let source: Source
        /// Their provenance as the file claims it; nil where it says nothing. It is a claim of the file: samples that somebody imports are
        /// stored as ``Vitals/Provenance/import``, or a file could make up an emergency.
        public let stated: Provenance?
        public internal(set) var samples = SampleSet()
    }

    /// Bounds of what is kept in memory and what is taken.
    public enum Limits {
        /// Samples that a reader gathers before it gives them away.
        public static let partSamplesMax = 4096
        /// Sources that it gathers apart from each other.
        public static let partsMax = 64
        /// Characters of a name of a file's making.
        public static let nameMax = 80
        /// Bytes of one tag of XML.
        public static let tagBytesMax = 65_536
        /// Bytes of one item of a JSON list, such as a resource of a Bundle.
        public static let itemBytesMax = 1_048_576
        /// Bytes of a line of CSV; those of NDJSON have ``itemBytesMax``.
        public static let lineBytesMax = 4096
        /// Names of types without a kind that are counted apart.
        public static let unknownNamesMax = 200
        /// Problems that are listed.
        public static let problemsMax = 64
    }
}

/// Reads one file piece by piece. What it keeps does not grow with the file, and any bytes are safe to give.
///
///     var reader = AppleHealthReader(now: now)
///     while let bytes = more() { for part in reader.read(bytes) { store(part) } }
///     for part in reader.finish() { store(part) }
///     show(reader.report)
public protocol HealthReader: Sendable {
    /// Takes the next bytes of the file, however it is cut.
    /// - Returns: samples as soon as there are enough of them; often none.
    mutating func read(_ bytes: [UInt8]) -> [HealthImport.Part]

    /// Ends the file.
    /// - Returns: what is left.
    mutating func finish() -> [HealthImport.Part]

    /// The findings so far.
    var report: ImportReport { get }
}
