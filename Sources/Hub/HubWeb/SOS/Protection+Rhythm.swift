import Distress
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Whether the person is told of an irregular heartbeat, and what was found.
extension ProtectionPage.Rhythm {
    init(_ view: SOSView, _ texts: Texts) {
        self.init(
            state: texts["protection.rhythm\(view.rhythm == nil ? "Off" : "On")"], tell: view.rhythm == nil ? "yes" : "no",
            button: texts["protection.rhythm\(view.rhythm == nil ? "Yes" : "No")"])
        guard let rhythm = view.rhythm else { return }
        func minutes(_ time: Milliseconds) -> String { texts.counted("protection.minutes", Int(time / 60_000)) }
        counts = texts.filled("protection.rhythmCounts", ["judged": minutes(rhythm.judged), "unclear": minutes(rhythm.unclear)])
        if let told = rhythm.told {
            seen = texts.filled("protection.rhythmSeen", ["begin": texts.instant(told.from), "end": texts.instant(told.to)])
        }
    }
}

extension ProtectionPages {
    func rhythm(_ place: Place, _ request: Request) async throws -> Response {
        guard let tells = ["yes": true, "no": false][try await SentForm(request)["tell"]] else { throw HTTPError(.badRequest) }
        try await sos.choices.setTellsRhythm(tells, of: place.person, by: place.reader.id)
        return place.back
    }
}
