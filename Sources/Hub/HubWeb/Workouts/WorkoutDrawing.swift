import Exchange
import Foundation
import HubServices
import Runs
import Workouts

/// Maps and curves of workouts as SVG. What is drawn has the classes of `workouts.css`.
struct WorkoutDrawing {
    /// Places on a plane, in units of a drawing.
    struct Plane {
        let width: Double, height: Double
        private let first: CoursePoint
        private let squeeze: Double, scale: Double, left: Double, top: Double

        /// Units along the longer side, and around what is drawn.
        static let size = 1000.0, edge = 40.0

        /// - Parameter isSquare: whether the drawing is as high as it is wide.
        /// - Returns: nil without places.
        init?(_ points: some Collection<CoursePoint>, isSquare: Bool) {
            guard let first = points.first else { return nil }
            self.first = first
            let squeeze = max(0.01, cos(Double(first.latitude) / 1e7 * .pi / 180))
            self.squeeze = squeeze
            let flat = points.map { Self.flat($0, first, squeeze) }
            let xs = flat.map(\.x), ys = flat.map(\.y)
            let low = (x: xs.min() ?? 0, y: ys.min() ?? 0), high = (x: xs.max() ?? 0, y: ys.max() ?? 0)
            // 100 m at least, so that who stood still is no scribble.
            let across = max(high.x - low.x, high.y - low.y, 0.0009), inner = Self.size - 2 * Self.edge
            scale = inner / across
            width = isSquare ? Self.size : max((high.x - low.x) * scale + 2 * Self.edge, Self.size / 2)
            height = isSquare ? Self.size : max((high.y - low.y) * scale + 2 * Self.edge, Self.size / 2)
            left = width / 2 - (low.x + high.x) / 2 * scale
            top = height / 2 - (low.y + high.y) / 2 * scale
        }

        /// Degrees of latitude east and south of the first place, also over 180 degrees.
        private static func flat(_ point: CoursePoint, _ first: CoursePoint, _ squeeze: Double) -> (x: Double, y: Double) {
            var east = Double(point.longitude) - Double(first.longitude)
            if east > 1.8e9 { east -= 3.6e9 }
            if east < -1.8e9 { east += 3.6e9 }
            return (east / 1e7 * squeeze, (Double(first.latitude) - Double(point.latitude)) / 1e7)
        }

        func place(_ point: CoursePoint) -> (x: Int, y: Int) {
            let flat = Self.flat(point, first, squeeze)
            return (Int((left + flat.x * scale).rounded()), Int((top + flat.y * scale).rounded()))
        }

        /// Units that a length in metres takes.
        func units(_ metres: Double) -> Double { metres / 111_195 * scale }

        func line(_ points: [CoursePoint]) -> String {
            "M" + points.map { "\(place($0).x) \(place($0).y)" }.joined(separator: "L")
        }
    }

    /// A small map for a list. What it shows stands beside it in words.
    static func sketch(_ pieces: [[CoursePoint]]) -> String? {
        guard let plane = Plane(pieces.joined().map(\.self), isSquare: true) else { return nil }
        let lines = pieces.map(plane.line).joined()
        return "<svg class=\"worksketch\" viewBox=\"0 0 1000 1000\" aria-hidden=\"true\"><path d=\"\(lines)\"/></svg>"
    }

    /// A map in colours.
    static func map(_ colours: TrackColours, _ plane: Plane, label: String, number: (Int) -> String) -> String {
        let paths = colours.pieces.map { piece in
            "<path class=\"\(piece.bin.map { "bin\($0)" } ?? "nobin")\" d=\"\(plane.line(piece.points))\"/>"
        }.joined()
        var ends = ""
        if let last = colours.pieces.last?.points.last.map(plane.place) {
            ends += "<rect class=\"workend\" x=\"\(last.x - 11)\" y=\"\(last.y - 11)\" width=\"22\" height=\"22\"/>"
        }
        if let first = colours.pieces.first?.points.first.map(plane.place) {
            ends += "<circle class=\"workstart\" cx=\"\(first.x)\" cy=\"\(first.y)\" r=\"13\"/>"
        }
        let width = Int(plane.width.rounded(.up)), height = Int(plane.height.rounded(.up))
        return """
            <svg class="workmap" id="workMap" viewBox="0 0 \(width) \(height)" role="img" aria-label="\(label.escapedForXML)">\
            \(paths)\(ends)\(bar(plane, height: height, number))</svg>
            """
    }

