public import HubStore
public import Privacy
public import Vitals

/// ECG strips by a consent that names them.
extension ConsentService {
    private var ecg: ECGReading { ECGReading(ledger: accounts.ledger, store: strips) { [time] in time.now } }

    /// The strips that an organisation may read, the newest first: all that there are, and for a "once" those of before the person said yes.
    /// - Returns: nil when the consent gives this reader no ECG (any more).
    public func strips(_ id: ConsentID, as reader: Reader, for service: ServiceID?) throws -> [StoredECG]? {
        guard let (grant, span) = try ecgGrant(id, reader, service) else { return nil }
        return try ecg.strips(grant, in: span)
    }

    /// A part of those.
    /// - Parameter before: ``HubStore/ECGPart/next`` of the part before.
    public func strips(_ id: ConsentID, as reader: Reader, for service: ServiceID?, before: Milliseconds?) throws -> ECGPart? {
        guard let (grant, span) = try ecgGrant(id, reader, service) else { return nil }
        return try ecg.part(grant, in: span, before: before)
    }

    /// One of them with its values.
    public func strip(
        _ strip: ECGID, _ id: ConsentID, as reader: Reader, for service: ServiceID?
    ) throws -> (stored: StoredECG, strip: ECGStrip)? {
        guard let (grant, span) = try ecgGrant(id, reader, service) else { return nil }
        return try ecg.strip(strip, grant, in: span)
    }

    /// An organisation has got what a "once" for nothing but ECG lets it read; it can be read again for ``Privacy/Consent/repeatsFor``. Where
    /// the consent names other kinds, their delivery ends it.
    public func deliveredECG(_ id: ConsentID, to reader: Reader) throws {
        guard let asked = try accounts.consents.consent(id, askedBy: reader, now: time.now), asked.scope.kinds == [.ecg] else { return }
        try delivered(id, to: reader)
    }

    /// Nothing is read, and nothing stands in the ledger, of a consent without ECG.
    private func ecgGrant(
        _ id: ConsentID, _ reader: Reader, _ service: ServiceID?
    ) throws -> (grant: Grant, span: ClosedRange<Milliseconds>)? {
        guard let asked = try accounts.consents.consent(id, askedBy: reader, now: time.now), asked.scope.service == service,
            asked.scope.kinds.contains(.ecg)
        else { return nil }
        return try download(id, as: reader)
    }
}
