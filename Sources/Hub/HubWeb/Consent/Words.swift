import Foundation
import HubStore
import Privacy
import Vitals

extension KindEntry.Subject {
    /// What people are asked for of it, in the order of the table of kinds.
    var kinds: [DataKind] { Texts.kindsOffered.filter { $0.entry.subject == self } }
}

extension FormField {
    /// A box to tick for each kind of data that people are asked for, by subject: `PREFIX` and the kind's number.
    static func kinds(_ texts: Texts, prefix: String = "kind") -> [FormField] {
        KindEntry.Subject.allCases.flatMap { subject in
            subject.kinds.map { kind in
                FormField(
                    name: "\(prefix)\(kind.rawValue)", kind: .tick(value: "1"), isRequired: false,
                    label: texts.find("field.\(prefix)\(kind.rawValue)") ?? texts["field.kind\(kind.rawValue)"],
                    group: texts["kindSubject.\(subject.rawValue)"])
            }
        }
    }
}

/// Consents in words.
extension Texts {
    /// What people are asked for; clocks and gaps are no kinds of their own to anybody.
    static let kindsOffered = DataKind.allCases.filter { $0.entry.uses.contains(.asked) }
    /// What comes all the time, and so is missed where somebody may not see it.
    static let kindsLive: [DataKind] = [.heartRate, .position, .event]

    func kinds(_ kinds: Set<DataKind>) -> String {
        if kinds.isSuperset(of: Self.kindsOffered) { return self["kind.all"] }
        let names = Self.kindsOffered.filter(kinds.contains).map { self["kind.\($0.name)"] }
        guard let last = names.last, names.count > 1 else { return names.first ?? "–" }
        return names.dropLast().joined(separator: ", ") + " " + self["kind.and"] + " " + last
    }

    /// What a consent is for. What the hub itself wrote, in the language of that day, is shown in the reader's.
    func purpose(_ scope: ConsentScope) -> String {
        if let own = scope.service.flatMap(BuiltInService.init) { return ServiceModel(own, self).purpose }
        guard case .organiser = scope.asker else { return scope.purpose }
        for key in ["runPurpose.organiser", "runPurpose.publicHeartRate"] {
            for written in Self.all {
                guard let (run, code) = Self.run(in: scope.purpose, by: written[key]) else { continue }
                return filled(key, ["run": run, "code": code])
            }
        }
        return scope.purpose
    }

    /// What stands for `{run}` and `{code}` in a text that was filled in, where they come in this order; nil for another text.
    private static func run(in text: String, by template: String) -> (run: String, code: String)? {
        guard let run = template.range(of: "{run}"), let code = template.range(of: "{code}"), run.upperBound <= code.lowerBound else {
            return nil
        }
        let before = template[..<run.lowerBound], between = template[run.upperBound..<code.lowerBound]
        let behind = template[code.upperBound...]
        guard text.count >= before.count + behind.count, text.hasPrefix(before), text.hasSuffix(behind) else { return nil }
        let inner = text.dropFirst(before.count).dropLast(behind.count)
        // A run's name may hold whatever stands between; its code does not.
        guard let mark = inner.range(of: between, options: .backwards) else { return nil }
        return (String(inner[..<mark.lowerBound]), String(inner[mark.upperBound...]))
    }

    func term(_ term: ConsentTerm) -> String {
        switch term {
        case .once: self["term.once"]
        case .lasting(let duration): counted("term.days", max(1, Int(duration / 86_400_000)))
        case .until(let end): filled("term.until", ["time": instant(end)])
        case .untilRevoked: self["term.untilRevoked"]
        }
    }

    func ending(_ ending: Consent.Ending) -> String { self["ending.\(ending.rawValue)"] }

    /// What the asker sees of a request.
    func shown(_ state: ShownToAsker.State) -> String {
        switch state {
        case .awaitingOperator: self["shown.awaitingOperator"]
        case .pending(_, let expires): filled("shown.pending", ["time": instant(expires)])
        case .accepted(let since, nil): filled("shown.accepted", ["time": instant(since)])
        case .accepted(_, let until?): filled("shown.acceptedUntil", ["time": instant(until)])
        case .over(let ending, let at): "\(self.ending(ending)), \(instant(at))"
        }
    }

    func problem(_ problem: ConsentProblem) -> String {
        switch problem {
        case .noKinds: self["consentProblem.noKinds"]
        case .purposeMissing: self["consentProblem.purposeMissing"]
        case .purposeTooLong: filled("consentProblem.purposeTooLong", ["limit": String(ConsentScope.purposeCharactersMax)])
        case .termOutOfRange, .tooLate: self["consentProblem.termOutOfRange"]
        case .alreadyAsked: self["consentProblem.alreadyAsked"]
        case .alreadyRuns: self["consentProblem.alreadyRuns"]
        case .tooManyOpen: self["consentProblem.tooManyOpen"]
        case .notYours: self["consentProblem.notYours"]
        case .notAccepted: self["consentProblem.notAccepted"]
        case .alreadyAccepted: self["consentProblem.alreadyAccepted"]
        case .alreadySent: self["consentProblem.alreadySent"]
        case .over(let ending): self.ending(ending)
        }
    }
}
