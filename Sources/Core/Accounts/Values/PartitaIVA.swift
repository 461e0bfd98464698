/// An Italian VAT number: 11 digits, the last of which checks the others (the algorithm of Luhn). Any one wrong digit is found, and of
/// swapped neighbours all but 09 for 90.
public struct PartitaIVA: Sendable, Hashable, CustomStringConvertible {
    /// 11 digits.
    public let digits: String

    public var description: String { digits }

    private static let length = 11

    /// Without the country's prefix.
    /// - Throws: ``FieldError`` `.characters`, `.formPartitaIVA`, `.notAssigned` for zeros alone, `.checkDigit`.
    public init(_ text: String) throws(FieldError) {
        let bytes: [UInt8]
        do { bytes = try Normalisation.compact(text, maximum: Self.length) } catch {
            throw error.code == .tooLong ? FieldError(.formPartitaIVA) : error
        }
        let values = bytes.compactMap(\.digit)
        guard bytes.count == Self.length, values.count == bytes.count else { throw FieldError(.formPartitaIVA) }
        guard values.contains(where: { $0 != 0 }) else { throw FieldError(.notAssigned) }
        let sum = values.enumerated().reduce(0) { sum, item in
            guard !item.offset.isMultiple(of: 2) else { return sum + item.element }
            let double = 2 * item.element
            return sum + (double > 9 ? double - 9 : double)
        }
        guard sum.isMultiple(of: 10) else { throw FieldError(.checkDigit) }
        digits = String(decoding: bytes, as: UTF8.self)
    }
}
