internal import Foundation
internal import NIOCore

extension ControlServer {
    typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Answers one client until it has gone, or has stood there for too long.
    func answer(_ connection: Connection, isTooMany: Bool) async throws {
        let channel = connection.channel
        try await connection.executeThenClose { inbound, outbound in
            func reply(_ reply: ControlReply) async throws {
                let line = try ControlLine.write(reply)
                try await channel.closing(after: limits.slow) { try await outbound.write(line) }
            }
            var lines = ControlLineReader(inbound, bytesMax: limits.lineBytes)
            if isTooMany {
                // Only after its request: a socket that is closed with something unread takes the answer with it.
                _ = try await channel.closing(after: limits.slow) { try await lines.next() }
                let message = "\(limits.connections) connections are open already"
                return try await reply(ControlReply(isDone: false, message: message, advice: "Close some of what watches the box"))
            }
            do {
                while let line = try await channel.closing(after: limits.idle, { try await lines.next() }) {
                    switch ControlLine.request(line) {
                    case .failure(let problem):
                        try await reply(ControlReply(isDone: false, message: problem.what, advice: problem.advice))
                    case .success(let request) where request.action == .watch:
                        var isTold = false
                        try await StatusFeed.run(control, quietMax: limits.quiet, on: machine) { status in
                            isTold = true
                            try await reply(ControlReply(isDone: true, message: "The box now", status: status))
                        }
                        // Who has no status says why.
                        if !isTold { try await reply(await control.perform(ControlRequest(.status))) }
                        return
                    case .success(let request):
                        try await reply(await control.perform(request))
                    }
                }
            } catch let problem as ControlLineReader.TooLong {
                try await reply(ControlReply(isDone: false, message: "A request of more than \(problem.bytesMax) bytes is not read"))
            }
        }
    }
}

/// Requests and replies as lines of JSON.
enum ControlLine {
    static func write(_ value: some Encodable) throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        var line = ByteBuffer(bytes: try encoder.encode(value))
        line.writeInteger(UInt8(ascii: "\n"))
        return line
    }

    private struct Named: Decodable {
        var action: String
    }

    /// Reads a request; the problem says what about it was not understood.
    static func request(_ line: ByteBuffer) -> Result<ControlRequest, AgentProblem> {
        let decoder = JSONDecoder()
        let data = Data(line.readableBytesView)
        guard let named = try? decoder.decode(Named.self, from: data) else {
            let advice = #"Send one JSON object a line, such as {"action":"status"}"#
            return .failure(AgentProblem("This is no JSON object with an \"action\"", advice: advice))
        }
        guard ControlRequest.Action(rawValue: named.action) != nil else {
            let names = ControlRequest.Action.allCases.map(\.rawValue).joined(separator: ", ")
            return .failure(AgentProblem("There is no action \"\(named.action.prefix(40))\"", advice: "There are: \(names)"))
        }
        do {
            return .success(try decoder.decode(ControlRequest.self, from: data))
        } catch {
            return .failure(AgentProblem("The fields of \"\(named.action)\" are not as they must be", advice: fields(error)))
        }
    }

    private static func fields(_ error: any Error) -> String {
        guard case .typeMismatch(_, let context)? = error as? DecodingError, let key = context.codingPath.first else {
            return "minutes and seconds are whole numbers; person, address, path and flag are texts"
        }
        return "\(key.stringValue): \(context.debugDescription)"
    }
}

/// Cuts what comes into lines, and bounds them.
struct ControlLineReader {
    struct TooLong: Error {
        var bytesMax: Int
    }

    private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var buffer = ByteBuffer()
    private let bytesMax: Int

    init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, bytesMax: Int) {
        iterator = inbound.makeAsyncIterator()
        self.bytesMax = bytesMax
    }

    /// The next line that is not empty, without its end; nil when no more come. What stands behind the last line end is a line too.
    mutating func next(isolation: isolated (any Actor)? = #isolation) async throws -> ByteBuffer? {
        while true {
            if let length = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")).map({ $0 - buffer.readerIndex }) {
                guard length <= bytesMax else { throw TooLong(bytesMax: bytesMax) }
                let line = buffer.readSlice(length: length)
                buffer.moveReaderIndex(forwardBy: 1)
                if let line, length > 0 { return line }
                continue
            }
            guard buffer.readableBytes <= bytesMax else { throw TooLong(bytesMax: bytesMax) }
            guard var more = try await iterator.next(isolation: isolation) else {
                defer { buffer.clear() }
                return buffer.readableBytes > 0 ? buffer : nil
            }
            buffer.discardReadBytes()
            buffer.writeBuffer(&more)
        }
    }
}
