public import Exchange
public import HubStore
public import Privacy
public import Vitals

/// Reading ECG strips by a grant: each read of somebody else's stands in their ledger before it is done (DATA-12).
public struct ECGReading: Sendable {
    private let ledger: LedgerStore
    private let store: ECGStore
    private let now: @Sendable () -> Milliseconds

    public init(ledger: LedgerStore, store: ECGStore, now: @escaping @Sendable () -> Milliseconds) {
        (self.ledger, self.store, self.now) = (ledger, store, now)
    }

    /// The strips that begin within a span, the newest first.
    /// - Returns: nil when the grant does not hold (any more), or names no ECG.
    public func strips(_ grant: Grant, in span: ClosedRange<Milliseconds> = 0...Milliseconds.max) throws -> [StoredECG]? {
        guard grant.kinds.contains(.ecg) else { return nil }
        try ledger.recordRead(grant, now: now())
        return try store.strips(grant, in: span, now: now())
    }

    /// A part of those.
    /// - Parameter before: ``HubStore/ECGPart/next`` of the part before.
    /// - Returns: nil when the grant does not hold (any more), or names no ECG.
    public func part(
        _ grant: Grant, in span: ClosedRange<Milliseconds> = 0...Milliseconds.max, before: Milliseconds? = nil
    ) throws -> ECGPart? {
        guard grant.kinds.contains(.ecg) else { return nil }
        try ledger.recordRead(grant, now: now())
        return try store.part(grant, in: span, before: before, now: now())
    }

    /// One strip with its values.
    /// - Returns: nil when there is none such that may be read (any more).
    public func strip(
        _ id: ECGID, _ grant: Grant, in span: ClosedRange<Milliseconds> = 0...Milliseconds.max
    ) throws -> (stored: StoredECG, strip: ECGStrip)? {
        guard grant.kinds.contains(.ecg) else { return nil }
        try ledger.recordRead(grant, now: now())
        return try store.strip(id, grant, in: span, now: now())
    }

    /// The strips of a download, the oldest first, one after the other: not all are in memory at once.
    /// - Throws: ``Export/Failure/grantEnded`` when the grant ends on the way.
    public func each(
        _ grant: Grant, in span: ClosedRange<Milliseconds>, _ take: (NamedECGStrip) async throws -> Void
    ) async throws {
        guard let list = try store.strips(grant, in: span, now: now()) else { throw Export.Failure.grantEnded }
        for stored in list.reversed() {
            // One that was deleted meanwhile is left out; without a grant the list is nil as well.
            guard let found = try store.strip(stored.id, grant, now: now()) else {
                guard try store.strips(grant, in: 0...0, now: now()) != nil else { throw Export.Failure.grantEnded }
                continue
            }
            try await take(NamedECGStrip(id: FHIRID(stored.id), strip: found.strip))
        }
    }
}
