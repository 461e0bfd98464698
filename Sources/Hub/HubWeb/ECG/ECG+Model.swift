import Exchange
import Foundation
import HubServices
import HubStore
import Vitals

/// The list of somebody's strips, with the form for a file where the reader may upload.
struct ECGPage: FramedPage {
    static let template = "ecg"

    struct Strip: TemplateModel {
        let href: String, time: String, what: String
        var source: String?
        var said: String?
    }

    struct Upload: TemplateModel {
        let form: FormPart
        let space: String
    }

    var good: String?
    var problemsTitle: String?
    let hasProblems: Bool
    let problems: [String]
    let hasNotes: Bool
    let notes: [String]
    let intro: String
    var upload: Upload?
    let isEmpty: Bool
    let strips: [Strip]
    /// Where older ones are.
    var older: Link?
    let back: Link
}

/// One strip, drawn.
struct ECGStripPage: FramedPage {
    static let template = "ecgStrip"

    struct Removal: TemplateModel {
        let action: String
    }

    let facts: [Fact]
    let hasParts: Bool
    let parts: [Choice]
    let scale: String
    var cut: String?
    /// Markup of ``ECGDrawing``.
    let svg: String
    let hasFiles: Bool
    let files: [Link]
    var removal: Removal?
    let back: Link
}

/// Strips in words.
extension Texts {
    func ecgRow(_ stored: StoredECG, base: String) -> ECGPage.Strip {
        ECGPage.Strip(
            href: "\(base)/\(stored.id)", time: instant(stored.time),
            what: filled(
                "ecg.what",
                [
                    "duration": decimal(Double(stored.duration) / 1000, 1), "rate": rate(stored.head.millihertz),
                    "leads": leads(stored.head.leads),
                ]), source: stored.head.source, said: stored.head.said.map(said))
    }

    /// - Parameter subject: whose it is; nil where the reader is not told who uploaded it.
    func ecgFacts(_ stored: StoredECG, subject: AccountID?) -> [Fact] {
        let facts = [
            Fact(label: self["ecg.time"], value: instant(stored.time)),
            Fact(label: self["ecg.duration"], value: filled("ecg.seconds", ["n": decimal(Double(stored.duration) / 1000, 1)])),
            Fact(label: self["ecg.rate"], value: filled("ecg.hertz", ["n": rate(stored.head.millihertz)])),
            Fact(label: self["ecg.leads"], value: leads(stored.head.leads)),
            Fact(label: self["ecg.source"], value: stored.head.source ?? self["ecg.noSource"]),
            Fact(label: self["ecg.classification"], value: stored.head.said.map(said) ?? self["ecg.nothingSaid"]),
        ]
        guard let subject else { return facts }
        let who = self[stored.head.uploader == subject.description ? "ecg.byOwner" : "ecg.byParent"]
        return facts + [Fact(label: self["ecg.uploaded"], value: "\(instant(stored.received)), \(who)")]
    }

    /// It is the device's word, whatever it says.
    private func said(_ text: String) -> String { filled("ecg.said", ["text": text]) }

    private func rate(_ millihertz: Int) -> String {
        decimal(Double(millihertz) / 1000, millihertz.isMultiple(of: 1000) ? 0 : 1)
    }

    private func leads(_ names: [String]) -> String {
        names.map { $0.isEmpty ? self["ecg.noName"] : $0 }.joined(separator: ", ")
    }

    // MARK: What became of a file

    func ecg(_ problem: ECGProblem) -> String {
        let text = filled("ecgProblem.\(problem.code.rawValue)", ["detail": problem.detail ?? ""])
        let place: (name: String, at: String)? =
            switch problem.place {
            case .file: nil
            case .line(let line): ("line", number(line))
            case .byte(let byte): ("byte", number(byte))
            case .element(let path): ("element", path)
            case .signal(let signal): ("signal", number(signal))
            case .lead(let lead): ("lead", number(lead))
            }
        return place.map { filled("ecgPlace.\($0.name)", ["at": $0.at]) + ": " + text } ?? text
    }

    /// What kept strips of a file out, one line each.
    func ecgProblems(_ report: ECGUpload.Report) -> [String] {
        report.strips.compactMap { strip in
            let time = ["time": instant(strip.time)]
            return switch strip.outcome {
            case .stored(.stored), .stored(.known): nil
            case .stored(.sameTime): filled("ecg.sameTime", time)
            case .stored(.noSpace(let used, let max)): filled("ecg.noSpace", ["used": megabytes(used), "max": megabytes(max)])
            case .stored(.tooMany): filled("ecg.tooMany", ["limit": number(ECGStore.countMax)])
            case .future: filled("ecg.future", time)
            }
        } + report.problems.map(ecg)
    }

    /// What else there is to say of a file, one line each.
    func ecgNotes(_ report: ECGUpload.Report) -> [String] {
        let known = report.strips.count { if case .stored(.known) = $0.outcome { true } else { false } }
        return (known > 0 ? [counted("ecg.known", known)] : [])
            + (report.isLocal ? [filled("ecg.zone", ["zone": zone?.identifier ?? self["ecg.hubZone"]])] : [])
            + ECGFile.LeftOut.allCases.compactMap { what in report.leftOut[what].map { counted("ecg.leftOut_\(what.rawValue)", $0) } }
    }
}
