import Accounts
import Distress
import HubServices
import HubStore
import Vitals

/// What a person chooses, as forms, and what holds.
extension ProtectionPages {
    /// - Parameter mayConfirm: what was sent is wider than a baseline gives, and is to be confirmed.
    func limitsForm(_ place: Place, _ choice: SOSChoice, _ values: [String: String], mayConfirm: Bool) throws -> FormPart {
        let texts = place.frame.texts, row = AgeTable.row(age: try sos.choices.distressSettings(of: place.person).age)
        func hint(_ key: String, _ table: Int?, _ widest: Int?) -> String {
            guard let table, let widest else { return texts[key] }
            return texts.filled(key + "Of", ["table": "\(table)", "widest": "\(widest)"])
        }
        let shown = [
            "criticalLow": choice.overrides.criticalLow.map(String.init) ?? "",
            "criticalHigh": choice.overrides.criticalHigh.map(String.init) ?? "",
            "asksFirst": choice.asksFirst ? "1" : "", "strict": choice.strict ?? false ? "1" : "", "shown": Self.shownLimits(choice),
        ].merging(values) { $1 }
        var fields = [
            FormField(name: "shown", kind: .hidden, isRequired: false),
            FormField(
                name: "criticalLow", kind: .text, isRequired: false,
                hint: hint("protection.lowHint", row?.limits.criticalLow, row?.widestByBaseline.lowerBound)),
            FormField(
                name: "criticalHigh", kind: .text, isRequired: false,
                hint: hint("protection.highHint", row?.limits.criticalHigh, row?.widestByBaseline.upperBound)),
            FormField(name: "asksFirst", kind: .tick(value: "1"), isRequired: false, hint: texts["protection.questionHint"]),
            FormField(name: "strict", kind: .tick(value: "1"), isRequired: false, hint: texts["protection.strictHint"]),
        ]
        if mayConfirm { fields.append(FormField(name: "understood", kind: .tick(value: "1"), isRequired: false)) }
        return FormModel(action: place.base + "/limits", button: texts["protection.saveLimits"], fields: fields, values: shown).model(texts)
    }

    /// What the form showed, as it sends it back.
    private static func shownLimits(_ choice: SOSChoice) -> String {
        let limits = [choice.overrides.criticalLow, choice.overrides.criticalHigh].map { $0.map(String.init) ?? "" }
        return (limits + [choice.asksFirst ? "1" : "", choice.strict ?? false ? "1" : ""]).joined(separator: ",")
    }

    /// nil where it is not known.
    static func shownLimits(_ sent: String) -> (limits: LimitOverrides, asksFirst: Bool, strict: Bool)? {
        let parts = sent.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        return (LimitOverrides(criticalLow: Int(parts[0]), criticalHigh: Int(parts[1])), !parts[2].isEmpty, !parts[3].isEmpty)
    }

    /// What was wrong, and what would help here.
    func text(_ problem: SOSSettingProblem, _ place: Place, _ choice: SOSChoice) throws -> String {
        guard problem == .nobodyToCall else { return place.frame.texts.text(problem) }
        return nobodyToCall(try sos.reachability.lack(choice, of: place.person), place.frame.texts)
    }

    /// A telephone alone is enough where the hub texts or calls; a box may have a modem.
    func nobodyToCall(_ lack: SOSReachability.Lack?, _ texts: Texts) -> String {
        if lack == .workingWays { return texts["protection.nobodyToCallFailed"] }
        return texts[sos.reachability.hasTelephone ? "protection.nobodyToCallPhone" : "protection.nobodyToCall"]
    }

    /// Which of the two is chosen, with nothing chosen beforehand; and how often the way of an alarm is tested.
    func turnOnForm(_ place: Place, _ values: [String: String], _ problem: SOSSettingProblem?) throws -> TurnOnPart {
        let texts = place.frame.texts
        return TurnOnPart(
            choice: Inline(
                StrictPart(
                    ask: texts["protection.strictAsk"], both: texts["protection.strictBoth"],
                    error: problem == .strictNotChosen ? texts["protection.strictNotChosen"] : nil,
                    ways: texts.strictWays(chosen: values["strict"]))),
            tests: try testsPart(place, chosen: values["testWeeks"]),
            document: SOSChoices.consentDocument, isConsented: !(values["consent"] ?? "").isEmpty)
    }

