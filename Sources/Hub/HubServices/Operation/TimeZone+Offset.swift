import Foundation
import Vitals

extension TimeZone {
    /// The difference from UTC to its local time, milliseconds.
    func offset(at utc: Milliseconds) -> Milliseconds {
        Milliseconds(secondsFromGMT(for: Date(timeIntervalSince1970: Double(utc) / 1000))) * 1000
    }
}
