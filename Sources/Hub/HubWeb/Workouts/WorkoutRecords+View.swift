import Accounts
import Foundation
import HTTPTypes
import History
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Privacy
import Vitals
import Workouts

/// Workouts of one's own, or of a minor child: list, page, files, trends (DATA-7, DATA-17). They work without script.
struct WorkoutRecordPages: Sendable {
    static let own = "/workouts", ofWard = "/care/person/:id/workouts"

    let accounts: AccountStore
    let records: WorkoutRecords
    let search: WorkoutSearch
    let history: HistoryService
    let templates: Templates
    let map: PlacesMap
    /// A year of samples takes its time.
    let reads: ReadPool<AccountID>
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        for base in [Self.own, Self.ofWard] {
            router.get("\(base)") { request, context in try await list(request, context) }
            router.get("\(base)/trends") { request, context in try await trends(request, context) }
            router.get("\(base)/compare") { request, context in try await compare(request, context) }
            router.get("\(base)/:workout") { request, context in
                let place = try place(request, context)
                return try await page(place, try workout(context), WorkoutLook(request, place.texts.measures))
            }
            router.post("\(base)/:workout") { request, context in try await edit(request, context) }
            router.get("\(base)/:workout/file") { request, context in try await file(request, context) }
            router.post("\(base)/:workout/delete") { request, context in
                let place = try place(request, context)
                guard try records.delete(try workout(context), of: place.subject.person) else { throw HTTPError(.notFound) }
                return Response.redirect(to: place.base, type: .normal)
            }
        }
    }

    /// Where the page of somebody is.
    static func path(_ subject: DataSubject) -> String { subject.isOwn ? own : "/care/person/\(subject.person)/workouts" }

    /// Whose workouts, and who reads them.
    struct Place: Sendable {
        let frame: Frame
        let subject: DataSubject
        let grant: Grant
        let base: String
        let now: Milliseconds

        var texts: Texts { frame.texts }
        var zone: TimeZone { texts.zone ?? .gmt }
        var words: WorkoutWords { WorkoutWords(texts: texts, zone: zone) }

        /// Milliseconds from UTC at a time.
        @Sendable func offset(_ time: Milliseconds) -> Milliseconds {
            Milliseconds(zone.secondsFromGMT(for: Date(milliseconds: time))) * 1000
        }
    }

    func place(_ request: Request, _ context: HubContext) throws -> Place {
        let frame = Frame(request, context), time = now()
        let subject = try DataSubject(frame, context, accounts: accounts, now: time)
        guard let grant = try accounts.consents.authority(over: subject.person).grant(to: subject.session.account.id, at: time) else {
            throw PageRefusal.notAllowed
        }
        return Place(frame: frame, subject: subject, grant: grant, base: Self.path(subject), now: time)
    }

    func workout(_ context: HubContext) throws -> WorkoutRecordID {
        guard let id = WorkoutRecordID(try context.parameters.require("workout")) else { throw HTTPError(.notFound) }
        return id
    }

    /// On what the figures depend.
    /// - Throws: `PageRefusal.notAllowed` when the grant does not hold (any more).
    @Sendable func wearer(_ place: Place) throws -> WorkoutRecords.Wearer {
        guard let latest = try history.latest(place.grant) else { throw PageRefusal.notAllowed }
        return .init(HealthBody(place.subject.account, on: HealthSpan.day(place.now, place.zone), latest.scalars))
    }

    func title(_ place: Place, _ key: String) -> String {
        place.subject.isOwn
            ? place.texts["workouts.\(key)"] : "\(place.subject.account.name): \(place.texts["workouts.\(key)"])"
    }

    // MARK: List

    private static let count = 30

    private func list(_ request: Request, _ context: HubContext) async throws -> Response {
        let place = try place(request, context), records = records, person = place.subject.person
        let sent = request.uri.queryParameters, before = sent["before"].flatMap { Milliseconds(String($0)) }
        // Older pages are of what was found. A page that shows itself again while a look goes on begins no other one.
        if before == nil, sent["looking"] == nil { search.look(person) }
        await search.settled(person)
        let left = before == nil ? search.left(of: person) : nil
        let (found, isFull) = try await reads.run(for: place.subject.session.account.id) {
            (try records.list(place.grant, before: before ?? .max, count: Self.count + 1), try records.isFull(person))
        }
        let words = place.words, shown = found.prefix(Self.count)
        var page = WorkoutRecordsPage(
            child: place.subject.isOwn ? nil : place.subject.account.name, hasNone: found.isEmpty && before == nil && left == nil,
            workouts: shown.compactMap { words.entry($0, place.base) }, trends: "\(place.base)/trends",
            map: "\(place.base)/map",
            live: place.subject.isOwn ? "/runs/workout" : "/runs/workout?person=\(person)")
        if let left {
            page.looking = .init(
                again: "\(place.base)?looking=1",
                text: left > 0 ? place.texts.counted("workouts.left", left) : place.texts["workouts.looking"])
        }
        if isFull {
            page.full = place.texts.filled("workouts.full", ["n": place.texts.number(WorkoutRecordStore.recordsMax)])
        }
        if found.count > shown.count, let last = shown.last { page.more = "\(place.base)?before=\(last.span.lowerBound)" }
        var response = templates.page(page, place.frame, title: title(place, "title"), help: "workouts")
        // Without a script: the browser comes again.
        if let looking = page.looking, let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "3; url=\(looking.again)" }
        return response
    }

    // MARK: One

    func page(
        _ place: Place, _ id: WorkoutRecordID, _ look: WorkoutLook, form: FormModel? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let records = records
        let (found, zones, homes, others) = try await reads.run(for: place.subject.session.account.id) {
            let wearer = try self.wearer(place), found = try records.detail(place.grant, id, wearer)
            let newest = try records.list(place.grant, count: Self.newestMax + 1)
            let others = WorkoutRecordModel.Others(newest, beside: id, of: found?.content.kind)
            return (found, wearer.zones, try records.homes(of: place.subject.person), others)
        }
        guard let detail = found else { throw HTTPError(.notFound) }
        let model = WorkoutRecordModel(
            detail: detail, zones: zones, hasHome: !homes.isEmpty, isOwn: place.subject.isOwn, others: others, look: look,
            base: place.base,
            words: WorkoutWords(texts: place.texts, zone: place.zone, unit: look.unit), ground: map)
        let name = model.words.title(detail.record, detail.content)
        return templates.page(
            try model.page(form ?? editForm(place, id, detail.content)), place.frame,
            title: place.subject.isOwn ? name : "\(place.subject.account.name): \(name)", help: "workouts", status: status)
    }

    private func editForm(_ place: Place, _ id: WorkoutRecordID, _ content: WorkoutRecordContent) -> FormModel {
        let edit = content.edit
        return Self.form(
            "\(place.base)/\(id)",
            ["title": edit?.title ?? "", "kind": edit?.kind.map { "\($0)" } ?? "", "note": edit?.note ?? ""], place.texts)
    }

    static func form(_ action: String, _ values: [String: String], _ texts: Texts) -> FormModel {
        let kinds: [(value: String, text: String)] =
            [("", texts["workouts.kindFound"])] + WorkoutKind.allCases.map { ("\($0.rawValue)", texts["workouts.kind_\($0)"]) }
        return FormModel(
            action: action, button: texts["workouts.save"],
            fields: [
                FormField(name: "title", kind: .text, isRequired: false, label: texts["workouts.name"]),
                FormField(name: "kind", kind: .choice(kinds), isRequired: false, label: texts["workouts.kind"]),
                FormField(name: "note", kind: .paragraph, isRequired: false, label: texts["workouts.note"]),
            ], values: values)
    }

    private func edit(_ request: Request, _ context: HubContext) async throws -> Response {
        let place = try place(request, context), id = try workout(context), sent = try await SentForm(request), texts = place.texts
        func text(_ name: String) -> String { sent[name].trimmingCharacters(in: .whitespacesAndNewlines) }
        let kind = Int64(sent["kind"]).flatMap(WorkoutKind.init)
        guard sent["kind"].isEmpty || kind != nil else { throw HTTPError(.badRequest) }
        let bounds = [("title", WorkoutRecordContent.titleMax), ("note", WorkoutRecordContent.noteMax)]
        let said = bounds.filter { text($0.0).count > $0.1 }.map {
            (field: $0.0, text: texts.filled("workouts.tooLong", ["n": texts.number($0.1)]))
        }
        guard said.isEmpty else {
            var form = Self.form("\(place.base)/\(id)", sent.fields, texts)
            form.said = said
            return try await page(place, id, WorkoutLook(unit: .init(place.texts.measures)), form: form, status: .unprocessableContent)
        }
        guard try records.edit(id, of: place.subject.person, .init(title: text("title"), kind: kind, note: text("note"))) else {
            throw HTTPError(.notFound)
        }
        return .redirect(to: "\(place.base)/\(id)", type: .normal)
    }

    // MARK: Files

    private func file(_ request: Request, _ context: HubContext) async throws -> Response {
        let place = try place(request, context), id = try workout(context), records = records
        let name = request.uri.queryParameters["format"].map(String.init) ?? ""
        guard let format = WorkoutRecords.FileFormat(rawValue: name) else { throw HTTPError(.notFound) }
        let title = place.texts["workouts.one"], hidesHome = request.uri.queryParameters["home"] == "hidden"
        let bytes = try await reads.run(for: place.subject.session.account.id) {
            let homes = hidesHome ? try records.homes(of: place.subject.person) : []
            return try records.file(place.grant, id, format, name: title, hiding: homes)
        }
        guard let bytes else { throw HTTPError(.notFound) }
        return Response(
            status: .ok,
            headers: [
                .contentType: format.mediaType, .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"workout.\(format.rawValue)\"",
            ], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    // MARK: Trends

    private func trends(_ request: Request, _ context: HubContext) async throws -> Response {
        let place = try place(request, context), records = records, sent = request.uri.queryParameters
        let period = sent["by"].map { TrendPeriod(rawValue: String($0)) } ?? .week
        let kind = sent["kind"].map { name in WorkoutKind.allCases.first { "\($0)" == name } } ?? .running
        guard let period, let kind else { throw HTTPError(.notFound) }
        let trends = try await reads.run(for: place.subject.session.account.id) {
            try records.trends(place.grant, by: period, offset: place.offset)
        }
        let model = WorkoutTrendsModel(
            trends: trends, kind: kind,
            today: (place.now + place.offset(place.now)).flooredQuotient(by: 86_400_000),
            base: place.base, words: place.words)
        return templates.page(model.page, place.frame, title: title(place, "trends"), help: "workouts")
    }
}
