internal import Foundation
internal import Languages
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Peripherals
internal import Seams
internal import SourceThread
internal import SyncProtocol
internal import Vitals

/// The set-up page in the box's network, by plain HTTP: browsers know no certificate of a box.
struct SetUpServer: Sendable {
    struct Limits: Sendable {
        var connections = 24
        var bodyBytes = 4096
        /// How long a connection stays open between two requests.
        var idle = TimeAmount.seconds(30)
        /// How long a request may take to come, and an answer to be read.
        var slow = TimeAmount.seconds(10)
    }

    static let cookie = "trackme-setup"

    private let setUp: SetUp
    private let limits: Limits
    private let content = PageContent(PackageResources.setup_html)

    init(_ setUp: SetUp, limits: Limits = Limits()) { (self.setUp, self.limits) = (setUp, limits) }

    /// Until the window closes, or the task is cancelled.
    /// - Parameter onListening: called with the port.
    func listen(group: any EventLoopGroup, onListening: @Sendable (Int) -> Void = { _ in }) async throws {
        let listener = Listener(connectionsMax: limits.connections, on: setUp.machine) { connection, isTooMany in
            try await answer(connection, isTooMany: isTooMany)
        }
        let port = setUp.configuration.setUp.port, channel: any Channel
        do {
            channel = try await PageServer.open("0.0.0.0", port, group: group, listener, isWanted: Self.isNear)
        } catch {
            throw AgentProblem(
                "The set-up page cannot be opened at port \(port): \(error)", advice: "Stop what uses this port (`ss -ltnp` names it)")
        }
        onListening(channel.localAddress?.port ?? port)
        let name = announceName()
        defer { name?.stop() }
        let watch = setUp.machine.start { [setUp] in
            while await setUp.isOpen, (try? await setUp.machine.sleep(for: .seconds(1))) != nil {}
            channel.close(promise: nil)
        }
        await listener.run(channel)
        watch.cancel()
    }

    /// Says in the network that ``SyncProtocol/SetUpLink/host`` is this box, until the result is told to stop.
    private func announceName() -> StopSignal? {
        let addresses = Self.nearAddresses
        guard !addresses.isEmpty, setUp.announcesName, let stop = StopSignal() else { return nil }
        setUp.machine.start { [setUp] in
            do {
                try await setUp.machine.wait(named: "name") {
                    try NetworkName.announce(SetUpLink.host, addresses: addresses, stop: stop)
                }
            } catch {
                setUp.logger.warning("\(error)")
            }
        }
        return stop
    }

    // MARK: - Who may come

    /// Whether this address is of this machine or of a network that is not the Internet's (RFC 1918, RFC 3927).
    static func isNear(_ address: SocketAddress?) -> Bool {
        guard case .v4 = address, let text = address?.ipAddress else { return false }
        let parts = text.split(separator: ".").compactMap { UInt8($0) }
        guard parts.count == 4 else { return false }
        return switch (parts[0], parts[1]) {
        case (10, _), (127, _), (192, 168), (169, 254), (172, 16...31): true
        default: false
        }
    }

    /// Where the page is, the numeric addresses first.
    static func addresses(port: Int) -> [String] {
        (nearAddresses + [SetUpLink.host]).map { "http://\($0):\(port)" }
    }

    /// Those of this box in networks that are not the Internet's.
    private static var nearAddresses: [String] {
        let devices = (try? System.enumerateDevices()) ?? []
        return devices.compactMap(\.address).filter { isNear($0) && $0.ipAddress?.hasPrefix("127.") == false }.compactMap(\.ipAddress)
    }

    // MARK: - Requests

