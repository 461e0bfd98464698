import Foundation
import Vitals

extension TimeZone {
    /// What makes its local time of UTC, milliseconds.
    func offset(at utc: Milliseconds) -> Milliseconds {
        Milliseconds(secondsFromGMT(for: Date(timeIntervalSince1970: Double(utc) / 1000))) * 1000
    }
}
