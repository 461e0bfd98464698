import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import NIOCore
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
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > SyncRoute.checkInBytesMax {
            throw HTTPError(.contentTooLarge, message: "An answer to a check-in has at most \(SyncRoute.checkInBytesMax) bytes.")
        }
        // Strangers are sent away before their body is read.
        let agent = try authenticator.session(bearer: bearer, now: now()).agent
        let body = try await request.body.collect(upTo: SyncRoute.checkInBytesMax)
        guard let said = try? JSONDecoder().decode(WireForm<CheckInAnswer>.self, from: Data(body.readableBytesView)).message else {
            throw ErrorAnswer(error: "invalid_request", description: "The body is no answer to a check-in in JSON.")
        }
        let reply = try checkIns.answer(said, from: agent)
        shown.forget(agent.id)
        return try .json(WireForm(reply))
    }
}