    private func answer(_ connection: PageServer.Connection, isTooMany: Bool) async throws {
        let channel = connection.channel
        guard let local = channel.localAddress, let address = local.ipAddress, let port = local.port else { return }
        let hosts = [address, SetUpLink.host, "localhost"].flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] }
        try await connection.executeThenClose { inbound, outbound in
            var requests = PageRequestReader(inbound, bodyBytesMax: limits.bodyBytes)
            while let head = try await channel.closing(after: limits.idle, { try await requests.head() }) {
                let body = try await channel.closing(after: limits.slow, { try await requests.body() })
                var answer = PageAnswer(.serviceUnavailable, "Too many connections."), secret: String?
                if !isTooMany, let body {
                    (answer, secret) = try await self.answer(head, Array(body.readableBytesView), hosts)
                } else if !isTooMany {
                    answer = PageAnswer(.payloadTooLarge, "This is too much.")
                }
                let keeps = head.isKeepAlive && body != nil && !isTooMany
                var field = answer.head(head, closes: !keeps)
                if let secret { field.headers.add(name: "set-cookie", value: "\(Self.cookie)=\(secret); Path=/; HttpOnly; SameSite=Lax") }
                let parts: [HTTPServerResponsePart] = [.head(field), .body(.byteBuffer(answer.body)), .end(nil)]
                try await channel.closing(after: limits.slow) { try await outbound.write(contentsOf: parts) }
                if !keeps { return }
            }
        }
    }

    /// - Returns: the answer, and the secret of a browser that has just begun.
    private func answer(_ head: HTTPRequestHead, _ body: [UInt8], _ hosts: [String]) async throws -> (PageAnswer, secret: String?) {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false), path = parts[0]
        if let (status, text) = PageRequest.refusal(head, hosts: hosts, isPage: path == "/") { return (PageAnswer(status, text), nil) }
        let known = Self.secret(of: head)
        guard await setUp.lets(known) else { return (Self.elsewhere, nil) }
        switch head.method {
        case .GET: return (try await read(path, parts.count > 1 ? parts[1] : "", head), nil)
        case .POST:
            guard PageRequest.isJSON(head.headers) else {
                return (PageAnswer(.unsupportedMediaType, "Only application/json is read."), nil)
            }
            let name = await setUp.state().name
            guard let act = SetUpAct(path: path, body: body, name: name) else {
                return (PageAnswer(.badRequest, "What the page sent cannot be read."), nil)
            }
            return try await perform(act, known)
        default: return (PageAnswer(.methodNotAllowed, "Only GET and POST are answered."), nil)
        }
    }

    private func read(_ path: Substring, _ query: Substring, _ head: HTTPRequestHead) async throws -> PageAnswer {
        switch path {
        case "/": return PageAnswer(content.page(PageRequest.language(query, head.headers, setUp.configuration.language)))
        case "/state": return try PageAnswer(json: await setUp.state())
        case "/sensors":
            guard let sensors = await setUp.sensors() else { return PageAnswer(.serviceUnavailable, "The agent is starting.") }
            return try PageAnswer(json: sensors)
        default:
            guard let file = PageContent.assets[String(path.dropFirst())] else {
                return PageAnswer(.notFound, "There is nothing at this address.")
            }
            return PageAnswer(file)
        }
    }

    private func perform(_ act: SetUpAct, _ known: String?) async throws -> (PageAnswer, secret: String?) {
        if case .sensors(let request) = act { return (try PageAnswer(json: await setUp.sensors(request)), nil) }
        let fresh = Hexadecimal.string(setUp.machine.randomness.bytes(16))
        guard let state = await setUp.perform(act, secret: known, fresh: fresh) else { return (Self.elsewhere, nil) }
        return (try PageAnswer(json: state), await setUp.owns(fresh) ? fresh : nil)
    }

    private static let elsewhere = PageAnswer(
        .forbidden, "This page is closed, or in use by another browser. To open it anew: trackme-agent setup")

    private static func secret(of head: HTTPRequestHead) -> String? {
        for field in head.headers[canonicalForm: "cookie"] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if parts.count == 2, parts[0] == cookie { return parts[1] }
            }
        }
        return nil
    }
}
