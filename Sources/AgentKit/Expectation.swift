internal import Foundation

extension Comparing {
    /// Against the lines of a file that `trackme-agent decode` wrote once, and that somebody found right.
    init(file path: String) throws(AgentProblem) {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw AgentProblem(
                "The expected result \(path) cannot be read", advice: "Make it with: trackme-agent decode --nmea FILE > \(path)")
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

extension Comparing.Report {
    func require(_ path: String) throws(AgentProblem) {
        guard !isEqual else { return }
        throw AgentProblem("The recording does not give what \(path) expects", advice: "The first differences stand above")
    }
}
