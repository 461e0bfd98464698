import Exchange
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import NIOCore
import Runs
import Vitals

/// Results, start lists and tracks as files. What everybody may have is at the address alone; `?for=organiser` is everything that the organiser may have,
/// so that nobody hands out by mistake what a runner did not publish.
struct RaceExports: Sendable {
    let site: WatchSite
    let export: Export
    let logger: Logger

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/:code/results.csv") { request, context in
            let (visit, list) = try await results(request, context)
            return file(RaceCSV.results(list), RaceCSV.mediaType, "\(visit.run.code)-results.csv")
        }
        router.get("/runs/:code/results.xml") { request, context in
            let (visit, list) = try await results(request, context)
            return file(RaceXML.results(list, created: site.now), RaceXML.mediaType, "\(visit.run.code)-results.xml")
        }
        router.get("/runs/:code/start.csv") { request, context in
            let (visit, list) = try starts(request, context)
            return file(RaceCSV.starts(list), RaceCSV.mediaType, "\(visit.run.code)-start.csv")
        }
        router.get("/runs/:code/start.xml") { request, context in
            let (visit, list) = try starts(request, context)
            return file(RaceXML.starts(list, created: site.now), RaceXML.mediaType, "\(visit.run.code)-start.xml")
        }
        router.get("/runs/:code/tracks.gpx") { request, context in
            let (visit, account) = try site.organiser(request, context)
            let tracks = try site.resultService.tracks(of: visit.run, for: account)
            return self.tracks(tracks, of: visit.run, file: "\(visit.run.code)-tracks.gpx")
        }
    }

    private func results(_ request: Request, _ context: HubContext) async throws -> (WatchSite.Visit, RaceList) {
        let isOrganiser = request.uri.queryParameters["for"] == "organiser"
        let visit = isOrganiser ? try site.organiser(request, context).visit : try site.visit(request, context)
        let shown = try await site.results(of: visit.run, for: isOrganiser ? .organiser : .everybody)
        return (visit, RaceList(visit.run, shown, length: try length(visit.run)))
    }

    /// Everybody on the list, by bib numbers.
    private func starts(_ request: Request, _ context: HubContext) throws -> (WatchSite.Visit, RaceList) {
        let (visit, account) = try site.organiser(request, context), run = visit.run, waves = run.plan.waves
        let listed = try site.resultService.participants(in: run.id, for: account).filter { $0.enrolment.state.isOnList }
        let entries = listed.map { participant in
            let index = participant.enrolment.choices.wave, wave = waves.indices.contains(index) ? waves[index] : nil
            return RaceEntry(
                bib: participant.enrolment.bib, name: participant.name, category: run.plan.category(wave: index), status: .notStarted,
                gun: wave?.gun ?? run.began ?? run.plan.starts)
        }
        let list = RaceList(
            name: run.plan.name, code: run.code, starts: run.began ?? run.plan.starts, ends: run.plan.ends,
            length: Int(try length(run).rounded()),
            entries: entries.sorted { $0.bib ?? 0 < $1.bib ?? 0 })
        return (visit, list)
    }

    private func length(_ run: StoredRun) throws -> Double {
        try site.finder.course(of: run).flatMap { try? Course($0) }?.length ?? 0
    }

    private func file(_ bytes: [UInt8], _ type: String, _ name: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "no-store", .contentDisposition: "attachment; filename=\"\(name)\""],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    // MARK: Tracks

    /// One runner's, as far as they published it; the same refusal where they did not.
    func track(_ visit: WatchSite.Visit, _ bib: Int) async throws -> Response {
        let results = site.resultService, run = visit.run
        guard let track = try await site.read(run, { try results.publicTrack(bib: bib, in: run) }) else { throw HTTPError(.notFound) }
        return tracks([track], of: run, file: "\(run.code)-\(bib).gpx")
    }

    /// A file of several people's tracks. It streams. When somebody's permission ends on the way, or the run is called off, the connection
    /// is cut, so that the file does not look whole.
    func tracks(_ tracks: [RunResultService.ShownTrack], of run: StoredRun, file: String) -> Response {
        let headers: HTTPFields = [
            .contentType: GPXWriter.mediaType, .cacheControl: "no-store", .contentDisposition: "attachment; filename=\"\(file)\"",
        ]
        return Response(
            status: .ok, headers: headers,
            body: .init { writer in
                var writer = writer
                do {
                    try await write(tracks, of: run) { bytes in
                        // It may have been called off since the piece before.
                        try site.resultService.checkNotCalledOff(run)
                        try await writer.write(ByteBuffer(bytes: bytes))
                    }
                } catch {
                    logger.error("a download ended before its end", metadata: ["error": "\(error)"])
                    throw error
                }
                try await writer.finish(nil)
            })
    }

    private func write(_ tracks: [RunResultService.ShownTrack], of run: StoredRun, _ send: ([UInt8]) async throws -> Void) async throws {
        let now = site.now
        var frame = GPXWriter(name: run.plan.name, created: now), buffer: [UInt8] = []
        frame.begin(&buffer)
        try await send(buffer)
        for track in tracks {
            try site.resultService.checkNotCalledOff(run)
            try site.ledger.recordRead(track.grant, now: now)
            let label = track.name.isEmpty ? String(track.bib) : "\(track.bib) \(track.name)"
            var parts: GPXWriter.Parts?
            if let view = track.view { parts = { view.parts(of: $0, at: now) } }
            try await export.write(GPXWriter(track: label, parts: parts), track.grant, in: track.span, send: send)
        }
        buffer = []
        frame.end(&buffer)
        try await send(buffer)
    }
}
