public import HubStore
public import Logging
import Synchronization
public import Vitals

/// The right to be forgotten (DATA-10), whole or in part. What is asked for is durable at once; what remains on the disk is cleared by
/// ``work(now:)``, which takes up again whatever a crash or a restored backup left undone.
public final class Deletion: Sendable {
    private let accounts: AccountStore
    private let series: SeriesErasure
    private let merger: SeriesMerger
    private let ecg: ECGStore
    private let audit: AuditLog
    private let sos: SOSStore?
    private let runs: RunsStore?
    private let logger: Logger
    /// When there is something to clear, next; nil when there is not. After a start there may be.
    private let due = Mutex<Milliseconds?>(.min)
    private let whenDone = Mutex<(@Sendable (PersonID) -> Void)?>(nil)

    private let whenGone = Mutex<(@Sendable (PersonID) -> Void)?>(nil)

    /// Failed work is tried again after this.
    static let pause: Milliseconds = 60_000

    public init(
        accounts: AccountStore, series: SeriesStore, audit: AuditLog, sos: SOSStore? = nil, runs: RunsStore? = nil, logger: Logger
    ) {
        (self.accounts, self.audit) = (accounts, audit)
        (self.series, merger, ecg) = (series.erasure, series.merger, ECGStore(series))
        (self.sos, self.runs, self.logger) = (sos, runs, logger)
    }

    /// Has somebody told of whom a part was cleared.
    public func whenPartIsCleared(_ tell: @escaping @Sendable (PersonID) -> Void) { whenDone.withLock { $0 = tell } }

    /// Has somebody told of each person who was deleted, also by a command of the operator; perhaps twice.
    public func whenPersonIsDeleted(_ tell: @escaping @Sendable (PersonID) -> Void) { whenGone.withLock { $0 = tell } }

    /// Deletes a person with account and data. When this returns nothing of theirs can be read any more, in no backup either, and their boxes are
    /// told so. An organisation's account goes the same way (its identifier's person).
    /// - Parameter actor: who asked for it; nil for the operator at a shell.
    public func deletePerson(_ person: PersonID, by actor: AccountID?, now: Milliseconds) throws {
        let isNew = try accounts.deletePerson(person, now: now)
        if isNew { record(.personDeleted, by: actor, on: person, now: now) }
        due.withLock { $0 = .min }
        whenGone.withLock { $0 }?(person)
    }

    /// Deletes kinds of a person's data within a span (UTC, both ends included). It is cleared within seconds, however often the hub is stopped;
    /// ``SeriesErasure/progress(of:)`` tells. What a sensor measured before, and sends late, stays out; what is typed or
    /// imported for the span later stays.
    public func deletePart(
        of person: PersonID, kinds: Set<DataKind>, span: ClosedRange<Milliseconds>, by actor: AccountID?, now: Milliseconds
    ) throws -> PartDeletion {
        let part = try accounts.requestDeletion(of: kinds, in: span, person: person, now: now)
        record(.partRequested, by: actor, on: person, now: now)
        due.withLock { $0 = .min }
        return part
    }

    /// Deletes what one stream added, and nothing else. It is cleared within seconds, as a part is. What was overwritten of it meanwhile
    /// stays in summaries of minutes or hours in which something else is as well.
    /// - Parameters:
    ///   - kinds: nil for all of it.
    ///   - span: of sample times, UTC, both ends included.
    public func deleteStream(
        _ stream: StreamID, of person: PersonID, kinds: Set<DataKind>? = nil, span: ClosedRange<Milliseconds> = 0...(.max / 2),
        by actor: AccountID?, now: Milliseconds
    ) throws -> PartDeletion {
        let kinds = kinds ?? Set(DataKind.allCases.filter { !$0.isAttachment })
        let part = try accounts.requestDeletion(of: kinds, in: span, stream: stream, person: person, now: now)
        record(.partRequested, by: actor, on: person, now: now)
        due.withLock { $0 = .min }
        return part
    }

    /// Deletes one ECG strip. It is gone when this returns, and a backup that is restored loses it again.
    /// - Returns: whether there was one.
    public func deleteECG(_ id: ECGID, of person: PersonID, by actor: AccountID?, now: Milliseconds) throws -> Bool {
        guard let time = try ecg.time(of: id, of: person) else { return false }
        _ = try deletePart(of: person, kinds: [.ecg], span: time...time, by: actor, now: now)
        return try ecg.remove(id, of: person) != nil
    }

    /// Clears what is left of the deleted. Not beside merging; the caller sees to that.
    public func work(now: Milliseconds) throws {
        if try accounts.refreshKeys() { due.withLock { $0 = .min } }
        let isDue = due.withLock { due in
            guard let time = due, time <= now else { return false }
            // Until it is known that all went well.
            due = now + Self.pause
            return true
        }
        guard isDue else { return }
        var isDone = true
        func attempt(_ what: String, _ work: () throws -> Void) {
            do { try work() } catch {
                isDone = false
                logger.error("\(what) failed; it is tried again in a minute", metadata: ["error": "\(error)"])
            }
        }
        let people = try Set(accounts.deletedWithRows()).union(series.deletedWithBlocks()).union(sos?.deletedWithRows() ?? [])
            .union(runs?.deletedWithRows() ?? []).union(ecg.deletedWithStrips()).sorted()
        for person in people {
            attempt("clearing the rows of deleted person \(person)") {
                try series.erase(person)
                try sos?.erase(person)
                try runs?.erase(person, now: now)
                try accounts.eraseRows(of: person)
                whenGone.withLock { $0 }?(person)
                record(.rowsErased, by: nil, on: person, now: now)
            }
        }
        // Their segments leave the journal.
        if !people.isEmpty { attempt("merging") { try merger.merge(now: now) } }
        for part in try series.unfinishedDeletions() {
            attempt("deleting a part of the data of person \(part.person)") {
                if part.stream != nil { try merger.merge(now: now) }
                let spans = try series.workoutSpans(of: part)
                // First: the part counts as done with the series.
                try runs?.clearWorkouts(of: part.kinds, in: spans, of: part.person, now: now)
                try ecg.delete(part)
                try series.delete(part, now: now)
                // What was worked out meanwhile, from what was there still.
                try runs?.clearWorkouts(of: part.kinds, in: spans, of: part.person, now: now)
                record(.partDeleted, by: nil, on: part.person, now: now)
                whenDone.withLock { $0 }?(part.person)
            }
        }
        // Deletions that were asked for meanwhile stay due.
        if isDone { due.withLock { due in if due == now + Self.pause { due = nil } } }
    }

    /// What is done is done, also when it cannot be written down.
    private func record(_ action: AuditLog.Action, by actor: AccountID?, on person: PersonID, now: Milliseconds) {
        do { try audit.append(action, by: actor, on: AccountID(person), now: now) } catch {
            logger.error("the audit log lacks \(action.rawValue) of \(person)", metadata: ["error": "\(error)"])
        }
    }
}
