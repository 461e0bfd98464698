internal import Foundation
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// The hub, as far as AutomatedSOS speaks to it.
protocol SOSHub: Sendable {
    func report(_ report: SOSReport) async -> Result<SOSAnswer, SourceProblem>
    func settings() async -> Result<SOSSettings, SourceProblem>
}

/// Over connections of its own: nothing that is sent else is waited for, and a connection that hangs is not waited for either.
struct SOSLink: SOSHub {
    /// Connecting, and a whole request. Short: another one follows at once.
    static let connectLimit: Milliseconds = 3000, requestLimit: Milliseconds = 8000

    let client: HubClient
    let access: SOSAccess

    func report(_ report: SOSReport) async -> Result<SOSAnswer, SourceProblem> {
        guard let body = try? JSONEncoder().encode(WireForm(report)) else {
            return .failure(Self.unreachable("the report cannot be written as JSON"))
        }
        return await ask(.post, SyncRoute.sos, Array(body))
    }

    func settings() async -> Result<SOSSettings, SourceProblem> { await ask(.get, SyncRoute.sosSettings, nil) }

    private func ask<Answer: Decodable & Sendable>(
        _ method: HubClient.Method, _ path: String, _ body: [UInt8]?
    ) async -> Result<Answer, SourceProblem> {
        guard let token = access.token else { return .failure(Self.unreachable("this box has no token yet")) }
        let headers = [
            ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"), (SyncRoute.showsHeader, SyncRoute.showsSOS),
        ]
        let reply: Uploader.Reply<Answer>
        do {
            let response = try await client.send(method, path, headers: headers, body: body)
            access.note(address: client.lastAddress)
            reply = .init(.success(response), from: client.address)
        } catch {
            reply = .init(.failure(error), from: client.address)
        }
        switch reply {
        case .answer(let answer): return .success(answer)
        case .unreachable(let why), .notTheHub(let why): return .failure(Self.unreachable(why))
        case .refused(let status, _, let error):
            return .failure(Self.unreachable("\(client.address) refuses (\(status)\(error.map { ", \($0.description)" } ?? ""))"))
        }
    }

    private static func unreachable(_ why: String) -> SourceProblem {
        SourceProblem(
            what: "The hub takes no alarms from this box: \(why)",
            advice: "The box calls by its own means. Look at its network, and the hub",
            retries: true)
    }
}
