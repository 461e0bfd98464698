import Exchange
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Privacy
import Vitals

/// FHIR R4 beside the API: reading and searching what people let this organisation read (CONS-12), and what it missed (CONS-14).
extension APIController {
    static let fhir = "/api/v1/fhir"
    static let fhirType = "application/fhir+json; fhirVersion=4.0"
    static let observationsMax = 1000
    private static let observationsDefault = 100

    var fhirOperations: [Operation] {
        [
            Operation(method: .get, path: "\(Self.fhir)/metadata") { request, _ in
                _ = try FHIRQuery(request, allowed: [])
                return Self.fhir(FHIRCapability.json(base: fhirBase))
            },
            Operation(method: .get, path: "\(Self.fhir)/Observation") { request, _ in try await searchObservations(request) },
            Operation(method: .get, path: "\(Self.fhir)/Observation/$events") { request, _ in try await events(request) },
            Operation(method: .get, path: "\(Self.fhir)/Observation/{id}") { request, context in try await observation(request, context) },
            Operation(method: .get, path: "\(Self.fhir)/Patient/{id}") { request, context in try await patient(request, context) },
            Operation(method: .get, path: "\(Self.fhir)/Consent") { request, _ in try await searchConsents(request) },
            Operation(method: .get, path: "\(Self.fhir)/Consent/{id}") { request, context in try await consent(request, context) },
        ]
    }

    var fhirBase: String { site() + Self.fhir }
    private var fhirReading: FHIRReading { FHIRReading(consents) }

