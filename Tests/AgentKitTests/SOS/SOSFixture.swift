import Distress
import EmergencyDispatch
import Foundation
import Peripherals
import Sensing
import SyncProtocol
import Synchronization
import Testing
import Vitals

@testable import AgentKit

/// The hub as AutomatedSOS sees it: answers as the test says, and keeps what it was told.
final class ScriptedSOSHub: SOSHub {
    enum Mode: Sendable {
        /// Takes the request, and never answers.
        case silent
        case unreachable
        case answers(SOSAnswer)
    }

    private let state: Mutex<(mode: Mode, reports: [SOSReport], settings: SOSSettings?)>

    init(_ mode: Mode) { state = Mutex((mode, [], nil)) }

    var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }
    var reports: [SOSReport] { state.withLock { $0.reports } }
    func give(_ settings: SOSSettings) { state.withLock { $0.settings = settings } }

    func report(_ report: SOSReport) async -> Result<SOSAnswer, SourceProblem> {
        let mode = state.withLock { state in
            state.reports.append(report)
            return state.mode
        }
        switch mode {
        case .silent:
            try? await Task.sleep(for: .seconds(3600))
            return .failure(Self.problem)
        case .unreachable: return .failure(Self.problem)
        case .answers(let answer): return .success(answer)
        }
    }

    func settings() async -> Result<SOSSettings, SourceProblem> {
        state.withLock { $0.settings }.map { .success($0) } ?? .failure(Self.problem)
    }

    static let problem = SourceProblem(what: "No hub", advice: "Start it", retries: true)

    /// Says nothing but that the report is on its disk.
    static func answer(reached: Bool = false, _ change: (inout SOSAnswer) -> Void = { _ in }) -> Mode {
        var answer = SOSAnswer(utc: 0, isDurable: true, addresseeReached: reached, settingsVersion: 1)
        change(&answer)
        return .answers(answer)
    }
}

/// The local channels: keeps what it was asked, and tells what the test wants.
final class ScriptedCaller: LocalCalling {
    enum Asked: Hashable, Sendable {
        case raised(isDrill: Bool, isUpdate: Bool)
        case changed, acknowledged, stopped, stoodDown
        /// To the first recipient.
        case notified(String)
        case question(Int)
    }

    private let state: Mutex<(asked: [Asked], plan: LocalAlarm.Plan)>
    let message: @Sendable (LocalAlarm.Attempt) -> LocalCaller.Message
    let tell: @Sendable (LocalCaller.Event) -> Void

    init(
        _ plan: LocalAlarm.Plan, _ message: @escaping @Sendable (LocalAlarm.Attempt) -> LocalCaller.Message,
        _ tell: @escaping @Sendable (LocalCaller.Event) -> Void
    ) {
        state = Mutex(([], plan))
        (self.message, self.tell) = (message, tell)
    }

    var asked: [Asked] { state.withLock { $0.asked } }
    var plan: LocalAlarm.Plan { state.withLock { $0.plan } }
    var calls: Int { asked.count { if case .raised(isDrill: false, _) = $0 { true } else { false } } }

    func change(_ plan: LocalAlarm.Plan) { state.withLock { $0.plan = plan } }
    func raise(mode: LocalAlarm.Mode, isUpdate: Bool, since: Milliseconds?) { note(.raised(isDrill: mode == .drill, isUpdate: isUpdate)) }
    func changed() { note(.changed) }
    func acknowledged() { note(.acknowledged) }
    func ask(_ recipient: Int) { note(.question(recipient)) }
    func stop() { note(.stopped) }
    func standDown() { note(.stoodDown) }
    func notify(_ text: @escaping @Sendable (Int) -> String) { note(.notified(text(0))) }

    private func note(_ asked: Asked) { state.withLock { $0.asked.append(asked) } }
}

