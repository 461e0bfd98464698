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
    }

    func entry(_ texts: Texts, isAdded: Bool, isNotYetOn: Bool = false) -> ServicesPage.Service {
        .init(
            id: id.description, name: name, isAdded: isAdded, isNotYetOn: isNotYetOn, purpose: purpose, publisher: publisher,
            kinds: texts.kinds(kinds))
    }

    func page(_ use: ConsentService.ServiceUse, _ texts: Texts) -> ServicePage {
        var page = ServicePage(
            id: id.description, paragraphs: Self.paragraphs(about), publisher: publisher, kinds: texts.kinds(kinds),
            purpose: purpose,
            actions: actions.map { action in
                .init(
                    value: action.rawValue, name: texts["services.\(action.rawValue)"],
                    button: texts["services.\(actions.count > 1 ? action.rawValue + "Button" : "addButton")"])
            },
            canAdd: use.running == nil && !isWithdrawn, hasResults: use.isKnown && BuiltInService(id) == nil, isEmpty: use.results.isEmpty,
            results: use.results.map { Self.result($0, texts) })
        if let consent = use.running, case .accepted(let access) = consent.state {
            let since = texts.filled("followers.since", ["time": texts.instant(access.since)])
            page.running = .init(
                id: id.description, consent: consent.id.description,
                lines: ["\(since), \(texts.term(consent.request.scope.term))"] + (use.isSuspended ? [texts["followers.suspended"]] : []))
        }
        return page
    }

    private static func result(_ stored: StoredResult, _ texts: Texts) -> ServicePage.Result {
        let result = stored.result
        return .init(
            time: texts.instant(stored.received), paragraphs: paragraphs(result.text ?? ""), hasValues: !result.values.isEmpty,
            values: result.values.map { .init(name: $0.name, value: texts.decimal($0.value), unit: $0.unit) },
            plot: result.series.flatMap { series in
                Plot(name: series.name, unit: series.unit, points: series.points.map { ($0.time, $0.value) }).model(texts)
            })
    }

    /// AutomatedSOS is what the page of protection says, whatever consents there are: nobody shall believe to be watched who is not (CONS-8).
    /// - Parameter wasRemoved: the person just removed it.
    func automatedSOS(_ page: inout ServicePage, isOn: Bool, wasRemoved: Bool) {
        let isAdded = page.running != nil
        (page.isOn, page.canAdd) = (isOn, !isOn && !isAdded)
        page.isNotYetOn = isAdded && !isOn
        page.wasRemoved = wasRemoved && !isOn && !isAdded
        if isOn, !isAdded { page.removable = .init(id: id.description) }
    }

    /// Track4Run is what it does for the person, also where it was never added: who enrolled before could not.
    func track4Run(_ page: inout ServicePage, _ standing: Track4Run.Standing, _ texts: Texts) {
        let lines: [String?] = [
            standing.runs > 0 ? texts.counted("services.track4RunRuns", standing.runs) : nil,
            standing.isShared ? texts["services.track4RunShared"] : nil, standing.isNearby ? texts["services.track4RunNearby"] : nil,
            standing.hasFeed ? texts["services.track4RunFeed"] : nil,
        ]
        page.isRunner = true
        page.works = lines.compactMap(\.self)
        if page.running == nil, !standing.isNothing { page.removable = .init(id: id.description) }
    }

    static func paragraphs(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
    }
}

struct ServicesPage: FramedPage {
    static let template = "services"

    struct Service: TemplateModel {
        let id: String, name: String
        let isAdded: Bool
        let isNotYetOn: Bool
        let purpose: String, publisher: String, kinds: String
    }

    let services: [Service]
}

struct ServicePage: FramedPage {
    static let template = "service"

    struct Removable: TemplateModel {
        let id: String
    }

    /// The consent that runs.
    struct Running: TemplateModel {
        let id: String, consent: String
        let lines: [String]
    }

    struct Action: TemplateModel {
        let value: String, name: String, button: String
    }

    struct Value: TemplateModel {
        let name: String, value: String, unit: String
    }

    struct Result: TemplateModel {
        let time: String
        let paragraphs: [String]
        let hasValues: Bool
        let values: [Value]
        var plot: PlotPart?
    }

    let id: String
    var problem: String?
    var wasRemoved = false
    var isNotYetOn = false
    var isOn = false
    /// Of Track4Run.
    var isRunner = false
    /// What Track4Run does for the person now.
    var works: [String] = []
    var removable: Removable?
    var running: Running?
    let paragraphs: [String]
    let publisher: String, kinds: String, purpose: String
    let actions: [Action]
    var canAdd: Bool
    let hasResults: Bool
    let isEmpty: Bool
    let results: [Result]
}
