internal import Distress
internal import Foundation
internal import Vitals

/// The result of a recording, line by line in the order of time: its events as `trackme-agent decode` prints them, and the questions, alarms and
/// endings of AutomatedSOS among them. It is compared with an expected result, written to a file, or both (EDGE-10).
struct ReplayResult {
    private var watched: WatchedReplay?
    private var comparing: (path: String, comparing: Comparing)?
    private var file: (path: String, handle: FileHandle)?
    private var pending = ""

    private static let pendingMax = 1 << 16

    /// - Parameters:
    ///   - expected: a file to compare with; nil for none.
    ///   - path: a file to write, which is there when the recording came to its end; nil for none.
    ///   - watched: nil where AutomatedSOS does not watch the recording.
    init(expected: String?, writingTo path: String?, watched: WatchedReplay?) throws(AgentProblem) {
        self.watched = watched
        comparing = try expected.map { path throws(AgentProblem) in (path, try Comparing(file: path)) }
        guard let path else { return }
        guard FileManager.default.createFile(atPath: Self.partial(path), contents: nil),
            let handle = FileHandle(forWritingAtPath: Self.partial(path))
        else { throw AgentProblem("\(path) cannot be written", advice: "Give the path of a file in a folder that is yours") }
        file = (path, handle)
    }

    private static func partial(_ path: String) -> String { path + ".part" }

    /// - Returns: what is to be said about it.
    mutating func take(_ event: RecordedEvent) throws(AgentProblem) -> [String] {
        let found = watched?.take(event) ?? []
        for finding in found where finding.time < event.time { try put(finding.line) }
        try put(EventJSON.line(event))
        for finding in found where finding.time >= event.time { try put(finding.line) }
        return found.compactMap(\.said)
    }

    /// The recording has no more events.
    /// - Returns: what is to be said about what was still open.
    mutating func end() throws(AgentProblem) -> [String] {
        let found = watched?.finish() ?? []
        for finding in found { try put(finding.line) }
        try flush()
        if let file {
            do {
                try file.handle.close()
                guard rename(Self.partial(file.path), file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            } catch { throw Self.unwritable(file.path, error) }
        }
        file = nil
        return found.compactMap(\.said)
    }

    /// Compares what was given with what is expected; `say` gets the report.
    /// - Throws: when they differ.
    mutating func compare(say: (String) -> Void) throws(AgentProblem) {
        guard let path = comparing?.path, let report = comparing?.comparing.finish() else { return }
        comparing = nil
        say("\(report)")
        try report.require(path)
    }

    private mutating func put(_ line: String) throws(AgentProblem) {
        comparing?.comparing.take(line)
        guard file != nil else { return }
        pending += line
        if pending.utf8.count > Self.pendingMax { try flush() }
    }

    private mutating func flush() throws(AgentProblem) {
        guard let file, !pending.isEmpty else { return }
        do { try file.handle.write(contentsOf: Data(pending.utf8)) } catch { throw Self.unwritable(file.path, error) }
        pending = ""
    }

    private static func unwritable(_ path: String, _ error: any Error) -> AgentProblem {
        AgentProblem("\(path) cannot be written: \(error.localizedDescription)", advice: "Make room, or give another path")
    }
}
