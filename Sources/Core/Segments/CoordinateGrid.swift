import Vitals

/// The steps on which all latitudes and longitudes of a column lie.
///
/// Receivers that speak NMEA 0183 give degrees and minutes with four or five decimals. In 1e-7 degrees those steps are 50/3 and 5/3 wide:
/// numbered, they need 4.1 and 0.7 bits less than the coordinates that they became.
enum CoordinateGrid: UInt64 {
    /// 1e-7 degrees: the coordinate itself.
    case degree = 0
    /// 1e-4 minutes.
    case fourDecimals = 1
    /// 1e-5 minutes.
    case fiveDecimals = 2

    /// The coarsest grid on which all coordinates lie.
    init(of samples: UnsafeBufferPointer<PositionSample>) {
        if samples.allSatisfy({ Self.fourDecimals.holds($0) }) {
            self = .fourDecimals
        } else {
            self = samples.allSatisfy { Self.fiveDecimals.holds($0) } ? .fiveDecimals : .degree
        }
    }

    private func holds(_ sample: PositionSample) -> Bool {
        coordinate(at: index(of: sample.latitude)) == Int64(sample.latitude)
            && coordinate(at: index(of: sample.longitude)) == Int64(sample.longitude)
    }

    /// The step nearest to a coordinate.
    @inline(__always)
    func index(of coordinate: Int32) -> Int64 {
        switch self {
        case .degree: Int64(coordinate)
        case .fourDecimals: Self.floor(Int64(coordinate) * 6 + 50, dividedBy: 100)
        case .fiveDecimals: Self.floor(Int64(coordinate) * 6 + 5, dividedBy: 10)
        }
    }

    /// The coordinate nearest to a step, in 1e-7 degrees. Any step is allowed: far too large ones wrap around.
    @inline(__always)
    func coordinate(at index: Int64) -> Int64 {
        switch self {
        case .degree: index
        case .fourDecimals: Self.floor(index &* 100 &+ 3, dividedBy: 6)
        case .fiveDecimals: Self.floor(index &* 10 &+ 3, dividedBy: 6)
        }
    }

    @inline(__always)
    private static func floor(_ value: Int64, dividedBy divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
