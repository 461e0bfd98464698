import Foundation
import History
import HubServices
import HubStore
import Vitals

/// The page of somebody's health, made of what was read.
struct HealthModel {
    let query: HealthQuery
    let reading: HealthReading
    let source: HealthSource
    /// What the reader chose.
    let units: Measures.Choice
    let texts: Texts
    let now: Milliseconds

    /// Where other pages of the person are, as far as the reader may go there.
    struct Ways: Sendable {
        /// Where AutomatedSOS is turned on and off, where workouts are, and where files are imported.
        var protection: String?, workouts: String?, imports: String?
        var back: String?, downloads: String?
    }

    var words: HealthWords { HealthWords(texts: texts) }

    private var kind: DataKind { reading.kind }
    private var span: HealthSpan { reading.span }
    private var unit: String { words.unit(of: kind) }
    private var digits: Int { words.decimals(of: kind) }
    private var measure: RollupRule.Measure { RollupRule(kind)?.measure ?? .readings }

    func page() -> HealthPage {
        let last = source.until ?? now, next = span.shifted(1).flatMap { $0.from <= last ? $0 : nil }, ways = source.ways
        let latest = latest, figures = figures,
            compared = latest.flatMap { [$0.comparison, $0.peers] } + figures.flatMap { [$0.compared, $0.peers] }
        let publications = publications(compared)
        let unknownAge = texts[source.isShared ? "health.notCompared" : "reference.unknownAge"]
        return HealthPage(
            until: source.until.map { texts.filled("health.until", ["time": texts.instant($0)]) }, isOpen: source.until == nil,
            noLatest: latest.isEmpty ? texts[source.isShared ? "health.noLatestOf" : "health.noLatest"] : nil,
            hasLatest: !latest.isEmpty, latest: latest, hasFigures: !figures.isEmpty, figures: figures,
            hasPublications: !publications.isEmpty, publications: publications,
            unknownAge: reading.body.age == nil ? unknownAge : nil, protection: protection,
            workouts: ways.workouts.map { Link(href: $0, text: texts["workouts.title"]) },
            imports: ways.imports.map { Link(href: $0, text: texts["import.title"]) }, derived: derived, name: words.plotted(kind),
            days: words.days(span),
            spans: spans, previous: span.shifted(-1).map { link($0, "health.previous") }, next: next.map { link($0, "health.next") },
            isFormOpen: query.problem != nil, form: form, plot: plot,
            downloads: ways.downloads.map { .init(csv: "\($0)?\(span.query)&format=csv", json: "\($0)?\(span.query)&format=json") },
            zone: zone, statistics: statistics, heart: heart,
            back: ways.back.flatMap { back in source.name.map { Link(href: back, text: texts.filled("health.back", ["name": $0])) } })
    }

    // MARK: Latest values

    private var latest: [HealthPage.Latest] {
        let heart = reading.latest.heartRate.map { newest in
            item(.heartRate, "\(newest.sample.beatsPerMinute) \(texts["live.bpm"])", newest.sample.time, newest.provenance)
        }
        return [heart].compactMap(\.self)
            + reading.latest.scalars.map { newest in
                var item = item(
                    newest.sample.kind, words.amount(newest.sample), newest.sample.end ?? newest.sample.time, newest.provenance)
                item.comparison = compared.comparison(newest.sample)
                item.peers = peers(newest.sample)
                return item
            }
    }

    private func item(_ kind: DataKind, _ value: String, _ time: Milliseconds, _ provenance: Provenance) -> HealthPage.Latest {
        .init(
            href: address(kind, span), name: texts["field.kind\(kind.rawValue)"], value: value, age: texts.age(max(0, now - time)),
            time: texts.instant(time, in: span.zone.identifier), source: texts["health.source_\(provenance.name)"])
    }

    // MARK: What can be chosen

    private func address(_ kind: DataKind, _ span: HealthSpan) -> String { "\(address(kind))&\(span.query)" }

    private func address(_ kind: DataKind) -> String {
        let own = reading.zones.flatMap { $0.age == nil ? "&maximum=\($0.zones.maximum)" : nil } ?? ""
        return "\(source.base)?kind=\(kind.name)\(own)"
    }

    private func link(_ span: HealthSpan, _ section: String) -> Link {
        Link(href: address(kind, span), text: texts["\(section)_\(span.length.rawValue)"])
    }

    private var spans: [Choice] {
        let last = min(span.to - 1, source.until ?? now)
        return [HealthSpan.Length.day, .week, .month, .year, .all].map { length in
            Choice(
                href: address(kind, HealthSpan(length, around: last, in: span.zone)), text: texts["health.span_\(length.rawValue)"],
                isHere: length == span.length)
        }
    }

