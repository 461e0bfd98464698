/// Why bytes are not a segment, columns or a batch that this version can read.
public enum SegmentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end before what they promise. `at`: where in the given bytes (or in the column) the next part was expected.
    case truncated(at: Int)
    /// The CRC-32C at the end does not belong to the bytes before it: they were damaged or cut.
    case badChecksum
    /// Intact, but of another version of the format.
    case unsupportedVersion(UInt8)
    /// More bytes, samples or segments than the bound that `what` names.
    case tooLarge(what: String)
    /// Complete, but not what an encoder writes. `what` names the part.
    case malformed(what: String)

    public var description: String {
        switch self {
        case .truncated(let offset): "cut short at byte \(offset)"
        case .badChecksum: "the checksum does not match"
        case .unsupportedVersion(let version): "version \(version) of the segment format is not known"
        case .tooLarge(let what): "too large: \(what)"
        case .malformed(let what): "malformed: \(what)"
        }
    }
}
