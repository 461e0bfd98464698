import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// ECG strips of people who consented to an organisation, where the consent names them.
extension PeoplePages {
    func strips(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), (asked, reader) = try running(frame, context), base = "/organisation/people/\(asked.id)"
        let before = ECGViews.before(request)
        guard let part = try consents.strips(asked.id, as: reader, for: asked.scope.service, before: before) else {
            throw PageRefusal.notAllowed
        }
        return ECGViews(templates: templates).list(
            part, .init(), frame, base: "\(base)/ecg", title: frame.texts.filled("ecg.titleOf", ["name": frame.texts.person(asked)]),
            back: Link(href: base, text: frame.texts.person(asked)), help: "ecg")
    }

    func strip(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), (asked, reader) = try running(frame, context), base = "/organisation/people/\(asked.id)/ecg"
        guard let id = ECGID(try context.parameters.require("strip")),
            let found = try consents.strip(id, asked.id, as: reader, for: asked.scope.service)
        else { throw PageRefusal.notAllowed }
        // Who uploaded it is the family's own business.
        return try ECGViews(templates: templates).strip(
            found, request, frame, subject: nil, base: "\(base)/\(id)", back: Link(href: base, text: frame.texts["ecg.all"]),
            help: "ecg")
    }
}
