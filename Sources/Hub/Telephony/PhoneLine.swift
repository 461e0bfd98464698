import Vitals

/// One telephone line as a value: it decides what a call does next, from events that bear their time. ``Baresip`` carries out its effects.
struct PhoneLine: Sendable, Hashable {
    /// A call that is to be made.
    struct Order: Sendable, Hashable {
        /// A SIP address.
        var uri: String
        /// False for news: it is enough that somebody answers.
        var wantsKey = true
    }

    enum Event: Sendable, Hashable {
        /// baresip runs and takes commands.
        case linked
        /// baresip has ended, or its connection broke.
        case lost(String)
        case registered
        /// With the registrar's words.
        case registrationFailed(String)
        /// The trunk answered a probe.
        case trunkAnswered
        case order(Order)
        /// baresip did not begin the call, in its own words.
        case dialFailed(String)
        /// The call is not needed any more.
        case recall
        /// Events of a call, with baresip's name of it.
        case ringing(String)
        case answered(String)
        case key(Character, String)
        case closed(String, String)
        case incoming(String)
        case tick
    }

    enum Effect: Sendable, Hashable {
        case dial(String)
        case hangUp
        /// Key 1 was pressed: whoever ordered the call is told, and says what is to be heard then.
        case tellKey
        case finish(CallOutcome)
        /// Asks the trunk for a sign of life.
        case probe
        case restart(String)
    }

    /// The known state of the trunk.
    enum Registration: Sendable, Hashable {
        /// The trunk knows the hub by its address.
        case notNeeded
        case pending
        case registered
        case failed(String)
    }

    /// A call on its way.
    struct Call: Sendable, Hashable {
        let order: Order
        var id: String?
        /// When this stage is given up.
        var until: Milliseconds
        var pressed = ""
    }

    enum State: Sendable, Hashable {
        case down(String)
        case free
        /// The trunk has not said yet that it rings.
        case dialling(Call)
        case ringing(Call)
        case answered(Call)
        /// Key 1 was pressed; the thanks are heard.
        case taken(Call)
        /// The line hung up, and waits for baresip's word that it did.
        case closing(until: Milliseconds)
    }

    /// Milliseconds: a trunk that does not say within this that it rings is dead; the telephone rings for so long; key 1 is waited for so
    /// long after the answer; the thanks take so long at most.
    static let dialMax: Milliseconds = 15_000, ringMax: Milliseconds = 30_000, keyMax: Milliseconds = 60_000,
        thanksMax: Milliseconds = 20_000
    /// baresip says within this that it hung up.
    static let closeMax: Milliseconds = 5000
    /// The trunk is asked so often for a sign of life, and has so long to give it.
    static let probeEvery: Milliseconds = 30_000, probeMax: Milliseconds = 10_000
    /// A registration that fails for so long makes baresip start anew: the address of this machine may have changed.
    static let failedMax: Milliseconds = 180_000
    private static let pressedMax = 16

    static let notStarted = "it has not started yet"
    private(set) var state = State.down(notStarted)
    private(set) var registration: Registration
    /// Why the trunk counts as dead; nil while it answers.
    private(set) var silence: String?
    private var probeAt: Milliseconds?
    private var probedAt: Milliseconds?
    private var failedSince: Milliseconds?
    private let registers: Bool

    /// - Parameter registers: false for a trunk that knows the hub by its address.
    init(registers: Bool) {
        self.registers = registers
        registration = registers ? .pending : .notNeeded
    }

    /// Why no call can be made; nil when one can.
    var problem: String? {
        if case .down(let why) = state { return why }
        if let silence { return silence }
        return switch registration {
        case .registered, .notNeeded: nil
        case .pending: "the trunk has not answered the registration yet"
        case .failed(let why): "the trunk refuses the registration: \(why)"
        }
    }

    var isFree: Bool { if case .free = state { true } else { false } }

    private var call: Call? {
        switch state {
        case .dialling(let call), .ringing(let call), .answered(let call), .taken(let call): call
        case .down, .free, .closing: nil
        }
    }

    mutating func handle(_ event: Event, at now: Milliseconds) -> [Effect] {
        switch event {
        case .linked:
            guard case .down = state else { return [] }
            (state, silence, failedSince) = (.free, nil, nil)
            registration = registers ? .pending : .notNeeded
            (probeAt, probedAt) = (now + Self.probeEvery, nil)
            return []
        case .lost(let why): return lost(why)
        case .registered:
            (registration, silence, failedSince) = (.registered, nil, nil)
            return []
        case .registrationFailed(let why):
            registration = .failed(String(why.prefix(100)))
            failedSince = failedSince ?? now
            return []
        case .trunkAnswered:
            (probedAt, silence) = (nil, nil)
            return []
        case .order(let order): return begin(order, at: now)
        case .dialFailed(let why):
            guard case .dialling = state else { return [] }
            state = .free
            return [.finish(.lineFailed(String(why.prefix(100))))]
        case .recall:
            switch state {
            case .dialling, .ringing: return hangUp(.recalled, at: now)
            case .down, .free, .answered, .taken, .closing: return []
            }
        case .ringing(let id): return rings(id, at: now)
        case .answered(let id): return answered(id, at: now)
        case .key(let key, let id): return pressed(key, id, at: now)
        case .closed(let why, let id): return closed(why, id)
        case .incoming:
            // Who calls back is turned away: the line is for calls that leave.
            guard case .free = state else { return [] }
            state = .closing(until: now + Self.closeMax)
            return [.hangUp]
        case .tick: return tick(now)
        }
    }

