public import Vitals

/// Which time counts.
public enum TimeKind: String, Sendable, Codable, CaseIterable {
    /// From the gun of the runner's own wave.
    case gun
    /// From the runner's own crossing of the start line.
    case net
}

/// The organiser's word about somebody who enrolled; everything else is observed.
public enum EntryStatus: String, Sendable, Codable, CaseIterable {
    case entered
    case didNotStart = "did-not-start"
    case didNotFinish = "did-not-finish"
    case disqualified
}

/// Somebody in a run, as ranking and results need it. A runner is known by the bib number: it names nobody.
public struct Contestant: Sendable {
    public var bib: Int
    /// The organiser's word for age group or sex; nil for none.
    public var category: String?
    public var status: EntryStatus
    /// nil before the first usable fix.
    public var progress: Progress?

    public init(bib: Int, category: String? = nil, status: EntryStatus = .entered, progress: Progress? = nil) {
        self.bib = bib
        self.category = category
        self.status = status
        self.progress = progress
    }

    /// Whether the organiser still waits for this runner: started, not through, and nobody said it is over.
    public var isStillOut: Bool {
        guard status == .entered, let progress else { return false }
        return progress.start != nil && progress.finish == nil
    }

    /// Above this share of the course left out, nobody is ranked among those who ran it: less is a wrong turn.
    public static let missedShareMax = 0.05

    var group: RankingRow.Group {
        switch status {
        case .didNotStart: return .didNotStart
        case .didNotFinish: return .didNotFinish
        case .disqualified: return .disqualified
        case .entered: break
        }
        guard let progress, progress.start != nil else { return .notStarted }
        if progress.missedMetres > Self.missedShareMax * progress.length { return .incomplete }
        return progress.finish == nil ? .running : .finished
    }
}

extension Progress {
    /// The instant from which a kind of time counts; nil for the net time of somebody who has not started.
    func origin(_ kind: TimeKind) -> Milliseconds? { kind == .gun ? gun : start?.time }

    /// Milliseconds to the finish; nil before it.
    public func finishTime(_ kind: TimeKind) -> Milliseconds? {
        guard let finish, let origin = origin(kind) else { return nil }
        return finish.time - origin
    }
}