    static func fhir(_ json: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: fhirType, .cacheControl: "no-store"], body: .init(byteBuffer: ByteBuffer(bytes: json)))
    }

    /// What a program asks and who asks are looked at first; all else happens on a thread for reading.
    private func fhir(
        _ request: Request, _ allowed: [String], _ answer: @escaping @Sendable (Reader, FHIRQuery) throws -> Response
    ) async throws -> Response {
        let organisation = try organisation(request), query = try FHIRQuery(request, allowed: allowed)
        do { return try await reading(for: organisation) { try answer(.organisation(organisation), query) } } catch FHIRReading.Problem
            .onlyOnce(let id)
        {
            throw APIProblem(
                .forbidden, "once", "This consent is for one delivery. Read it as samples: /api/v1/consents/\(id)/samples.")
        }
    }

    // MARK: Observation

    private func observation(_ request: Request, _ context: HubContext) async throws -> Response {
        let id = FHIRObservationID(try context.parameters.require("id"))
        return try await fhir(request, []) { reader, _ in
            guard let id, let json = try fhirReading.observation(id, as: reader, base: fhirBase) else { throw APIProblem.notFound }
            return Self.fhir(json)
        }
    }

    private func searchObservations(_ request: Request) async throws -> Response {
        let allowed = ["patient", "subject", "code", "category", "date", "_count", "_sort", "page"]
        return try await fhir(request, allowed) { try observations($1, of: $0) }
    }

    private func observations(_ query: FHIRQuery, of reader: Reader) throws -> Response {
        guard let patient = try query.patient(base: fhirBase) else {
            throw APIProblem(.badRequest, "no_patient", "Name one patient: patient=PSEUDONYM. Search Consent for those who agreed.")
        }
        let count = try query.number("_count", 1...1_000_000) ?? Self.observationsDefault
        let after = try query.number("page", 0...Int(FHIRDateRange.all.upperBound)).map(Milliseconds.init)
        let isNewestFirst = try query.isNewestFirst, kinds = try query.kinds(base: fhirBase), span = try query.span
        let page: FHIRPage?
        if let span {
            let search = FHIRSearch(
                patient: patient.description, kinds: kinds, span: span, isNewestFirst: isNewestFirst,
                count: min(count, Self.observationsMax), after: after)
            page = try fhirReading.search(search, as: reader)
        } else {
            // No instant is in all of the dates.
            page = .empty
        }
        // A patient whom this organisation does not know is one about whom nothing is found.
        let found = page ?? .empty
        let address = "\(fhirBase)/Observation"
        let kind = FHIRBundleWriter.Kind.searchset(
            total: nil, selfLink: query.link(address), next: found.next.map { query.link(address, "page", "\($0)") })
        var writer = FHIRBundleWriter(kind, base: fhirBase, patient: patient, detail: .samples, created: now())
        var json: [UInt8] = []
        writer.begin(&json)
        for piece in found.pieces { writer.append(piece.samples, from: piece.provenance, to: &json) }
        writer.end(&json)
        return Self.fhir(json)
    }

    /// As `$events` of the Subscriptions Backport guide: what a subscriber missed.
    private func events(_ request: Request) async throws -> Response {
        try await fhir(request, ["consent", "cursor", "_count"]) { try events($1, of: $0) }
    }

    private func events(_ query: FHIRQuery, of reader: Reader) throws -> Response {
        let name = query["consent"].map { $0.hasPrefix("Consent/") ? String($0.dropFirst(8)) : $0 }
        guard let id = name.flatMap({ ConsentID($0) }) else {
            throw APIProblem(.badRequest, "no_consent", "Name the consent: consent=ID.")
        }
        let text = query["cursor"], cursor = text.flatMap { SubscriptionCursor($0) }
        guard text == nil || cursor != nil else {
            throw APIProblem(.badRequest, "invalid_cursor", "The cursor is none of ours: follow the link monitor or next, or send none.")
        }
        let count = min(try query.number("_count", 1...1_000_000) ?? Self.observationsDefault, Self.observationsMax)
        guard let missed = try subscriptions.catchUp(of: id, to: reader, after: cursor, count: count),
            let patient = FHIRID(accounts.pseudonyms.pseudonym(of: missed.person, for: reader, service: missed.consent.scope.service))
        else { throw APIProblem.notFound }
        let address = "\(fhirBase)/Observation/$events"
        let later = missed.cursor.map { query.link(address, "cursor", $0.description) } ?? query.link(address)
        let kind = FHIRBundleWriter.Kind.history(
            selfLink: query.link(address), next: missed.hasMore ? later : nil, monitor: later)
        var writer = FHIRBundleWriter(kind, base: fhirBase, patient: patient, detail: .samples, created: now())
        var json: [UInt8] = []
        writer.begin(&json)
        if let from = missed.startOver {
            let outcome = FHIROutcome(
                .warning, .incomplete,
                "What was missed has no order of arrival any more. All of it was sampled at this date or later: search again from there.")
            writer.add(
                outcome, readAgain: "Observation?patient=\(patient)&date=ge\(APITime.text(from))&_sort=date", to: &json)
        }
        for arrival in missed.arrivals {
            writer.append(arrival.samples, from: arrival.provenance, received: arrival.received, to: &json)
        }
        writer.end(&json)
        return Self.fhir(json)
    }

    // MARK: Patient

    private func patient(_ request: Request, _ context: HubContext) async throws -> Response {
        let id = FHIRID(try context.parameters.require("id"))
        return try await fhir(request, []) { reader, _ in
            guard let id, try fhirReading.knows(id.description, reader) else { throw APIProblem.notFound }
            return Self.fhir(FHIRPatient(id).json(base: fhirBase))
        }
    }

    // MARK: Consent

    private func consent(_ request: Request, _ context: HubContext) async throws -> Response {
        let id = ConsentID(try context.parameters.require("id"))
        return try await fhir(request, []) { reader, _ in
            guard let id, let found = try accounts.pseudonyms.pseudonymousConsent(id, askedBy: reader, now: now()) else {
                throw APIProblem.notFound
            }
            return Self.fhir(FHIRConsent(found, of: reader, name: try organisationName(reader)).json(base: fhirBase))
        }
    }

    private func searchConsents(_ request: Request) async throws -> Response {
        try await fhir(request, ["patient", "status", "_count", "page"]) { try consents($1, of: $0) }
    }

    private func consents(_ query: FHIRQuery, of reader: Reader) throws -> Response {
        let patient = try query.patient(base: fhirBase), statuses = query.values("status")
        let count = try query.number("_count", 1...1_000_000) ?? Self.observationsDefault
        let page = query["page"], after = page.flatMap { ConsentID($0) }
        guard page == nil || after != nil else {
            throw APIProblem(.badRequest, "invalid_page", "The page is none of ours: follow the link next.")
        }
        // So many are looked through; the filters may leave none of them on this page.
        let all = try accounts.pseudonyms.pseudonymousConsents(askedBy: reader, after: after, now: now())
        let name = try organisationName(reader)
        var found: [FHIRConsent] = [], looked = 0
        for stored in all where found.count < count {
            looked += 1
            let consent = FHIRConsent(stored, of: reader, name: name)
            let isWanted = statuses.allSatisfy { $0.split(separator: ",").contains { $0 == consent.status.rawValue } }
            if isWanted, patient == nil || consent.patient == patient { found.append(consent) }
        }
        let hasMore = looked < all.count || all.count == ConsentStore.consentPageMax
        let next = hasMore ? all.prefix(looked).last : nil
        let address = "\(fhirBase)/Consent"
        let kind = FHIRBundleWriter.Kind.searchset(
            total: nil, selfLink: query.link(address), next: next.map { query.link(address, "page", $0.asked.id.description) })
        var writer = FHIRBundleWriter(kind, base: fhirBase, created: now())
        var json: [UInt8] = []
        writer.begin(&json)
        for consent in found { writer.add(consent, to: &json) }
        writer.end(&json)
        return Self.fhir(json)
    }

    private func organisationName(_ reader: Reader) throws -> String { try accounts.account(reader.account)?.name ?? "" }
}

extension FHIRConsent {
    fileprivate init(_ stored: PseudonymousConsent, of reader: Reader, name: String) {
        let asked = stored.asked
        let (status, date, start, end): (Status, Milliseconds, Milliseconds?, Milliseconds?)
        switch asked.shown {
        case .awaitingOperator: (status, date, start, end) = (.proposed, asked.created, nil, nil)
        case .pending(let time, _): (status, date, start, end) = (.proposed, time, nil, nil)
        case .accepted(let since, let until): (status, date, start, end) = (.active, since, since, until)
        case .over(.refusedByOperator, let at), .over(.denied, let at), .over(.unanswered, let at):
            (status, date, start, end) = (.rejected, at, nil, nil)
        case .over(_, let at): (status, date, start, end) = (.inactive, at, nil, at)
        }
        self.init(
            id: FHIRID(asked.id), status: status, patient: stored.pseudonym.flatMap { FHIRID($0) }, date: date,
            recipient: FHIRID(reader.account), recipientName: name, purpose: asked.scope.purpose, kinds: asked.scope.kinds, start: start,
            end: end)
    }
}
