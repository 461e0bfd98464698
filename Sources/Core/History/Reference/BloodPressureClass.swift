/// The classes of office blood pressure of the 2018 ESC/ESH guidelines (section 3.2, table 3), for people from 16 years on. The higher of
/// the two pressures decides. At home the limit of hypertension is lower: 135/85 mm[Hg] (table 9).
public enum BloodPressureClass: String, Sendable, Hashable, CaseIterable, Comparable {
    case optimal, normal, highNormal, grade1, grade2, grade3
    /// 140 or more over less than 90.
    case isolatedSystolic

    /// Least age in full years.
    public static let ageMin = 16

    /// Pressures at which each class begins, mm[Hg].
    private static let starts: [(BloodPressureClass, systolic: Int64, diastolic: Int64)] = [
        (.grade3, 180, 110), (.grade2, 160, 100), (.grade1, 140, 90), (.highNormal, 130, 85), (.normal, 120, 80),
    ]

    /// - Parameters:
    ///   - systolic: mm[Hg], 20 to 350.
    ///   - diastolic: mm[Hg], 10 to 250, never above the systolic.
    /// - Returns: nil for pressures outside of that.
    public init?(systolic: Int64, diastolic: Int64) {
        guard (20...350).contains(systolic), (10...250).contains(diastolic), diastolic <= systolic else { return nil }
        if systolic >= 140, diastolic < 90 {
            self = .isolatedSystolic
            return
        }
        self = Self.starts.first { systolic >= $0.systolic || diastolic >= $0.diastolic }?.0 ?? .optimal
    }

    /// Hypertension, of any grade, is above the reference.
    public var place: ReferenceRange.Place { self >= .grade1 ? .above : .within }

    public static let source = ReferenceSource.escESH2018

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: BloodPressureClass, right: BloodPressureClass) -> Bool { left.rank < right.rank }
}
