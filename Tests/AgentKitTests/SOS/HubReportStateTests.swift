import Distress
import Sensing
import SyncProtocol
import Testing
import Vitals

@testable import AgentKit

/// When the hub is told, and whether it counts as heard.
struct HubReportStateTests {
    private static let person = PersonID(high: 1, low: 1)
    private static let away = SourceProblem(what: "No answer", advice: "Wait", retries: true)

    private func station() -> SOSStation {
        let settings = SOSSettings.Person(person: Self.person, distress: DistressSettings(), name: "Ada", language: "en")
        return SOSStation(person: Self.person, settings: settings, stream: StreamID(high: 1, low: 1), at: 0)
    }

    private func report(sentAt time: Milliseconds) -> SOSReport {
        SOSReport(person: Self.person, boot: BootID(high: 7, low: 7), revision: 1, sentAt: time, provenance: .live)
    }

    @Test("SOS-9: with four reports on their way news waits for the next report, and only news does; each report is newer than all before")
    func inFlight() {
        var hub = HubReportState()
        #expect((0..<4).map { _ in hub.beginReport(isNews: false, isOpen: false, at: 1000) } == [1000, 1001, 1002, 1003])
        #expect(hub.nextAt == 31_000 && hub.newsRevision == 0)
        #expect(hub.beginReport(isNews: false, isOpen: false, at: 1000) == nil && !hub.isOwed)
        #expect(hub.beginReport(isNews: true, isOpen: false, at: 1000) == nil && hub.isOwed)
        hub.inFlight -= 1
        #expect(hub.beginReport(isNews: false, isOpen: true, at: 2000) == 2000)
        #expect(hub.newsRevision == 2000 && !hub.isOwed && hub.nextAt == 4000 && hub.inFlight == 4)
        // The boot clock began anew, and the state of before was restored.
        #expect(hub.nextRevision(at: 10) == 2001)
    }

    @Test("SOS-22: the hub counts as heard for forty seconds after an answer, and not once a report brought none")
    func heard() {
        var station = station()
        #expect(!station.hub.isHeard(at: 0))
        station.hub.answered = 1000
        #expect(station.hub.isHeard(at: 41_000) && !station.hub.isHeard(at: 41_001))
        // It left before that answer came.
        #expect(!station.failed(Self.away, to: report(sentAt: 999), at: 3000) && station.hub.isHeard(at: 3000))
        #expect(station.failed(Self.away, to: report(sentAt: 1000), at: 3000) && !station.hub.isHeard(at: 3000))
        #expect(station.hub.nextAt == 13_000, "nothing is open, and nothing owed")
        station.hub.isOwed = true
        #expect(station.failed(Self.away, to: report(sentAt: 3000), at: 4000) && station.hub.nextAt == 5000)
    }

    @Test("SOS-9: the hub is told at its time, when news is owed, and when a link breaks; with nothing open one report is on its way")
    func due() {
        var station = station()
        #expect(station.isReportDue(weaknesses: nil, at: 0))
        _ = station.hub.beginReport(isNews: false, isOpen: false, at: 0)
        station.hub.saidWeaknesses = []
        #expect(!station.isReportDue(weaknesses: [], at: 29_999) && !station.isReportDue(weaknesses: [], at: 30_000))
        #expect(station.isReportDue(weaknesses: ["noPosition"], at: 1))
        station.hub.inFlight = 0
        #expect(!station.isReportDue(weaknesses: [], at: 29_999) && station.isReportDue(weaknesses: [], at: 30_000))
        station.hub.isOwed = true
        #expect(station.isReportDue(weaknesses: [], at: 1))
    }
}
