import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Services as a person finds, adds and removes them, with what they send back (CONS-8).
struct ServicesPages: Sendable {
    let consents: ConsentService
    let sos: SOSService
    let track4Run: Track4Run
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/services") { request, context in try list(Frame(request, context)) }
        router.get("/services/:id") { request, context in
            try page(Frame(request, context), try service(context), wasRemoved: request.uri.queryParameters["removed"] != nil)
        }
        router.post("/services/:id/add") { request, context in try await add(request, context) }
        router.post("/services/:id/remove") { request, context -> Response in
            let frame = Frame(request, context), account = try frame.session(as: .person).account, id = try service(context)
            // First what matters: nobody is told that it is off while it is not.
            switch BuiltInService(id) {
            case .automatedSOS: try await sos.choices.turnOff(account.id.person, by: account.id)
            case .track4Run: try track4Run.end(account.id.person, by: account.id)
            case nil: break
            }
            try consents.remove(id, of: account.id.person, by: account.id)
            return .redirect(to: "/services/\(id)" + (BuiltInService(id) == .automatedSOS ? "?removed=1" : ""), type: .normal)
        }
    }

    private func service(_ context: HubContext) throws -> ServiceID {
        guard let id = ServiceID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        return id
    }

    private func list(_ frame: Frame) throws -> Response {
        let account = try frame.session(as: .person).account, texts = frame.texts
        let added = try consents.services(of: account.id.person, for: account.id)
        // Those that were withdrawn work on for whoever has them.
        let own = BuiltInService.allCases.map { ServiceModel($0, texts) }
        let published = try consents.services()
        let kept = try added.subtracting(published.map(\.id)).compactMap { try consents.service($0) }
        let shown = own + (published + kept).compactMap { ServiceModel($0, texts) }
        let isOn = try sos.views.view(of: account.id.person)?.isOn ?? false
        let isRunner = try !track4Run.standing(of: account.id.person).isNothing
        let entries = shown.map { service in
            let isAdded = added.contains(service.id)
            return switch BuiltInService(service.id) {
            case .automatedSOS: service.entry(texts, isAdded: isOn, isNotYetOn: !isOn && isAdded)
            case .track4Run: service.entry(texts, isAdded: isAdded || isRunner)
            case nil: service.entry(texts, isAdded: isAdded)
            }
        }
        return templates.page(ServicesPage(services: entries), frame, title: texts["services.title"], help: "services")
    }

    private func page(
        _ frame: Frame, _ id: ServiceID, problem: String? = nil, wasRemoved: Bool = false, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .person).account, texts = frame.texts
        let use = try consents.use(of: id, by: account.id.person, for: account.id)
        let found =
            try BuiltInService(id).map { ServiceModel($0, texts) } ?? consents.service(id).flatMap { ServiceModel($0, texts) }
        guard let found, !found.isWithdrawn || use.isKnown else { throw HTTPError(.notFound) }
        var page = found.page(use, texts)
        switch BuiltInService(id) {
        case .automatedSOS:
            found.automatedSOS(&page, isOn: try sos.views.view(of: account.id.person)?.isOn ?? false, wasRemoved: wasRemoved)
        case .track4Run: found.track4Run(&page, try track4Run.standing(of: account.id.person), texts)
        case nil: break
        }
        page.problem = problem
        return templates.page(page, frame, title: found.name, help: "services", status: status)
    }

    private func add(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .person).account, texts = frame.texts
        let id = try service(context), sent = try await SentForm(request)
        do {
            if let own = BuiltInService(id) {
                try consents.add(own, purpose: ServiceModel(own, texts).purpose, of: account.id.person, by: account.id)
            } else {
                guard let action = PublishedService.Action(rawValue: sent["action"]),
                    try consents.add(id, action, language: texts.lang, of: account.id.person, by: account.id) != nil
                else { throw HTTPError(.notFound) }
            }
        } catch ConsentProblem.alreadyRuns {
            return try page(frame, id, problem: texts["services.alreadyAdded"], status: .conflict)
        } catch let problem as ConsentProblem {
            return try page(frame, id, problem: texts.problem(problem), status: .conflict)
        }
        return .redirect(to: "/services/\(id)", type: .normal)
    }
}
