import Exchange
import Foundation
import Runs

/// A result as a drawing of 1200 by 630, the shape that social networks show. All of it is what everybody may see, and what people typed is escaped;
/// it refers to nothing outside of itself.
struct ResultPicture {
    let run: String
    let when: String
    let place: String
    let name: String
    /// Beside a name; nil where the number is the name.
    let bib: Int?
    let time: String
    let rank: String?
    let pace: String?
    let course: [CoursePoint]

    var svg: String {
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630" \
            font-family="Liberation Sans, DejaVu Sans, Arial, sans-serif"><rect width="1200" height="630" fill="#12202b"/>\
            <rect width="1200" height="14" fill="#b4123d"/>
            """
        // At the right, behind the words.
        let line = course.count > 1 ? CourseSketch(x: 960, y: 410, width: 330, height: 330, digits: 0).points(course) : ""
        return head
            + (line.isEmpty
                ? ""
                : "<polyline points=\"\(line)\" fill=\"none\" stroke=\"#35546b\" stroke-width=\"8\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>")
            + Self.text(run, y: 110, size: 46, width: 1080, fill: "#ffffff", bold: true)
            + Self.text("\(when) · \(place)", y: 164, size: 28, width: 1080, fill: "#a9bccb")
            + Self.text(bib.map { "\(name)  ·  \($0)" } ?? name, y: 286, size: 54, width: 1080, fill: "#ffffff", bold: true)
            + Self.text(time, y: 440, size: 150, width: 760, fill: "#ff8aa3", bold: true)
            + Self.text([rank, pace].compactMap(\.self).joined(separator: "   "), y: 516, size: 40, width: 760, fill: "#ffffff")
            + Self.text("TrackMe", y: 590, size: 28, width: 400, fill: "#a9bccb", bold: true) + "</svg>"
    }

    /// Text of one line: smaller where it is long, and cut where that does not help.
    private static func text(_ text: String, y: Int, size: Int, width: Int, fill: String, bold: Bool = false) -> String {
        guard !text.isEmpty else { return "" }
        // Letters are about 0.6 of their size wide; the smallest that is read in a small preview is half.
        let fitting = Double(width) / 0.6 / Double(max(text.count, 1)), used = max(min(Double(size), fitting), Double(size) / 2)
        let most = Int(Double(width) / 0.6 / used), shown = text.count > most ? text.prefix(max(most - 1, 1)) + "…" : text[...]
        var escaped: [UInt8] = []
        escaped.append(xml: String(shown))
        let weight = bold ? " font-weight=\"bold\"" : ""
        return
            "<text x=\"60\" y=\"\(y)\" font-size=\"\(Int(used))\"\(weight) fill=\"\(fill)\">\(String(decoding: escaped, as: UTF8.self))</text>"
    }
}
