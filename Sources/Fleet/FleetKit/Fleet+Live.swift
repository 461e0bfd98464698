import Foundation
import NIOCore
import NIOPosix
import SyncProtocol
import Vitals

/// The observations of people who watch. Printed as JSON with these names.
public struct LiveResult: Codable, Sendable {
    public var people: Int
    public var readers: Int
    public var requests: Int
    public var errors: Int
    /// Samples of watched people that the hub acknowledged: each is to arrive.
    public var expected: Int
    public var delivered: Int
    /// From the sensor's time of a sample to its arrival at a reader.
    public var p50Seconds: Double?
    public var p99Seconds: Double?
    public var maxSeconds: Double?
    /// The largest delay of a person's first sample, with which the hub gets to know a stream. It counts above, too.
    public var firstMaxSeconds: Double?
    /// From a request to its answer.
    public var answerP99Milliseconds: Double?
    public var clientProcessorSeconds: Double

    enum CodingKeys: String, CodingKey {
        case people, readers, requests, errors, expected, delivered
        case p50Seconds = "delay_p50_s"
        case p99Seconds = "delay_p99_s"
        case maxSeconds = "delay_max_s"
        case firstMaxSeconds = "first_delay_max_s"
        case answerP99Milliseconds = "answer_p99_ms"
        case clientProcessorSeconds = "client_cpu_s"
    }
}

extension Fleet {
    /// How long after the last sample readers may take.
    private static let settling = Duration.seconds(2)

    /// Has `people` boxes send a heart rate and a position every second, spread over the second, while the people behind `links` are
    /// watched, one reader a link; measures how old samples are when they are seen.
    public mutating func live(people count: Int, links: [String], seconds: Int) async throws -> LiveResult {
        guard (1...3600).contains(seconds) else { throw FleetError("Seconds: 1 to 3600, not \(seconds).") }
        _ = try state.people(count)
        let hub = try HubConnection(state)
        let token = try await token()
        progress("redeeming \(links.count) links")
        let readers = try await HubClient.with(state.url, authority: state.certificateAuthority) { client in
            var readers: [HubClient.Reader] = []
            for link in links { readers.append(try await client.redeem(link: link)) }
            return readers
        }
        // Those who are watched send; the others make up the number.
        let watched = Set(readers.map(\.person))
        guard watched.count <= count, watched.isSubset(of: state.persons) else {
            throw FleetError("There are links to \(watched.count) people: they must be among the \(count) that send, of this fleet.")
        }
        let people = watched.sorted() + state.persons.filter { !watched.contains($0) }.prefix(count - watched.count)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let result = try await Self.live(people, readers, hub, token: token, seconds: seconds, on: group)
            try await group.shutdownGracefully()
            return result
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func live(
        _ people: [PersonID], _ readers: [HubClient.Reader], _ hub: HubConnection, token: String, seconds: Int, on group: any EventLoopGroup
    ) async throws -> LiveResult {
        let (sent, seen) = (LiveSent(), LiveSeen())
        progress("opening \(readers.count) streams and \(people.count) connections")
        for reader in readers {
            let head = hub.head("GET", "/people/\(reader.person)/live", [("Cookie", reader.cookie), ("Accept", "text/event-stream")])
            let ready = group.next().makePromise(of: Void.self)
            let open = hub.open(on: group) {
                LiveReader(reader.person, request: ByteBuffer(string: head + "\r\n"), seen: seen, ready: ready)
            }
            open.whenFailure { ready.fail($0) }
            try await ready.futureResult.get()
        }
        let head = hub.head("POST", SyncRoute.segments, segmentFields(token: token))
        var boxes: [any Channel] = []
        for (number, person) in people.enumerated() {
            boxes.append(try await hub.open(on: group) { LivePerson(person, number: number, head: head, sent: sent) }.get())
        }
        progress("measuring for \(seconds) s")
        let processor = Clocks.processorSeconds()
        for (number, box) in boxes.enumerated() {
            let delay = TimeAmount.milliseconds(Int64(1000 + number * 1000 / boxes.count))
            box.pipeline.fireUserInboundEventTriggered(LivePerson.Order.begin(after: delay))
        }
        // A second later, so that the whole fleet is in step.
        try await Task.sleep(for: .seconds(seconds + 1))
        for box in boxes { box.pipeline.fireUserInboundEventTriggered(LivePerson.Order.stop) }
        try await Task.sleep(for: settling)
        let used = Clocks.processorSeconds() - processor
        return summary(sent.result, seen.result, watched: Set(readers.map(\.person)), people: people.count, processor: used)
    }

    static func summary(
        _ sent: LiveSent.Counts, _ seen: LiveSeen.Arrivals, watched: Set<PersonID>, people: Int, processor: Double
    ) -> LiveResult {
        if let problem = sent.firstError ?? seen.problem { progress("first problem: \(problem)") }
        var (expected, delays, firstDelays) = (0, Delays(), Delays())
        for person in watched {
            for (number, time) in (sent.acknowledged[person] ?? []).enumerated() {
                expected += 2
                for arrivals in [seen.heartRates, seen.positions] {
                    guard let arrived = arrivals[person]?[time] else { continue }
                    delays.add((arrived - Double(time)) / 1000)
                    if number == 0 { firstDelays.add((arrived - Double(time)) / 1000) }
                }
            }
        }
        return LiveResult(
            people: people, readers: watched.count, requests: sent.requests, errors: sent.errors, expected: expected,
            delivered: delays.values.count, p50Seconds: delays.quantile(0.5)?.rounded3, p99Seconds: delays.quantile(0.99)?.rounded3,
            maxSeconds: delays.quantile(1)?.rounded3, firstMaxSeconds: firstDelays.quantile(1)?.rounded3,
            answerP99Milliseconds: sent.answerDelays.quantile(0.99)?.rounded3,
            clientProcessorSeconds: processor.rounded3)
    }
}
