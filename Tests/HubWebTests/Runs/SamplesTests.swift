import Exchange
import Foundation
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Values that apps of phones send, with the secret of a device.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SamplesTests {
    private var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) / 60_000 * 60_000 }

    private func send(_ web: WebFixture, _ body: some Sequence<UInt8>, _ secret: String) async throws -> WebFixture.Answer {
        try await web.send(.POST, "/samples", headers: [("authorization", "Bearer \(secret)")], body: Array(body))
    }

    private func scalars(_ web: WebFixture) throws -> [ScalarSample] {
        try web.hub.series.reader.read(.maintenance(of: web.person), from: 0, to: .max / 2, now: 0)?.scalars ?? []
    }

    /// The largest value of a kind, as downloads have it.
    private func line(_ kind: DataKind, at time: Milliseconds) -> String {
        let row = kind.entry
        func value(_ range: ClosedRange<Int64>, _ codes: [String]) -> String {
            codes.last.map { "\"\($0)\"" } ?? range.upperBound.text(places: row.decimals)
        }
        var line = "{\"time\":\"\(APITime.text(time))\",\"kind\":\"\(row.name)\",\"value\":\(value(row.range, row.codes))"
        if let second = row.second { line += ",\"\(second.name)\":\(value(second.range, second.codes))" }
        if row.span != .none { line += ",\"end\":\"\(APITime.text(time + 60_000))\"" }
        return line + "}"
    }

    @Test("DATA-13: each scalar kind is taken as JSON with a device's secret, as lines and as a document; what comes again is stored once")
    func every() async throws {
        try await WebFixture.run { web in
            let (device, secret) = try web.device(.osmAnd), all = DataKind.scalars.map { line($0, at: now - 120_000) }
            let lines = Array(all.joined(separator: "\n").utf8)
            let document = Array("{\"format\":\"trackme-samples\",\"scalar\":[\(all.joined(separator: ","))]}".utf8)
            for body in [lines, lines, document] {
                let answer = try await send(web, body, secret)
                #expect(answer.status == 200 && answer.body.contains("\"samples\":\(all.count)"), "\(answer.body)")
            }
            #expect(try Set(scalars(web).map(\.kind)) == Set(DataKind.scalars) && scalars(web).count == all.count)
            let reading = try web.hub.series.reader.read(.maintenance(of: web.person), from: 0, to: .max / 2, now: 0)
            #expect(reading?.provenance == .live, "an app's values are measured, not typed")
            let basic = try await web.send(.POST, "/samples", headers: web.basic("any", secret), body: lines)
            #expect(basic.status == 200)
            #expect(try await send(web, lines, "AAAA-BBBB-CCCC-DDDD").status == 401)
            let (_, detector) = try web.device(.detector)
            #expect(try await send(web, lines, detector).status == 403)
            #expect(try web.hub.accounts.devices.revokeDevice(device.row, of: web.person, now: 1))
            #expect(try await send(web, lines, secret).status == 401)
        }
    }

    @Test("DATA-13: what is wrong is told with its place, and the rest is stored; nothing but wrong values is refused")
    func wrong() async throws {
        try await WebFixture.run { web in
            let (_, secret) = try web.device(.ownTracks), time = APITime.text(now - 60_000)
            let lines =
                #"{"time":"\#(time)","kind":"weight","value":72.5}\#n{"time":"\#(time)","kind":"weight","value":9999}\#n"#
                + #"{"time":"\#(time)","kind":"mood","value":1}\#n{"time":"\#(time)","kind":"heart_rate","bpm":70}\#n"#
            let said = try await send(web, lines.utf8, secret)
            #expect(said.status == 200 && said.body.contains(#""samples":1"#) && said.body.contains(#""other":1"#), "\(said.body)")
            for part in [#""code":"outOfRange""#, "line 2", #""mood":1"#] { #expect(said.body.contains(part), "\(said.body)") }
            #expect(try scalars(web).map(\.value) == [7250])
            for body in ["", "{}", "no JSON", #"{"kind":"weight","value":72}"#] {
                #expect(try await send(web, body.utf8, secret).status == 400, "\(body)")
            }
            let large = [UInt8](repeating: 32, count: SendersController.bodyMax + 1)
            #expect(try await send(web, large, secret).status == 413)
        }
    }

    @Test("DATA-13: what the app Health Auto Export posts is taken as it is; when it has nothing new it is not refused")
    func app() async throws {
        try await WebFixture.run { web in
            let (_, secret) = try web.device(.osmAnd), day = APITime.text(now - 86_400_000).prefix(10)
            let body = """
                {"data":{"metrics":[{"name":"step_count","units":"count","data":[{"qty":42,"date":"\(day) 08:15:00 +0100"},
                {"qty":58,"date":"\(day) 08:16:00 +0100","source":"Watch"}]},
                {"name":"weight_body_mass","units":"lb","data":[{"qty":160,"date":"\(day) 07:00:00 +0100"}]},
                {"name":"heart_rate","units":"bpm","data":[{"Min":60,"Avg":70,"Max":80,"date":"\(day) 08:00:00 +0100"}]}]}}
                """
            for _ in 0..<2 {
                let answer = try await send(web, body.utf8, secret)
                #expect(answer.status == 200 && answer.body.contains(#""samples":3"#), "\(answer.body)")
                #expect(answer.body.contains(#""averages":1"#), "\(answer.body)")
            }
            #expect(try scalars(web).map(\.value).sorted() == [42, 58, 7257])
            #expect(try await send(web, #"{"data":{"metrics":[]}}"#.utf8, secret).status == 200)
            #expect(try await send(web, #"{"data":{"metrics":[{"#.utf8, secret).status == 400)
        }
    }
}
