import Accounts
import Exchange
public import HubStore
import Privacy
public import Vitals

/// An account, its consents with those who decided, and the reads: a Bundle of FHIR R4 beside the Observations of a download (DATA-9).
public enum FHIRRecords {
    /// - Parameter base: the address of the FHIR interface, without a slash at its end.
    public static func bundle(of account: StoredAccount, accounts: AccountStore, base: String, now: Milliseconds) throws -> [UInt8] {
        let person = account.id.person, patient = FHIRID(account.id)
        var writer = FHIRBundleWriter(.collection, base: base, created: now)
        var json: [UInt8] = []
        writer.begin(&json)
        writer.add(FHIRPerson(id: patient, account: account), to: &json)
        let consents = try RecordsExport.all { before in
            let page = try accounts.consents.consents(of: person, before: before)
            return (page.items, page.next)
        }
        for item in consents {
            guard let consent = FHIRConsent(item, of: patient) else { continue }
            writer.add(consent, to: &json)
            if let decision = FHIRDecision(item.consent, of: account) { writer.add(decision, to: &json) }
        }
        let lines = try RecordsExport.all { before in
            let page = try accounts.ledger.ledger(of: person, before: before)
            return (page.entries, page.next)
        }
        for (number, line) in lines.enumerated() {
            guard let read = FHIRLedgerLine(number, line, of: patient) else { continue }
            writer.add(read, to: &json)
        }
        writer.end(&json)
        return json
    }

    /// What somebody said yes to, and who did: a Bundle with a Consent and its Provenance, as a receipt.
    /// - Parameter base: the address of the FHIR interface, without a slash at its end.
    /// - Returns: nil for what nobody said yes to.
    public static func receipt(_ item: PersonConsent, of account: StoredAccount, base: String, now: Milliseconds) -> [UInt8]? {
        let patient = FHIRID(account.id)
        guard let consent = FHIRConsent(item, of: patient), let decision = FHIRDecision(item.consent, of: account) else { return nil }
        var writer = FHIRBundleWriter(.collection, base: base, created: now)
        var json: [UInt8] = []
        writer.begin(&json)
        writer.add(consent, to: &json)
        writer.add(decision, to: &json)
        writer.end(&json)
        return json
    }
}

/// A Patient (FHIR R4) as the person's own download has it: with name, gender and date of birth.
private struct FHIRPerson: FHIRResource {
    static let resourceType = "Patient"
    let id: FHIRID
    let account: StoredAccount

    func json(base: String) -> [UInt8] {
        var json: [UInt8] = []
        json.append("{\"resourceType\":\"Patient\",\"id\":")
        json.append(json: id.description)
        json.append(",\"identifier\":[{\"system\":")
        json.append(json: base + "/identifier/account")
        json.append(",\"value\":")
        json.append(json: id.description)
        json.append("}],\"name\":[{\"text\":")
        json.append(json: account.name.isEmpty ? account.email : account.name)
        json.append("}]")
        if ["male", "female", "other"].contains(account[.gender]) {
            json.append(",\"gender\":")
            json.append(json: account[.gender])
        }
        if !account[.dateOfBirth].isEmpty {
            json.append(",\"birthDate\":")
            json.append(json: account[.dateOfBirth])
        }
        json.append("}")
        return json
    }
}

/// A Provenance (FHIR R4): who said yes to a consent, and when.
private struct FHIRDecision: FHIRResource {
    static let resourceType = "Provenance"
    let id: FHIRID
    let consent: ConsentID
    let access: Consent.Access
    let account: StoredAccount

    /// nil where nobody said yes.
    init?(_ consent: Consent, of account: StoredAccount) {
        guard let access = consent.accepted, let id = FHIRID("\(consent.id)-yes", lengthMax: 64) else { return nil }
        (self.id, self.consent, self.access, self.account) = (id, consent.id, access, account)
    }

    func json(base: String) -> [UInt8] {
        var json: [UInt8] = []
        json.append("{\"resourceType\":\"Provenance\",\"id\":")
        json.append(json: id.description)
        json.append(",\"target\":[{\"reference\":")
        json.append(json: "Consent/\(consent)")
        json.append("}],\"recorded\":")
        json.append(json: RecordsExport.text(access.since))
        json.append(",\"agent\":[{\"who\":{")
        if access.by == account.id {
            json.append("\"reference\":")
            json.append(json: "Patient/\(account.id)")
        } else {
            // A parent.
            json.append("\"identifier\":{\"system\":")
            json.append(json: base + "/identifier/account")
            json.append(",\"value\":")
            json.append(json: access.by.description)
            json.append("}")
        }
        json.append("}}]}")
        return json
    }
}

/// An AuditEvent (FHIR R4): a line of the ledger.
private struct FHIRLedgerLine: FHIRResource {
    static let resourceType = "AuditEvent"
    let id: FHIRID
    let line: LedgerEntry
    let patient: FHIRID

    init?(_ number: Int, _ line: LedgerEntry, of patient: FHIRID) {
        guard let id = FHIRID("line-\(number)") else { return nil }
        (self.id, self.line, self.patient) = (id, line, patient)
    }

    private static let type: StaticString = """
        ,"type":{"system":"http://terminology.hl7.org/CodeSystem/audit-event-type","code":"rest","display":"RESTful Operation"}
        """

    func json(base: String) -> [UInt8] {
        var json: [UInt8] = []
        json.append("{\"resourceType\":\"AuditEvent\",\"id\":")
        json.append(json: id.description)
        json.append(Self.type)
        json.append(",\"subtype\":[{\"system\":")
        json.append(json: base + "/CodeSystem/ledger")
        json.append(",\"code\":")
        json.append(json: RecordsExport.word(line.what))
        json.append("}],\"recorded\":")
        json.append(json: RecordsExport.text(line.at))
        json.append(",\"outcome\":\"0\",\"agent\":[{\"name\":")
        json.append(json: line.name.isEmpty ? "TrackMe" : line.readerName)
        json.append(",\"requestor\":true}],\"source\":{\"observer\":{\"display\":\"TrackMe\"}},\"entity\":[{\"what\":{\"reference\":")
        json.append(json: "Patient/\(patient)")
        json.append("}}]}")
        return json
    }
}

extension Consent {
    /// What somebody said yes to, also when it is over.
    fileprivate var accepted: Access? {
        switch state {
        case .accepted(let access): access
        case .over(let end): end.access
        case .awaitingOperator, .pending: nil
        }
    }
}

extension FHIRConsent {
    /// As the person sees it; nil for what they know nothing of yet.
    fileprivate init?(_ item: PersonConsent, of patient: FHIRID) {
        let scope = item.consent.request.scope
        let status: Status
        var date = item.consent.request.created
        var start: Milliseconds?
        var end: Milliseconds?
        switch item.consent.state {
        case .awaitingOperator: return nil
        case .pending(let question): (status, date) = (.proposed, question.asked)
        case .accepted(let access): (status, date, start, end) = (.active, access.since, access.since, access.until)
        case .over(let over):
            date = over.at
            switch over.ending {
            case .refusedByOperator, .withdrawn, .denied, .unanswered: status = .rejected
            case .fulfilled, .ranOut, .endedByAsker, .revoked: (status, end) = (.inactive, over.at)
            }
        }
        self.init(
            id: FHIRID(item.consent.id), status: status, patient: patient, date: date, recipient: FHIRID(scope.asker.account),
            recipientName: item.name, purpose: scope.purpose, kinds: scope.kinds, start: start, end: end)
    }
}