    /// Organisations that may choose it, too, and those that could be let; nil where no consent of an organisation lasts.
    func strictSetters(_ place: Place) throws -> ProtectionPage.StrictSetters? {
        let setters = try sos.strictRights.setters(of: place.person), texts = place.frame.texts
        guard !setters.isEmpty else { return nil }
        return .init(
            organisations: setters.map { setter in
                .init(
                    name: setter.name, state: texts["protection.setter_\(setter.mayChoose)"], consent: setter.consent.description,
                    may: setter.mayChoose ? "no" : "yes",
                    button: texts[setter.mayChoose ? "protection.setterForbid" : "protection.setterAllow"])
            })
    }

    /// The contact's own language: a message is to be understood by who reads it.
    func contactForm(_ place: Place, _ values: [String: String], _ problems: [(field: String, text: String)]) -> FormPart {
        let texts = place.frame.texts
        let fields = [
            FormField(name: "contactName", kind: .text), FormField(name: "contactPhone", kind: .telephone, isRequired: false),
            FormField(name: "contactEmail", kind: .email, isRequired: false),
            FormField(name: "contactLanguage", kind: .choice(Texts.all.map { ($0.lang, $0["language.name"]) })),
        ]
        return FormModel(
            action: place.base + "/contacts", button: texts[place.isOwn ? "protection.addContact" : "protection.prepareContact"],
            fields: fields, values: ["contactLanguage": texts.lang].merging(values) { $1 }, said: problems
        ).model(texts)
    }

    func contacts(_ choice: SOSChoice) -> [ProtectionPage.Contact] {
        choice.contacts.enumerated().map { index, contact in
            .init(index: String(index), name: contact.name, ways: Self.ways(contact), isLater: index > 0)
        }
    }

    static func ways(_ contact: SOSContact) -> String {
        [contact.phone, contact.email, Texts.of(contact.language)["language.name"]].compactMap(\.self).joined(separator: ", ")
    }

    /// The limits in force, how far each can be moved, and where it comes from.
    func inForce(_ place: Place, _ choice: SOSChoice) throws -> [String] {
        let texts = place.frame.texts, settings = try sos.choices.distressSettings(of: place.person)
        guard let limits = EffectiveLimits(settings), let row = AgeTable.row(age: settings.age) else {
            return [texts["protection.reason_ageNotCovered"]]
        }
        func line(_ name: String, _ value: Int, _ source: LimitSource, _ range: ClosedRange<Int>) -> String {
            texts.filled(
                "protection.limit_\(name)",
                [
                    "value": "\(value)", "source": texts["protection.source_\(source.rawValue)"], "from": "\(range.lowerBound)",
                    "to": "\(range.upperBound)",
                ])
        }
        return [
            line("low", limits.rest.criticalLow, limits.lowSource, row.criticalLow),
            line("high", limits.rest.criticalHigh, limits.highSource, row.criticalHigh),
            texts.filled("protection.limit_exercise", ["value": "\(limits.exerciseHigh)"]),
            texts.filled("protection.limit_warning", ["low": "\(limits.rest.warningLow)", "high": "\(limits.rest.warningHigh)"]),
        ]
    }
}

/// What happened: cases with the proof of each message, tests, and who changed what.
extension ProtectionPages {
    func past(_ place: Place) throws -> (changes: [String], cases: [ProtectionPage.Past], tests: [ProtectionPage.Past]) {
        let texts = place.frame.texts
        let changes = try sos.store.changes(of: place.person, count: 20).map { change in
            let who = try accounts.account(change.by)?.name ?? ""
            return "\(texts.instant(change.time)), \(who): "
                + change.what.map(texts.change).joined(separator: ", ")
        }
        let all = try sos.store.cases(of: place.person, count: 30).filter { !$0.isOpen }
        return (
            changes, all.filter { !$0.isTest }.prefix(10).map { .init($0, texts) }, all.filter(\.isTest).prefix(5).map { .init($0, texts) }
        )
    }
}

