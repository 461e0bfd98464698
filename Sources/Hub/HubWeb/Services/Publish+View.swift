import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// An organisation's services, and the operator who looks at them before anybody sees them (CONS-8).
struct PublishPages: Sendable {
    let consents: ConsentService
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/publish") { request, context in try list(Frame(request, context)) }
        router.get("/publish/new") { request, context -> Response in
            let frame = Frame(request, context)
            _ = try frame.session(as: .organisation)
            return form(frame, nil, values: ["actiondaily": "1"])
        }
        router.post("/publish/new") { request, context in try await save(request, context, nil) }
        router.get("/publish/:id") { request, context -> Response in
            let frame = Frame(request, context), service = try own(frame, context)
            guard let description = service.waiting ?? service.shown else { throw HTTPError(.notFound) }
            return form(frame, service, values: ServiceForm.values(description))
        }
        router.post("/publish/:id") { request, context in
            try await save(request, context, try own(Frame(request, context), context))
        }
        router.post("/publish/:id/withdraw") { request, context -> Response in
            let frame = Frame(request, context), service = try own(frame, context)
            try consents.withdraw(service.id, by: try frame.session(as: .organisation).account)
            return .redirect(to: "/publish", type: .normal)
        }
        router.get("/operator/services") { request, context in try toCheck(Frame(request, context)) }
        router.post("/operator/services/:id/:decision") { request, context in try await decide(request, context) }
    }

    /// The organisation's own; of another's nothing is said.
    private func own(_ frame: Frame, _ context: HubContext) throws -> PublishedService {
        let account = try frame.session(as: .organisation).account
        guard let id = ServiceID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        guard let service = try consents.services(of: account).first(where: { $0.id == id }), !service.isWithdrawn else {
            throw PageRefusal.notAllowed
        }
        return service
    }

    private func list(_ frame: Frame) throws -> Response {
        let account = try frame.session(as: .organisation).account, texts = frame.texts
        let services = try consents.services(of: account).map { service in
            let description = service.shown ?? service.waiting
            return PublishPage.Service(
                id: service.id.description, name: description?.name ?? "–", state: texts["publish.\(service.stateName)"],
                kinds: texts.kinds(description?.kinds ?? []), isWithdrawn: service.isWithdrawn)
        }
        return templates.page(
            PublishPage(isEmpty: services.isEmpty, services: services), frame, title: texts["publish.title"], help: "publish")
    }

    private func form(
        _ frame: Frame, _ service: PublishedService?, values: [String: String], problems: [(field: String, mistake: FieldError)] = [],
        problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: "/publish/\(service?.id.description ?? "new")", button: texts["publish.button"],
            fields: ServiceForm.fields(isShown: service?.shown != nil, texts), values: values, problems: problems, problem: problem)
        let intro = service?.shown == nil ? "publish.newText" : "publish.changeText"
        return templates.page(
            FormPage(intro: texts[intro], form: form.model(texts)), frame, title: texts[service == nil ? "publish.new" : "publish.change"],
            help: "publish", status: status)
    }

    private func save(_ request: Request, _ context: HubContext, _ service: PublishedService?) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .organisation).account, texts = frame.texts
        let sent = try await SentForm(request), description = ServiceForm.description(sent.fields)
        do {
            if let service {
                try consents.change(service.id, description, by: account)
            } else {
                _ = try consents.publish(description, by: account)
            }
        } catch ConsentService.PublishProblem.lacks(let lacks) {
            return form(
                frame, service, values: sent.fields, problems: ServiceForm.problems(lacks, sent.fields),
                problem: ServiceForm.problem(lacks, texts), status: .unprocessableContent)
        } catch ConsentService.PublishProblem.tooMany {
            let problem = texts.filled("publish.tooMany", ["limit": String(ServiceStore.servicesMax)])
            return form(frame, service, values: sent.fields, problem: problem, status: .conflict)
        } catch ConsentService.PublishProblem.unknown { throw PageRefusal.notAllowed }
        return .redirect(to: "/publish", type: .normal)
    }

    // MARK: The operator

    private func toCheck(_ frame: Frame, problem: String? = nil, status: HTTPResponse.Status = .ok) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts
        let services = try consents.servicesToCheck(for: account).compactMap { service in
            service.waiting.map { waiting in
                ServicesToCheckPage.Service(
                    id: service.id.description, version: String(service.version), name: waiting.name, isChange: service.shown != nil,
                    publisher: service.publisher, kinds: texts.kinds(waiting.kinds),
                    actions: PublishedService.Action.allCases.filter(waiting.actions.contains).map { texts["services.\($0.rawValue)"] }
                        .joined(separator: ", "),
                    aboutEnglish: waiting.english.about, purposeEnglish: waiting.english.purpose, aboutItalian: waiting.italian.about,
                    purposeItalian: waiting.italian.purpose)
            }
        }
        let page = ServicesToCheckPage(problem: problem, isEmpty: services.isEmpty, services: services)
        return templates.page(page, frame, title: texts["publish.checkTitle"], help: "publish", status: status)
    }

    private func decide(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .operator).account, sent = try await SentForm(request)
        let decisions = ["approve": true, "refuse": false]
        guard let id = ServiceID(try context.parameters.require("id")), let version = Int64(sent["version"]),
            let isApproved = decisions[try context.parameters.require("decision")]
        else { throw HTTPError(.notFound) }
        guard try consents.check(id, version: version, isApproved: isApproved, by: account) else {
            return try toCheck(frame, problem: frame.texts["publish.changedMeanwhile"], status: .conflict)
        }
        return .redirect(to: "/operator/services", type: .normal)
    }
}

extension PublishedService {
    /// As texts and the API name it.
    var stateName: String {
        if isWithdrawn { return "withdrawn" }
        if waiting != nil { return isRefused ? "refused" : shown == nil ? "checking" : "changing" }
        return "shown"
    }
}

struct PublishPage: FramedPage {
    static let template = "publish"

    struct Service: TemplateModel {
        let id: String, name: String, state: String, kinds: String
        let isWithdrawn: Bool
    }

    let isEmpty: Bool
    let services: [Service]
}

struct ServicesToCheckPage: FramedPage {
    static let template = "servicesToCheck"

    struct Service: TemplateModel {
        let id: String, version: String, name: String
        /// People have it already.
        let isChange: Bool
        let publisher: String, kinds: String, actions: String
        let aboutEnglish: String, purposeEnglish: String, aboutItalian: String, purposeItalian: String
    }

    var problem: String?
    let isEmpty: Bool
    let services: [Service]
}
