import Dispatch
public import Sensing
import SourceThread
import Synchronization

/// The box's own call for help: runs a ``LocalAlarm`` on modem, loudspeaker and hooks. One alarm at a time. All calls return at once.
///
/// Everything is prepared by ``start()``; from ``raise(mode:isUpdate:)`` on nothing is opened, looked up or read but the programs that are run.
public final class LocalCaller: Sendable {
    /// The text of one attempt, rendered beforehand: marked as update, stand-down and test as the attempt says.
    public struct Message: Sendable, Hashable {
        /// For a text.
        public var text: String
        /// For a call.
        public var speech: Voice.Prompt
        /// For who is near, between two tones.
        public var announcement: Voice.Prompt?
        /// For hooks.
        public var json: [UInt8]

        public init(text: String, speech: Voice.Prompt, announcement: Voice.Prompt?, json: [UInt8]) {
            (self.text, self.speech, self.announcement, self.json) = (text, speech, announcement, json)
        }
    }

    /// Events for the alarm's record, the hub and the person.
    public enum Event: Sendable, Hashable {
        case started(LocalAlarm.Attempt)
        /// It went out.
        case sent(LocalAlarm.Attempt)
        /// The network says that the recipient's phone has it.
        case delivered(LocalAlarm.Attempt)
        case failed(LocalAlarm.Attempt, SourceProblem)
        /// A call is silent, or has no words.
        case silent(LocalAlarm.Attempt, SourceProblem)
        case hook(LocalAlarm.Attempt, Hooks.Report)
        case ended(LocalAlarm.Ending)
        /// Whoever has taken it said that somebody is with the person.
        case answered(Int)
        /// In a drill: a recipient has answered it, as they would an alarm.
        case confirmed(Int)
        /// A recipient's yes that was sent before the alarm: it does not count, and the alarm goes on.
        case oldAnswer(Int, SourceProblem)
        /// A text outside of any alarm to the recipient at that place of the plan left, or did not.
        case noticed(Int, SourceProblem?)
        /// How the modems are, whenever that changes.
        case modems([ModemStatus], problem: SourceProblem?)
    }

    struct State {
        var alarm: LocalAlarm?
        /// UTC milliseconds of the box's clock.
        var raisedAt: Int64 = 0
        /// The incident was told before this process began with it.
        var isUpdate = false
        /// Makes identifiers of the adapters unique over all alarms.
        var generation: UInt64 = 0
        var attempts: [UInt64: LocalAlarm.Attempt] = [:]
        var timer: DispatchWorkItem?
        /// Texts outside of alarms that are on their way.
        var notices: [UInt64: Notice] = [:]
        var noticeCount: UInt64 = 0
        /// A modem could text or call when that was told last.
        var hasModem = false
    }

    /// Of the loudspeaker, which others use as well.
    let holder = UInt64.random(in: 1 ... .max)

    let plan: Mutex<LocalAlarm.Plan>
    let voice: Voice
    let modem: Mutex<ModemCaller?> = Mutex(nil)
    let hooks: Mutex<Hooks?> = Mutex(nil)
    private let render: @Sendable (LocalAlarm.Attempt) -> Message
    let sink: @Sendable (Event) -> Void
    /// All that changes the state runs here, one after the other.
    let queue = PeripheralQueue.calling()
    let state = Mutex(State())

    /// - Parameters:
    ///   - modem: takes the modem's events and makes it, such as `{ ModemCaller(sink: $0) }`; nil without one.
    ///   - hooks: likewise.
    ///   - render: what an attempt says. Called when it starts; must return at once.
    ///   - sink: takes the events, in order, on a queue of its own; must return soon.
    public init(
        plan: LocalAlarm.Plan, voice: Voice, modem: ((@escaping @Sendable (ModemCaller.Event) -> Void) -> ModemCaller)?,
        hooks: ((@escaping @Sendable (Hooks.Event) -> Void) -> Hooks)?, render: @escaping @Sendable (LocalAlarm.Attempt) -> Message,
        sink: @escaping @Sendable (Event) -> Void
    ) {
        self.plan = Mutex(plan)
        (self.voice, self.render, self.sink) = (voice, render, sink)
        let caller = modem? { [weak self] event in self?.later { $0.take(event) } }
        self.modem.withLock { $0 = caller }
        let runner = hooks? { [weak self] event in self?.later { $0.take(event) } }
        self.hooks.withLock { $0 = runner }
    }

