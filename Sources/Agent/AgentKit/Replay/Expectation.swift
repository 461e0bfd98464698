internal import Foundation
internal import Seams

extension Comparing {
    /// Against the lines of a file that `trackme-agent decode` wrote once, and that somebody found right.
    init(file path: String, machine: Machine = .system) throws(AgentProblem) {
        guard let content = try? machine.files.read(path) else {
            throw AgentProblem(
                "The expected result \(path) cannot be read",
                advice: "Make it with: trackme-agent replay --result \(path), or trackme-agent decode --nmea FILE > \(path)")
        }
        self.init(expected: String(decoding: content, as: UTF8.self).split(separator: "\n").lazy.map(String.init))
    }
}

/// Decodes a file and compares it with an expected result; `say` gets the report.
/// - Throws: also when they differ.
public func decode(_ file: DecodedFile, expected path: String, say: (String) -> Void) throws(AgentProblem) {
    var comparing = try Comparing(file: path)
    say(try decode(file) { comparing.take($0) })
    let report = comparing.finish()
    say("\(report)")
    try report.require(path)
}

/// Compares a result that was written with an expected one; `say` gets the report.
/// - Throws: also when they differ.
public func compare(expected: String, result path: String, say: (String) -> Void) throws(AgentProblem) {
    var comparing = try Comparing(file: expected)
    let result = try InputFile(path)
    var carry: [UInt8] = []
    while true {
        let chunk = try result.read(RecordingReader.chunkBytes)
        if chunk.isEmpty { break }
        // Whole lines: a character may lie across two chunks.
        carry += chunk
        guard let end = carry.lastIndex(of: UInt8(ascii: "\n")) else { continue }
        comparing.take(String(decoding: carry[...end], as: UTF8.self))
        carry.removeFirst(end + 1)
    }
    comparing.take(String(decoding: carry, as: UTF8.self))
    let report = comparing.finish()
    say("\(report)")
    try report.require(expected)
}

extension Comparing.Report {
    func require(_ path: String) throws(AgentProblem) {
        guard !isEqual else { return }
        throw AgentProblem("The recording does not give what \(path) expects", advice: "The first differences stand above")
    }
}
