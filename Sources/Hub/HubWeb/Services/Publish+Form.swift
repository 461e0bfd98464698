import Accounts
import HubStore
import Privacy
import Vitals

/// The form with which an organisation describes a service.
enum ServiceForm {
    typealias Description = PublishedService.Description

    /// - Parameter isShown: people have seen it: kinds and purposes stay, and are no fields any more.
    static func fields(isShown: Bool, _ texts: Texts) -> [FormField] {
        func paragraph(_ name: String, _ limit: Int) -> FormField {
            FormField(name: name, kind: .paragraph, hint: texts.filled("publish.limit", ["limit": String(limit)]))
        }
        let purposes = ["English", "Italian"].map { paragraph("purpose\($0)", Description.purposeMax) }
        let kinds = FormField.kinds(texts)
        let actions = PublishedService.Action.allCases.map {
            FormField(
                name: "action\($0.rawValue)", kind: .tick(value: "1"), isRequired: false, label: texts["field.action\($0.rawValue)"],
                group: texts["services.actions"])
        }
        return [FormField(name: "serviceName", kind: .text)]
            + ["English", "Italian"].map { paragraph("about\($0)", Description.aboutMax) } + (isShown ? [] : purposes + kinds) + actions
    }

    static func values(_ description: Description) -> [String: String] {
        var values = [
            "serviceName": description.name, "aboutEnglish": description.english.about, "aboutItalian": description.italian.about,
            "purposeEnglish": description.english.purpose, "purposeItalian": description.italian.purpose,
        ]
        for kind in description.kinds { values["kind\(kind.rawValue)"] = "1" }
        for action in description.actions { values["action\(action.rawValue)"] = "1" }
        return values
    }

    static func description(_ sent: [String: String]) -> Description {
        func text(_ name: String) -> String { sent[name] ?? "" }
        func isTicked(_ name: String) -> Bool { !text(name).isEmpty }
        return Description(
            name: text("serviceName"), english: .init(about: text("aboutEnglish"), purpose: text("purposeEnglish")),
            italian: .init(about: text("aboutItalian"), purpose: text("purposeItalian")),
            kinds: Set(Texts.kindsOffered.filter { isTicked("kind\($0.rawValue)") }),
            actions: Set(PublishedService.Action.allCases.filter { isTicked("action\($0.rawValue)") }))
    }

    /// The problem, by field.
    static func problems(_ lacks: [Description.MissingField], _ sent: [String: String]) -> [(field: String, mistake: FieldError)] {
        lacks.compactMap { lack in
            let (field, limit): (String, Int)
            switch lack {
            case .name: (field, limit) = ("serviceName", Description.nameMax)
            case .aboutEnglish, .aboutItalian: (field, limit) = ("\(lack)", Description.aboutMax)
            case .purposeEnglish, .purposeItalian: (field, limit) = ("\(lack)", Description.purposeMax)
            case .kinds, .actions: return nil
            }
            let isMissing = sent[field, default: ""].allSatisfy(\.isWhitespace)
            return (field, isMissing ? FieldError(.missing) : FieldError(.tooLong, limit: limit))
        }
    }

    /// What is wrong with what has no field of its own.
    static func problem(_ lacks: [Description.MissingField], _ texts: Texts) -> String? {
        if lacks.contains(.kinds) { return texts["consentProblem.noKinds"] }
        return lacks.contains(.actions) ? texts["publish.noActions"] : nil
    }
}
