import Accounts
import Foundation
import Groups
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// What a request about a group got: figures with their intervals, as pictures, tables and downloads (GRP-7).
extension GroupPages {
    func result(_ request: Request, _ frame: Frame, _ context: HubContext) throws -> Response {
        let (_, stored, windows) = try own(frame, context), texts = frame.texts, words = words(frame)
        let asked = request.uri.queryParameters["window"].flatMap { Int64($0) }
        let shown = windows.first { $0.window.number == asked } ?? windows.first
        let state = stored.state(at: requests.now)
        let page = GroupResultPage(
            id: stored.id.description, state: words.state(state), isOver: state.isOver || !frame.mayAsk,
            lines: words.lines(stored.request.ask),
            term: words.term(stored.request), purpose: stored.request.purpose, hasWindows: !windows.isEmpty,
            nothing: windows.isEmpty ? texts[state.isOver ? "groupAsk.nothing" : "groupAsk.nothingYet"] : nil,
            windows: windows.map { delivery in
                GroupResultPage.Way(
                    href: "/groups/\(stored.id)?window=\(delivery.window.number)", text: words.window(delivery.window),
                    isHere: delivery.window == shown?.window)
            },
            hasSeveral: windows.count > 1, span: shown.map { words.window($0.window) } ?? "",
            results: shown?.results.map { result($0, windows, words) } ?? [])
        return templates.page(page, frame, title: words.kinds(stored.request.ask.kinds), help: Self.help)
    }

    private func result(_ result: GroupResult, _ windows: [GroupDelivery], _ words: GroupWords) -> GroupResultPage.Result {
        let texts = words.texts, name = texts["field.kind\(result.kind.rawValue)"]
        var model = GroupResultPage.Result(
            anchor: "kind\(result.kind.rawValue)", name: name, figures: [], isRefused: result.answer == nil,
            missing: words.missing(result.missing))
        model.series = series(result.kind, windows, words)
        guard let answer = result.answer else { return model }
        let bins = answer.bins, digits = words.digits(bins)
        func add(_ label: String, _ estimate: Estimate?) {
            guard let estimate else { return }
            model.figures.append(.init(label: label, value: words.value(estimate, bins), interval: words.interval(estimate, digits)))
        }
        let count = answer.count
        model.figures.append(
            .init(label: texts["groupAsk.count"], value: texts.number(Int(count.value)), interval: words.interval(count, 0)))
        add(texts["groupAsk.mean"], answer.mean)
        add(texts["groupAsk.median"], answer.median)
        for percent in GroupDocument.percents {
            add(texts.filled("groupAsk.percentile", ["n": "\(percent)"]), answer.percentile(Double(percent) / 100))
        }
        model.histogram = histogram(answer, name, words)
        model.shares = (1..<GroupBins.count).compactMap { edge in
            guard let share = answer.share(from: edge) else { return nil }
            let percent = Estimate(share.value * 100, low: share.low * 100, high: share.high * 100)
            return GroupResultPage.Figure(
                label: texts.filled("groupAsk.shareFrom", ["value": "\(texts.decimal(bins.lowest(of: edge), 2)) \(words.unit(bins.kind))"]),
                value: "\(texts.decimal(percent.value, 1)) %", interval: words.interval(percent, 1))
        }
        model.hasShares = !model.shares.isEmpty
        return model
    }

    private func histogram(_ answer: GroupAnswer, _ name: String, _ words: GroupWords) -> GroupResultPage.Plot {
        let texts = words.texts, bins = answer.bins
        let rows = answer.histogram.enumerated().map { bin, estimate in
            GroupResultPage.Figure(
                label: words.name(bin, of: bins), value: texts.number(Int(estimate.value)), interval: words.interval(estimate, 0))
        }
        let edges = bins.isOrdered ? [4, 8, 12] : [], marks = edges.map { (point: $0, text: texts.decimal(bins.lowest(of: $0), 2)) }
        let drawing = GroupDrawing(
            points: zip(rows, answer.histogram).map { .init(name: "\($0.label): \($0.value)", estimate: $1) }, isFromZero: true,
            number: { texts.decimal($0, 0) }, marks: marks)
        return GroupResultPage.Plot(
            id: "classes-\(bins.kind.name)", caption: texts["groupAsk.histogram"], unit: words.unit(bins.kind),
            svg: drawing.svg(label: texts.filled("groupAsk.histogramOf", ["kind": name])), rows: rows)
    }

    /// The mean of each window; nil where there are less than two.
    private func series(_ kind: DataKind, _ windows: [GroupDelivery], _ words: GroupWords) -> GroupResultPage.Plot? {
        let texts = words.texts
        let found = windows.reversed().compactMap { delivery -> (window: GroupWindow, mean: Estimate)? in
            delivery.results.first { $0.kind == kind }?.answer?.mean.map { (window: delivery.window, mean: $0) }
        }
        guard found.count > 1, let bins = GroupBins(kind) else { return nil }
        let digits = words.digits(bins)
        let rows = found.map { window, mean in
            GroupResultPage.Figure(
                label: texts.instant(window.start), value: words.value(mean, bins), interval: words.interval(mean, digits))
        }
        let drawing = GroupDrawing(
            points: zip(rows, found).map { .init(name: "\(TimeMarks.text($0.label)): \($0.value)", estimate: $1.mean) }, isFromZero: false,
            number: { texts.decimal($0, digits) },
            marks: [0, found.count - 1].map { (point: $0, text: words.day(found[$0].window.start)) })
        return GroupResultPage.Plot(
            id: "windows-\(kind.name)", caption: texts["groupAsk.series"], unit: words.unit(kind),
            svg: drawing.svg(label: texts.filled("groupAsk.seriesOf", ["kind": texts["field.kind\(kind.rawValue)"]])), rows: rows)
    }
}

/// A request about a group, and its answers.
struct GroupResultPage: FramedPage {
    static let template = "groupResult"

    struct Figure: TemplateModel {
        let label: String, value: String, interval: String
    }

    struct Plot: TemplateModel {
        /// Of the table, from which the script reads a point.
        let id: String
        let caption: String, unit: String, svg: String
        let rows: [Figure]
    }

    struct Result: TemplateModel {
        let anchor: String, name: String
        var figures: [Figure]
        /// Nothing was released: that is all that is said.
        let isRefused: Bool
        /// Of what nothing was released.
        let missing: String?
        var histogram: Plot?
        var series: Plot?
        var shares: [Figure] = []
        var hasShares = false
    }

    struct Way: TemplateModel {
        let href: String, text: String
        let isHere: Bool
    }

    let id: String, state: String
    let isOver: Bool
    let lines: [GroupWords.Line]
    let term: String, purpose: String
    let hasWindows: Bool
    let nothing: String?
    let windows: [Way]
    let hasSeveral: Bool
    let span: String
    let results: [Result]
}
