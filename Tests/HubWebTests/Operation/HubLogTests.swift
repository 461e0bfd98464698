import Foundation
import Logging
import Seams
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// The forms of the hub's log.
struct HubLogTests {
    /// Lines that were written.
    private final class Lines: Sendable {
        private let all = Mutex<[String]>([])
        var texts: [String] { all.withLock { $0 } }
        func write(_ line: [UInt8]) { all.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
    }

    private func logger(_ lines: Lines, _ counts: HubServices.LogLines = .init()) -> Logger {
        Logger(label: "test", factory: { (_: String) in JSONLogHandler(now: { 1_800_000_000_123 }) { lines.write($0) } }).watched(counts)
    }

    @Test("OPS-3: a line of the log is one JSON object, whatever stands in it, with the name of the work that wrote it")
    func json() throws {
        let lines = Lines(), logger = logger(lines)
        LogTrace.$current.withValue(LogTrace(255)) {
            logger.notice("a \"word\"\nand more", metadata: ["b": "2", "a": ["x": ["1", "2"], "y": []]])
        }
        logger.warning("plain")
        #expect(
            lines.texts == [
                #"{"time":"2027-01-15T08:00:00.123Z","level":"notice","message":"a \"word\"\u000aand more","source":"HubWebTests","#
                    + #""trace":"00000000000000ff","fields":{"a":{"x":["1","2"],"y":[]},"b":"2"}}"# + "\n",
                #"{"time":"2027-01-15T08:00:00.123Z","level":"warning","message":"plain","source":"HubWebTests"}"# + "\n",
            ])
        for line in lines.texts { #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any]) }
    }

    @Test("OPS-3: lines are counted by their level; those below the log's own are none")
    func counted() throws {
        let lines = Lines(), metrics = HubMetrics()
        var logger = logger(lines, metrics.lines)
        logger.logLevel = .warning
        logger.info("nothing")
        for _ in 0..<3 { logger.error("three") }
        logger.critical("one")
        #expect(lines.texts.count == 4)
        let samples = metrics.samples
        #expect(samples.contains(MetricSample(.logLines, 3, "error")) && samples.contains(MetricSample(.logLines, 1, "critical")))
        #expect(samples.contains(MetricSample(.logLines, 0, "info")))
    }

    @Test("OPS-3: a form of the log that there is not is refused with those that there are")
    func setting() throws {
        var configuration = HubConfiguration(directory: try TemporaryDirectory().url)
        try configuration.check()
        configuration.log.format = "xml"
        #expect { try configuration.check() } throws: { "\($0)".contains("use text or json") }
    }
}
