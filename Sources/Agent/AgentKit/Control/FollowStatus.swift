internal import Logging
internal import Seams

/// Follows the running agent's state until the task is cancelled, and begins again three seconds after a connection ended.
/// - Parameters:
///   - watch: asks the agent where it is at present; it may come later, or elsewhere.
///   - lost: called each time that it does not answer, with why.
func followStatus(
    _ watch: @Sendable () -> AsyncThrowingStream<BoxStatus, any Error>, logger: Logger, machine: Machine,
    update: (BoxStatus) async -> Void, lost: (AgentProblem?) async -> Void
) async {
    var told: AgentProblem?
    while !Task.isCancelled {
        var problem: AgentProblem?
        do {
            for try await status in watch() {
                told = nil
                await update(status)
            }
        } catch {
            problem = error as? AgentProblem
        }
        guard !Task.isCancelled else { return }
        if let problem, problem != told { logger.warning("\(problem)") }
        told = problem
        await lost(problem)
        try? await machine.sleep(for: .seconds(3))
    }
}
