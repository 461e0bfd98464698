import AgentKit
import ArgumentParser
import Foundation

struct Record: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record a value by hand, or what the live sensors deliver, to be replayed later.",
        discussion: """
            KIND VALUE keeps a value that was measured without this box, such as: trackme-agent record weight 72.5
            PATH becomes PATH.nmea and PATH.btsnoop, written by the agent: give one that its user may write.
            """)
    @Argument(help: "The path of the files, without their endings; or a kind of data.")
    var what: String?
    @Argument(help: "The value of that kind.")
    var value: String?
    @Option(help: "The second value, such as the diastolic blood pressure.")
    var second: String?
    @Option(help: "The unit, as UCUM; the kind's own without it.")
    var unit: String?
    @Option(help: "When, as 2026-11-27T07:00:00Z; now without it.")
    var at: String?
    @Option(help: "When it ended, of kinds that last.")
    var end: String?
    @Flag(help: "End the recording of sensors.")
    var stop = false
    @OptionGroup var options: ControlOptions

    func run() async throws {
        if stop { return try await options.perform(ControlRequest(.recordStop)) }
        guard let what else { throw ValidationError("Give a KIND and a VALUE, the PATH of the files, or --stop") }
        if let value {
            let entry = EnteredValue(
                kind: what, value: value, second: second, unit: unit, time: try Self.instant(at), end: try Self.instant(end))
            return try await options.perform(ControlRequest(.enter, entry: entry))
        }
        let absolute = URL(fileURLWithPath: what).standardizedFileURL.path
        try await options.perform(ControlRequest(.record, path: absolute))
    }

    /// UTC milliseconds.
    private static func instant(_ text: String?) throws -> Int64? {
        guard let text else { return nil }
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw ValidationError("\"\(text)\" is no time: give it as 2026-11-27T07:00:00Z")
        }
        return Int64((date.timeIntervalSince1970 * 1000).rounded())
    }
}
