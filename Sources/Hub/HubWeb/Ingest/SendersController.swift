import Exchange
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import NIOCore
import SyncProtocol
import Vitals

/// The routes for phones without our agent (DATA-13): OwnTracks in its HTTP mode, and OsmAnd's protocol, which Traccar Client speaks.
///
/// OsmAnd's requests carry the device's secret in their address: nothing here logs an address, a body or a header.
struct SendersController: Sendable {
    let devices: DeviceIngest
    let reports: FlagReports
    let crews: CrewPlaces
    let imports: ImportService
    let guesses: FailedAttemptLimiter
    let logger: Logger
    let now: @Sendable () -> Milliseconds

    /// A message has some hundred bytes; a list of a thousand OwnTracks messages fits.
    static let bodyMax = 262_144

    func routes(_ router: Router<HubContext>) {
        router.post("/owntracks") { request, context in await answer { try await ownTracks(request, context) } }
        router.get("/osmand") { request, context in await answer { try await osmAnd(request, context) } }
        router.post("/osmand") { request, context in await answer { try await osmAnd(request, context) } }
        fileRoutes(router)
    }

    private func ownTracks(_ request: Request, _ context: HubContext) async throws -> Response {
        guard let credentials = BasicCredentials(request.headers[.authorization]) else { throw Stranger.wrong }
        if let crew = try crews.crew(secret: credentials.password) {
            let body = Array(buffer: try await request.body(upTo: Self.bodyMax))
            try crews.keep(try OwnTracks.read(body, bytesMax: Self.bodyMax, now: now()), of: crew)
            return .json(bytes: Array("[]".utf8))
        }
        // Strangers are sent away before their body is read.
        let device = try device(secret: credentials.password, named: credentials.user, context)
        let body = Array(buffer: try await request.body(upTo: Self.bodyMax))
        let reading: SenderReading
        do { reading = try OwnTracks.read(body, bytesMax: Self.bodyMax, now: now()) } catch {
            devices.note(error, of: device)
            throw error
        }
        try await devices.receive(reading, from: device)
        return .json(bytes: Array("[]".utf8))
    }

    private func osmAnd(_ request: Request, _ context: HubContext) async throws -> Response {
        var fields = FormFields(request.uri.query ?? "").pairs
        if let crew = try Self.secret(in: fields).flatMap({ try crews.crew(secret: $0) }) {
            fields += FormFields(String(buffer: try await request.body(upTo: Self.bodyMax))).pairs
            try crews.keep(try OsmAnd.read(parameters: fields, now: now()), of: crew)
            return Response(status: .ok, headers: [.cacheControl: "no-store"])
        }
        var device = try Self.secret(in: fields).map { try self.device(secret: $0, named: nil, context) }
        let body = Array(buffer: try await request.body(upTo: Self.bodyMax))
        let reading: SenderReading
        do {
            if body.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") {
                reading = try OsmAnd.read(json: body, bytesMax: Self.bodyMax, now: now())
            } else {
                fields += FormFields(String(decoding: body, as: UTF8.self)).pairs
                if device == nil { device = try Self.secret(in: fields).map { try self.device(secret: $0, named: nil, context) } }
                reading = try OsmAnd.read(parameters: fields, now: now())
            }
        } catch let refusal as SenderRefusal {
            if let device { devices.note(refusal, of: device) }
            throw refusal
        }
        if device == nil, let crew = try crews.crew(secret: reading.device ?? "") {
            try crews.keep(reading, of: crew)
            return Response(status: .ok, headers: [.cacheControl: "no-store"])
        }
        let sender = try device ?? self.device(secret: reading.device ?? "", named: nil, context)
        try await devices.receive(reading, from: sender)
        // Traccar Client looks at the status alone; whoever tries it out by hand, and scripts, read what becomes of a fall.
        if let (flag, outcome) = try await reports.outcome(of: reading, from: sender) { return try .json(FlagAnswer(flag, outcome)) }
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }

    private static func secret(in fields: [(String, String)]) -> String? {
        fields.last { ["id", "deviceid"].contains($0.0) && !$0.1.isEmpty }?.1
    }

    /// A right secret always gets in, so that nobody who guesses from the same address shuts a phone out; a secret has 78 bits.
    func device(secret: String, named name: String?, _ context: HubContext) throws -> StoredDevice {
        if let device = try devices.device(secret: secret), name.map({ $0 == String(device.row) }) ?? true {
            // What its person was told it may do is all that it may.
            guard device.kind != .detector else { throw Stranger.detector }
            return device
        }
        let address = context.address
        guard guesses.allow(address, at: now()) else { throw Stranger.tooMany }
        guesses.wrong(address, at: now())
        throw Stranger.wrong
    }

    // MARK: Refusals

    private enum Stranger: Error { case wrong, tooMany, detector }

    func answer(_ body: () async throws -> Response) async -> Response {
        do { return try await body() } catch Stranger.wrong { return .wrongSecret } catch DeviceIngest.Refusal.gone {
            return .wrongSecret
        } catch Stranger.detector { return .onlyFlags } catch Stranger.tooMany { return .slowDown(seconds: 60) } catch DeviceIngest.Refusal
            .slowDown(let seconds)
        {
            return .slowDown(seconds: seconds)
        } catch let refusal as SenderRefusal {
            let status: HTTPResponse.Status = refusal.code == .tooLarge ? .contentTooLarge : .badRequest
            let answer = ErrorAnswer(error: refusal.code.rawValue, description: refusal.description)
            return (try? Response.json(answer, status: status)) ?? Response(status: status)
        } catch let error where error is HTTPError || error is ErrorAnswer || error is StorageFailure {
            return .refusal(error, logger: logger)
        } catch {
            logger.error("what a device sent could not be looked at", metadata: ["error": "\(error)"])
            return .refusal(StorageFailure(error), logger: logger)
        }
    }
}

extension Response {
    fileprivate static var wrongSecret: Response {
        let answer = ErrorAnswer(
            error: "invalid_device", description: "This device is not known, or was removed. Make a new one on your devices' page.")
        var response = (try? Response.json(answer, status: .unauthorized)) ?? Response(status: .unauthorized)
        response.headers[.wwwAuthenticate] = "Basic realm=\"TrackMe\", charset=\"UTF-8\""
        return response
    }

    fileprivate static var onlyFlags: Response {
        let answer = ErrorAnswer(
            error: "wrong_device",
            description: "This secret is of a fall or seizure detector, which reports to \(APIController.flags) and sends no positions.")
        return (try? Response.json(answer, status: .forbidden)) ?? Response(status: .forbidden)
    }

    fileprivate static func slowDown(seconds: Int) -> Response {
        let answer = ErrorAnswer(error: "slow_down", description: "Too many requests. Wait \(seconds) s and try again.")
        var response = (try? Response.json(answer, status: .tooManyRequests)) ?? Response(status: .tooManyRequests)
        response.headers[.retryAfter] = String(seconds)
        return response
    }
}
