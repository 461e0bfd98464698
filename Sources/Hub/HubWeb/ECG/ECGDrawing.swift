import Exchange
import Vitals

/// A strip on the paper of electrocardiographs: 25 mm a second, 10 mm a millivolt, thin lines each millimetre and thick ones each fifth. A unit
/// of the drawing is 0.1 mm. Each lead is cut into rows that a phone can show.
struct ECGDrawing {
    /// Of a row.
    static let rowMilliseconds: Milliseconds = 4000
    /// What is drawn at once.
    static let partMilliseconds: Milliseconds = 8 * rowMilliseconds
    private static let unitsPerSecond = 250
    /// 10 mm a millivolt.
    private static let microvoltsPerUnit = 10
    /// Left of the trace: the lead's name, and 1 mV for comparison.
    private static let margin = 150
    private static let square = 50
    private static let width = margin + unitsPerSecond * Int(rowMilliseconds) / 1000
    /// A row reaches so far from its middle, at most: 3 mV.
    private static let heightMax = 300
    /// Values of a faster rate are drawn by the least and the greatest of each 0.2 mm, so that no peak is lost.
    private static let bucketUnits = 2

    let strip: ECGStrip
    /// Which part, from 0.
    let part: Int

    /// Parts of a strip of so many milliseconds.
    static func parts(_ duration: Milliseconds) -> Int { Int((duration + partMilliseconds - 1) / partMilliseconds) }

    /// Whether something lies outside of what a row shows, and is drawn at its edge.
    var isCut: Bool {
        strip.leads.contains { lead in
            let middle = Self.middle(lead)
            return indices.contains { lead.values[$0].map { abs((Int($0) - middle) / Self.microvoltsPerUnit) > Self.heightMax } ?? false }
        }
    }

    private var indices: Range<Int> {
        self.index(at: Milliseconds(part) * Self.partMilliseconds)..<index(at: Milliseconds(part + 1) * Self.partMilliseconds)
    }

    /// The first value at or behind a time, milliseconds from the first one.
    private func index(at time: Milliseconds) -> Int {
        min(strip.count, Int((time * Milliseconds(strip.millihertz) + 999_999) / 1_000_000))
    }

    /// Where a lead's line runs when nothing happens: electrodes add a voltage of their own, which says nothing of the heart.
    private static func middle(_ lead: ECGStrip.Lead) -> Int {
        let values = lead.values.compactMap(\.self).sorted()
        return values.isEmpty ? 0 : Int(values[values.count / 2])
    }

    /// The drawing.
    /// - Parameter label: what it is, for who does not see it.
    func svg(label: String) -> String {
        var rows: [UInt8] = [], height = 0
        for lead in strip.leads { append(lead, &height, to: &rows) }
        var buffer = Array(
            "<svg class=\"ecg\" viewBox=\"0 0 \(Self.width) \(height)\" width=\"\(Self.width / 10)mm\" role=\"img\" aria-label=\"".utf8)
        buffer.append(xml: label)
        buffer += Array(
            """
            "><defs><pattern id="ecg1" width="10" height="10" patternUnits="userSpaceOnUse"><path class="thin" d="M10 0H0V10"/></pattern>\
            <pattern id="ecg5" width="50" height="50" patternUnits="userSpaceOnUse"><rect width="50" height="50" fill="url(#ecg1)"/>\
            <path class="thick" d="M50 0H0V50"/></pattern></defs><rect class="paper" width="\(Self.width)" height="\(height)"/>\
            <rect width="\(Self.width)" height="\(height)" fill="url(#ecg5)"/>
            """.utf8)
        return String(decoding: buffer + rows + Array("</svg>".utf8), as: UTF8.self)
    }

    private func append(_ lead: ECGStrip.Lead, _ top: inout Int, to buffer: inout [UInt8]) {
        let middle = Self.middle(lead), all = indices
        let drawn = all.compactMap { lead.values[$0] }.map { (Int($0) - middle) / Self.microvoltsPerUnit }
        func squares(_ units: Int) -> Int { (min(max(units, 100), Self.heightMax) + Self.square - 1) / Self.square * Self.square }
        let above = squares(drawn.max() ?? 0), below = squares(-(drawn.min() ?? 0))
        let begin = Milliseconds(part) * Self.partMilliseconds
        for row in 0..<Int(Self.partMilliseconds / Self.rowMilliseconds) {
            let time = begin + Milliseconds(row) * Self.rowMilliseconds
            let range = index(at: time)..<index(at: time + Self.rowMilliseconds)
            guard !range.isEmpty else { break }
            let base = top + above
            buffer += Array("<text x=\"10\" y=\"\(base - 60)\">".utf8)
            buffer.append(xml: lead.name.description)
            buffer += Array("</text><path class=\"pulse\" d=\"M50 \(base)h15v-100h50v100h15\"/><path class=\"trace\" d=\"".utf8)
            trace(lead, range, from: time, base: base, middle: middle, above: above, below: below, to: &buffer)
            buffer += Array("\"/>".utf8)
            for second in 0..<Self.rowMilliseconds / 1000 {
                let x = Self.margin + Int(second) * Self.unitsPerSecond
                buffer += Array("<text class=\"time\" x=\"\(x + 4)\" y=\"\(base + below + 40)\">\((time / 1000) + second) s</text>".utf8)
            }
            top = base + below + Self.square
        }
    }

    private func trace(
        _ lead: ECGStrip.Lead, _ range: Range<Int>, from time: Milliseconds, base: Int, middle: Int, above: Int, below: Int,
        to buffer: inout [UInt8]
    ) {
        var pen: (x: Int, y: Int)?
        func draw(_ x: Int, _ value: Int32) {
            let units = (Int(value) - middle) / Self.microvoltsPerUnit
            let y = base - min(max(units, -below), above)
            if let pen { buffer += Array("l\(x - pen.x) \(y - pen.y)".utf8) } else { buffer += Array("M\(x) \(y)".utf8) }
            pen = (x, y)
        }
        let isFast = strip.millihertz > Self.unitsPerSecond * 1000 + 50_000
        var at = range.lowerBound
        while at < range.upperBound {
            guard let value = lead.values[at] else {
                // A gap stays a gap.
                pen = nil
                at += 1
                continue
            }
            let x = self.x(at, time)
            guard isFast else {
                draw(x, value)
                at += 1
                continue
            }
            var least = (at, value), most = (at, value)
            while at < range.upperBound, self.x(at, time) / Self.bucketUnits == x / Self.bucketUnits, let next = lead.values[at] {
                if next < least.1 { least = (at, next) }
                if next > most.1 { most = (at, next) }
                at += 1
            }
            for (index, value) in least.0 <= most.0 ? [least, most] : [most, least] { draw(self.x(index, time), value) }
        }
    }

    private func x(_ index: Int, _ time: Milliseconds) -> Int {
        let nanoseconds = index * 1_000_000_000_000 / strip.millihertz - Int(time) * 1_000_000
        return Self.margin + nanoseconds * Self.unitsPerSecond / 1_000_000_000
    }
}
