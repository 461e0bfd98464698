import Foundation
import HubServices
import HubStore
import Hummingbird
import Logging
import SyncProtocol
import Vitals

/// What boxes say of themselves. It decodes and answers; `BoxConditions` and `BoxSettingsKeeper` keep it.
struct BoxConditionController: Sendable {
    let reports: BoxConditions
    let settings: BoxSettingsKeeper
    let accounts: AccountStore
    let authenticator: Authenticator
    let logger: Logger
    let now: @Sendable () -> Milliseconds

    func routes(_ router: Router<HubContext>) {
        router.post(RouterPath(SyncRoute.box)) { request, _ in
            do { return try await answer(request) } catch { return .refusal(error, logger: logger) }
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        let bearer = try request.bearer
        // Strangers are sent away before their body is read.
        let agent: AgentStore.Agent
        do { agent = try authenticator.counted(bearer: bearer, now: now()).agent } catch Authenticator.Refusal.revoked {
            // A box that its person disconnected hears that, and nothing else.
            let gone = try authenticator.revoked(bearer: bearer).map { try accounts.agents.left($0.row) } ?? []
            guard !gone.isEmpty else { throw Authenticator.Refusal.revoked }
            return try .json(BoxConditionAnswer(gone: gone.sorted()))
        }
        let report = try await request.said(BoxCondition.self, called: "a report of a box", upTo: SyncRoute.boxBytesMax).message
        try reports.take(report, from: agent.id, serving: Set(agent.people.keys), now: now())
        try settings.take(report.settings, from: agent, now: now())
        return try .json(agent.answer(holding: report.people ?? [], accounts))
    }
}
