/// The header of a FIT file (FIT Protocol, 4.1), of which several may stand one behind the other.
struct FITHeader {
    let size: Int
    /// Bytes of messages that it promises; 0 while a recording is not ended.
    let dataSize: Int
    /// Whether some of its bytes cannot be right.
    let isDamaged: Bool

    /// - Returns: nil where nothing makes a header of these bytes. One byte of it may be wrong: its size, or one of the mark `.FIT`.
    init?(_ bytes: [UInt8], at start: Int) {
        guard start + 12 <= bytes.count else { return nil }
        let length = Int(bytes[start]), isMarked = bytes[start + 8..<start + 12].elementsEqual(".FIT".utf8)
        let found = [length, 14, 12].first { $0 >= 12 && Self.isFileID(bytes, at: start + $0) }
        guard isMarked || length == found, length >= 12 || found != nil else { return nil }
        size = found ?? min(length, bytes.count - start)
        dataSize = bytes[start + 4..<start + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
        var isRight = isMarked && size == length
        if isRight, size >= 14 {
            let written = UInt16(bytes[start + 12]) | UInt16(bytes[start + 13]) << 8
            isRight = written == 0 || written == FITChecksum.of(bytes[start..<start + 12])
        }
        isDamaged = !isRight
    }

    /// Whether a definition of the message that each file begins with stands there.
    private static func isFileID(_ bytes: [UInt8], at start: Int) -> Bool {
        guard start < bytes.count, bytes[start] & 0xD0 == 0x40 else { return false }
        return FITDefinition(bytes, at: start, end: bytes.count)?.global == FITMessage.fileID.rawValue
    }
}
