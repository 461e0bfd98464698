/// A social security number of the United States. It has no check digit: only its form is checked.
public struct SocialSecurityNumber: Sendable, Hashable, CustomStringConvertible {
    /// 9 digits: 3 of the area, 2 of the group, 4 of the serial number.
    public let digits: String

    public var description: String { digits }

    private static let length = 9
    /// Kept for other kinds of numbers.
    private static let neverIssued = 900...999

    /// - Throws: ``FieldError`` `.characters`, `.formSocialSecurityNumber`, `.notAssigned` for an area of 000, 666 or 900 to 999, a group of
    ///   00 or a serial number of 0000.
    public init(_ text: String) throws(FieldError) {
        let wrong = FieldError(.formSocialSecurityNumber)
        let bytes: [UInt8]
        do { bytes = try Normalisation.compact(text, maximum: Self.length) } catch { throw error.code == .tooLong ? wrong : error }
        let values = bytes.compactMap(\.digit)
        guard bytes.count == Self.length, values.count == bytes.count else { throw wrong }
        func number(_ range: Range<Int>) -> Int { values[range].reduce(0) { $0 * 10 + $1 } }
        let area = number(0..<3)
        guard area != 0, area != 666, !Self.neverIssued.contains(area), number(3..<5) != 0, number(5..<9) != 0 else {
            throw FieldError(.notAssigned)
        }
        digits = String(decoding: bytes, as: UTF8.self)
    }
}
