import Foundation
import Segments
import SyncProtocol
public import Vitals

/// The result of sending a made-up year.
public struct YearResult: Encodable, Sendable {
    /// All that there is, days or parts of them; and those that the hub had already.
    public var parts = 0, known = 0
    public var requests = 0, samples = 0
    public var wallSeconds = 0.0
}

extension Fleet {
    /// Days in one request.
    private static let daysAtOnce = 7
    /// A hub may be killed and started meanwhile: a second between two tries.
    private static let triesMax = 60
    /// Days between two lines about how far it is.
    private static let told = 30
    /// Days that may be made up.
    public static let daysMax = 3650

    /// Sends the made-up days of the first person, the newest first, as an import. What the hub has is not sent again. A later
    /// call goes on where this one ended.
    /// - Parameters:
    ///   - seed: everything about the year comes from it. It is fixed with the first call.
    ///   - days: how many there are before today, with the first call.
    ///   - until: UTC milliseconds; nil for now, and never later.
    public mutating func sendYear(seed: UInt64, days: Int, until: Milliseconds? = nil) async throws -> YearResult {
        guard (1...Self.daysMax).contains(days) else { throw FleetError("Days: 1 to \(Self.daysMax), not \(days).") }
        let begun = Clocks.utc(), person = try state.people(1)[0]
        let new = YearSent(
            seed: seed, zone: TimeZone.current.identifier, stream: .random(), begins: state.now - Milliseconds(days) * 86_400_000)
        var sent = state.year ?? new
        sent.reach(min(until ?? state.now, state.now))
        try keep(sent)
        let year = sent.year
        var left = Array(sent.parts.reversed()), result = YearResult(), told = 0
        result.parts = left.count
        while !left.isEmpty {
            // The first answer says what the hub has.
            let taken = left.prefix(result.requests == 0 ? 1 : Self.daysAtOnce)
            left.removeFirst(taken.count)
            var segments: [[UInt8]] = []
            for part in taken {
                let samples = year.samples(part.day, within: part.span)
                guard !samples.isEmpty else { continue }
                result.samples += samples.count
                segments.append(
                    Segment(
                        stream: sent.stream, sequence: part.sequence, person: person, provenance: .import, clock: .wall, samples: samples
                    ).encoded())
            }
            guard !segments.isEmpty else { continue }
            let has = try await deliver(SegmentBatch.encode(segments), of: sent.stream)
            result.requests += 1
            let before = left.count
            left.removeAll { has.contains($0.sequence) }
            result.known += before - left.count
            let done = result.parts - left.count
            if done - told >= Self.told || left.isEmpty {
                told = done
                progress("\(done) of \(result.parts) days of made-up history are there")
            }
        }
        result.wallSeconds = ((Clocks.utc() - begun) / 1000).rounded3
        return result
    }

    /// - Returns: what the hub has of the stream.
    mutating func deliver(_ body: [UInt8], of stream: StreamID) async throws -> SequenceSet {
        var tries = 0
        while true {
            do {
                let token = try await token(), (url, authority) = (state.url, state.certificateAuthority)
                let answer = try await HubClient.with(url, authority: authority) { try await $0.segments(body, token: token) }
                guard let known = answer.streams.first(where: { $0.stream == stream }), let received = known.receivedSet else {
                    throw FleetError("The hub at \(url) does not say what it has of the made-up history.")
                }
                guard known.refused == nil, known.forked == nil else {
                    tries = Self.triesMax
                    let why = known.refused?.first.map { "\($0.reason): \($0.detail)" } ?? "it has other days under the same numbers"
                    throw FleetError("The hub at \(url) refuses made-up history: \(why).")
                }
                return received
            } catch {
                tries += 1
                guard tries < Self.triesMax else { throw error }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }
}
