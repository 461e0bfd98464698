import Exchange
import Foundation
import Groups
import Vitals

/// Answers about groups as pictures without script: bars with a line for each interval, and means over the windows. As wide as the page; texts keep
/// their size on every screen.
struct GroupDrawing {
    /// One figure with its interval.
    struct Point {
        let name: String
        let estimate: Estimate
    }

    let points: [Point]
    /// For counts, which are compared by the heights of their bars.
    let isFromZero: Bool
    /// A value of the axis in words.
    let number: (Double) -> String
    /// Texts at the lower axis, by the number of the point that they stand at.
    let marks: [(point: Int, text: String)]

    /// Pixels, and the share of the width that the texts of the axis have.
    private static let top = 12.0, height = 200.0, allHeight = 240.0, margin = 10.0

    private var scale: HealthScale {
        HealthScale(points.map(\.estimate.low).min() ?? 0, points.map(\.estimate.high).max() ?? 0, isFromZero: isFromZero)
    }

    /// - Parameter label: what it is, for who does not see it; the figures stand in a table beside it.
    func svg(label: String) -> String {
        let scale = scale
        return """
            <svg class="healthplot groupplot" width="100%" height="\(Int(Self.allHeight))" role="img" aria-label="\(label.escapedForXML)" \
            data-points="\(places(scale))">\(axis(scale))\(points.indices.map { drawn($0, scale) }.joined())\(texts)</svg>
            """
    }

    /// Where each point is, for the script that reads it out: beginning and end in thousandths of the width, and how far down in pixels.
    private func places(_ scale: HealthScale) -> String {
        let width = (1000 - 10 * Self.margin) / Double(max(1, points.count))
        return points.enumerated().map { index, point in
            let left = 10 * Self.margin + width * Double(index)
            return "\(Int(left.rounded())),\(Int((left + width).rounded())),\(Self.y(point.estimate.value, scale))"
        }.joined(separator: " ")
    }

    private func axis(_ scale: HealthScale) -> String {
        scale.marks.map { value in
            let y = Self.y(value, scale)
            return """
                <line class="grid" x1="0" x2="100%" y1="\(y)" y2="\(y)"/><text x="0" y="\(Self.pixels(Self.y(value, scale), -3))">\
                \(number(value).escapedForXML)</text>
                """
        }.joined()
    }

    private func drawn(_ index: Int, _ scale: HealthScale) -> String {
        let estimate = points[index].estimate, width = (100 - Self.margin) / Double(points.count),
            left = Self.margin + width * Double(index)
        let middle = Self.percent(left + width / 2), title = "<title>\(points[index].name.escapedForXML)</title>"
        let y = Self.y(estimate.value, scale), bottom = Self.y(scale.bottom, scale)
        var body = "<circle class=\"point\" cx=\"\(middle)\" cy=\"\(y)\" r=\"4\"/>"
        if isFromZero {
            let (from, broad) = (Self.percent(left + width * 0.1), Self.percent(width * 0.8)), tall = Self.pixels(bottom, -(Double(y) ?? 0))
            body = "<rect class=\"bar\" x=\"\(from)\" width=\"\(broad)\" y=\"\(y)\" height=\"\(tall)\"/>"
        }
        let (low, high) = (Self.y(estimate.low, scale), Self.y(estimate.high, scale))
        let ends = [low, high].map { end in
            let (from, to) = (Self.percent(left + width * 0.35), Self.percent(left + width * 0.65))
            return "<line class=\"whisker\" x1=\"\(from)\" x2=\"\(to)\" y1=\"\(end)\" y2=\"\(end)\"/>"
        }
        return
            "<g>\(title)\(body)<line class=\"whisker\" x1=\"\(middle)\" x2=\"\(middle)\" y1=\"\(low)\" y2=\"\(high)\"/>\(ends.joined())</g>"
    }

    private var texts: String {
        let width = (100 - Self.margin) / Double(max(1, points.count))
        return marks.map { mark in
            let x = Self.margin + width * (Double(mark.point) + (isFromZero ? 0 : 0.5)), anchor = x > 90 ? "end" : "middle"
            return
                "<text x=\"\(Self.percent(x))\" y=\"\(Int(Self.allHeight) - 8)\" text-anchor=\"\(anchor)\">"
                + "\(mark.text.escapedForXML)</text>"
        }.joined()
    }

    private static func y(_ value: Double, _ scale: HealthScale) -> String {
        String(format: "%.1f", top + height * (scale.top - min(max(value, scale.bottom), scale.top)) / (scale.top - scale.bottom))
    }

    private static func pixels(_ text: String, _ more: Double) -> String { String(format: "%.1f", max(0, (Double(text) ?? 0) + more)) }

    private static func percent(_ value: Double) -> String { String(format: "%.2f%%", value) }
}
