import HTTPTypes
import Hummingbird
import HummingbirdCore
import SyncProtocol

/// Segments go straight to the pipeline; everything else to the router.
struct HubResponder<Others: HTTPResponder<HubContext>>: HTTPResponder {
    let sync: SyncController
    let clocks: RequestClocks
    let router: Others

    func respond(to request: Request, context: HubContext) async throws -> Response {
        let deadline = clocks.deadline(of: context.channel)
        if request.method == .post, request.head.path == SyncRoute.segments {
            // A box on a slow line takes its time; who is none is sent away before its body is read.
            deadline?.tell(.began(isBounded: false), on: context.channel)
            defer { deadline?.tell(.answered(isBounded: true), on: context.channel) }
            return await sync.segments(request)
        }
        var context = context
        context.deadline = deadline
        context.tell(.began(isBounded: true))
        let response = try await router.respond(to: request, context: context)
        context.tell(.answered(isBounded: response.body.contentLength.map { $0 <= RequestClock.shortAnswer } ?? false))
        // Bytes of a body that nobody reads would be taken for the next answer: refusals have one too.
        return request.method == .head ? response.createHeadResponse() : response
    }
}
