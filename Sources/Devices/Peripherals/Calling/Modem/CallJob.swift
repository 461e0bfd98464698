import Sensing
import SystemBus

/// One call: created, started, followed, spoken into, hung up, deleted. It waits for its turn where the modem is in a call for another person.
final class CallJob: ModemJob {
    private enum Step {
        /// Until the line is free, at most until that time.
        case waiting(Int64)
        case creating
        /// `path`, until somebody answers.
        case ringing(String)
        /// Since when.
        case talking(String, since: Int64)
        case over
    }

    /// With nothing to be heard, nobody is held on the line longer, in milliseconds.
    private static let silentLimit: Int64 = 20_000
    /// How often it is looked whether the line is free, in milliseconds.
    private static let glance: Int64 = 500

    let id: UInt64
    let modem: String
    private let bus: BusAddress
    private let link: ModemLink
    private let number: PhoneNumber
    private let limits: ModemCaller.Configuration
    private let emit: (ModemCaller.Event) -> Void
    private let now: () -> Int64
    private let speech: CallSpeech
    private var step = Step.over
    private var isStarted = false
    private var hasRung = false
    private var isAcknowledged = false
    private(set) var deadline: Int64?

    init(
        _ id: UInt64, to number: PhoneNumber, speech: CallSpeech, modem: String, on bus: BusAddress, link: ModemLink,
        limits: ModemCaller.Configuration, now: @escaping () -> Int64, emit: @escaping (ModemCaller.Event) -> Void
    ) {
        (self.id, self.number, self.speech, self.modem, self.bus) = (id, number, speech, modem, bus)
        (self.link, self.limits, self.now, self.emit) = (link, limits, now, emit)
        step = .waiting(now() + limits.lineLimit)
        begin()
    }

    deinit { ModemLines.shared.free(modem, on: bus, for: self) }

    private func begin() {
        guard ModemLines.shared.take(modem, on: bus, for: self) else {
            deadline = now() + Self.glance
            return
        }
        step = .creating
        deadline = now() + limits.dialLimit
        link.call(modem, ModemCodes.voice, "CreateCall", [.properties(["number": .string(number.digits)])], limit: 20_000) {
            [weak self] in self?.created($0)
        }
    }

    var isOver: Bool {
        if case .over = step { return true }
        return false
    }

    private var path: String? {
        switch step {
        case .ringing(let path), .talking(let path, _): path
        case .waiting, .creating, .over: nil
        }
    }

    private func created(_ answer: Result<[BusValue], BusError>) {
        let path = (try? answer.get())?.first?.string
        guard case .creating = step else {
            // It was cancelled meanwhile.
            if let path { delete(path) }
            return
        }
        guard let path else { return end(.failed(problem(answer))) }
        step = .ringing(path)
        link.call(path, ModemCodes.call, "Start", limit: limits.dialLimit + limits.ringLimit) { [weak self] answer in
            guard let self, self.path == path else { return }
            isStarted = true
            if case .failure(let error) = answer { return end(Self.ending(error) ?? .failed(problem(answer))) }
            // Modems whose calls cannot be followed are in the state "active" at once.
            link.properties(of: path, ModemCodes.call) { [weak self] in self?.take($0["State"]?.int, reason: $0["StateReason"]?.int) }
        }
    }

    private func problem(_ answer: Result<[BusValue], BusError>) -> SourceProblem {
        var error = BusError(name: "System.Error.EBADMSG", message: "ModemManager's answer is not understood")
        if case .failure(let cause) = answer { error = cause }
        return ModemError.problem("\(number) was not called", error)
    }

    func handle(_ signal: BusMessage) {
        guard let path, signal.path == path, signal.interface == ModemCodes.call else { return }
        switch signal.member {
        case "StateChanged" where signal.arguments.count == 3: take(signal.arguments[1].int, reason: signal.arguments[2].int)
        case "DtmfReceived" where signal.arguments.first?.string == "1" && !isAcknowledged:
            isAcknowledged = true
            if case .talking(_, let since) = step { deadline = max(deadline ?? 0, since + limits.callLimit) }
            emit(.acknowledged(id))
        default: break
        }
    }

    private func take(_ state: Int?, reason: Int?) {
        guard let path, let state = state.flatMap(ModemCodes.CallState.init) else { return }
        switch (state, step) {
        case (.ringing, .ringing) where !hasRung:
            hasRung = true
            deadline = now() + limits.ringLimit
            emit(.ringing(id))
        case (.active, .ringing):
            step = .talking(path, since: now())
            deadline = now() + (isAcknowledged ? limits.callLimit : limits.keyLimit)
            emit(.answered(id))
            link.properties(of: path, ModemCodes.call) { [weak self] in self?.speak($0) }
        // The answer to "Start" follows, and says more.
        case (.terminated, .ringing) where !isStarted: break
        case (.terminated, _): end(ending(reason.flatMap(ModemCodes.CallReason.init)))
        default: break
        }
    }

    private static func ending(_ error: BusError) -> ModemCaller.CallEnd? {
        switch error.name.split(separator: ".").last ?? "" {
        case "Busy": .busy
        case "NoAnswer": .notAnswered
        default: nil
        }
    }

    private func ending(_ reason: ModemCodes.CallReason?) -> ModemCaller.CallEnd {
        if case .talking = step { return isAcknowledged ? .acknowledged : .answered }
        switch reason {
        case .refusedOrBusy: return .busy
        case .error: return .failed(ModemError.problem("The call to \(number) failed", BusError(name: "Call.Error")))
        case .audio:
            return .failed(
                SourceProblem(
                    what: "The call to \(number) failed: the modem could not set its sound up",
                    advice: "Look whether its audio port is used by another program", retries: true, kind: .noSound))
        case .hungUp, nil: return .notAnswered
        }
    }

    private func speak(_ properties: [String: BusValue]) {
        guard case .talking = step else { return }
        guard let output = CallOutput(properties, device: limits.audioDevice) else {
            deadline = now() + min(Self.silentLimit, limits.keyLimit)
            return emit(.silent(id, CallOutput.none))
        }
        speech.play(on: output)
    }

    func tick(_ now: Int64) {
        guard let deadline, now >= deadline else { return }
        switch step {
        case .waiting(let until) where now < until: begin()
        case .waiting:
            let what = "\(number) was not called: the modem is in a call for another person"
            end(.failed(SourceProblem(what: what, advice: "With a second modem the box calls for both at once", retries: true)))
        case .creating: end(.failed(problem(.failure(BusError(name: "System.Error.ETIMEDOUT", message: "No answer in time")))))
        case .ringing: end(.notAnswered)
        case .talking: end(isAcknowledged ? .acknowledged : .answered)
        case .over: break
        }
    }

    func cancel() { end(isAcknowledged ? .acknowledged : .cancelled) }

    func lost(_ problem: SourceProblem) { end(isAcknowledged ? .acknowledged : .failed(problem)) }

    private func end(_ how: ModemCaller.CallEnd) {
        guard !isOver else { return }
        speech.stop()
        if let path { delete(path) }
        step = .over
        ModemLines.shared.free(modem, on: bus, for: self)
        emit(.ended(id, how))
    }

    /// ModemManager hangs a call up that is deleted, but not all of its plug-ins do so in all states.
    private func delete(_ path: String) {
        link.call(path, ModemCodes.call, "Hangup", limit: 20_000) { [link, modem] _ in
            link.tell(modem, ModemCodes.voice, "DeleteCall", [.objectPath(path)])
        }
    }
}
