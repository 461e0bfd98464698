internal import Foundation
internal import NIOCore
internal import NIOPosix
public import Seams

/// Asks the agent that runs on this box, by its control socket.
public struct ControlClient: Sendable {
    /// Of one reply: a status, or what a scan found.
    static let replyBytesMax = 1 << 20

    let path: String
    /// How long an answer may take, besides the seconds that the request itself asks for.
    let answerMax: TimeAmount
    /// A watched agent says something much more often.
    let silenceMax: TimeAmount
    let machine: Machine

    public init(path: String, machine: Machine = .system) {
        self.init(path: path, answerMax: .seconds(30), silenceMax: .seconds(15), machine: machine)
    }

    /// For a press, which is told again when it was not taken.
    init(ofPressesAt path: String, machine: Machine) {
        self.init(path: path, answerMax: ButtonPressReporter.tryMax, silenceMax: ButtonPressReporter.tryMax, machine: machine)
    }

    init(path: String, answerMax: TimeAmount, silenceMax: TimeAmount, machine: Machine = .system) {
        (self.path, self.machine) = (path, machine)
        (self.answerMax, self.silenceMax) = (answerMax, silenceMax)
    }

    /// - Throws: ``AgentProblem`` when no agent runs here, this user may not ask it, or it does not answer.
    public func send(_ request: ControlRequest) async throws -> ControlReply {
        let limit = answerMax + .seconds(Int64(max(0, min(request.seconds ?? 0, 3600))))
        return try await converse(request) { lines, channel in
            guard let line = try await channel.closing(after: limit, { try await lines.next() }) else { throw silent }
            return try read(line)
        }
    }

    /// The status now and at each change. It ends with an ``AgentProblem`` when the agent does.
    public func watch() -> AsyncThrowingStream<BoxStatus, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: BoxStatus.self, bufferingPolicy: .bufferingNewest(1))
        let task = machine.start {
            do {
                try await converse(ControlRequest(.watch)) { lines, channel in
                    while let line = try await channel.closing(after: silenceMax, { try await lines.next() }) {
                        let reply = try read(line)
                        guard let status = reply.status else {
                            var problem = AgentProblem(reply.message, advice: reply.advice ?? "Try again")
                            problem.unenrolled = reply.unenrolled
                            throw problem
                        }
                        continuation.yield(status)
                    }
                    throw silent
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func converse<Result: Sendable>(
        _ request: ControlRequest, _ body: (inout ControlLineReader, any Channel) async throws -> Result
    ) async throws -> Result {
        let connection = try await connect()
        do {
            return try await connection.executeThenClose { inbound, outbound in
                try await outbound.write(ControlLine.write(request))
                var lines = ControlLineReader(inbound, bytesMax: Self.replyBytesMax)
                return try await body(&lines, connection.channel)
            }
        } catch let problem as AgentProblem {
            throw problem
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Task.isCancelled ? CancellationError() : silent
        }
    }

    private func connect() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
            }
        } catch let error as IOError {
            throw unreachable(error.errnoCode)
        } catch {
            throw AgentProblem("The control socket \(path) cannot be used: \(error)", advice: "Name the agent's own path")
        }
    }

    private func read(_ line: ByteBuffer) throws(AgentProblem) -> ControlReply {
        do {
            return try JSONDecoder().decode(ControlReply.self, from: Data(line.readableBytesView))
        } catch {
            throw AgentProblem(
                "What the agent at \(path) answers is not understood",
                advice: "Agent and command must be of one version: `systemctl restart trackme-agent`")
        }
    }
}
