import Foundation
import History
import HubServices
import Vitals

/// The heart rates of a day as a small picture: a band from the lowest to the highest of ten minutes, and their mean as a line. Where nothing
/// was measured there is a gap.
struct TodayCurve {
    let points: [HistoryService.Point]
    let span: HealthSpan

    private static let width = 1440.0, height = 200.0
    /// Hours between two lines, and pixels.
    private static let step = 6, drawn = 88, all = 108

    private var low: Int64 { points.compactMap(\.rollup.minimum).min() ?? 0 }
    private var high: Int64 { points.compactMap(\.rollup.maximum).max() ?? 0 }

    /// The lowest and the highest of the day; nil where there is none.
    var range: (low: Int64, high: Int64)? { points.isEmpty ? nil : (low, high) }

    /// - Parameters:
    ///   - label: what it is, for who does not see it; without marks of XML.
    ///   - clock: a time of the axis in words.
    func svg(label: String, clock: (Milliseconds) -> String) -> String {
        let hours = stride(from: span.from, to: span.to, by: Self.step * 3_600_000)
        let marks = hours.map { time -> String in
            let at = String(format: "%.1f%%", x(time) / Self.width * 100), anchor = time == span.from ? "start" : "middle"
            return """
                <line class="grid" x1="\(at)" x2="\(at)" y1="0" y2="\(Self.drawn)"/>\
                <text x="\(at)" y="\(Self.all - 4)" text-anchor="\(anchor)">\(clock(time))</text>
                """
        }
        return """
            <svg class="homecurve" width="100%" height="\(Self.all)" role="img" aria-label="\(label)">\(marks.joined())\
            <svg width="100%" height="\(Self.drawn)" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" preserveAspectRatio="none">\
            \(paths)</svg></svg>
            """
    }

    private func x(_ time: Milliseconds) -> Double {
        Double(time - span.from) / Double(max(1, span.to - span.from)) * Self.width
    }

    private func y(_ value: Double) -> Int {
        // Not closer than 20 beats, so that a quiet hour is no mountain.
        let middle = Double(low + high) / 2, half = max(10, Double(high - low) / 2)
        return Int((Self.height * (0.5 - (value - middle) / half * 0.46)).rounded())
    }

    /// Points between which there is no gap.
    private var runs: [[HistoryService.Point]] {
        points.reduce(into: []) { runs, point in
            if let last = runs.last?.last, last.time + TodayReading.bucket == point.time {
                runs[runs.count - 1].append(point)
            } else {
                runs.append([point])
            }
        }
    }

    private var paths: String {
        var band = "", line = ""
        for run in runs {
            let shown = run.compactMap { point -> (left: Int, right: Int, low: Int, mean: Int, high: Int)? in
                let rollup = point.rollup
                guard let low = rollup.minimum, let high = rollup.maximum, let mean = rollup.mean else { return nil }
                return (
                    Int(x(point.time).rounded()), Int(x(point.time + TodayReading.bucket).rounded()), y(Double(low)), y(mean),
                    y(Double(high))
                )
            }
            guard let first = shown.first else { continue }
            band += "M\(first.left) \(first.low)" + shown.map { "V\($0.high)H\($0.right)" }.joined()
            band += shown.reversed().map { "V\($0.low)H\($0.left)" }.joined() + "z"
            // A single one is a dash.
            line +=
                shown.count == 1
                ? "M\(first.left) \(first.mean)H\(first.right)"
                : "M" + shown.map { "\(($0.left + $0.right) / 2) \($0.mean)" }.joined(separator: "L")
        }
        return "<path class=\"band\" d=\"\(band)\"/><path class=\"mean\" d=\"\(line)\"/>"
    }
}
