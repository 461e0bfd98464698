import Foundation

/// What a doctor found, as it is printed.
struct DoctorReport: Sendable {
    var findings: [DoctorFinding]
    /// Codes and places of what was mended.
    var mended: [DoctorFinding] = []

    /// 0 for nothing, 1 for warnings alone, 2 for faults.
    var status: Int32 {
        switch findings.map(\.severity).max() {
        case nil: 0
        case .warning: 1
        case .fault: 2
        }
    }

    /// For people.
    var lines: [String] {
        let wrong = findings.flatMap { finding in
            [
                "\(finding.severity == .fault ? "FAULT  " : "warning") \(finding.code): \(finding.what)", "        where: \(finding.place)",
                "        to do: \(finding.advice)",
            ]
        }
        let wrongSubjects = Set(findings.map(\.subject))
        let good = DoctorFinding.Subject.allCases.filter { !wrongSubjects.contains($0) }.map(\.rawValue)
        let faults = findings.count { $0.severity == .fault }
        var lines = mended.map { "mended  \($0.code): \($0.place)" }
        lines += wrong
        if !good.isEmpty { lines.append("in order: " + good.joined(separator: ", ")) }
        lines.append(findings.isEmpty ? "Nothing is wrong." : "Faults: \(faults), warnings: \(findings.count - faults).")
        return lines
    }

    private struct Document: Encodable {
        struct Item: Encodable {
            let subject: String, code: String, severity: String, what: String, place: String, advice: String
            /// A command that does what `--fix` does.
            let mending: String?

            enum CodingKeys: String, CodingKey {
                case subject, code, severity, what, advice, mending
                case place = "where"
            }

            init(_ finding: DoctorFinding) {
                (subject, code, severity) = (finding.subject.rawValue, finding.code, finding.severity.rawValue)
                (what, place, advice) = (finding.what, finding.place, finding.advice)
                mending = finding.mending.map { "\($0)" }
            }
        }

        let status: Int32, checked: [String], findings: [Item], mended: [Item]
    }

    /// For programs; docs/doctor.md describes it.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(
            status: status, checked: DoctorFinding.Subject.allCases.map(\.rawValue), findings: findings.map { .init($0) },
            mended: mended.map { .init($0) })
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }
}
