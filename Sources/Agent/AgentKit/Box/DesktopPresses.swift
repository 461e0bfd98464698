internal import Languages
internal import Logging
internal import Seams

/// The notices on a desktop, and what becomes of presses of their buttons when the agent does not take them.
actor DesktopPresses {
    typealias Send = @Sendable (ControlRequest) async throws -> ControlReply

    private var notices: DesktopNotifications
    private let logger: Logger
    private let machine: Machine
    private let between: Duration
    private let send: Send
    private let perform: @Sendable (DesktopNotifications.Change) -> Void
    /// How often each person called for help; everybody is "".
    private var calls: [String: Int] = [:]

    /// - Parameter between: between two tries of a call for help.
    init(
        language: Language?, logger: Logger, machine: Machine = .system, between: Duration = .seconds(2), send: @escaping Send,
        perform: @escaping @Sendable (DesktopNotifications.Change) -> Void
    ) {
        notices = DesktopNotifications(language: language)
        (self.logger, self.machine) = (logger, machine)
        self.between = between
        self.send = send
        self.perform = perform
    }

    func update(_ status: BoxStatus) { perform(notices.update(status)) }

    func lost(unenrolled: Language? = nil) { perform(notices.lost(unenrolled: unenrolled)) }

    /// Tells the agent of a press. Where it does not take it, the notice is there again with its buttons.
    ///
    /// A call for help is tried without end: returns when the agent took it, the same person calls again, or the task is cancelled.
    func answer(_ key: String, _ request: ControlRequest) async {
        perform(notices.pressed(key))
        let isHelp = request.action == .help, person = request.person ?? ""
        if isHelp { calls[person, default: 0] += 1 }
        let call = calls[person]
        var failures = 0
        while let failure = await tell(request) {
            guard !Task.isCancelled, !isHelp || calls[person] == call else { return }
            failures += 1
            // Told again now and then: somebody may have put it away.
            if failures == 1 || failures.isMultiple(of: 10) {
                perform(notices.failed(request, of: key, failure, again: failures == 1))
            }
            guard isHelp else { return }
            try? await machine.sleep(for: between)
            guard !Task.isCancelled, calls[person] == call else { return }
        }
        perform(notices.taken(request, of: key))
    }

    /// nil when it was done.
    private func tell(_ request: ControlRequest) async -> DesktopNotifications.Failure? {
        do {
            let reply = try await send(request)
            if reply.isDone {
                logger.notice("\(reply.message)")
                return nil
            }
            logger.error("\(reply.message)")
            let problem = AgentProblem(reply.message, advice: reply.advice ?? "Look at `trackme-agent status`")
            return DesktopNotifications.Failure(isAnswered: true, why: problem.description)
        } catch {
            logger.error("\(error)")
            return DesktopNotifications.Failure(isAnswered: false, why: "\(error)")
        }
    }
}
