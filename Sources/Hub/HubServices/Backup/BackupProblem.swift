import Glibc
import Processes

/// Why a backup was not made, or not restored, and what to do.
public struct BackupProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }

    /// A program failed.
    /// - Parameter doing: what it was for, as "writing tm-…".
    init(_ failed: ProgramChain.Failed, doing: String) {
        let program = failed.program, said = failed.said.isEmpty ? "" : ": \(failed.said)"
        if failed.ending == nil {
            let reason = String(cString: strerror(failed.code))
            self.init("\(doing): \(program) cannot be started (\(reason)). Install it, as with: apt-get install \(program).")
        } else {
            let status =
                switch failed.ending {
                case .exited(let status): "status \(status)"
                case .killed(let signal): "signal \(signal)"
                case .lost, nil: "an unknown ending"
                }
            self.init("\(doing): \(program) failed with \(status)\(said). Mend that and run the command again.")
        }
    }
}