extension ProtectionPage.Past {
    fileprivate init(_ item: SOSCase, _ texts: Texts) {
        let delivered = item.calls.count { $0.state == .sent || $0.state == .acknowledged }
        let ending = item.isTest ? "" : item.outcome.map { texts["protection.outcome_\($0.name)"] + "; " } ?? ""
        let proofs =
            item.calls.isEmpty
            ? texts["protection.proofsNone"] : texts.filled("protection.proofs", ["sent": "\(delivered)", "all": "\(item.calls.count)"])
        self.init(
            title: "\(texts.instant(item.opened)): \(ending)\(proofs)"
                + (item.ground == .help ? "; " + texts["protection.groundHelp"] : ""),
            calls: item.calls.prefix(40).map { texts.call($0, of: item) + ($0.state == .failed ? $0.proof.map { " (\($0))" } ?? "" : "") }
                + texts.boxTries(of: item).prefix(20) + texts.joined(to: item))
    }
}

extension Texts {
    /// Whether SOS-4 holds to the letter, as a choice of two.
    func strictWays(chosen: String?) -> [StrictPart.Way] {
        ["no", "yes"].map { (way: String) in
            .init(
                value: way, isChosen: chosen == way, text: self["protection.strict_\(way)"], about: self["protection.strictAbout_\(way)"])
        }
    }

    func text(_ problem: SOSSettingProblem) -> String {
        switch problem {
        case .noConsent: self["protection.noConsent"]
        case .strictNotChosen: self["protection.strictNotChosen"]
        case .widerNotConfirmed: self["protection.widerNotConfirmed"]
        case .nobodyToCall: self["protection.nobodyToCall"]
        case .limits(.low(let value, let safe)): notSafe("protection.unsafeLow", value, safe)
        case .limits(.high(let value, let safe)): notSafe("protection.unsafeHigh", value, safe)
        case .limits(.ageNotCovered): self["protection.reason_ageNotCovered"]
        case .noNumber: self["protection.noNumber"]
        case .contact: self["protection.badContact"]
        case .tooManyContacts: self["protection.tooManyContacts"]
        case .ageNotCovered: self["protection.reason_ageNotCovered"]
        case .notAllowed: self["protection.notAllowed"]
        case .changedMeanwhile: self["protection.changedMeanwhile"]
        case .notAPlace: self["protection.notAPlace"]
        case .inactivity: self["protection.badInactivity"]
        case .nobodyToTell: self["protection.nobodyToTell"]
        }
    }

    private func notSafe(_ key: String, _ value: Int, _ safe: ClosedRange<Int>) -> String {
        filled(key, ["value": "\(value)", "from": "\(safe.lowerBound)", "to": "\(safe.upperBound)"])
    }

    /// One line of what was changed, which is kept in words of its own: `on`, `low: 40 → 38`, `question: off`, `drill: 4 w, 3, 10:00 Europe/Rome`.
    func change(_ what: String) -> String {
        if let known = find("protection.change_\(what)") { return known }
        let parts = what.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
        guard parts.count == 2, let name = find("protection.change_\(parts[0])") else { return what }
        let value = String(parts[1])
        if let plan = value.wholeMatch(of: /([0-9]+) w, ([1-7]), ([0-9]+:00) (.+)/)?.output, let weeks = Int(plan.1), let day = Int(plan.2)
        {
            let days = self["protection.weekdays"].split(separator: " ")
            return "\(name): \(counted("protection.planEvery", weeks)), \(days[day - 1]) \(plan.3) (\(plan.4))"
        }
        return "\(name): \(find("protection.change_\(value)") ?? value)"
    }
}

extension Outcome {
    /// The name of its text.
    var name: String {
        switch self {
        case .answeredLate: "answeredLate"
        case .falseAlarm: "falseAlarm"
        case .finished: "finished"
        case .test: "test"
        // Ends no case here, and so is not shown.
        case .unknown: "finished"
        }
    }
}
