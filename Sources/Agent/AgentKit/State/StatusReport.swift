internal import Foundation
public import SampleBuffer
internal import SyncProtocol
internal import Vitals

/// The report of `trackme-agent status`.
public struct StatusReport: Sendable, Codable {
    public var hub: String
    public var agent: String
    public var name: String
    public var persons: [String]
    /// nil while another program has the buffer open, which shares it with nobody.
    public var buffer: BufferStatus?

    /// Reads the state without disturbing a running agent.
    public init(directory: String) throws {
        guard let identity = try Identity.load(from: directory) else { throw AgentProblem.notEnrolled(directory) }
        hub = identity.hub.description
        agent = identity.agent.description
        name = identity.name
        persons = identity.persons.map { "\($0.person) \($0.name)" }
        do throws(BufferError) { buffer = try BufferStatus(ofBufferIn: directory) } catch {
            guard case .inUse = error else { throw error }
        }
    }

    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    public var text: String {
        var lines = [
            "hub:          \(hub)",
            "this box:     \(name) (\(agent))",
            "persons:      \(persons.joined(separator: ", "))",
        ]
        guard let buffer else {
            return (lines + ["buffer:       in use by another program, an agent that runs or a replay: it knows what waits"])
                .joined(separator: "\n")
        }
        lines += [
            "last answer:  \(buffer.lastAnswer.map { ISO8601.string($0) + " (the hub's clock)" } ?? "none yet")",
            "waiting:      \(buffer.unsentSegments) segments, \(buffer.unsentSamples) samples",
            "acknowledged: \(buffer.acknowledgedSegments) segments, \(buffer.acknowledgedSamples) samples (kept for 14 days as space allows)",
            "refused:      \(buffer.refusedSegments) segments",
        ]
        lines += buffer.refusals.sorted { $0.value > $1.value }.map { "              \($0.value) x \($0.key)" }
        lines.append("on disk:      \(buffer.bytes / 1024) KiB")
        return lines.joined(separator: "\n")
    }
}