    private var form: FormPart {
        let isAll = span.length == .all
        var values = ["kind": kind.name, "maximum": query.maximum, "units": units.rawValue]
        let choices: [(value: String, text: String)] = Measures.Choice.allCases.map { ($0.rawValue, texts["health.units_\($0.rawValue)"]) }
        if let days = query.days {
            values["from"] = days.first
            values["to"] = days.last
        } else if isAll {
            values["span"] = "all"
        } else {
            values["from"] = "\(span.firstDay)"
            values["to"] = "\(span.lastDay)"
        }
        let kinds: [(value: String, text: String)] = source.kinds.map { ($0.name, texts["field.kind\($0.rawValue)"]) }
        let hidden = isAll ? [FormField(name: "span", kind: .hidden)] : []
        let fields =
            hidden + [
                FormField(name: "kind", kind: .choice(kinds), label: texts["health.kind"]),
                FormField(name: "from", kind: .date, isRequired: false), FormField(name: "to", kind: .date, isRequired: false),
                FormField(
                    name: "maximum", kind: .number, isRequired: false, hint: texts["health.maximumHint"], label: texts["health.maximum"]),
                FormField(name: "units", kind: .choice(choices), label: texts["health.units"]),
            ]
        var model = FormModel(action: source.base, button: texts["health.show"], fields: fields, values: values)
        if let problem = query.problem {
            model.said = [(problem.rawValue, texts[problem == .days ? "data.wrongSpan" : "health.maximumWrong"])]
        }
        return model.model(texts)
    }

    private var zone: String {
        texts.zone == nil ? texts["health.zoneUnknown"] : texts.filled("health.zone", ["zone": span.zone.identifier])
    }

    // MARK: The plot

    private var plot: HealthPage.Plot? {
        guard let low = reading.points.map(\.low).min(), let high = reading.points.map(\.high).max() else { return nil }
        let drawing = HealthDrawing(
            kind: kind, measure: measure, points: reading.points, span: span, times: words.marks(span),
            number: { texts.decimal($0, max(1, digits)) }, limits: (range?.low, range?.high))
        let axis = measure == .seconds ? texts.unit("h") : unit
        let bounds = ["low": texts.decimal(low, digits + 1), "high": texts.decimal(high, digits + 1), "unit": axis]
        let range = texts.filled("plot.range", bounds)
        let label = texts.filled("health.drawing", ["name": words.plotted(kind), "days": words.days(span), "range": range])
        let states = states
        return .init(
            unit: axis, svg: drawing.svg(label: label), zoom: address(kind), out: wider.map { address(kind, $0) },
            hasStates: !states.isEmpty, states: states, explanation: explanation, columns: columns, rows: rows)
    }

    /// With what the points are compared.
    private var range: ReferenceRange? {
        compared.range(kind).map { range in reading.measures.unit(of: kind).map(range.shown) ?? range }
    }

    /// The next longer span around this one; nil for all.
    private var wider: HealthSpan? {
        let lengths: [HealthSpan.Length] = [.day, .week, .month, .year]
        let longer = lengths.map { HealthSpan($0, around: span.from, in: span.zone) }.first { $0.to - $0.from > span.to - span.from }
        return longer ?? (span.length == .all ? nil : HealthSpan(.all, around: min(span.to - 1, source.until ?? now), in: span.zone))
    }

    /// What a point, a line and a bar are.
    private var explanation: String {
        let (length, meaning) =
            switch measure {
            case .readings, .presence: ("health.point", "health.readings")
            case .amounts: ("health.bar", "health.amounts")
            case .seconds: ("health.bar", "health.states")
            }
        let lasting = kind.entry.span == .none ? [] : [texts["health.lasting"]]
        let limits = range.map { range in
            texts.filled("health.limits", ["range": compared.limits(range, unit), "source": texts[range.source.key]])
        }
        let derived = reading.points.contains(where: \.isDerived) ? [texts["health.derivedBars"]] : []
        return ([texts["\(length)_\(reading.bucket.rawValue)"], texts[meaning]] + lasting + derived + [limits].compactMap(\.self))
            .joined(separator: " ")
    }

    private var codes: [Int] { Set(reading.points.flatMap { $0.states.map(\.code) }).sorted() }

    private func name(_ code: Int) -> String {
        kind.entry.codes.indices.contains(code) ? texts.code(kind, kind.entry.codes[code]) : "\(code)"
    }

    private var states: [HealthPage.State] {
        codes.map { code in
            let hours = reading.points.flatMap(\.states).filter { $0.code == code }.reduce(0) { $0 + $1.hours }
            return .init(code: "\(code)", name: name(code), amount: words.duration(minutes: Int((hours * 60).rounded())))
        }
    }

    private var columns: [String] {
        switch measure {
        case .readings, .presence: ["least", "mean", "greatest", "count"].map { texts["health.\($0)"] }
        case .amounts: [texts["health.total"]]
        case .seconds: codes.map(name)
        }
    }

    /// With a word where it lies beyond the reference.
    private func mean(_ point: HealthPoint) -> String {
        let mean = texts.decimal(point.mean, digits + 1)
        guard let place = range?.place(of: point.mean), place != .within else { return mean }
        return "\(mean) (\(texts["reference.place_\(place.rawValue)"].lowercased()))"
    }

    private var rows: [HealthPage.Row] {
        let codes = codes
        return reading.points.map { point in
            let cells: [String] =
                switch measure {
                case .readings, .presence:
                    [
                        texts.decimal(point.low, digits), mean(point), texts.decimal(point.high, digits),
                        texts.number(point.count),
                    ]
                case .amounts: [texts.decimal(point.high, digits) + (point.isDerived ? " (\(texts["derived.mark"]))" : "")]
                case .seconds:
                    codes.map { code in
                        point.states.first { $0.code == code }.map { words.duration(minutes: Int(($0.hours * 60).rounded())) } ?? "–"
                    }
                }
            return .init(begin: words.time(point.begin, reading.bucket, in: span), cells: cells)
        }
    }
}
