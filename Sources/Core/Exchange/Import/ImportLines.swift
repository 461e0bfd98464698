/// Cuts a text that comes in pieces into its lines.
struct ImportLines: Sendable {
    private let bytesMax: Int
    /// Whether a line end between quotation marks is part of a field (RFC 4180).
    private let isCSV: Bool
    private var line: [UInt8] = []
    private var isQuoted = false, isDropped = false
    private var count = 0
    /// The number of the line that was given last, counted from 1.
    private(set) var number = 0
    private(set) var tooLong = 0

    init(bytesMax: Int, isCSV: Bool) { (self.bytesMax, self.isCSV) = (bytesMax, isCSV) }

    /// Takes bytes, and gives the lines that are complete, without their ends.
    mutating func add(_ bytes: [UInt8], _ take: (_ line: [UInt8], _ number: Int) -> Void) {
        for byte in bytes {
            guard byte == 0x0A, !isQuoted else {
                if isCSV, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                if byte == 0x0A { count += 1 }
                if line.count < bytesMax {
                    line.append(byte)
                } else {
                    // A quotation mark was lost, or it is no such file.
                    (isDropped, isQuoted) = (true, false)
                }
                continue
            }
            count += 1
            end(take)
        }
    }

    /// Gives the last line, if it has no end.
    mutating func finish(_ take: (_ line: [UInt8], _ number: Int) -> Void) {
        if !line.isEmpty { count += 1 }
        end(take)
    }

    private mutating func end(_ take: (_ line: [UInt8], _ number: Int) -> Void) {
        number = count
        if line.last == 0x0D { line.removeLast() }
        if isDropped { tooLong += 1 } else if !line.isEmpty { take(line, count) }
        line.removeAll(keepingCapacity: true)
        (isDropped, isQuoted) = (false, false)
    }

    /// The fields of a line of CSV.
    static func fields(_ line: [UInt8]) -> [ArraySlice<UInt8>] {
        let quote = UInt8(ascii: "\"")
        guard line.contains(quote) else { return line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) }
        var fields: [ArraySlice<UInt8>] = [], field: [UInt8] = [], isQuoted = false, at = 0
        while at < line.count {
            let byte = line[at]
            at += 1
            if byte == quote, isQuoted, at < line.count, line[at] == quote {
                field.append(quote)
                at += 1
            } else if byte == quote {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                fields.append(field[...])
                field = []
            } else {
                field.append(byte)
            }
        }
        return fields + [field[...]]
    }
}
