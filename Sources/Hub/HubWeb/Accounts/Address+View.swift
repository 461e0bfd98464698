import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// A lost e-mail address: the operator's page, the links to both mailboxes, and the owner's own page (ACC-8).
struct AddressPages: Sendable {
    let addresses: LostAddresses
    let templates: Templates

    static let path = "/operator/addresses"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/addresses") { request, context in try list(Frame(request, context)) }
        router.post("/operator/addresses") { request, context in try await replace(request, context) }
        router.post("/operator/addresses/:id/stop") { request, context -> Response in
            let account = try Frame(request, context).session(as: .operator).account
            guard let id = AccountID(try context.parameters.require("id")), try addresses.stop(id, for: account) else {
                throw HTTPError(.notFound)
            }
            return .redirect(to: Self.path, type: .normal)
        }
        router.get("/address") { request, context in try own(Frame(request, context)) }
        router.post("/address/stop") { request, context -> Response in
            _ = try addresses.stop(by: try Frame(request, context).session().account)
            return .redirect(to: "/address", type: .normal)
        }
        for (name, isGood, act) in [
            ("confirm", addresses.isConfirmation, addresses.confirm), ("stop", addresses.isStop, addresses.stop(_:)),
        ] as [(String, @Sendable (String) throws -> Bool, @Sendable (String) throws -> Bool)] {
            router.get("/address/\(name)/:link") { request, context in
                let frame = Frame(request, context), link = try context.parameters.require("link")
                guard try isGood(link) else { return templates.problem("usedMailLink", frame.texts, status: .gone) }
                return templates.button("address.\(name)", action: "/address/\(name)/\(link)", frame, help: "accounts")
            }
            router.post("/address/\(name)/:link") { request, context in
                let frame = Frame(request, context)
                guard try act(try context.parameters.require("link")) else {
                    return templates.problem("usedMailLink", frame.texts, status: .gone)
                }
                return templates.notice("address.\(name)Done", frame, help: "accounts")
            }
        }
    }

    // MARK: The operator

    private func list(
        _ frame: Frame, values: [String: String] = [:], problem: LostAddresses.Problem? = nil, isDone: Bool = false
    ) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts
        var form = FormModel(
            action: Self.path, button: texts["address.button"],
            fields: [
                FormField(name: "lostAddress", kind: .text, autocomplete: "off", hint: texts["address.lostHint"]),
                FormField(name: "newAddress", kind: .email, autocomplete: "off"),
                FormField(name: "addressProof", kind: .paragraph, hint: texts["address.proofHint"]),
            ], values: values)
        switch problem {
        case nil: break
        case .notYours: form.said = [("lostAddress", texts["address.own"])]
        case .address(let mistake): form.problems = [("newAddress", mistake)]
        case .proof(let mistake): form.problems = [("addressProof", mistake)]
        case .change(.unknown): form.said = [("lostAddress", texts["address.unknown"])]
        case .change(.waits): form.said = [("lostAddress", texts["address.waits"])]
        case .change(.taken): form.said = [("newAddress", texts["address.taken"])]
        }
        let items = try addresses.waiting(for: account).map { change in
            AddressesPage.Item(
                id: change.account.id.description, name: change.account.name, from: change.account.email, to: change.address,
                proof: change.proof, due: texts.filled("address.due", ["time": texts.instant(change.due)]),
                state: texts[change.confirmed == nil ? "address.unconfirmed" : "address.confirmed"])
        }
        let page = AddressesPage(
            good: isDone ? texts["address.begun"] : nil, form: form.model(texts), isEmpty: items.isEmpty, items: items)
        return templates.page(
            page, frame, title: texts["address.title"], help: "accounts", status: problem == nil ? .ok : .unprocessableContent)
    }

    private func replace(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .operator).account, sent = try await SentForm(request)
        do {
            try addresses.replace(sent["lostAddress"], by: sent["newAddress"], proof: sent["addressProof"], for: account)
        } catch let problem as LostAddresses.Problem {
            return try list(frame, values: sent.fields, problem: problem)
        }
        return try list(frame, isDone: true)
    }

    // MARK: The owner

    private func own(_ frame: Frame) throws -> Response {
        let account = try frame.session().account, texts = frame.texts
        let waiting = try addresses.change(of: account).map {
            AddressPage.Waiting(text: texts.filled("address.ownWaits", ["time": texts.instant($0.due), "address": $0.address]))
        }
        return templates.page(
            AddressPage(address: account.email, waiting: waiting), frame, title: texts["address.ownTitle"], help: "accounts")
    }
}

struct AddressesPage: FramedPage {
    static let template = "addresses"

    /// An address that is being replaced.
    struct Item: TemplateModel {
        let id: String, name: String, from: String, to: String, proof: String, due: String, state: String
    }

    var good: String?
    let form: FormPart
    let isEmpty: Bool
    let items: [Item]
}

/// The owner's own page about it.
struct AddressPage: FramedPage {
    static let template = "address"

    struct Waiting: TemplateModel {
        let text: String
    }

    let address: String
    /// nil where nothing is to change.
    var waiting: Waiting?
}
