import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Privacy
import ServiceLifecycle
import Vitals

/// Who is where in a run: streams for spectators, the organiser and a runner, and what pages read beside them (docs/runs-live.md).
struct RunLiveRoutes: Sendable {
    let live: LiveRuns
    let finder: RunFinder
    let store: RunsStore
    let service: AccountService
    let accounts: AccountStore
    private let replays: ReadPool<RunID>

    init(live: LiveRuns, finder: RunFinder, store: RunsStore, service: AccountService, accounts: AccountStore) {
        (self.live, self.finder, self.store, self.service, self.accounts) = (live, finder, store, service, accounts)
        replays = ReadPool(width: 1, machine: accounts.machine)
    }

    /// - Parameters:
    ///   - open: without a session; a run by invitation is shown to whom the browser's session says.
    ///   - pages: with one.
    func routes(_ open: some RouterMethods<HubContext>, pages: some RouterMethods<HubContext>) {
        open.get("/runs/:code/events") { request, context in try events(request, context) }
        open.get("/runs/:code/course.json") { request, context in try course(request, context) }
        open.get("/runs/:code/replay.json") { request, context in try await replay(request, context) }
        pages.get("/runs/:code/people/events") { request, context in
            let account = try Frame(request, context).session(asOneOf: RunOrganisers.roles).account
            guard let run = try run(context, account), run.organiser == account.id else { throw PageRefusal.notAllowed }
            return try Self.stream(request) { () throws(RunBusy) in
                try live.watchPeople(run, from: context.address)
            } holds: {
                isLoggedIn(account.id, request) && (try? store.run(run.id)?.organiser) == account.id
            }
        }
        pages.get("/runs/:code/mine/events") { request, context in
            // Also a parent who takes part in nothing.
            let account = try Frame(request, context).session().account
            let person = request.uri.queryParameters["person"].flatMap { PersonID(String($0)) } ?? account.id.person
            guard try accounts.consents.authority(over: person).grant(to: account.id, at: live.now) != nil,
                let run = try run(context, account, [person]),
                let enrolment = try store.enrolments.enrolment(of: person, in: run.id), enrolment.state != .withdrawn
            else { throw PageRefusal.notAllowed }
            return try Self.stream(request) { () throws(RunBusy) in
                try live.watch(enrolment, from: context.address)
            } holds: {
                isLoggedIn(account.id, request)
                    && (try? accounts.consents.authority(over: person).grant(to: account.id, at: live.now)) != nil
            }
        }
    }

    private func isLoggedIn(_ account: AccountID, _ request: Request) -> Bool { Self.isLoggedIn(account, request, service) }

    private func reader(_ request: Request) throws -> StoredAccount? { try Self.reader(request, service) }

    static func isLoggedIn(_ account: AccountID, _ request: Request, _ service: AccountService) -> Bool {
        (try? reader(request, service))?.id == account
    }

    /// Who is logged in, now, in full.
    private static func reader(_ request: Request, _ service: AccountService) throws -> StoredAccount? {
        guard let secret = request.cookies[Sessions.cookie]?.value, let session = try service.session(secret), session.strength == .full
        else { return nil }
        return session.account
    }

    private func run(_ context: HubContext, _ account: StoredAccount?, _ people: [PersonID] = []) throws -> StoredRun? {
        try finder.run(code: try context.parameters.require("code"), for: account, people: people)
    }

    /// For whom an account decides: itself and its children. To them a run by invitation is shown as its page is.
    private func people(_ account: StoredAccount) throws -> [PersonID] {
        try [account.id.person] + accounts.care.wards(of: account.id, now: live.now)
    }

    /// The run, where it is shown to whoever asks; 404 for every other one.
    private func shown(_ request: Request, _ context: HubContext) throws -> StoredRun {
        if let run = try run(context, nil) { return run }
        guard let account = try reader(request), let run = try run(context, account, people(account)) else { throw HTTPError(.notFound) }
        return run
    }

    // MARK: Streams

    private func events(_ request: Request, _ context: HubContext) throws -> Response {
        let run = try shown(request, context)
        return try Self.stream(request) { () throws(RunBusy) in
            try live.watch(run, from: context.address)
        } holds: {
            // A public run asks nobody who they are, also not each second. When it is public no more, the stream ends (``LiveRuns``).
            run.plan.isPublic || (try? reader(request).flatMap { try finder.run(code: run.code, for: $0, people: people($0)) }) != nil
        }
    }

    private static let watching = ByteBuffer(string: "retry: 2000\n: watching\n\n")

    /// - Parameter holds: whether the reader still may; asked before each event.
    static func stream(
        _ request: Request, _ join: () throws(RunBusy) -> RunReader, holds: @escaping @Sendable () -> Bool
    ) throws -> Response {
        let reader: RunReader
        do { reader = try join() } catch {
            let texts = Texts.preferred(request)
            return Response(
                status: .serviceUnavailable,
                headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store", .retryAfter: "30"],
                body: .init(byteBuffer: ByteBuffer(string: texts["runsLive.\(error)"] + "\n")))
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { writer in
                try await writer.write(Self.watching)
                while let event = await Self.next(reader), holds() { try await writer.write(event) }
                try await writer.finish(nil)
            })
    }

    /// A hub that stops does not wait for spectators.
    private static func next(_ reader: RunReader) async -> ByteBuffer? {
        await withGracefulShutdownHandler {
            await reader.next()
        } onGracefulShutdown: {
            reader.end()
        }
    }

    // MARK: Beside them

    private func course(_ request: Request, _ context: HubContext) throws -> Response {
        let run = try shown(request, context)
        guard let text = try live.courseText(of: run) else { throw HTTPError(.notFound) }
        let headers: HTTPFields = [
            .contentType: "application/json", .cacheControl: run.plan.isPublic ? "no-cache" : "private, no-cache", .eTag: text.tag,
        ]
        if request.headers[.ifNoneMatch] == text.tag { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: text.bytes))
    }

    private func replay(_ request: Request, _ context: HubContext) async throws -> Response {
        let run = try shown(request, context)
        do {
            guard let text = try await replays.run(for: run.id, { try live.replayText(of: run) }) else { throw HTTPError(.notFound) }
            return Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"], body: .init(byteBuffer: text))
        } catch is ReadPoolBusy {
            return Response(status: .serviceUnavailable, headers: [.retryAfter: "5", .cacheControl: "no-store"])
        }
    }
}
