import Foundation
import Seams

/// `trackme-hub doctor`.
public enum HubDoctorCommand {
    /// How it is asked for.
    public struct Wish: Sendable {
        public var file: String?
        public var directory: String?
        /// Whether a program reads the answer.
        public var isJSON = false
        /// Whether everything that can be mended is, without a question.
        public var fixes = false

        public init(file: String?, directory: String?, isJSON: Bool, fixes: Bool) {
            (self.file, self.directory, self.isJSON, self.fixes) = (file, directory, isJSON, fixes)
        }
    }

    /// Looks at a hub, mends what it may, and prints what is left.
    /// - Parameters:
    ///   - ask: shows a question, and says whether the answer is yes; nil where nobody can be asked.
    ///   - say: prints a line.
    /// - Returns: the status with which to end: 0 for nothing, 1 for warnings alone, 2 for faults.
    public static func run(_ wish: Wish, ask: ((String) -> Bool)?, say: (String) -> Void) async throws -> Int32 {
        let settings = HubConfiguration.settingsFile(file: wish.file, directory: wish.directory)
        do {
            let configuration = try await HubConfiguration.ofShell(file: wish.file, directory: wish.directory)
            let hub = DoctorPatient(
                configuration: configuration, settingsFile: settings, machine: HubCommands.machine, network: .system)
            return try await run(wish, on: hub, ask: ask, say: say)
        } catch let error as HubConfigurationError {
            let place = settings ?? "the environment"
            let unreadable = DoctorFinding(
                .settings, "unreadable", error.description, at: place, "Correct it: nothing else can be looked at.")
            return try tell(DoctorReport(findings: [unreadable]), wish, say)
        }
    }

    static func run(_ wish: Wish, on hub: DoctorPatient, ask: ((String) -> Bool)?, say: (String) -> Void) async throws -> Int32 {
        let found = await HubDoctor(hub: hub).findings()
        var report = DoctorReport(findings: [])
        for finding in found {
            guard let mending = finding.mending, wish.fixes || ask?("\(finding.what)\nMend it (\(mending))? [y/N] ") == true else {
                report.findings.append(finding)
                continue
            }
            if let problem = HubDoctor.mend(mending) {
                if !wish.isJSON { say("\(finding.place) was not mended: \(problem)") }
                report.findings.append(finding)
            } else {
                report.mended.append(finding)
            }
        }
        return try tell(report, wish, say)
    }

    private static func tell(_ report: DoctorReport, _ wish: Wish, _ say: (String) -> Void) throws -> Int32 {
        if wish.isJSON { say(try report.json()) } else { report.lines.forEach(say) }
        return report.status
    }
}
