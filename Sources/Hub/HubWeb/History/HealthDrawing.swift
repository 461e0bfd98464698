import Exchange
import Foundation
import History
import Vitals

/// The marks of an axis of values: steps of 1, 2 or 5 times a power of ten.
struct HealthScale: Hashable {
    let bottom: Double, top: Double, step: Double

    /// - Parameter isFromZero: for amounts, which are compared by the heights of their bars.
    init(_ low: Double, _ high: Double, isFromZero: Bool) {
        let low = isFromZero ? min(0, low) : low
        let range = high > low ? high - low : max(1, abs(high) / 10)
        let power = pow(10, (log10(range / 4)).rounded(.down))
        step = ([1, 2, 5].first { $0 * power >= range / 4 } ?? 10) * power
        bottom = (low / step).rounded(.down) * step
        top = max((high / step).rounded(.up) * step, bottom + step)
    }

    var marks: [Double] { (0...Int(((top - bottom) / step).rounded())).map { bottom + Double($0) * step } }
}

/// A plot as a picture without script: readings as a band from the lowest to the highest with the mean as a line, amounts and states as
/// bars. Where there is no point there is a gap. The time axis is as wide as the page: texts keep their size on every screen.
struct HealthDrawing {
    struct Mark {
        let time: Milliseconds
        let text: String
    }

    let kind: DataKind
    let measure: RollupRule.Measure
    let points: [HealthPoint]
    let span: HealthSpan
    let times: [Mark]
    /// A value of the axis in words.
    let number: (Double) -> String
    /// Lowest and highest value of the reference, in the kind's unit: drawn as lines, and means beyond them as marks.
    var limits: (low: Double?, high: Double?) = (nil, nil)

    /// Of the area in which points are drawn, in units that are stretched to the page; a tenth is left for the texts of the axis.
    private static let width = 2000.0, margin = 200.0
    /// Pixels.
    private static let top = 12.0, height = 200.0, allHeight = 240.0
    /// Of a bar's width, at each side.
    private static let gap = 0.1

    /// How near a limit is shown where all values lie within, in shares of their range: one further away would press them flat.
    private static let nearness = 0.5

    private var scale: HealthScale {
        var low = points.map(\.low).min() ?? 0, high = points.map(\.high).max() ?? 0
        let near = (high - low) * Self.nearness
        if let least = limits.low, (low - near..<low).contains(least) { low = least }
        if let most = limits.high, most > high, most <= high + near { high = most }
        return HealthScale(low, high, isFromZero: measure != .readings)
    }

    /// - Parameter label: what it is, for who does not see it.
    func svg(label: String) -> String {
        let scale = scale, content = measure == .readings ? band(scale) : bars(scale)
        return """
            <svg class="healthplot" width="100%" height="\(Int(Self.allHeight))" role="img" aria-label="\(label.escapedForXML)" \
            data-from="\(span.from)" data-to="\(span.to)" data-left="\(Int(Self.margin / 2))" data-points="\(places(scale))">\
            \(axes(scale))\(lines(scale))<svg x="0" y="\(Int(Self.top))" width="100%" height="\(Int(Self.height))" \
            viewBox="0 0 \(Int(Self.width)) \(Int(Self.height * 2))" preserveAspectRatio="none">\(content)</svg></svg>
            """
    }

    /// Where each point is, for the script that reads it out: beginning and end in thousandths of the width, and how far down in pixels.
    private func places(_ scale: HealthScale) -> String {
        points.map { point in
            let (begin, end) = (Int((x(point.begin) / 2).rounded()), Int((x(point.end) / 2).rounded()))
            return "\(begin),\(end),\(Int(Self.top) + Self.y(measure == .readings ? point.mean : point.high, scale) / 2)"
        }.joined(separator: " ")
    }

    // MARK: Axes

    private func lines(_ scale: HealthScale) -> String {
        [limits.low, limits.high].compactMap(\.self).filter { (scale.bottom...scale.top).contains($0) }.map { limit in
            let y = Int(Self.top) + Self.y(limit, scale) / 2
            return "<line class=\"limit\" x1=\"\(Int(Self.margin / 20))%\" x2=\"100%\" y1=\"\(y)\" y2=\"\(y)\"/>"
        }.joined()
    }

