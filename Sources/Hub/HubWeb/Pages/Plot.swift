import Foundation
import Vitals

/// A line over time as a picture that needs no script: what `plot.mustache` draws.
struct Plot {
    let name: String
    let unit: String
    /// In the order of time.
    let points: [(time: Milliseconds, value: Double)]

    private static let width = 600.0, height = 180.0, edge = 6.0

    /// nil for less than two points.
    func model(_ texts: Texts) -> PlotPart? {
        guard let first = points.first, let last = points.last, last.time > first.time,
            let low = points.map(\.value).min(), let high = points.map(\.value).max()
        else { return nil }
        let span = Double(last.time - first.time), range = high > low ? high - low : 1
        let line = points.map { point in
            let x = Self.edge + Double(point.time - first.time) / span * (Self.width - 2 * Self.edge)
            let y = Self.height - Self.edge - (point.value - low) / range * (Self.height - 2 * Self.edge)
            return String(format: "%.1f,%.1f", x, y)
        }.joined(separator: " ")
        let values = ["low": texts.decimal(low), "high": texts.decimal(high), "unit": unit]
        let said = texts.filled("plot.range", values)
        return PlotPart(
            name: name, line: line, from: texts.instant(first.time), to: texts.instant(last.time), range: said, label: "\(name). \(said)")
    }
}

extension Texts {
    /// With the language's mark, and at most so many digits behind it.
    func decimal(_ value: Double, _ digits: Int = 3) -> String {
        value.formatted(.number.precision(.fractionLength(0...digits)).locale(Locale(identifier: lang)))
    }
}

/// As `plot.mustache` shows it.
struct PlotPart: TemplateModel {
    /// `line` is as `<polyline points>` takes it.
    let name: String, line: String, from: String, to: String, range: String, label: String
}
