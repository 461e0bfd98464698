internal import Vitals

/// A position in the form of Advanced Mobile Location (ETSI TS 103 625, 5), for the text message to one's own responders. It is not AML:
/// that a phone sends to an emergency number, with its own and the card's number (`si`, `ei`), which are left out here.
public enum AMLText {
    /// Nil without a position: a program that reads only coordinates must not be handed 0, 0. Nil for a drill, and for a position of which
    /// nobody knows how old it is: the form has no place to say either. ``SMSText`` says all of that.
    public static func text(_ record: SOSRecord) -> String? {
        guard let position = record.place.position, let placeTime = record.placeTime, !record.isDrill else { return nil }
        let time = SOSTime(utc: placeTime).compactUTC
        // gpsd's horizontal error is given for 95 %. `N`: not known.
        let radius = position.accuracyMetres.map { "rd=\($0);top=\(time);lc=95" } ?? "rd=N;top=\(time);lc=0"
        let text = "A\"ML=1;lt=\(signed(position.latitude));lg=\(signed(position.longitude));\(radius);pm=\(method(position.source))"
        return text + ";ml=\(wholeLength(text.utf8.count + 4))"
    }

    /// The length with its own digits.
    private static func wholeLength(_ length: Int) -> Int {
        var whole = length + 1
        while whole != length + String(whole).utf8.count { whole += 1 }
        return whole
    }

    private static func signed(_ degrees: Int32) -> String {
        let text = degrees.degreesText(places: 5)
        return text.hasPrefix("-") ? text : "+\(text)"
    }

    private static func method(_ source: PositionSource) -> String {
        switch source {
        case .gnss: "G"
        case .network: "W"
        case .fixed: "U"
        }
    }
}