/// What a test brings for AutomatedSOS.
final class SOSFixture: Sendable {
    let hub: ScriptedSOSHub
    let settings: SOSSettings?
    let isLost: Bool
    let state: SOSState?
    let places: [StoredPosition]
    let hooks: Int
    /// When each hook last succeeded: a moment ago, whatever the clock of a test says.
    let proofs: [String: Milliseconds]
    private let made = Mutex<[ScriptedCaller]>([])

    init(
        hub: ScriptedSOSHub.Mode = .unreachable, settings: SOSSettings? = nil, isLost: Bool = false, state: SOSState? = nil, hooks: Int = 1,
        proofs: [String: Milliseconds] = ["hook0": .max / 2], places: [StoredPosition] = []
    ) {
        self.hub = ScriptedSOSHub(hub)
        (self.settings, self.isLost, self.state, self.hooks, self.proofs) = (settings, isLost, state, hooks, proofs)
        self.places = places
    }

    /// Turned on for the fixture's first person, who has one contact.
    static func settings(asksFirst: Bool = true) -> SOSSettings {
        SOSSettings(
            version: 1,
            people: [
                .init(
                    person: PersonID(high: 1, low: 1), distress: DistressSettings(asksFirst: asksFirst, age: 40), name: "Ada Example",
                    language: "en", phone: "+39 02 1234567", address: "Via Roma 1, Milano",
                    contacts: [.init(name: "Berta", phone: "+39 333 1112222", language: "it")])
            ], detector: 2)
    }

    var callers: [ScriptedCaller] { made.withLock { $0 } }
    var caller: ScriptedCaller { callers[0] }

    /// A box with it that has begun.
    func box(people: [String] = ["Ada"]) async throws -> BoxFixture {
        let fixture = try BoxFixture(people: people, sos: self)
        try await fixture.box.begin(listening: false)
        return fixture
    }

    var parts: SOSParts {
        SOSParts(
            hub: hub,
            calling: { [self] plan, message, tell in
                let caller = ScriptedCaller(plan, message, tell)
                made.withLock { $0.append(caller) }
                return caller
            }, settings: settings, isSettingsLost: isLost, state: state, places: places,
            hooks: { [hooks] in HooksGlance(names: (0..<hooks).map { "hook\($0)" }) }, hookProofs: proofs)
    }
}

extension BoxFixture {
    /// The hub was told everything, and has answered. What came while too many requests were on their way leaves with the box's next look.
    func settled() async throws {
        try await #require(eventually { await box.stations.all.values.allSatisfy { $0.hub.inFlight == 0 } })
        guard await box.stations.all.values.contains(where: \.hub.isOwed) else { return }
        await box.tick()
        try await settled()
    }

    /// A resting heart for long enough that what follows is sudden.
    func rest(_ seconds: Int = 15) async { await beats(70, seconds) }

    /// Three critical readings, and more while nobody answers.
    func distress(_ seconds: Int = 7) async { await beats(215, seconds) }

    /// The box's clock is the test's: a hub that answers does so within the second, however slow the machine. One that does not is an issue
    /// of the test, which is recorded there.
    private func beats(_ bpm: UInt16, _ seconds: Int) async {
        for _ in 0..<seconds {
            await beat(bpm)
            if let hub = parts.sos.hub as? ScriptedSOSHub, case .silent = hub.mode { continue }
            do { try await settled() } catch { return }
        }
    }

    /// Seconds pass, with a reading and the hub's answer in each, until it holds.
    func beats(_ bpm: UInt16 = 215, most: Int = 12, until condition: () async -> Bool) async throws {
        for _ in 0..<most {
            if await condition() { return }
            await beats(bpm, 1)
        }
        try #require(await condition())
    }

    /// Since when the box holds whoever has the case to it.
    var heldSince: Milliseconds? {
        get async {
            let station = await box.stations.all[person]
            return station?.held.since
        }
    }

    var sos: BoxStatus.SOS? { get async { await box.status().persons[0].sos } }
}
