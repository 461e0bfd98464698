import Foundation
import HubServices
import HubStore
import Hummingbird
import Logging
import SyncProtocol
import Vitals

/// What people say to check-ins at their boxes (RUN-5). It decodes and answers; `CheckInService` decides.
struct CheckInController: Sendable {
    let checkIns: CheckInService
    let shown: BoxCheckIns
    let authenticator: Authenticator
    let logger: Logger
    let now: @Sendable () -> Milliseconds

    func routes(_ router: Router<HubContext>) {
        router.post(RouterPath(SyncRoute.checkIns)) { request, _ in
            do { return try await answer(request) } catch { return .refusal(error, logger: logger) }
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        let bearer = try request.bearer
        // Strangers are sent away before their body is read.
        let agent = try authenticator.counted(bearer: bearer, now: now()).agent
        let said = try await request.said(CheckInAnswer.self, called: "an answer to a check-in", upTo: SyncRoute.checkInBytesMax).message
        let reply = try checkIns.answer(said, from: agent)
        shown.forget(agent.id)
        return try .json(WireForm(reply))
    }
}
