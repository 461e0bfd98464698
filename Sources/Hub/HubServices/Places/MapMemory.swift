/// The memory that tilemaker takes for an extract of OpenStreetMap. Measured with tilemaker 2.2 and the hub's own rules (docs/maps.md).
public struct MapMemory: Sendable, Hashable {
    /// Bytes that it takes for nothing, and for each byte of the extract.
    static let least = 400_000_000, perByte = 8

    /// Bytes.
    public let needed: Int
    /// Bytes that are free on the machine now; nil where nobody knows.
    public let free: Int?

    /// - Parameters:
    ///   - extract: bytes of the file.
    ///   - meminfo: what Linux has in `/proc/meminfo`; nil where it cannot be read.
    public init(extract: Int, meminfo: [UInt8]?) {
        let (share, isTooLarge) = max(0, extract).multipliedReportingOverflow(by: Self.perByte)
        needed = isTooLarge ? .max : share.addingReportingOverflow(Self.least).overflow ? .max : share + Self.least
        free = meminfo.flatMap(Self.available)
    }

    /// Where nobody knows what is free, it is tried.
    public var fits: Bool { free.map { needed <= $0 } ?? true }

    /// The line `MemAvailable:   12345 kB`.
    private static func available(_ meminfo: [UInt8]) -> Int? {
        for line in meminfo.split(separator: 0x0A) {
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            guard words.count == 3, words[0] == "MemAvailable:", words[2] == "kB", let kilobytes = Int(words[1]) else { continue }
            let (bytes, isTooLarge) = kilobytes.multipliedReportingOverflow(by: 1024)
            return isTooLarge || bytes < 0 ? nil : bytes
        }
        return nil
    }

    /// `3.4 GB`.
    static func text(_ bytes: Int) -> String {
        bytes < 1_000_000_000 ? "\(max(1, bytes / 1_000_000)) MB" : "\(bytes / 1_000_000_000).\(bytes / 100_000_000 % 10) GB"
    }
}
