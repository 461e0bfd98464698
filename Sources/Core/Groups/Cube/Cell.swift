public import Accounts

/// The sex of a profile. Everybody is in one of three.
public enum CellSex: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    case female = 0
    case male = 1
    case other = 2

    public static func < (one: CellSex, other: CellSex) -> Bool { one.rawValue < other.rawValue }
}

/// Five years of age: band 6 is 30 to 34, the last has no end.
public struct AgeBand: Sendable, Hashable, Comparable {
    /// 0 to ``last``.
    public let number: UInt8

    public static let years = 5
    /// 100 years and more.
    public static let last: UInt8 = 20

    public static let all: [AgeBand] = (0...last).map(AgeBand.init(number:))

    private init(number: UInt8) { self.number = number }

    /// Of an age in whole years; below 0 counts as 0.
    public init(age: Int) { number = UInt8(clamping: min(Int(Self.last), max(0, age) / Self.years)) }

    /// The first year of age in it.
    public var from: Int { Int(number) * Self.years }

    /// The last year of age in it; nil for the last band.
    public var through: Int? { number == Self.last ? nil : from + Self.years - 1 }

    public static func < (one: AgeBand, other: AgeBand) -> Bool { one.number < other.number }
}

/// A base cell of the cube: cells of one level do not overlap.
public struct GroupCell: Sendable, Hashable, Comparable {
    public let sex: CellSex
    public let band: AgeBand
    public let region: RegionCode

    public init(_ sex: CellSex, _ band: AgeBand, _ region: RegionCode) { (self.sex, self.band, self.region) = (sex, band, region) }

    public static func < (one: GroupCell, other: GroupCell) -> Bool {
        (one.region, one.sex, one.band) < (other.region, other.sex, other.band)
    }
}
