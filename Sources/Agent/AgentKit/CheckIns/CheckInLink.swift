internal import Foundation
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// The hub, as far as check-ins are answered.
protocol CheckInHub: Sendable {
    /// - Returns: what the hub decided, or why it has not.
    func answer(_ answer: CheckInAnswer) async -> Result<CheckInReply, SourceProblem>
}

/// With the token that sends samples, over a connection of its own.
struct CheckInLink: CheckInHub {
    let client: HubClient
    let access: SOSAccess
    let nudges: SyncSignals

    func answer(_ answer: CheckInAnswer) async -> Result<CheckInReply, SourceProblem> {
        guard let token = access.token, let body = try? JSONEncoder().encode(WireForm(answer)) else {
            return .failure(Self.problem("this box has no token yet"))
        }
        let headers = [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")]
        let reply: Uploader.Reply<CheckInReply>
        do {
            reply = .init(
                .success(try await client.send(.post, SyncRoute.checkIns, headers: headers, body: Array(body))), from: client.address)
        } catch {
            reply = .init(.failure(error), from: client.address)
        }
        switch reply {
        case .answer(let reply): return .success(reply)
        case .unreachable(let why), .notTheHub(let why): return .failure(Self.problem(why))
        case .refused(let status, _, let error):
            // Sending samples gets a new token.
            if status == 401 { nudges.signal(.urgent) }
            return .failure(Self.problem("\(client.address) refuses (\(status)\(error.map { ", \($0.description)" } ?? ""))"))
        }
    }

    private static func problem(_ why: String) -> SourceProblem {
        SourceProblem(
            what: "The hub has not taken the answer to the check-in: \(why)", advice: "It is tried again by itself. Look at the network",
            retries: true)
    }
}
