import Vitals

/// Which notices are told: each once until it is over. A condition that comes and goes is told once, and is over when it stays good.
struct NoticeBoard: Hashable, Sendable {
    enum Wish: Hashable {
        /// The condition holds: told at `due`, or at the due time of an earlier wish if that is sooner.
        case raise(due: Milliseconds)
        /// The condition is good: over after ``MonitorConfiguration/settled``.
        case settle
        /// Another condition hides this one, which may come again: over after ``MonitorConfiguration/lingers`` where it was told.
        case linger
        /// The notice has lost its meaning: over at once.
        case drop
    }

    private struct Entry: Hashable, Sendable {
        var due: Milliseconds
        var isTold = false
        var fading: Fading?
    }

    private struct Fading: Hashable, Sendable {
        var since: Milliseconds
        var lasting: Milliseconds
        var end: Milliseconds { since + lasting }
    }

    /// At most one per notice.
    private var entries: [Notice: Entry] = [:]

    /// Told and not over, in the order of ``Notice``.
    var told: [Notice] { Notice.allCases.filter { entries[$0]?.isTold == true } }

    mutating func update(_ notice: Notice, _ wish: Wish, at now: Milliseconds) -> MonitorEffect? {
        switch wish {
        case .raise(let due): return raise(notice, due: due, at: now)
        case .settle: return fade(notice, lasting: MonitorConfiguration.settled, at: now)
        case .linger where entries[notice]?.isTold == true: return fade(notice, lasting: MonitorConfiguration.lingers, at: now)
        case .linger, .drop: return remove(notice)
        }
    }

    private mutating func raise(_ notice: Notice, due: Milliseconds, at now: Milliseconds) -> MonitorEffect? {
        var entry = entries[notice] ?? Entry(due: due)
        entry.due = min(entry.due, due)
        entry.fading = nil
        let isNew = !entry.isTold && now >= entry.due
        if isNew { entry.isTold = true }
        entries[notice] = entry
        return isNew ? .tell(notice) : nil
    }

    private mutating func fade(_ notice: Notice, lasting: Milliseconds, at now: Milliseconds) -> MonitorEffect? {
        guard let entry = entries[notice] else { return nil }
        var fading = entry.fading ?? Fading(since: now, lasting: lasting)
        if fading.lasting != lasting { fading = Fading(since: now, lasting: lasting) }
        entries[notice]?.fading = fading
        return now >= fading.end ? remove(notice) : nil
    }

    private mutating func remove(_ notice: Notice) -> MonitorEffect? {
        entries.removeValue(forKey: notice)?.isTold == true ? .over(notice) : nil
    }

    /// When something is to be told, or to be over, should nothing else happen.
    var deadline: Milliseconds? {
        entries.values.compactMap { entry in
            if let fading = entry.fading { return fading.end }
            return entry.isTold ? nil : entry.due
        }.min()
    }
}
