import History
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// What the rollups of one column should come to by the rules of decision 25, worked out beside the store from the samples it was given.
struct RollupModel {
    struct Source {
        let stream: StreamID
        /// The number of its row.
        let row: Int64
        let provenance: Provenance
        /// In blocks, what was overwritten and not deleted included.
        var merged = SampleSet()
        var waiting = SampleSet()
        /// Minutes of closed hours in which it has something.
        var known: Set<Int64> = []
    }

    let column: DataKind
    /// The older one first.
    var sources: [Source]
    /// From these hours on raw data is whole, and minutes are there.
    private(set) var whole = Int64.min, minutes = Int64.min
    /// What is closed: by minute, and by hour where the minutes are gone.
    private var closed: [DataKind: [Int64: Rollup]] = [:], gone: [DataKind: [Int64: Rollup]] = [:]
    /// Where the minutes are gone, how many had which mean, by hour.
    private var goneMeans: [DataKind: [Int64: Rollup]] = [:]

    init(_ column: DataKind, _ sources: [Source]) { (self.column, self.sources) = (column, sources) }

    var kinds: [DataKind] { column.rolledUp }

    private static func hour(_ minute: Int64) -> Int64 { RollupHour.number(of: minute * 60_000) }

    private func of(_ samples: SampleSet) -> SampleSet {
        column == .heartRate
            ? SampleSet(heartRates: samples.heartRates) : SampleSet(scalars: samples.scalars.filter { $0.kind == column })
    }

    /// What a recomputation comes to.
    private func recomputed(_ kind: DataKind, isMerged: Bool) -> [Int64: Rollup] {
        let streams = sources.map { source in
            var samples = of(source.merged)
            if !isMerged { samples.append(of(source.waiting)) }
            samples.sortByTime()
            return StreamReading(stream: source.row, provenance: source.provenance, samples: samples)
        }
        return PrimarySource.select(streams).samples.rollups(of: kind)
    }

    // MARK: What happens

    mutating func merge() {
        for index in sources.indices {
            addLate(index)
            sources[index].merged.append(sources[index].waiting)
            sources[index].waiting = SampleSet()
        }
    }

    /// A minute that is empty takes whatever comes; one that is not takes more of whoever is in it. So does an hour without minutes.
    private mutating func addLate(_ index: Int) {
        var late = of(sources[index].waiting)
        late.sortByTime()
        let parts = kinds.map { ($0, late.rollups(of: $0).filter { Self.hour($0.key) < whole }) }
        let all = Set(parts.flatMap { $0.1.keys }), own = sources[index].known, ownHours = Set(own.map(Self.hour))
        let filled = Set(kinds.flatMap { closed[$0, default: [:]].keys }), filledHours = Set(kinds.flatMap { gone[$0, default: [:]].keys })
        let added = all.filter { minute in
            let hour = Self.hour(minute)
            return hour < minutes
                ? !filledHours.contains(hour) || ownHours.contains(hour) : !filled.contains(minute) || own.contains(minute)
        }
        for (kind, rollups) in parts {
            for (minute, rollup) in rollups where added.contains(minute) {
                if Self.hour(minute) < minutes {
                    addGone(rollup, of: kind, at: minute)
                } else {
                    closed[kind, default: [:]][minute, default: Rollup()].merge(rollup)
                }
            }
        }
        sources[index].known.formUnion(added)
    }

    /// A minute that comes once more counts once more among the means.
    private mutating func addGone(_ rollup: Rollup, of kind: DataKind, at minute: Int64) {
        gone[kind, default: [:]][Self.hour(minute), default: Rollup()].merge(rollup)
        goneMeans[kind, default: [:]][Self.hour(minute), default: Rollup()].merge(Rollup(meansOf: [rollup]))
    }

