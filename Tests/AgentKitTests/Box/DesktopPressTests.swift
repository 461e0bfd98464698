import Languages
import Logging
import Monitoring
import Peripherals
import Synchronization
import Testing

@testable import AgentKit

/// What becomes of presses in notifications on the desktop when the agent does not take them.
@Suite(.timeLimit(.minutes(1)))
struct DesktopPressTests {
    /// An agent that takes nothing before so many tries, and what stands on the desktop.
    private final class Session: Sendable {
        private struct State {
            var tries = 0
            var notices: [String: DesktopNotice] = [:]
            var hasWithdrawn: [String] = []
        }

        private let state = Mutex(State())
        let takesAfter: Int

        init(takesAfter: Int) { self.takesAfter = takesAfter }

        var tries: Int { state.withLock { $0.tries } }
        var notices: [String: DesktopNotice] { state.withLock { $0.notices } }
        var hasWithdrawn: [String] { state.withLock { $0.hasWithdrawn } }

        func desk() -> DesktopPresses {
            DesktopPresses(language: nil, logger: .silent, between: .milliseconds(1)) { [self] request in
                let tries = state.withLock { state in
                    state.tries += 1
                    return state.tries
                }
                if tries <= takesAfter { throw AgentProblem("No agent is running", advice: "Start it") }
                return ControlReply(isDone: true, message: "Done: \(request.action.rawValue)")
            } perform: { [self] change in
                state.withLock { state in
                    for key in change.withdrawn { state.notices[key] = nil }
                    state.hasWithdrawn += change.withdrawn
                    for notice in change.shown { state.notices[notice.key] = notice }
                }
            }
        }
    }

    /// An Italian box with one question, and the key of that.
    private static func asking() -> (status: BoxStatus, key: String) {
        var status = BoxStatus.sample
        status.language = .italian
        status.persons[0].notices = [.sensorLost]
        return (status, "\(status.persons[0].person) sensor-lost")
    }

    @Test("EDGE-12: a press on the desktop that fails leaves the notice with its buttons, and says so in the box's language")
    func again() async throws {
        let (status, key) = Self.asking(), session = Session(takesAfter: 1), desk = session.desk()
        await desk.update(status)
        let request = try #require(DesktopNotifications.request(key, "ok"))
        await desk.answer(key, request)
        #expect(session.hasWithdrawn == [key])
        #expect(session.notices[key]?.actions.map(\.key) == ["ok", "help"])
        let failure = session.notices.values.first { $0.key != key }
        #expect(failure?.title == "Il dispositivo non ha risposto: non si sa se è stato fatto")
        #expect(failure?.body.contains("No agent") == true)
        #expect(session.tries == 1, "it could answer another question later")
        await desk.answer(key, request)
        #expect(session.notices.isEmpty)
    }

    @Test("EDGE-12: \"Get help\" on the desktop is tried until the agent takes it, and until then it says that it did not go out")
    func help() async throws {
        let (status, key) = Self.asking(), session = Session(takesAfter: 25), desk = session.desk()
        await desk.update(status)
        let request = try #require(DesktopNotifications.request(key, "help"))
        await desk.answer(key, request)
        #expect(session.tries == 26 && session.notices.isEmpty)

        let dead = Session(takesAfter: .max), waiting = dead.desk()
        await waiting.update(status)
        let call = Task { await waiting.answer(key, request) }
        #expect(try await eventually { dead.tries > 25 })
        #expect(dead.notices[key]?.actions.map(\.key) == ["ok", "help"])
        let failure = try #require(dead.notices.values.first { $0.key != key })
        #expect(failure.title == "La richiesta di aiuto NON è partita. Telefona al 112." && failure.urgency == .critical)
        #expect(failure.body.hasPrefix("Si riprova"))
        call.cancel()
        await call.value
    }

    @Test("EDGE-12: a press that the agent refuses says so, and a notice that is over meanwhile does not come back")
    func over() throws {
        var (status, key) = Self.asking()
        var notices = DesktopNotifications(language: .english)
        _ = notices.update(status)
        let request = try #require(DesktopNotifications.request(key, "ok")),
            failure = DesktopNotifications.Failure(isAnswered: true, why: "Not now.")
        let shown = notices.failed(request, of: key, failure, again: true).shown
        #expect(shown.map(\.key).first == key && shown.count == 2)
        status.persons[0].notices = []
        _ = notices.update(status)
        let late = notices.failed(request, of: key, failure, again: true).shown
        #expect(late.map(\.title) == ["That could not be done."] && late.first?.body == "Not now.")
        key = shown.last?.key ?? ""
        let withdrawn = notices.taken(request, of: "").withdrawn
        #expect(withdrawn.contains(key))
    }

    @Test("EDGE-12: a box that belongs to no hub yet says that on the desktop, and alarms nobody")
    func unenrolled() {
        var notices = DesktopNotifications(language: nil)
        let shown = notices.lost(unenrolled: .italian).shown
        #expect(shown.map(\.title) == ["Questo dispositivo non è ancora collegato a un server"] && shown.first?.urgency == .normal)
        #expect(shown.first?.body.contains("trackme-agent enrol") == true && shown.first?.body.contains("112") == false)
        let more = notices.lost(unenrolled: .italian).shown
        #expect(more.isEmpty)
        // Enrolled, and then gone.
        let gone = notices.lost()
        #expect(gone.shown.map(\.urgency) == [.critical] && gone.withdrawn == shown.map(\.key))
        let found = notices.update(.sample)
        #expect(found.withdrawn == gone.shown.map(\.key))
    }
}
