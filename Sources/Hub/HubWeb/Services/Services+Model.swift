import HubServices
import HubStore
import Privacy
import Vitals

/// A service as a person's pages show it, whoever gives it.
struct ServiceModel {
    let id: ServiceID
    let name: String
    let publisher: String
    let about: String
    let purpose: String
    let kinds: Set<DataKind>
    let actions: [PublishedService.Action]
    let isWithdrawn: Bool
    /// What must be known before anything else.
    var warning: String?

    /// nil for one that no operator has let through.
    init?(_ service: PublishedService, _ texts: Texts) {
        guard let shown = service.shown else { return nil }
        let words = shown.words(texts.lang)
        (id, name, publisher) = (service.id, shown.name, service.publisher)
        (about, purpose, kinds) = (words.about, words.purpose, shown.kinds)
        actions = PublishedService.Action.allCases.filter(shown.actions.contains)
        isWithdrawn = service.isWithdrawn
    }

    init(_ service: BuiltInService, _ texts: Texts) {
        (id, name, publisher, kinds) = (service.id, service.name, "TrackMe", service.kinds)
        (about, purpose) = (texts["services.\(service.rawValue)Text"], texts["services.\(service.rawValue)Purpose"])
        (actions, isWithdrawn) = ([.daily], false)
        warning = service.isAtWork ? nil : texts["services.notYet"]
    }

    func entry(_ texts: Texts, isAdded: Bool) -> [String: Any] {
        [
            "id": id.description, "name": name, "publisher": publisher, "purpose": purpose, "kinds": texts.kinds(kinds),
            "isAdded": isAdded,
        ]
    }

    func page(_ use: ConsentService.ServiceUse, _ texts: Texts) -> [String: Any] {
        var model = entry(texts, isAdded: use.running != nil)
        model["paragraphs"] = Self.paragraphs(about)
        model["warning"] = warning
        model["actions"] = actions.map { action in
            [
                "value": action.rawValue, "name": texts["services.\(action.rawValue)"],
                "button": texts["services.\(actions.count > 1 ? action.rawValue + "Button" : "addButton")"],
            ]
        }
        model["canAdd"] = use.running == nil && !isWithdrawn
        if let consent = use.running, case .accepted(let access) = consent.state {
            let since = texts.filled("followers.since", ["time": texts.instant(access.since)])
            model["running"] =
                [
                    "lines": ["\(since), \(texts.term(consent.request.scope.term))"], "consent": consent.id.description,
                    "id": id.description,
                ] as [String: Any]
        }
        model["hasResults"] = use.isKnown && BuiltInService(id) == nil
        model["isEmpty"] = use.results.isEmpty
        model["results"] = use.results.map { Self.result($0, texts) }
        return model
    }

    private static func result(_ stored: StoredResult, _ texts: Texts) -> [String: Any] {
        let result = stored.result
        var model: [String: Any] = [
            "time": texts.instant(stored.received), "paragraphs": paragraphs(result.text ?? ""), "hasValues": !result.values.isEmpty,
            "values": result.values.map { ["name": $0.name, "value": texts.decimal($0.value), "unit": $0.unit] },
        ]
        if let series = result.series {
            model["plot"] = Plot(name: series.name, unit: series.unit, points: series.points.map { ($0.time, $0.value) }).model(texts)
        }
        return model
    }

    /// AutomatedSOS is what the page of protection says, whatever consents there are: nobody shall believe to be watched who is not (CONS-8).
    /// - Parameter wasRemoved: the person just removed it.
    func automatedSOS(_ model: inout [String: Any], isOn: Bool, wasRemoved: Bool, _ texts: Texts) {
        let isAdded = model["running"] != nil
        (model["isOn"], model["isAdded"], model["canAdd"]) = (isOn, isOn, !isOn && !isAdded)
        model["isNotYetOn"] = isAdded && !isOn
        model["wasRemoved"] = wasRemoved && !isOn && !isAdded
        if isOn, !isAdded { model["removable"] = ["id": id.description] }
    }

    static func paragraphs(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
    }
}
