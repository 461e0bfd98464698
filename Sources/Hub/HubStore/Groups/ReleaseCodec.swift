import Accounts
import Groups
import Vitals

/// Released cells in bytes: a version, then for each cell, in order, its region (a length of 0 is the one before), sex and age band, and 16 counts as
/// zigzag varints.
enum ReleaseCodec {
    private static let version: UInt8 = 1

    static func encoded(_ cells: [GroupCell: [Int64]]) -> [UInt8] {
        var bytes = [version], last: RegionCode?
        for (cell, counts) in cells.sorted(by: { $0.key < $1.key }) {
            let text = cell.region == last ? [] : Array(cell.region.text.utf8)
            bytes.append(UInt8(clamping: text.count))
            bytes += text
            bytes.append(cell.sex.rawValue * UInt8(AgeBand.all.count) + cell.band.number)
            bytes += Self.encoded(counts: counts)
            last = cell.region
        }
        return bytes
    }

    /// nil for bytes that ``encoded(_:)`` did not make.
    static func decoded(_ bytes: [UInt8]) -> [GroupCell: [Int64]]? {
        var reader = Reader(bytes: bytes), cells: [GroupCell: [Int64]] = [:], region: RegionCode?
        guard reader.byte() == version else { return nil }
        while !reader.isAtEnd {
            guard let length = reader.byte(), let text = reader.text(Int(length)) else { return nil }
            if length > 0 { region = RegionCode(text) }
            guard let region, let cell = reader.byte(), let sex = CellSex(rawValue: cell / UInt8(AgeBand.all.count)),
                let counts = reader.counts()
            else { return nil }
            cells[GroupCell(sex, AgeBand.all[Int(cell) % AgeBand.all.count], region)] = counts
        }
        return cells
    }

    static func encoded(counts: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        for count in counts {
            var left = UInt64(bitPattern: (count << 1) ^ (count >> 63))
            while left >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: left) | 0x80)
                left >>= 7
            }
            bytes.append(UInt8(left))
        }
        return bytes
    }

    /// nil for what is not the counts of 16 classes.
    static func decoded(counts bytes: [UInt8]) -> [Int64]? {
        var reader = Reader(bytes: bytes)
        guard let counts = reader.counts(), reader.isAtEnd else { return nil }
        return counts
    }

    private struct Reader {
        let bytes: [UInt8]
        var offset = 0

        var isAtEnd: Bool { offset == bytes.count }

        mutating func byte() -> UInt8? {
            guard offset < bytes.count else { return nil }
            defer { offset += 1 }
            return bytes[offset]
        }

        mutating func text(_ length: Int) -> String? {
            guard bytes.count - offset >= length else { return nil }
            defer { offset += length }
            return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        }

        mutating func counts() -> [Int64]? {
            var counts: [Int64] = []
            counts.reserveCapacity(GroupBins.count)
            while counts.count < GroupBins.count {
                guard let number = number() else { return nil }
                counts.append(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
            }
            return counts
        }

        private mutating func number() -> UInt64? {
            var number: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard let byte = byte() else { return nil }
                number |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return number }
            }
            return nil
        }
    }
}
