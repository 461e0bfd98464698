import HTTPTypes
import HubServices
import Hummingbird
import HummingbirdCore
import Seams
import SyncProtocol

/// Segments go straight to the pipeline; everything else to the router, on the threads that it shares with its like.
struct HubResponder<Others: HTTPResponder<HubContext>>: HTTPResponder {
    let sync: SyncController
    let clocks: RequestClocks
    let connections: Connections
    let streams = StreamPlaces()
    let executors: HubExecutors
    let shedding: LoadShedder
    let tally: AnswerTally
    let templates: Templates
    let refusals: RefusalNotes
    let metrics: RequestMetrics
    let traces: LogTraces
    let router: Others

    /// Each request has a name of its own, which stands on each line of the log that it writes.
    func respond(to request: Request, context: HubContext) async throws -> Response {
        try await LogTrace.$current.withValue(traces.make()) { try await answered(request, context) }
    }

    private func answered(_ request: Request, _ context: HubContext) async throws -> Response {
        let deadline = clocks.deadline(of: context.channel), path = request.head.path ?? "/"
        if request.method == .post, path == SyncRoute.segments {
            // A box on a slow line takes its time; who is none is sent away before its body is read.
            deadline?.tell(.began(isBounded: false), on: context.channel)
            defer { deadline?.tell(.answered(isBounded: true), on: context.channel) }
            let response = await sync.segments(request)
            metrics.segments(response.status.code)
            refusals.note(response.status.code, request.method, path)
            tally.note(response.status.code, path)
            return response
        }
        var context = context
        context.deadline = deadline
        let peer = connections.peer(of: context.channel)
        context.address = connections.proxies.client(of: peer.address, isNamed: peer.isNamed, request.headers)
        context.tell(.began(isBounded: true))
        let counted = context
        let response = try await metrics.count(path) {
            if let refused = shed(request, path) { return refused }
            return try await answer(request, path, counted)
        }
        refusals.note(response.status.code, request.method, path)
        tally.note(response.status.code, path)
        context.tell(.answered(isBounded: response.body.contentLength.map { $0 <= RequestClock.shortAnswer } ?? false))
        // Bytes of a body that nobody reads would be taken for the next answer: refusals have one too.
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// The one place where requests are refused under load; boxes are told by ``SyncController``.
    private func shed(_ request: Request, _ path: String) -> Response? {
        guard let kind = SheddableRoutes.kind(of: path, request.method), let seconds = shedding.retryAfter(kind) else { return nil }
        let text = ErrorAnswer.overloaded(seconds)
        var response =
            path.hasPrefix("/api/")
            ? APIProblem(.serviceUnavailable, text.error, text.description).response(path.hasPrefix(APIController.fhir + "/"))
            : templates.problem("overloaded", Texts.preferred(request), status: .serviceUnavailable)
        response.headers[.retryAfter] = "\(seconds)"
        return response
    }

    private func answer(_ request: Request, _ path: String, _ context: HubContext) async throws -> Response {
        if UrgentRoutes.contains(path) {
            let response =
                UrgentRoutes.isPage(path, request.method)
                ? try await withTaskExecutorPreference(executors.emergencies) { try await router.respond(to: request, context: context) }
                : try await router.respond(to: request, context: context)
            return response.isStream ? placed(response, request, isUrgent: true) : response
        }
        var response = try await withTaskExecutorPreference(executors.pages) { try await router.respond(to: request, context: context) }
        // Of a known length it is there already.
        guard response.body.contentLength == nil else { return response }
        let isStream = response.isStream
        if isStream { response = placed(response, request, isUrgent: false) }
        response.body = response.body.written(on: isStream ? executors.streams : executors.pages)
        return response
    }

    /// A stream has a place as long as it is written.
    private func placed(_ response: Response, _ request: Request, isUrgent: Bool) -> Response {
        guard let place = streams.enter(request, isUrgent: isUrgent) else { return StreamPlaces.refusal }
        var response = response
        let body = response.body
        response.body = ResponseBody { writer in
            defer { withExtendedLifetime(place) {} }
            try await body.write(writer)
        }
        return response
    }
}

extension Response {
    fileprivate var isStream: Bool { headers[.contentType] == "text/event-stream" }
}

extension ResponseBody {
    /// The same body, whose parts are made on an executor.
    fileprivate func written(on executor: BlockingExecutor) -> ResponseBody {
        let trace = LogTrace.current
        return ResponseBody(contentLength: contentLength) { writer in
            let parts = writer
            try await LogTrace.$current.withValue(trace) { try await withTaskExecutorPreference(executor) { try await write(parts) } }
        }
    }
}

extension ErrorAnswer {
    /// - Parameter seconds: until it may be asked for again.
    static func overloaded(_ seconds: Int) -> ErrorAnswer {
        ErrorAnswer(
            error: "overloaded",
            description:
                "The hub has more to do than it can, and leaves this undone so that calls for help go on. Keep your data, and try again in \(seconds) s."
        )
    }
}