    private func axes(_ scale: HealthScale) -> String {
        let lines = scale.marks.map { value -> String in
            let y = Int((Self.top + Self.height * (scale.top - value) / (scale.top - scale.bottom)).rounded())
            return """
                <line class="grid" x1="0" x2="100%" y1="\(y)" y2="\(y)"/><text x="0" y="\(y - 3)">\(number(value).escapedForXML)</text>
                """
        }
        let marks = times.map { mark -> String in
            let share = x(mark.time) / Self.width * 100, at = String(format: "%.1f%%", share), anchor = share > 95 ? "end" : "middle"
            return """
                <line class="grid" x1="\(at)" x2="\(at)" y1="\(Int(Self.top))" y2="\(Int(Self.top + Self.height) + 4)"/>\
                <text x="\(at)" y="\(Int(Self.allHeight) - 8)" text-anchor="\(anchor)">\(mark.text.escapedForXML)</text>
                """
        }
        return (lines + marks).joined()
    }

    private func x(_ time: Milliseconds) -> Double {
        let share = Double(time - span.from) / Double(max(1, span.to - span.from))
        return Self.margin + min(1, max(0, share)) * (Self.width - Self.margin)
    }

    /// Twice as fine as pixels.
    private static func y(_ value: Double, _ scale: HealthScale) -> Int {
        Int((height * 2 * (scale.top - value) / (scale.top - scale.bottom)).rounded())
    }

    // MARK: Readings

    /// Points between which there is no gap.
    private var runs: [[HealthPoint]] {
        points.reduce(into: []) { runs, point in
            if let last = runs.last?.last, last.end == point.begin {
                runs[runs.count - 1].append(point)
            } else {
                runs.append([point])
            }
        }
    }

    private func band(_ scale: HealthScale) -> String {
        var area = "", line = "", dots = ""
        for run in runs {
            area += outline(run, scale)
            let middles = run.map { (x: Int(((x($0.begin) + x($0.end)) / 2).rounded()), y: Self.y($0.mean, scale)) }
            guard middles.count > 1 else {
                dots += middles.map { "M\($0.x) \($0.y)h0" }.joined()
                continue
            }
            line += "M" + middles.map { "\($0.x) \($0.y)" }.joined(separator: "L")
        }
        let out = points.filter(isOut).map { "M\(Int(((x($0.begin) + x($0.end)) / 2).rounded())) \(Self.y($0.mean, scale))h0" }.joined()
        return Self.path("band", area) + Self.path("mean", line) + Self.path("mean dots", dots) + Self.path("out", out)
    }

    /// Whether a point's mean lies beyond a limit.
    private func isOut(_ point: HealthPoint) -> Bool {
        limits.low.map { point.mean < $0 } == true || limits.high.map { point.mean > $0 } == true
    }

    /// Along the highest readings and back along the lowest.
    private func outline(_ run: [HealthPoint], _ scale: HealthScale) -> String {
        guard let first = run.first else { return "" }
        let there = run.map { "V\(Self.y($0.high, scale))H\(Int(x($0.end).rounded()))" }
        let back = run.reversed().map { "V\(Self.y($0.low, scale))H\(Int(x($0.begin).rounded()))" }
        return "M\(Int(x(first.begin).rounded())) \(Self.y(first.low, scale))" + there.joined() + back.joined() + "z"
    }

    private static func path(_ name: String, _ data: String) -> String {
        data.isEmpty ? "" : "<path class=\"\(name)\" d=\"\(data)\"/>"
    }

    // MARK: Bars

    private func bars(_ scale: HealthScale) -> String {
        guard measure == .seconds else {
            func path(_ name: String, _ points: some Sequence<HealthPoint>) -> String {
                Self.path(name, points.map { bar($0, from: 0, to: $0.high, scale) }.joined())
            }
            return path("bar", points.filter { !$0.isDerived }) + path("bar derived", points.filter(\.isDerived))
        }
        var paths: [Int: String] = [:]
        for point in points {
            var sum = 0.0
            for state in HealthPoint.drawn(point.states, of: kind) {
                paths[state.code, default: ""] += bar(point, from: sum, to: sum + state.hours, scale)
                sum += state.hours
            }
        }
        return paths.sorted { $0.key < $1.key }.map { Self.path("state\($0.key)", $0.value) }.joined()
    }

    private func bar(_ point: HealthPoint, from low: Double, to high: Double, _ scale: HealthScale) -> String {
        let (left, right) = (x(point.begin), x(point.end)), inset = (right - left) * Self.gap
        let (begin, end) = (Int((left + inset).rounded()), Int((right - inset).rounded()))
        return "M\(begin) \(Self.y(low, scale))V\(Self.y(high, scale))H\(max(end, begin + 1))V\(Self.y(low, scale))z"
    }
}