    // MARK: A call

    private mutating func begin(_ order: Order, at now: Milliseconds) -> [Effect] {
        guard case .free = state else { return [.finish(.lineFailed(problem ?? "it is in use"))] }
        // Where it only waits for its registration the trunk may take the call all the same.
        if registration != .pending, let problem { return [.finish(.lineFailed(problem))] }
        state = .dialling(Call(order: order, until: now + Self.dialMax))
        return [.dial(order.uri)]
    }

    private mutating func rings(_ id: String, at now: Milliseconds) -> [Effect] {
        guard case .dialling(var call) = state else { return [] }
        silence = nil
        (call.id, call.until) = (id, now + Self.ringMax)
        state = .ringing(call)
        return []
    }

    private mutating func answered(_ id: String, at now: Milliseconds) -> [Effect] {
        switch state {
        case .dialling(var call), .ringing(var call):
            guard call.id ?? id == id else { return [] }
            silence = nil
            (call.id, call.until) = (id, now + Self.keyMax)
            state = .answered(call)
        case .down, .free, .answered, .taken, .closing: break
        }
        return []
    }

    private mutating func pressed(_ key: Character, _ id: String, at now: Milliseconds) -> [Effect] {
        guard case .answered(var call) = state, call.id == id else { return [] }
        guard call.order.wantsKey else { return hangUp(.heard, at: now) }
        guard key == "1" else {
            if call.pressed.count < Self.pressedMax { call.pressed.append(key) }
            state = .answered(call)
            return []
        }
        call.until = now + Self.thanksMax
        state = .taken(call)
        return [.tellKey, .finish(.taken)]
    }

    private mutating func closed(_ why: String, _ id: String) -> [Effect] {
        if case .closing = state {
            state = .free
            return []
        }
        guard let call, call.id ?? id == id else { return [] }
        defer { state = .free }
        switch state {
        case .dialling, .ringing: return [.finish(CallOutcome(unanswered: why))]
        case .answered: return [.finish(unkeyed(call))]
        case .taken, .down, .free, .closing: return []
        }
    }

    /// Of a call that was answered, and in which nobody pressed 1.
    private func unkeyed(_ call: Call) -> CallOutcome { call.order.wantsKey ? .noKey(pressed: call.pressed) : .heard }

    private mutating func hangUp(_ outcome: CallOutcome, at now: Milliseconds) -> [Effect] {
        state = .closing(until: now + Self.closeMax)
        return [.hangUp, .finish(outcome)]
    }

    private mutating func lost(_ why: String) -> [Effect] {
        let before = state
        state = .down(why)
        (registration, probeAt, probedAt) = (registers ? .pending : .notNeeded, nil, nil)
        return switch before {
        case .dialling, .ringing: [.finish(.lineFailed(why))]
        case .answered(let call): [.finish(unkeyed(call))]
        case .down, .free, .taken, .closing: []
        }
    }

    // MARK: Time

    private mutating func tick(_ now: Milliseconds) -> [Effect] {
        var effects: [Effect] = []
        switch state {
        case .dialling(let call) where now >= call.until:
            silence = "the trunk does not answer a call"
            effects += hangUp(.lineFailed("the trunk does not answer a call"), at: now)
        case .ringing(let call) where now >= call.until: effects += hangUp(.noAnswer, at: now)
        case .answered(let call) where now >= call.until: effects += hangUp(unkeyed(call), at: now)
        case .taken(let call) where now >= call.until:
            state = .closing(until: now + Self.closeMax)
            effects.append(.hangUp)
        case .closing(let until) where now >= until: return [.restart("it did not hang up")]
        case .down: return []
        case .free, .dialling, .ringing, .answered, .taken, .closing: break
        }
        if let failedSince, now - failedSince >= Self.failedMax, case .free = state { return [.restart("its registration fails")] }
        return effects + probe(now)
    }

    private mutating func probe(_ now: Milliseconds) -> [Effect] {
        if let probed = probedAt, now - probed >= Self.probeMax {
            probedAt = nil
            silence = silence ?? "the trunk does not answer"
        }
        guard let due = probeAt, now >= due, probedAt == nil else { return [] }
        (probeAt, probedAt) = (now + Self.probeEvery, now)
        return [.probe]
    }
}
