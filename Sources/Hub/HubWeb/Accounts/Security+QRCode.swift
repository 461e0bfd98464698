/// A QR code (ISO/IEC 18004) of one of two sizes, at level L, of bytes, with mask 0.
/// Phones read any mask; weighing all eight makes a code easier to read off worn paper, not off a screen. By hand: libraries draw pictures, and a page
/// takes SVG.
struct QRCode {
    /// How large it is.
    struct Version {
        /// Modules a side.
        let side: Int
        let bytesMax: Int
        /// Bytes of each block, each with 18 for correction (table 9).
        fileprivate let blocks: [Int]
        /// Middles of the small squares, by row and column (annex E).
        fileprivate let squares: [Int]
        /// Hexadecimal digits of the count (table 3).
        fileprivate let countDigits: Int
        /// The version's own bits (annex D); nil where there are none.
        fileprivate let bits: Int?

        /// Version 6, which an `otpauth:` address needs.
        static let small = Version(side: 41, bytesMax: 134, blocks: [68, 68], squares: [34], countDigits: 2, bits: nil)
        /// Version 10, for the settings of a phone's app.
        static let large = Version(
            side: 57, bytesMax: 271, blocks: [68, 68, 69, 69], squares: [6, 28, 50], countDigits: 4, bits: 0x0A4D3)
    }

    private static let correctionBytes = 18

    let version: Version
    /// By row and column; true is dark.
    private(set) var modules: [[Bool]]
    private var isFixed: [[Bool]]

    private var side: Int { version.side }

    /// nil for a text of more bytes than the version takes.
    init?(_ text: String, _ version: Version = .small) {
        let bytes = Array(text.utf8)
        guard bytes.count <= version.bytesMax else { return nil }
        self.version = version
        modules = [[Bool]](repeating: [Bool](repeating: false, count: version.side), count: version.side)
        isFixed = modules
        drawPatterns()
        drawVersion()
        drawFormat()
        draw(Self.codewords(bytes, version))
    }

    /// The dark modules as an SVG path, one unit each.
    var path: String {
        var path = ""
        for (row, line) in modules.enumerated() {
            for (column, isDark) in line.enumerated() where isDark { path += "M\(column) \(row)h1v1h-1z" }
        }
        return path
    }

    // MARK: Bytes

    private static func codewords(_ bytes: [UInt8], _ version: Version) -> [UInt8] {
        // Mode "bytes" in four bits, the count, and four zeros at the end: everything is shifted by half a byte.
        let digits = (0..<version.countDigits).reversed().map { UInt8(bytes.count >> (4 * $0) & 15) }
        var halves: [UInt8] = [4] + digits
        for byte in bytes { halves += [byte >> 4, byte & 15] }
        halves.append(0)
        var data: [UInt8] = stride(from: 0, to: halves.count, by: 2).map { halves[$0] << 4 | halves[$0 + 1] }
        let used = data.count
        while data.count < version.blocks.reduce(0, +) { data.append((data.count - used) % 2 == 0 ? 0xEC : 0x11) }
        var blocks: [[UInt8]] = []
        for count in version.blocks {
            blocks.append(Array(data.prefix(count)))
            data.removeFirst(count)
        }
        let corrections = blocks.map(correction)
        var all: [UInt8] = []
        for index in 0..<(version.blocks.max() ?? 0) { all += blocks.filter { index < $0.count }.map { $0[index] } }
        for index in 0..<correctionBytes { all += corrections.map { $0[index] } }
        return all
    }

    /// The remainder of the block's polynomial by the generator's (section 7.5), over GF(256).
    private static func correction(_ block: [UInt8]) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: correctionBytes)
        for byte in block {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices { remainder[index] ^= product(generator[index], factor) }
        }
        return remainder
    }

    /// (x - 1)(x - 2)(x - 4)… without its first coefficient, which is 1.
    private static let generator: [UInt8] = {
        var coefficients: [UInt8] = [1], root: UInt8 = 1
        for _ in 0..<correctionBytes {
            let shifted = coefficients + [0], scaled = [0] + coefficients.map { product($0, root) }
            coefficients = zip(shifted, scaled).map { $0 ^ $1 }
            root = product(root, 2)
        }
        return Array(coefficients.dropFirst())
    }()

    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        (0..<8).reversed().reduce(0) { sum, bit in
            let doubled = sum << 1 ^ (sum & 0x80 != 0 ? 0x1D : 0)
            return right >> UInt8(bit) & 1 == 1 ? doubled ^ left : doubled
        }
    }

    // MARK: Modules

    private mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard modules.indices.contains(row), modules.indices.contains(column) else { return }
        modules[row][column] = isDark
        isFixed[row][column] = true
    }

    private mutating func drawPatterns() {
        let last = side - 1
        for index in 0...last {
            fix(6, index, index % 2 == 0)
            fix(index, 6, index % 2 == 0)
        }
        // Three squares in the corners with a light edge, and small ones where these are not.
        for (row, column) in [(3, 3), (3, last - 3), (last - 3, 3)] { drawRings(row, column, radius: 4, light: [2, 4]) }
        for row in version.squares {
            for column in version.squares where !isFixed[row][column] || (row == 6) != (column == 6) && max(row, column) < last - 8 {
                drawRings(row, column, radius: 2, light: [1])
            }
        }
    }

    private mutating func drawRings(_ row: Int, _ column: Int, radius: Int, light: Set<Int>) {
        for down in -radius...radius {
            for right in -radius...radius { fix(row + down, column + right, !light.contains(max(abs(down), abs(right)))) }
        }
    }

    /// Beside two of the corners, where there are more than six versions below.
    private mutating func drawVersion() {
        guard let bits = version.bits else { return }
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            fix(index / 3, side - 11 + index % 3, isDark)
            fix(side - 11 + index % 3, index / 3, isDark)
        }
    }

    /// Level L with mask 0 (table C.1), twice, and the one module that is always dark.
    private mutating func drawFormat() {
        let bits = (0..<15).map { 0b111_0111_1100_0100 >> $0 & 1 == 1 }
        for (index, bit) in bits.enumerated() {
            switch index {
            case 0...5: fix(index, 8, bit)
            case 6, 7: fix(index + 1, 8, bit)
            case 8: fix(8, 7, bit)
            default: fix(8, 14 - index, bit)
            }
            if index < 8 { fix(8, side - 1 - index, bit) } else { fix(side - 15 + index, 8, bit) }
        }
        fix(side - 8, 8, true)
    }

    /// Two columns at a time, from the right, up and down in turn; the timing column is left out (section 7.7.3).
    private mutating func draw(_ codewords: [UInt8]) {
        var bits: ArraySlice<Bool> = []
        for byte in codewords { bits += (0..<8).map { byte >> (7 - UInt8($0)) & 1 == 1 } }
        var goesUp = true
        for right in Array(stride(from: side - 1, to: 6, by: -2)) + [5, 3, 1] {
            for step in 0..<side {
                let row = goesUp ? side - 1 - step : step
                for column in [right, right - 1] where !isFixed[row][column] {
                    modules[row][column] = (bits.popFirst() ?? false) != ((row + column) % 2 == 0)
                }
            }
            goesUp.toggle()
        }
    }
}
