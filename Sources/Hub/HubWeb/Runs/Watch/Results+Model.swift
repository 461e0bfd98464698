import Exchange
import HubServices
import HubStore
import Runs
import Vitals

/// Results in words, for one reader.
struct ResultsModel {
    let visit: WatchSite.Visit
    let shown: ShownResults
    private var texts: Texts { visit.texts }

    init(_ visit: WatchSite.Visit, _ shown: ShownResults) { (self.visit, self.shown) = (visit, shown) }

    func row(_ line: ShownResult) -> ResultsPage.Row {
        let result = line.result, isOwn = line.isOwn(visit.reader)
        return .init(
            place: line.place.map(texts.number) ?? "–", href: line.bib.map { "\(visit.path)/results/\($0)" },
            name: texts.runnerName(line.name, line.bib), bib: line.bib.map(String.init) ?? "", isOwn: isOwn,
            time: line.time.map(Texts.clock) ?? texts[line.group.textKey], pace: result?.secondsPerKilometre.map(texts.pace) ?? "",
            heart: heart(result?.heart), netTime: result?.netTime.map(Texts.clock) ?? "", category: result?.category ?? "")
    }

    private func heart(_ heart: HeartSummary?) -> String {
        heart.flatMap { $0.average > 0 ? texts.filled("watch.beats", ["bpm": String(Int($0.average.rounded()))]) : nil } ?? ""
    }

    /// Everybody who fits what was typed.
    func found(_ typed: String) -> [ShownResult] {
        shown.lines.filter { line in
            typed.isEmpty || line.bib.map { WatchRow(bib: $0, name: line.name, group: line.group).fits(typed) } ?? false
        }
    }

    // MARK: One runner

    /// The figures of one result. What only its runner sees is marked.
    func figures(_ line: ShownResult) -> [ResultPage.Figure] {
        let result = line.result, count = texts.number(shown.ranked)
        func figure(_ key: String, _ value: String?, _ part: PublishedResult) -> ResultPage.Figure? {
            value.map { .init(name: texts["watch.\(key)"], value: $0, isPrivate: !line.published.contains(part)) }
        }
        let place = line.place.map { texts.filled("watch.placeOf", ["place": texts.number($0), "count": count]) }
        return [
            figure("place", place ?? texts[line.group.textKey], .time), figure("time", line.time.map(Texts.clock), .time),
            figure("netTime", result?.netTime.map(Texts.clock), .time),
            figure("averagePace", result?.secondsPerKilometre.map(texts.pace), .time),
            figure("distance", line.group == .finished ? nil : result.flatMap { $0.metres > 0 ? texts.wayText($0.metres) : nil }, .time),
            figure("averageHeart", result?.heart.map { heart($0) }.flatMap { $0.isEmpty ? nil : $0 }, .heartRate),
            figure(
                "highestHeart", result?.heart.flatMap { $0.max > 0 ? texts.filled("watch.beats", ["bpm": String($0.max)]) : nil },
                .heartRate),
            figure(
                "energy", result?.heart?.energy.map { texts.filled("watch.energyOf", ["kj": texts.number(Int($0.rounded()))]) }, .energy),
        ].compactMap(\.self)
    }

    func splits(_ line: ShownResult) -> [ResultPage.Split] {
        guard let result = line.result else { return [] }
        return result.splits.map { split in
            .init(
                at: at(split.name, split.metres, isLast: split.metres == result.splits.last?.metres && line.group == .finished),
                time: Texts.clock(split.gun), leg: Texts.clock(split.leg), isGuess: !split.isSeen)
        }
    }

    private func at(_ name: String?, _ metres: Double, isLast: Bool) -> String {
        name ?? (isLast ? texts["watch.finishSplit"] : texts.wayText(metres))
    }

    /// The other runner that somebody is compared with: whom the reader named, else the first, and for the first the one behind.
    func other(of line: ShownResult, named bib: Int?) -> ShownResult? {
        let others = shown.lines.filter { $0.bib != nil && $0.bib != line.bib && $0.result?.splits.isEmpty == false }
        if let bib { return others.first { $0.bib == bib } }
        return others.first
    }

    /// How much slower or faster than another one, split by split.
    func comparison(_ line: ShownResult, _ other: ShownResult) -> ResultPage.Comparison {
        var model = ResultPage.Comparison(
            href: "\(visit.path)/results/\(other.bib ?? 0)", name: texts.runnerName(other.name, other.bib))
        guard let one = other.result, let two = line.result else { return model }
        let comparison = Comparison(one, two, by: .gun)
        model.parts = comparison.parts.map { part in
            .init(
                at: at(part.name, part.metres, isLast: part.metres == two.splits.last?.metres && line.group == .finished),
                behind: Texts.difference(part.behind), leg: Texts.difference(part.behindOnLeg))
        }
        model.hasParts = !comparison.parts.isEmpty
        model.pace = comparison.pace.map { "\(Texts.difference($0)) /km" }
        model.heart = comparison.heartRate.flatMap { difference in
            one.heart?.average ?? 0 > 0 && two.heart?.average ?? 0 > 0
                ? "\(difference < 0 ? "−" : "+")\(Int(difference.magnitude.rounded()))" : nil
        }
        return model
    }
}

extension RaceList {
    /// Results as a file.
    init(_ run: StoredRun, _ shown: ShownResults, length: Double) {
        let first = shown.lines.first { $0.place == 1 }?.time
        self.init(
            name: run.plan.name, code: run.code, starts: run.began ?? run.plan.starts, ends: run.ended ?? run.plan.ends,
            length: Int(length.rounded()), entries: shown.lines.map { RaceEntry($0, first: first) })
    }
}

extension RaceEntry {
    init(_ line: ShownResult, first: Milliseconds?) {
        let result = line.result, heart = result?.heart
        let gun = result?.finish.flatMap { finish in line.time.map { finish.time - $0 } }
        self.init(
            bib: line.bib, name: line.name, category: result?.category, status: .init(line.group), place: line.place,
            placeInCategory: result?.placeInCategory, gun: gun, start: result?.start?.time, finish: result?.finish?.time, time: line.time,
            netTime: result?.netTime, behind: line.time.flatMap { time in first.map { time - $0 } },
            secondsPerKilometre: result?.secondsPerKilometre,
            splits: (result?.splits ?? []).map { Split(metres: Int($0.metres.rounded()), time: $0.gun) },
            heartRateAverage: heart.flatMap { $0.average > 0 ? Int($0.average.rounded()) : nil },
            heartRateMax: heart.flatMap { $0.max > 0 ? $0.max : nil }, energy: heart?.energy.map { Int($0.rounded()) })
    }
}

extension RaceEntry.Status {
    init(_ group: RankingRow.Group) {
        self =
            switch group {
            case .finished: .finished
            case .running: .running
            case .incomplete: .incomplete
            case .notStarted: .notStarted
            case .didNotFinish: .didNotFinish
            case .didNotStart: .didNotStart
            case .disqualified: .disqualified
            }
    }
}
