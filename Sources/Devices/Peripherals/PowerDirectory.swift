import Glibc
import Sensing

/// Reads all entries of /sys/class/power_supply, or of a directory that is made like it.
struct PowerDirectory {
    let path: String
    /// More entries than any box has.
    private static let entriesMax = 64

    /// - Throws: when the directory cannot be read.
    func read() throws(SourceProblem) -> (supplies: [PowerSupply], damaged: [String]) {
        var damaged: [String] = []
        let supplies = try names().map { name in
            // The box's own words may fail for a moment (EIO, ENODATA while a gauge wakes up): an attribute is then missing.
            PowerSupply(name: name, damaged: &damaged) { FirstLine.read("\(path)/\(name)/\($0)") }
        }
        return (supplies, damaged)
    }

    private func names() throws(SourceProblem) -> [String] {
        guard let names = DirectoryNames.read(path, max: Self.entriesMax) else {
            throw SourceProblem(
                what: "\(path) cannot be read (\(String(cString: strerror(errno)))): how the box is fed is unknown",
                advice: "Say in the configuration how it is fed", retries: true)
        }
        return names.sorted()
    }
}