    /// - Parameter kept: from which hours on raw data is whole now, and minutes are there.
    mutating func overwrite(_ kept: (whole: Int64, minutes: Int64)) {
        let closing = whole..<max(whole, kept.whole)
        for kind in kinds {
            for (minute, rollup) in recomputed(kind, isMerged: true) where closing.contains(Self.hour(minute)) {
                closed[kind, default: [:]][minute] = rollup
            }
        }
        for index in sources.indices {
            let times = of(sources[index].merged).heartRates.map(\.time) + of(sources[index].merged).scalars.map(\.time)
            for (hour, times) in Dictionary(grouping: times, by: RollupHour.number) where closing.contains(hour) {
                guard let first = times.min(), let last = times.max() else { continue }
                sources[index].known.formUnion(first.flooredQuotient(by: 60_000)...last.flooredQuotient(by: 60_000))
            }
        }
        whole = max(whole, kept.whole)
        minutes = max(minutes, kept.minutes)
        for kind in kinds {
            for (minute, rollup) in closed[kind, default: [:]] where Self.hour(minute) < minutes {
                addGone(rollup, of: kind, at: minute)
                closed[kind]?[minute] = nil
            }
        }
    }

    /// Takes a span out: to the millisecond where raw data is whole, by minutes where these are there, else by hours.
    mutating func delete(_ span: ClosedRange<Milliseconds>) {
        merge()
        for index in sources.indices {
            sources[index].merged.heartRates.removeAll { column == .heartRate && span.contains($0.time) }
            sources[index].merged.scalars.removeAll { $0.kind == column && span.contains($0.time) }
        }
        let touched = span.lowerBound.flooredQuotient(by: 60_000)...span.upperBound.flooredQuotient(by: 60_000)
        let hours = RollupHour.number(of: span.lowerBound)...RollupHour.number(of: span.upperBound)
        // Of an hour that is empty nothing is taken, and every source may add to it.
        let present = Set(closed[column, default: [:]].keys.map(Self.hour) + gone[column, default: [:]].keys)
        for kind in kinds {
            closed[kind] = closed[kind]?.filter { !touched.contains($0.key) }
            gone[kind] = gone[kind]?.filter { !hours.contains($0.key) }
            goneMeans[kind] = goneMeans[kind]?.filter { !hours.contains($0.key) }
        }
        let minutes = minutes
        for index in sources.indices {
            sources[index].known = sources[index].known.filter { minute in
                let hour = Self.hour(minute)
                guard present.contains(hour) else { return true }
                return hour < minutes ? !hours.contains(hour) : !touched.contains(minute)
            }
        }
    }

    /// Takes out what one source added: all of it where raw data is whole, else minutes or hours in which nothing else is.
    mutating func undo(_ index: Int) {
        merge()
        sources[index].merged = SampleSet()
        let own = sources[index].known,
            others = sources.indices.filter { $0 != index }.reduce(into: Set<Int64>()) {
                $0.formUnion(sources[$1].known)
            }
        let otherHours = Set(others.map(Self.hour))
        let taken = own.filter { Self.hour($0) < minutes ? !otherHours.contains(Self.hour($0)) : !others.contains($0) }
        let takenHours = Set(taken.map(Self.hour))
        for kind in kinds {
            closed[kind] = closed[kind]?.filter { !taken.contains($0.key) }
            let minutes = minutes
            gone[kind] = gone[kind]?.filter { !($0.key < minutes && takenHours.contains($0.key)) }
            goneMeans[kind] = goneMeans[kind]?.filter { !($0.key < minutes && takenHours.contains($0.key)) }
        }
        sources[index].known.subtract(taken)
    }

    // MARK: What follows

    struct Expected {
        let minutes, hours: [Int64: Rollup]
        /// By hours, how many minutes have which mean.
        let means: [Int64: Rollup]
    }

    func expected(_ kind: DataKind) -> Expected {
        var minutes = recomputed(kind, isMerged: false).filter { Self.hour($0.key) >= whole }
        minutes.merge(closed[kind, default: [:]]) { _, closed in closed }
        let hours = Dictionary(grouping: minutes) { Self.hour($0.key) }.mapValues { $0.map(\.value) }
        return Expected(
            minutes: minutes,
            hours: hours.mapValues { $0.reduce(into: Rollup()) { $0.merge($1) } }
                .merging(gone[kind, default: [:]]) { $0.merged(with: $1) },
            means: hours.mapValues { Rollup(meansOf: $0) }.merging(goneMeans[kind, default: [:]]) { $0.merged(with: $1) })
    }
}

extension Rollup {
    fileprivate func merged(with other: Rollup) -> Rollup {
        var merged = self
        merged.merge(other)
        return merged
    }
}
