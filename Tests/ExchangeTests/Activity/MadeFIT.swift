/// Builds FIT files byte by byte, right ones and wrong ones.
struct MadeFIT {
    /// Number, bytes and base type of a field.
    typealias Field = (number: UInt8, size: UInt8, type: UInt8)

    /// 2026-03-01T08:00:00Z in seconds since 1989-12-31T00:00:00Z.
    static let start: UInt32 = 1_141_286_400
    static let record: [Field] = [(253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85), (3, 1, 2), (5, 4, 0x86), (2, 2, 0x84), (6, 2, 0x84)]

    var data: [UInt8] = []
    var isBigEndian = false

    mutating func define(_ local: UInt8, _ global: UInt16, _ fields: [Field], developer: [Field] = []) {
        data += [(developer.isEmpty ? 0x40 : 0x60) | local, 0, isBigEndian ? 1 : 0]
        number(UInt64(global), 2)
        data.append(UInt8(fields.count))
        for field in fields { data += [field.number, field.size, field.type] }
        guard !developer.isEmpty else { return }
        data.append(UInt8(developer.count))
        for field in developer { data += [field.number, field.size, field.type] }
    }

    /// Values beside their sizes.
    mutating func message(_ head: UInt8, _ values: [(value: Int64, size: Int)]) {
        data.append(head)
        for (value, size) in values { number(UInt64(bitPattern: value), size) }
    }

    mutating func number(_ value: UInt64, _ size: Int) {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        data += isBigEndian ? bytes.reversed() : bytes
    }

    mutating func fileID(_ type: UInt8 = 4) {
        define(0, 0, [(0, 1, 0), (1, 2, 0x84), (2, 2, 0x84), (4, 4, 0x86)])
        message(0, [(Int64(type), 1), (1, 2), (1551, 2), (Int64(Self.start), 4)])
    }

    /// A record of the fields of ``record``: 1 s apart, 1e-5 degrees north of each other, at 140 to 149 a minute.
    mutating func point(_ index: Int, local: UInt8 = 1) {
        message(
            local,
            [
                (Int64(Self.start) + Int64(index), 4), (Self.semicircles(45.4 + Double(index) * 1e-5), 4), (Self.semicircles(9.1), 4),
                (140 + Int64(index % 10), 1), (Int64(index) * 111, 4), (3100 + Int64(index % 5), 2), (1110, 2),
            ])
    }

    static func semicircles(_ degrees: Double) -> Int64 { Int64((degrees * 2_147_483_648 / 180).rounded()) }

    /// An activity of records alone.
    static func activity(_ count: Int) -> MadeFIT {
        var fit = MadeFIT()
        fit.fileID()
        fit.define(1, 20, record)
        for index in 0..<count { fit.point(index) }
        return fit
    }

    // MARK: Files

    /// - Parameter size: what the header says; nil for what is right.
    func file(headerSize: UInt8 = 14, size: Int? = nil) -> [UInt8] {
        var bytes: [UInt8] = [headerSize, 0x20, 0x54, 0x08]
        let length = size ?? data.count
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        bytes += Array(".FIT".utf8)
        if headerSize >= 14 { bytes += Self.checksum(bytes) }
        bytes += data
        return bytes + Self.checksum(bytes)
    }

    /// Bit by bit, as the polynomial is written down: another way than the reader's.
    static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var crc: UInt16 = 0
        for byte in bytes {
            crc ^= UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xA001 : crc >> 1 }
        }
        return [UInt8(crc & 0xFF), UInt8(crc >> 8)]
    }
}
