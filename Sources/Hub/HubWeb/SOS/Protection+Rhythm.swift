import Distress
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

extension ProtectionPages {
    /// Whether the person is told of an irregular heartbeat, and what was found.
    func rhythm(_ view: SOSView, _ texts: Texts) -> ProtectionPage.Rhythm {
        var part = ProtectionPage.Rhythm(
            state: texts["protection.rhythm\(view.rhythm == nil ? "Off" : "On")"], tell: view.rhythm == nil ? "yes" : "no",
            button: texts["protection.rhythm\(view.rhythm == nil ? "Yes" : "No")"])
        guard let rhythm = view.rhythm else { return part }
        func minutes(_ time: Milliseconds) -> String { texts.counted("protection.minutes", Int(time / 60_000)) }
        part.counts = texts.filled(
            "protection.rhythmCounts", ["judged": minutes(rhythm.judged), "unclear": minutes(rhythm.unclear)])
        if let told = rhythm.told {
            part.seen = texts.filled("protection.rhythmSeen", ["begin": texts.instant(told.from), "end": texts.instant(told.to)])
        }
        return part
    }

    func rhythm(_ place: Place, _ request: Request) async throws -> Response {
        guard let tells = ["yes": true, "no": false][try await SentForm(request)["tell"]] else { throw HTTPError(.badRequest) }
        try await sos.choices.setTellsRhythm(tells, of: place.person, by: place.reader.id)
        return place.back
    }
}
