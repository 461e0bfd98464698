internal import Foundation
public import Logging
internal import NIOCore
internal import Peripherals
public import Seams
internal import Sensing
internal import Vitals

/// Reads the box's physical button until the task is cancelled, and tells the running agent of each press: short for "I'm OK", long for help.
/// - Parameter controlSocket: where the agent is at present; it may come later, or elsewhere.
public func readButton(
    configuration: AgentConfiguration, controlSocket: @escaping @Sendable () -> String, logger: Logger, machine: Machine = .system
) async throws {
    guard let device = ButtonChoice(configuration.button.device) else {
        logger.notice("this box has no button (trackme.button.device is empty)")
        while !Task.isCancelled { try? await machine.sleep(for: .seconds(3600)) }
        return
    }
    let (presses, continuation) = AsyncStream.makeStream(of: ButtonPress.self, bufferingPolicy: .bufferingNewest(16))
    var reading = ButtonReader.Configuration()
    reading.device = device
    reading.longPress = configuration.button.long
    if let key = configuration.button.key {
        guard let code = ButtonKeys.code(key) else {
            throw AgentProblem("trackme.button.key is \(key), which is no key", advice: "Give a name such as KEY_ENTER, or a number")
        }
        reading.keys = [code]
    }
    let report: @Sendable (SourceProblem) -> Void = { logger.warning("\($0)") }
    let button = ButtonReader(configuration: reading, report: report) { event in
        switch event {
        case .connected(let name, let path, _, _): logger.notice("the button is \(name) (\(path))")
        case .lost(let problem, _): logger.warning("\(problem)")
        case .pressed(let press, _, _): continuation.yield(press)
        }
    }
    try button.start()
    defer { button.stop() }
    let person = configuration.button.person
    let lighting = machine.start {
        await followStatus({ ControlClient(path: controlSocket(), machine: machine).watch() }, logger: logger, machine: machine) { status in
            button.show(ButtonLight(status, person: person))
        } lost: { problem in
            button.show(problem?.unenrolled == nil ? .steady : .off)
        }
    }
    defer { lighting.cancel() }
    let announcer = Announcer(configuration, machine: machine, logger: logger)
    var telling = ButtonPressReporter(logger: logger, machine: machine, person: configuration.button.person) { request in
        try await ControlClient(ofPressesAt: controlSocket(), machine: machine).send(request)
    } say: { prompt in
        announcer.prompt(prompt)
    }
    for await press in presses { telling.take(press) }
    telling.stop()
}

extension ButtonLight {
    /// Blinks while somebody is asked, and is lit while nobody is watched until somebody acts. A box that does not answer watches nobody.
    /// - Parameter person: whose button it is, by name or identifier; nil, or somebody who is not there: everybody's.
    init(_ status: BoxStatus, person: String?) {
        let named = status.persons.filter { $0.name == person || $0.person.description == person?.lowercased() }
        let shown = (named.isEmpty ? status.persons : named).compactMap(\.sos)
        self = shown.contains { $0.question != nil } ? .blinking : shown.contains { $0.standing != nil } ? .steady : .off
    }
}

/// Tells the agent of presses, each by itself: help waits for nothing.
struct ButtonPressReporter {
    /// The agent answers a press within two seconds, whatever its disk does.
    static let tryMax = TimeAmount.seconds(5)
    /// Later it could be the answer to another question.
    static let okMax = Duration.seconds(10)

    typealias Send = @Sendable (ControlRequest) async throws -> ControlReply

    private let logger: Logger
    private let machine: Machine
    /// The person of the button; nil for everybody's.
    private let person: String?
    private let send: Send
    private let say: @Sendable (String) -> Void
    private let between: Duration
    private let okMax: Duration
    private var ok: Task<Void, Never>?
    private var help: Task<Void, Never>?

    init(
        logger: Logger, machine: Machine = .system, person: String? = nil, between: Duration = .seconds(2), okMax: Duration = okMax,
        send: @escaping Send, say: @escaping @Sendable (String) -> Void
    ) {
        (self.logger, self.machine, self.person) = (logger, machine, person)
        self.between = between
        self.okMax = okMax
        self.send = send
        self.say = say
    }

    mutating func take(_ press: ButtonPress) {
        ok?.cancel()
        let teller = Reporter(logger: logger, machine: machine, person: person, between: between, send: send, say: say)
        switch press {
        case .short: ok = machine.start { [okMax] in await teller.tellOK(for: okMax) }
        case .long:
            // Each press is a call of its own; the one before has reached nobody, or has been answered.
            help?.cancel()
            help = machine.start { await teller.tellHelp() }
        }
    }

    func stop() {
        ok?.cancel()
        help?.cancel()
    }
}

private struct Reporter: Sendable {
    let logger: Logger
    let machine: Machine
    let person: String?
    let between: Duration
    let send: ButtonPressReporter.Send
    let say: @Sendable (String) -> Void

    /// Given up after a while, which is said.
    func tellOK(for limit: Duration) async {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await retry(.ok) { _ in } }
            group.addTask {
                try? await machine.sleep(for: limit)
                return false
            }
            // A person who presses again means the new press.
            if await group.next() == false, !Task.isCancelled {
                logger.error("the press \"I'm OK\" was given up: the agent did not take it in time")
                say("prompt.failed")
            }
            group.cancelAll()
        }
    }

    /// Without end: whoever called for help is not forgotten.
    func tellHelp() async {
        _ = await retry(.help) { failures in
            if failures == 1 || failures.isMultiple(of: 10) { say("prompt.help-failed") }
        }
    }

    private func retry(_ action: ControlRequest.Action, failed: @Sendable (Int) -> Void) async -> Bool {
        var failures = 0
        while !Task.isCancelled {
            do {
                let reply = try await send(ControlRequest(action, person: person, isButton: true))
                if reply.isDone {
                    logger.notice("told the agent: \(action.rawValue)")
                    return true
                }
                logger.error("\(reply.message)")
            } catch {
                guard !Task.isCancelled else { return false }
                logger.error("the press could not be told: \(error)")
            }
            failures += 1
            failed(failures)
            try? await machine.sleep(for: between)
        }
        return false
    }
}
