import Exchange
import Foundation

/// Where somebody was, as a small still picture: a dot among the towns around it, by the ground of the maps. North is up.
struct PlacePicture {
    /// Degrees, WGS 84.
    let latitude: Double, longitude: Double
    /// Whether it is of now; an old one is drawn grey.
    let isFresh: Bool
    let towns: [GroundFile.Town]

    private static let width = 320.0, height = 150.0
    /// From the middle to the left and the right, metres.
    private static let reach = 16_000.0
    /// Of the line that shows the scale, metres.
    private static let scale = 5_000.0
    private static let namesMax = 7, letter = 6.2, line = 13.0

    private static var unit: Double { width / 2 / reach }

    private struct Dot {
        let town: GroundFile.Town
        let x: Double, y: Double
        /// As wide as its name may be.
        var box: (left: Double, right: Double, top: Double, bottom: Double) {
            let half = Double(town.name.count) * PlacePicture.letter / 2
            return (x - half, x + half, y - PlacePicture.line - 5, y + 3)
        }
    }

    /// - Parameters:
    ///   - label: what it is, for who does not see it.
    ///   - kilometres: what stands at the scale.
    func svg(label: String, kilometres: String) -> String {
        let middle = (x: Self.width / 2, y: Self.height / 2), length = Self.scale * Self.unit
        let names = shown.map { dot in
            let at = String(format: "cx=\"%.1f\" cy=\"%.1f\"", dot.x, dot.y)
            let text = String(format: "x=\"%.1f\" y=\"%.1f\"", dot.x, dot.y - 5)
            return "<circle class=\"town\" \(at) r=\"2.5\"/><text \(text) text-anchor=\"middle\">\(dot.town.name.escapedForXML)</text>"
        }
        let line = String(format: "M8 %.1fv4h%.1fv-4", Self.height - 12, length)
        return """
            <svg class="homeplace" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" aria-label="\(label.escapedForXML)">\
            \(names.joined())<path class="scale" d="\(line)"/>\
            <text x="\(Int(12 + length))" y="\(Int(Self.height - 8))">\(kilometres.escapedForXML)</text>\
            <circle class="here\(isFresh ? "" : " old")" cx="\(Int(middle.x))" cy="\(Int(middle.y))" r="6"/></svg>
            """
    }

    /// Metres that the scale shows.
    static var scaleMetres: Double { scale }

    /// The largest towns whose names do not cover each other, nor the place.
    private var shown: [Dot] {
        let perDegree = 111_195.0, east = cos(latitude * .pi / 180)
        let dots = towns.compactMap { town -> Dot? in
            let turn = (town.longitude - longitude).remainder(dividingBy: 360)
            let x = Self.width / 2 + turn * perDegree * east * Self.unit
            let y = Self.height / 2 - (town.latitude - latitude) * perDegree * Self.unit
            guard (0...Self.width).contains(x), (Self.line + 6...Self.height - 16).contains(y) else { return nil }
            return Dot(town: town, x: x, y: y)
        }
        var shown: [Dot] = []
        for dot in dots.sorted(by: { $0.town.population > $1.town.population }) where shown.count < Self.namesMax {
            let box = dot.box
            guard box.left >= 2, box.right <= Self.width - 2 else { continue }
            let isFree = shown.allSatisfy { other in
                let taken = other.box
                return box.right < taken.left || box.left > taken.right || box.bottom < taken.top || box.top > taken.bottom
            }
            if isFree { shown.append(dot) }
        }
        return shown
    }
}
