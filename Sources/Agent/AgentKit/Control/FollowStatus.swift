internal import Logging

/// Follows the running agent's state until the task is cancelled, and begins again three seconds after a connection ended.
/// - Parameters:
///   - path: where the agent is at present; it may come later, or elsewhere.
///   - lost: called each time that it does not answer, with why.
func followStatus(
    at path: @Sendable () -> String, logger: Logger, update: (BoxStatus) async -> Void, lost: (AgentProblem?) async -> Void
) async {
    var told: AgentProblem?
    while !Task.isCancelled {
        var problem: AgentProblem?
        do {
            for try await status in ControlClient(path: path()).watch() {
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
        try? await Task.sleep(for: .seconds(3))
    }
}