    /// Opens the bus and begins to watch the modems.
    public func start() throws(SourceProblem) { try modem.withLock { $0 }?.start() }

    /// For the next alarm. Whom somebody else told meanwhile gets an update from the one that goes on, too.
    public func change(_ plan: LocalAlarm.Plan) {
        self.plan.withLock { $0 = plan }
        let told = Set(plan.recipients.filter(\.isTold).map(\.number))
        if !told.isEmpty { later { $0.handle(.told(told)) } }
    }

    /// Starts an alarm, unless one goes on: that is to be changed or stopped.
    ///
    /// - Parameters:
    ///   - isUpdate: the same incident was told before, by the hub or before a restart.
    ///   - since: when the incident was raised, UTC milliseconds: answers of before do not count. nil: now.
    public func raise(mode: LocalAlarm.Mode, isUpdate: Bool = false, since: Int64? = nil) {
        queue.async { [self] in
            let plan = plan.withLock { $0 }
            let isNew = state.withLock { state in
                // A drill gives way to the real thing.
                guard state.alarm == nil || state.alarm?.ending != nil || state.alarm?.mode == .drill && mode == .live else { return false }
                return true
            }
            guard isNew else { return }
            handle(.stopped)
            state.withLock { state in
                state.alarm = LocalAlarm(plan, mode: mode, isUpdate: isUpdate, at: Boottime.now())
                (state.raisedAt, state.isUpdate) = (since ?? WallClock.now(), isUpdate)
                state.generation += 1
                state.attempts = [:]
            }
            handle(.tick)
        }
    }

    /// Tells everybody who may have been told that it is over, after the alarm had ended another way; nothing while one goes on.
    public func standDown() {
        queue.async { [self] in
            let plan = plan.withLock { $0 }
            let isNew = state.withLock { state in
                guard state.alarm == nil || state.alarm?.ending != nil else { return false }
                state.alarm = LocalAlarm(plan, mode: .live, isUpdate: true, at: Boottime.now())
                state.generation += 1
                state.attempts = [:]
                return true
            }
            if isNew { handle(.stopped) }
        }
    }

    /// There is more to tell.
    public func changed() { later { $0.handle(.changed) } }

    /// Somebody has taken it, by way of the hub.
    public func acknowledged() { later { $0.handle(.acknowledged(by: nil)) } }

    /// Asks whoever has taken it whether somebody is with the person: ``Event/answered(_:)`` follows where they say yes. They may have taken it
    /// at another box or before a restart. Nothing while an alarm goes on.
    /// - Parameter recipient: their place in the plan as it is now.
    public func ask(_ recipient: Int) {
        queue.async { [self] in
            guard state.withLock({ $0.alarm == nil || $0.alarm?.ending != nil }) else { return }
            let plan = plan.withLock { $0 }
            handle(.stopped)
            state.withLock { state in
                state.alarm = LocalAlarm(plan, takenBy: recipient)
                (state.raisedAt, state.isUpdate) = (WallClock.now(), false)
                state.generation += 1
                state.attempts = [:]
            }
            handle(.ask(recipient))
        }
    }

    /// The person has ended it.
    public func stop() { later { $0.handle(.stopped) } }

    func later(_ body: @escaping @Sendable (LocalCaller) -> Void) { queue.async { body(self) } }

    func handle(_ event: LocalAlarm.Event) {
        let effects = state.withLock { $0.alarm?.handle(event, at: Boottime.now()) } ?? []
        for effect in effects { run(effect) }
        schedule()
    }

    private func schedule() {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            guard let deadline = state.alarm?.deadline else { return }
            let item = DispatchWorkItem { [weak self] in self?.handle(.tick) }
            state.timer = item
            queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: max(1, deadline - Boottime.now()))), execute: item)
        }
    }

    private func run(_ effect: LocalAlarm.Effect) {
        switch effect {
        case .start(let attempt):
            let id = state.withLock { state in
                let id = state.generation << 32 | attempt.id
                state.attempts[id] = attempt
                return id
            }
            begin(attempt, id, render(attempt))
            sink(.started(attempt))
        case .cancel(let attempt):
            let id = state.withLock { $0.generation } << 32 | attempt.id
            switch attempt.channel {
            case .sound: voice.alarm(false, by: holder)
            case .hooks: hooks.withLock { $0 }?.cancel(id)
            case .text, .call: modem.withLock { $0 }?.cancel(id)
            }
        case .ended(let ending): sink(.ended(ending))
        case .answered(let recipient): sink(.answered(recipient))
        }
    }
}
