public import Vitals

/// A race's start list or results, for a file: what the reader of the file may see, and nothing else.
public struct RaceList: Sendable, Hashable {
    public var name: String
    /// How the race is known to its hub.
    public var code: String
    /// UTC milliseconds.
    public var starts: Milliseconds, ends: Milliseconds
    /// Metres of the course.
    public var length: Int
    public var entries: [RaceEntry]

    public init(name: String, code: String, starts: Milliseconds, ends: Milliseconds, length: Int, entries: [RaceEntry]) {
        (self.name, self.code, self.starts, self.ends, self.length, self.entries) = (name, code, starts, ends, length, entries)
    }
}

/// One line of it.
public struct RaceEntry: Sendable, Hashable {
    /// How somebody stands.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        case finished, running
        /// Through, with a part of the course left out.
        case incomplete
        case notStarted = "not_started"
        case didNotFinish = "did_not_finish"
        case didNotStart = "did_not_start"
        case disqualified
    }

    /// A time on the way.
    public struct Split: Sendable, Hashable {
        /// Metres from the start.
        public var metres: Int
        /// Milliseconds since the gun.
        public var time: Milliseconds

        public init(metres: Int, time: Milliseconds) { (self.metres, self.time) = (metres, time) }
    }

    /// nil for somebody whose account was deleted.
    public var bib: Int?
    /// As the reader of the file knows them; empty for the bib number alone.
    public var name: String
    /// The age group or wave; nil for none.
    public var category: String?
    public var status: Status
    public var place: Int?, placeInCategory: Int?
    /// UTC milliseconds: the gun of the person's wave, the own start, and the finish.
    public var gun: Milliseconds?, start: Milliseconds?, finish: Milliseconds?
    /// Milliseconds from the gun, from the own start, and behind the first.
    public var time: Milliseconds?, netTime: Milliseconds?, behind: Milliseconds?
    public var secondsPerKilometre: Double?
    public var splits: [Split]
    /// Beats per minute, and kilojoules.
    public var heartRateAverage: Int?, heartRateMax: Int?, energy: Int?

    public init(
        bib: Int?, name: String, category: String? = nil, status: Status, place: Int? = nil, placeInCategory: Int? = nil,
        gun: Milliseconds? = nil, start: Milliseconds? = nil, finish: Milliseconds? = nil, time: Milliseconds? = nil,
        netTime: Milliseconds? = nil,
        behind: Milliseconds? = nil, secondsPerKilometre: Double? = nil, splits: [Split] = [], heartRateAverage: Int? = nil,
        heartRateMax: Int? = nil, energy: Int? = nil
    ) {
        (self.bib, self.name, self.category, self.status) = (bib, name, category, status)
        (self.place, self.placeInCategory, self.gun, self.start, self.finish) = (place, placeInCategory, gun, start, finish)
        (self.time, self.netTime, self.behind, self.secondsPerKilometre) = (time, netTime, behind, secondsPerKilometre)
        (self.splits, self.heartRateAverage, self.heartRateMax, self.energy) = (splits, heartRateAverage, heartRateMax, energy)
    }
}
