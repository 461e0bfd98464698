import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// ECG strips of people whom somebody looks after: a relative whose consent names them, or a minor's parent (ACC-11, ACC-17). Each look stands
/// in the person's ledger.
struct CareECGPages: Sendable {
    let care: CareService
    let ecg: ECGReading
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/care/person/:id/ecg") { request, context in try list(request, context) }
        router.get("/care/person/:id/ecg/:strip") { request, context in try strip(request, context) }
    }

    /// Where the strips of somebody who is looked after are; nil where the account may not see them. A parent uploads them, too.
    static func link(to cared: CaredPerson, _ care: CareService, for account: AccountID, _ texts: Texts) throws -> Link? {
        let base = "/care/person/\(cared.person)"
        if cared.isWard { return Link(href: "\(base)/data/ecg", text: texts["ecg.title"]) }
        return try care.ecgGrant(of: cared.person, for: account).map { _ in Link(href: "\(base)/ecg", text: texts["ecg.title"]) }
    }

    /// - Throws: `PageRefusal.notAllowed`, the same for whose strips are not let be read, and for nobody at all.
    private func grant(_ frame: Frame, _ context: HubContext) throws -> (grant: Grant, name: String) {
        let account = try frame.session().account
        guard let person = PersonID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        guard let grant = try care.ecgGrant(of: person, for: account.id), let name = try care.name(of: person) else {
            throw PageRefusal.notAllowed
        }
        return (grant, name)
    }

    private func list(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), (grant, name) = try grant(frame, context), base = "/care/person/\(grant.person)"
        guard let part = try ecg.part(grant, before: ECGViews.before(request)) else { throw PageRefusal.notAllowed }
        return ECGViews(templates: templates).list(
            part, .init(), frame, base: "\(base)/ecg", title: frame.texts.filled("ecg.titleOf", ["name": name]),
            back: Link(href: base, text: name), help: "ecg")
    }

    private func strip(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), (grant, _) = try grant(frame, context), base = "/care/person/\(grant.person)/ecg"
        guard let id = ECGID(try context.parameters.require("strip")), let found = try ecg.strip(id, grant) else {
            throw PageRefusal.notAllowed
        }
        // Who uploaded it is shown to the person and the parents alone, on the person's data pages.
        return try ECGViews(templates: templates).strip(
            found, request, frame, subject: nil, base: "\(base)/\(id)", back: Link(href: base, text: frame.texts["ecg.all"]), help: "ecg")
    }
}
