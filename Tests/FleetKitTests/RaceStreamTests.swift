import Foundation
import Testing
import Vitals

@testable import FleetKit

@Suite("The public stream of a run, as spectators of the fleet read it")
struct RaceStreamTests {
    private static let snapshot =
        #"{"seq":7,"t":1790000000000,"state":"live","names":{"12":"Ada"},"rows":[[12,1,1,532,345,0,151,1789999999500],[13,1,2,500,0,-1,0,0,4546420,919000]]}"#
    private static let delta = #"{"seq":8,"t":1790000001000,"m":[12,3,13,-2],"r":[[14,2,0,10,0,-1,0,1790000000900]],"x":[15]}"#
    private static let stream =
        ": hello\n\nevent: snapshot\ndata: \(snapshot)\n\n: still here\n\nevent: delta\ndata: \(delta)\n\nevent: end\ndata: {}\n\n"

    private func events(_ pieces: [ArraySlice<UInt8>], keepsAll: Bool) -> [RaceLines.Event] {
        var lines = RaceLines(keepsAll: keepsAll), events: [RaceLines.Event] = []
        for piece in pieces { piece.withUnsafeBytes { bytes in lines.take(bytes) { events.append($0) } } }
        return events
    }

    @Test("RUN-7: the events are the same wherever the bytes are cut", arguments: [1, 2, 7, 64, 10_000])
    func cut(length: Int) throws {
        let bytes = Array(Self.stream.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<min($0 + length, bytes.count)] }
        for keepsAll in [true, false] {
            let events = events(pieces, keepsAll: keepsAll)
            #expect(events.map(\.kind) == [.snapshot, .delta, .end])
            #expect(events.map(\.sequence) == [7, 8, nil])
            #expect(events.map(\.size) == [Self.snapshot.utf8.count, Self.delta.utf8.count, 2])
            #expect(
                events.map { String(decoding: $0.data, as: UTF8.self) } == (keepsAll ? [Self.snapshot, Self.delta, "{}"] : ["", "", ""]))
        }
    }

    @Test("rows, movements and who is gone are read; what is no row is not taken for one")
    func decoding() throws {
        let snapshot = try JSONDecoder().decode(RaceEvent.self, from: Data(Self.snapshot.utf8))
        #expect(snapshot.rows == [.init(bib: 12, metres: 532, seen: 1_789_999_999_500), .init(bib: 13, metres: 500, seen: 0)])
        let delta = try JSONDecoder().decode(RaceEvent.self, from: Data(Self.delta.utf8))
        #expect(delta.seq == 8 && delta.t == 1_790_000_001_000 && delta.gone == [15])
        #expect(delta.moved.map(\.bib) == [12, 13] && delta.moved.map(\.metres) == [3, -2])
        for text in [#"{"seq":1,"t":2,"r":[[1,2,3]]}"#, #"{"seq":1,"t":2,"m":[1]}"#, #"{"t":2}"#] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(RaceEvent.self, from: Data(text.utf8)) }
        }
    }

    @Test("RUN-7: a delay is from the fix to its arrival; of what left its box late, from then on; a snapshot tells of nothing new")
    func delays() {
        let sent = RaceSent(), gun: Milliseconds = 1_790_000_000_000
        sent.change { $0.late = [20: [gun: gun + 30_000]] }
        let seen = RaceSeen(sent)
        seen.look(Array(Self.delta.utf8), .delta, by: 1, at: Double(gun))
        seen.settled()
        #expect(seen.result.delays.values.isEmpty, "nobody measures yet")
        seen.measure()
        seen.look(Array(Self.delta.utf8), .delta, by: 2, at: Double(gun + 1650))
        // Told again of the same fix, a row says nothing about the way of a fix.
        seen.look(Array(Self.delta.utf8), .delta, by: 2, at: Double(gun + 9650))
        seen.look(Array(Self.snapshot.utf8), .snapshot, by: 3, at: Double(gun + 1650))
        seen.look(Array(#"{"seq":9,"t":1,"r":[[20,1,1,5,0,0,0,\#(gun)]]}"#.utf8), .delta, by: 2, at: Double(gun + 31_000))
        seen.look(Array("{".utf8), .delta, by: 2, at: 0)
        seen.settled()
        #expect(seen.result.delays.values == [0.75])
        #expect(seen.result.lateDelays.values == [1])
        #expect(seen.result.unreadable == 1 && seen.result.firstProblem != nil)
    }
}
