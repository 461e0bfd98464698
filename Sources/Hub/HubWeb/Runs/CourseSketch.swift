import Foundation
import HubStore
import Runs

/// A course as a line on a plane, for `<polyline points>`.
struct CourseSketch {
    /// Where its middle is, and how large it may be.
    let x: Double, y: Double, width: Double, height: Double
    /// Digits behind the point.
    let digits: Int

    /// Empty without points.
    func points(_ points: [CoursePoint]) -> String {
        guard let area = RunArea(points) else { return "" }
        let narrow = max(cos(Double(area.middle.latitude) / 1e7 * .pi / 180), 0.01)
        let wide = max(Double(area.width) * narrow, 1), high = max(Double(Int64(area.north) - Int64(area.south)), 1)
        let scale = min(width / wide, height / high)
        return points.map { point in
            let east = (Double(area.offset(of: point.longitude)) * narrow - wide / 2) * scale
            let north = (Double(Int64(point.latitude) - Int64(area.south)) - high / 2) * scale
            return String(format: "%.\(digits)f,%.\(digits)f", x + east, y - north)
        }.joined(separator: " ")
    }
}
