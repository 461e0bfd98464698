import Exchange
import Foundation
import HubServices
import Logging
import Seams
import Synchronization
import Vitals

/// Counts the lines of a log, and puts the name of the work that is done on each of them.
struct WatchedLogHandler: LogHandler {
    /// The key of the name of the work: of a request, or of a timer that it set.
    static let key = "trace"

    private var inner: any LogHandler
    private let lines: LogLines

    init(_ inner: any LogHandler, _ lines: LogLines) { (self.inner, self.lines) = (inner, lines) }

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }
    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = newValue }
    }
    var metadataProvider: Logger.MetadataProvider? {
        get { inner.metadataProvider }
        set { inner.metadataProvider = newValue }
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        lines.add(event.level)
        guard let trace = LogTrace.current else { return inner.log(event: event) }
        var event = event
        event.metadata = (event.metadata ?? [:]).merging([Self.key: "\(trace)"]) { own, _ in own }
        inner.log(event: event)
    }
}

extension Logger {
    /// The same log, counted.
    func watched(_ lines: LogLines) -> Logger {
        let inner = handler
        return Logger(label: label, factory: { (_: String) in WatchedLogHandler(inner, lines) })
    }
}

/// Writes each line of a log as one JSON object (RFC 8259): `time` (UTC, RFC 3339), `level`, `message`, `source` (the module), `trace` where there is one,
/// and `fields` with everything else.
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let now: @Sendable () -> Milliseconds
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameters:
    ///   - now: UTC milliseconds.
    ///   - write: takes one line with its end.
    init(now: @escaping @Sendable () -> Milliseconds, write: @escaping @Sendable ([UInt8]) -> Void) {
        (self.now, self.write) = (now, write)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var fields = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error { fields["error"] = "\(error)" }
        let trace = fields.removeValue(forKey: WatchedLogHandler.key)
        var line = Array("{\"time\":\"".utf8), time = UTCText()
        time.append(now(), to: &line)
        line += Array("\"".utf8)
        line.append(member: "level", event.level.rawValue)
        line.append(member: "message", event.message.description)
        line.append(member: "source", event.source)
        if let trace { line.append(member: WatchedLogHandler.key, "\(trace)") }
        if !fields.isEmpty {
            line += Array(",\"fields\":".utf8)
            line.append(.dictionary(fields))
        }
        write(line + Array("}\n".utf8))
    }
}

extension [UInt8] {
    fileprivate mutating func append(member name: String, _ text: String) {
        self += Array(",\"\(name)\":".utf8)
        append(json: text)
    }

    /// Texts, lists and objects of them.
    fileprivate mutating func append(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): append(json: text)
        case .stringConvertible(let value): append(json: value.description)
        case .array(let values):
            for (place, value) in values.enumerated() {
                self += Array((place == 0 ? "[" : ",").utf8)
                append(value)
            }
            self += Array((values.isEmpty ? "[]" : "]").utf8)
        case .dictionary(let values):
            for (place, (key, value)) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                self += Array((place == 0 ? "{" : ",").utf8)
                append(json: key)
                self += Array(":".utf8)
                append(value)
            }
            self += Array((values.isEmpty ? "{}" : "}").utf8)
        }
    }
}

/// How lines of the log are written.
public struct LogSettings: Sendable {
    /// `hub.log.format` / `HUB_LOG_FORMAT`: `text` for people, or `json`: an object a line, for programs that collect logs.
    public var format = "text"

    enum Format: String, CaseIterable {
        case text, json
    }

    /// - Throws: `HubConfigurationError` for a word that is none of them.
    func known() throws -> Format {
        guard let format = Format(rawValue: format) else {
            throw HubConfigurationError("hub.log.format is \(self.format): use text or json.")
        }
        return format
    }

    /// The log of a program, on standard error.
    func logger(_ label: String, on machine: Machine) throws -> Logger {
        guard try known() == .json else { return Logger(label: label) }
        let lines = StandardErrorLines()
        return Logger(label: label, factory: { (_: String) in JSONLogHandler(now: { machine.utc }) { lines.write($0) } })
    }
}

/// Standard error, on which lines of several threads do not mix.
private final class StandardErrorLines: Sendable {
    private let turn = Mutex(())

    func write(_ line: [UInt8]) { turn.withLock { _ in try? FileHandle.standardError.write(contentsOf: Data(line)) } }
}
