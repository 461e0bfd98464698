internal import Foundation
internal import NIOCore
internal import NIOHTTP1

extension PageServer {
    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    private typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// Answers one browser's requests, one after the other.
    func answer(_ connection: Connection, isTooMany: Bool) async throws {
        let channel = connection.channel, port = channel.localAddress?.port ?? 0
        try await connection.executeThenClose { inbound, outbound in
            var requests = PageRequestReader(inbound, bodyBytesMax: limits.bodyBytes)
            while let head = try await channel.closing(after: limits.idle, { try await requests.head() }) {
                if isTooMany {
                    return try await write(PageAnswer(.serviceUnavailable, "Too many connections."), head, false, channel, outbound)
                }
                guard let body = try await channel.closing(after: limits.slow, { try await requests.body() }) else {
                    return try await write(PageAnswer(.payloadTooLarge, "This is too much."), head, false, channel, outbound)
                }
                let request = PageRequest(head, port: port, language: language)
                if request == .events { return try await events(head, channel, outbound) }
                let keeps = head.isKeepAlive
                try await write(try await answer(request, body), head, keeps, channel, outbound)
                if !keeps { return }
            }
        }
    }

    private func answer(_ request: PageRequest, _ body: ByteBuffer) async throws -> PageAnswer {
        switch request {
        case .page(let language): return PageAnswer(content.page(language))
        case .asset(let name):
            guard let file = PageContent.assets[name] else { return PageAnswer(.notFound, "There is nothing at this address.") }
            return PageAnswer(file)
        case .status:
            guard let status = await control.perform(ControlRequest(.status)).status else {
                return PageAnswer(.serviceUnavailable, "The agent gives no status.")
            }
            return try PageAnswer(json: status)
        case .act: return try await act(body)
        case .events: return PageAnswer(.internalServerError, "Events are a stream.")
        case .refused(let status, let text): return PageAnswer(status, text)
        }
    }

    private func act(_ body: ByteBuffer) async throws -> PageAnswer {
        switch ControlLine.request(body) {
        case .failure(let problem):
            return try PageAnswer(.badRequest, json: ControlReply(isDone: false, message: problem.what, advice: problem.advice))
        case .success(let request) where !PageRequest.actions.contains(request.action):
            let message = "\"\(request.action.rawValue)\" is not for the page"
            return try PageAnswer(
                .forbidden, json: ControlReply(isDone: false, message: message, advice: "Use the command `trackme-agent`"))
        case .success(let request): return try PageAnswer(json: await control.perform(request))
        }
    }

    private func write(
        _ answer: PageAnswer, _ request: HTTPRequestHead, _ keeps: Bool, _ channel: any Channel, _ outbound: Writer
    ) async throws {
        try await channel.closing(after: limits.slow) {
            try await outbound.write(contentsOf: [
                .head(answer.head(request, closes: !keeps)), .body(.byteBuffer(answer.body)), .end(nil),
            ])
        }
    }

    /// Server-sent events: the status now, at each change, and afresh while nothing changes, so that silence means a dead agent.
    private func events(_ request: HTTPRequestHead, _ channel: any Channel, _ outbound: Writer) async throws {
        let headers = PageAnswer.headers(type: "text/event-stream")
        let head = HTTPResponseHead(version: request.version, status: .ok, headers: headers)
        try await outbound.write(.head(head))
        try await outbound.write(.body(.byteBuffer(ByteBuffer(string: "retry: 1000\n\n"))))
        try await StatusFeed.run(control, quietMax: limits.quiet, on: machine) { status in
            var event = ByteBuffer(string: "data: ")
            var line = try PageAnswer.json(status)
            event.writeBuffer(&line)
            event.writeString("\n")
            let part = HTTPServerResponsePart.body(.byteBuffer(event))
            try await channel.closing(after: limits.slow) { try await outbound.write(part) }
        }
        try await outbound.write(.end(nil))
    }
}

/// Puts the parts of requests together, and bounds them.
struct PageRequestReader {
    private var iterator: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    private let bodyBytesMax: Int

    init(_ inbound: NIOAsyncChannelInboundStream<HTTPServerRequestPart>, bodyBytesMax: Int) {
        iterator = inbound.makeAsyncIterator()
        self.bodyBytesMax = bodyBytesMax
    }

    /// The next request's; nil when no more come.
    mutating func head(isolation: isolated (any Actor)? = #isolation) async throws -> HTTPRequestHead? {
        guard case .head(let head) = try await iterator.next(isolation: isolation) else { return nil }
        return head
    }

    /// What came with it; nil when that is too much or broke off.
    mutating func body(isolation: isolated (any Actor)? = #isolation) async throws -> ByteBuffer? {
        var body = ByteBuffer()
        while let part = try await iterator.next(isolation: isolation) {
            switch part {
            case .head: return nil
            case .body(var more):
                guard body.readableBytes + more.readableBytes <= bodyBytesMax else { return nil }
                body.writeBuffer(&more)
            case .end: return body
            }
        }
        return nil
    }
}
