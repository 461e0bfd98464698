public import Privacy
public import Vitals

extension SeriesStore {
    /// As ``read(_:from:to:now:)``, of streams of these provenances alone (design rule 11).
    public func read(
        _ grant: Grant, from: Milliseconds, to: Milliseconds, of provenances: Set<Provenance>, now: Milliseconds
    ) throws -> Reading? {
        try reading(grant, now: now) {
            guard from <= to, let row = try accounts.row(of: grant.person) else { return Reading() }
            let (streams, received) = try readStreams(grant.person, row: row, kinds: grant.kinds, from: from, to: to)
            var reading = PrimarySource.select(streams.filter { provenances.contains($0.provenance) })
            reading.received = received
            return reading
        }
    }
}