    /// A scale: a round number of metres, a fifth of the map at most.
    private static func bar(_ plane: Plane, height: Int, _ number: (Int) -> String) -> String {
        let lengths = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]
        guard let length = lengths.last(where: { plane.units(Double($0)) <= plane.width / 4 }) else { return "" }
        let end = Int(20 + plane.units(Double(length))), y = height - 16
        return """
            <path class="workscale" d="M20 \(y - 10)V\(y)H\(end)V\(y - 10)"/>\
            <text x="\(end + 12)" y="\(y)">\(number(length).escapedForXML)</text>
            """
    }

    // MARK: Curves

    /// Units of a curve.
    static let curveWidth = 1000.0, curveHeight = 200.0

    struct Scale {
        /// What stands at the bottom and at the top.
        let bottom: Double, top: Double

        /// - Parameter isFlipped: whether less is higher, as with a pace.
        init?(_ values: [Double], isFlipped: Bool, least: Double) {
            let sorted = values.sorted()
            guard let low = sorted.first, let last = sorted.last else { return nil }
            // A few steps at a crawl must not flatten all others.
            let high = isFlipped ? min(last, sorted[sorted.count * 95 / 100] * 1.25) : last
            let pad = max(0, least - (high - low)) / 2
            (bottom, top) = isFlipped ? (high + pad, low - pad) : (low - pad, high + pad)
        }

        func y(_ value: Double) -> Int {
            let share = top == bottom ? 0.5 : (value - bottom) / (top - bottom)
            return Int(((1 - min(1, max(0, share))) * curveHeight).rounded())
        }
    }

    /// A line with gaps where nothing is known. A point between two gaps is a dot.
    private static func path(_ values: [Double?], _ scale: Scale) -> String {
        let step = curveWidth / Double(max(1, values.count))
        var path = "", isOpen = false
        for (index, value) in values.enumerated() {
            guard let value else {
                isOpen = false
                continue
            }
            let x = Int((step * (Double(index) + 0.5)).rounded()),
                isAlone = !isOpen && (index + 1 == values.count || values[index + 1] == nil)
            path += "\(isOpen ? "L" : "M")\(x) \(scale.y(value))\(isAlone ? "h0" : "")"
            isOpen = true
        }
        return path
    }

    /// Lines on one scale, all of as many values.
    static func curves(
        _ lines: [(name: String, values: [Double?])], _ scale: Scale, label: String, marks: (String, String)
    ) -> String {
        let paths = lines.map { "<path class=\"\($0.name)\" d=\"\(path($0.values, scale))\"/>" }.joined()
        return """
            <svg class="workcurve" width="100%" height="120" role="img" aria-label="\(label.escapedForXML)">\
            <line class="grid" x1="0" x2="100%" y1="18" y2="18"/><line class="grid" x1="0" x2="100%" y1="118" y2="118"/>\
            <svg y="18" width="100%" height="100" viewBox="0 0 1000 200" preserveAspectRatio="none">\
            \(paths)</svg>\
            <text x="2" y="13">\(marks.1.escapedForXML)</text><text x="2" y="112">\(marks.0.escapedForXML)</text></svg>
            """
    }

    /// Bars beside each other, 0 at the bottom.
    static func bars(_ values: [Double], label: String) -> String {
        let most = max(values.max() ?? 0, 1), step = curveWidth / Double(max(1, values.count))
        let rects = values.enumerated().map { index, value in
            let height = Int((value / most * curveHeight).rounded()), x = Int((step * (Double(index) + 0.1)).rounded())
            return "M\(x) 200v\(-height)h\(Int((step * 0.8).rounded()))v\(height)z"
        }.joined()
        return """
            <svg class="workbars" width="100%" height="120" viewBox="0 0 1000 200" preserveAspectRatio="none" role="img" \
            aria-label="\(label.escapedForXML)"><path class="bar" d="\(rects)"/></svg>
            """
    }
}
