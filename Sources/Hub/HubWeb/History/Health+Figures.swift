import History
import HubServices
import Vitals

/// The figures below a plot.
extension HealthModel {
    var statistics: HealthPage.Statistics? {
        guard let found = reading.statistics else { return nil }
        let digits = words.decimals(of: reading.kind), unit = words.unit(of: reading.kind)
        let own = reading.measures.unit(of: reading.kind), factor = own?.factor ?? 1
        func fact(_ name: String, _ value: String) -> Fact { Fact(label: texts["health.stat_\(name)"], value: value) }
        func measured(_ name: String, _ value: Double, _ digits: Int) -> Fact {
            fact(name, words.measured(own?.value(value) ?? value, digits, unit))
        }
        /// How far values lie from each other: zero is the same in each unit.
        func spread(_ name: String, _ value: Double, _ digits: Int) -> Fact { fact(name, words.measured(value * factor, digits, unit)) }
        let isAmount = RollupRule(reading.kind)?.measure == .amounts
        let shares = found.percentiles
        var facts = [fact("count", texts.number(found.count))]
        // Of what was measured, as all figures here.
        if isAmount { facts.append(measured("total", found.mean * Double(found.count), digits)) }
        facts += [
            measured("mean", found.mean, digits + 2), measured("median", shares.median, digits + 1),
            measured("p5", shares.p5, digits + 1), measured("p25", shares.p25, digits + 1), measured("p75", shares.p75, digits + 1),
            measured("p95", shares.p95, digits + 1), measured("minimum", found.minimum, digits), measured("maximum", found.maximum, digits),
        ]
        if let variance = found.variance, let deviation = found.standardDeviation, let error = found.standardError {
            let square = unit.contains(" ") ? "(\(unit))²" : "\(unit)²"
            facts += [
                fact("variance", words.measured(variance * factor * factor, digits + 2, square)),
                spread("deviation", deviation, digits + 2), spread("error", error, digits + 2),
            ]
        }
        let off = ["error": found.error, "deviation": found.deviationError].mapValues { words.measured($0 * factor, digits + 1, unit) }
        let error = found.error > 0 ? texts.filled("health.approximate", off) : nil
        return .init(facts: facts, entries: isAmount ? texts["health.ofEntries"] : nil, error: error)
    }

    var heart: HealthPage.Heart? {
        guard reading.kind.column == .heartRate, !reading.points.isEmpty, let found = reading.heart else { return nil }
        let resting = words.measured(found.resting, 0, texts["live.bpm"])
        var facts = [Fact(label: texts["health.resting"], value: resting)]
        if let rmssd = found.rmssd { facts.append(Fact(label: texts["health.rmssd"], value: words.measured(rmssd, 0, texts.unit("ms")))) }
        var part = HealthPage.Heart(facts: facts)
        part.restingText = texts.counted("health.restingText", found.minutes)
        let isLong = reading.span.to - reading.span.from > HistoryService.variabilityMax
        part.rmssdText = isLong ? texts["health.rmssdTooLong"] : found.rmssd.map { _ in texts["health.rmssdText"] }
        guard let zones = reading.zones, let minutes = found.zoneMinutes else {
            part.noZones = texts[source.isShared ? "health.zonesShared" : "health.zonesNone"]
            return part
        }
        part.zones = .init(by: by(zones), rows: rows(zones.zones, minutes))
        return part
    }

    private func by(_ zones: HealthReading.Zones) -> String {
        let maximum = ["maximum": "\(zones.zones.maximum)", "age": zones.age.map(String.init) ?? ""]
        return texts.filled(zones.age == nil ? "health.zonesOwn" : "health.zonesByAge", maximum)
    }

    private func rows(_ zones: HeartRateZones, _ minutes: [Int]) -> [HealthPage.Zone] {
        let all = max(1, minutes.reduce(0, +))
        return minutes.enumerated().map { zone, count in
            let share = texts.decimal(Double(count) / Double(all) * 100, 0)
            return .init(
                name: zones.name(of: zone, in: texts), range: zones.range(of: zone, in: texts), time: words.duration(minutes: count),
                share: "\(share) %")
        }
    }
}

/// The page of somebody's health.
struct HealthPage: FramedPage {
    static let template = "health"

    struct Latest: TemplateModel {
        let href: String, name: String, value: String, age: String, time: String, source: String
        var comparison: Comparison?
        /// With people like the person.
        var peers: Comparison?
    }

    struct State: TemplateModel {
        let code: String, name: String, amount: String
    }

    /// A point in the table.
    struct Row: TemplateModel {
        let begin: String
        let cells: [String]
    }

    struct Plot: TemplateModel {
        let unit: String
        /// Markup of ``HealthDrawing``.
        let svg: String
        /// Where the script goes with a part of the plot, and with more than all of it.
        let zoom: String
        var out: String?
        let hasStates: Bool
        let states: [State]
        let explanation: String
        let columns: [String]
        let rows: [Row]
    }

    /// The days shown, of all kinds that were granted.
    struct Downloads: TemplateModel {
        let csv: String, json: String
    }

    struct Statistics: TemplateModel {
        let facts: [Fact]
        /// Of what the figures of amounts are.
        var entries: String?
        /// How far they may be off.
        var error: String?
    }

    struct Zone: TemplateModel {
        let name: String, range: String, time: String, share: String
    }

    struct Zones: TemplateModel {
        let by: String
        let rows: [Zone]
    }

    struct Heart: TemplateModel {
        let facts: [Fact]
        var restingText: String?
        var rmssdText: String?
        var noZones: String?
        var zones: Zones?
    }

    /// Up to when the reader may see; then nothing is said of now.
    var until: String?
    let isOpen: Bool
    /// Instead of latest values.
    var noLatest: String?
    let hasLatest: Bool
    let latest: [Latest]
    let hasFigures: Bool
    let figures: [Figure]
    let hasPublications: Bool
    let publications: [Publication]
    /// Why nothing is compared.
    var unknownAge: String?
    var protection: Protection?
    var workouts: Link?, imports: Link?
    var derived: Derived?
    /// What is drawn, and of which days.
    let name: String, days: String
    let spans: [Choice]
    var previous: Link?
    var next: Link?
    let isFormOpen: Bool
    let form: FormPart
    var plot: Plot?
    var downloads: Downloads?
    let zone: String
    var statistics: Statistics?
    var heart: Heart?
    /// To what else there is of the person.
    var back: Link?
}
