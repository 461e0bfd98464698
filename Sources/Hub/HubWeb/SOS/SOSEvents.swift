import HTTPTypes
import HubServices
import Hummingbird
import NIOCore
import Seams
import ServiceLifecycle
import Vitals

/// Wakes a page that shows a case: it then asks for itself again. A crew's is told of offers at once, without anything about the person.
enum SOSEvents {
    /// A sign of life after so many seconds.
    static let heartbeat: Duration = .seconds(5)
    /// An event, not a comment: a page hears it, and notices when it is missing.
    private static let alive = ByteBuffer(string: "event: alive\ndata: {}\n\n")

    /// The reader's right is looked at after so many signs of life: the stream itself tells nothing, and thousands of crews wait.
    private static let beatsPerLook = 6

    /// What a crew's page shows of a case at once.
    struct Offer: Encodable, Sendable {
        let id: String
        /// How far it is, in the reader's words.
        let distance: String
    }

    private struct Change: Encodable {
        let after, within: Milliseconds
        let offers: [Offer]
    }

    /// What wakes a page.
    /// - Parameters:
    ///   - within: the page asks for itself after this and a random part of as much again, milliseconds.
    private static func changed(_ offers: [Offer], within: Milliseconds) throws -> ByteBuffer {
        let change = Change(after: within, within: within, offers: offers)
        return ByteBuffer(string: "event: changed\ndata: \(try ScriptJSON.text(change))\n\n")
    }

    /// - Parameters:
    ///   - offers: those that wait for a crew, out of memory: a thousand alarms at once wait for no reading.
    ///   - holds: whether the reader still may; asked every half minute, and without `offers` before each `changed`.
    static func response(
        _ bus: SOSBus, _ topic: SOSBus.Topic, offers: (@Sendable () -> [Offer])? = nil, holds: @escaping @Sendable () -> Bool
    ) -> Response {
        let watch = bus.watch(topic), machine = bus.machine
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { writer in
                // An offer is an alarm: it leaves before pages are made.
                if offers != nil { withUnsafeCurrentTask { $0?.escalatePriority(to: .high) } }
                let ticking = machine.start { [sender = watch.sender] in
                    while !Task.isCancelled {
                        try? await machine.sleep(for: heartbeat)
                        sender.tell(.beat)
                    }
                }
                defer { ticking.cancel() }
                try await writer.write(ByteBuffer(string: "retry: 1000\n: watching\n\n"))
                try await writer.write(try changed(offers?() ?? [], within: 0))
                var beats = 0
                // A hub that stops does not wait for pages.
                for try await _ in watch.wakes.cancelOnGracefulShutdown() {
                    let signals = watch.take()
                    if signals.contains(.changed) {
                        guard offers != nil || holds() else { return try await writer.finish(nil) }
                        try await writer.write(try changed(offers?() ?? [], within: bus.spread))
                    }
                    if signals.contains(.beat) {
                        beats += 1
                        guard !beats.isMultiple(of: beatsPerLook) || holds() else { return try await writer.finish(nil) }
                        try await writer.write(alive)
                    }
                }
                try await writer.finish(nil)
            })
    }
}
