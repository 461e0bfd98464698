import Accounts
import Foundation
import Groups
import HubServices
import HubStore
import Vitals

/// Questions about groups and their answers in words.
struct GroupWords {
    let texts: Texts
    let list: RegionList

    /// Places that are named on a page, at most; a count says how many more there are.
    static let placesMax = 30

    /// A line of what a question became.
    struct Line: TemplateModel {
        let label: String, value: String
    }

    func lines(_ ask: GroupAsk) -> [Line] {
        var lines = [Line(label: texts["groupAsk.kinds"], value: kinds(ask.kinds))]
        lines.append(Line(label: texts["groupAsk.sexes"], value: sexes(ask.sexes)))
        lines.append(Line(label: texts["groupAsk.ages"], value: ages(ask.bands)))
        lines.append(Line(label: texts["groupAsk.regions"], value: places(ask.regions)))
        if ask.needsDoor { lines.append(Line(label: texts["groupAsk.ranges"], value: ask.ranges.map(range).joined(separator: ", "))) }
        return lines
    }

    func kinds(_ kinds: [DataKind]) -> String { kinds.map { texts["field.kind\($0.rawValue)"] }.joined(separator: ", ") }

    func sexes(_ sexes: [CellSex]?) -> String {
        sexes.map { $0.map { texts["groupAsk.sex_\($0.word)"] }.joined(separator: ", ") } ?? texts["groupAsk.everybody"]
    }

    /// `30 to 34, 100 and older`
    func ages(_ bands: [AgeBand]?) -> String {
        guard let bands else { return texts["groupAsk.allAges"] }
        return AgeBand.spans(bands).map { span in
            guard let through = span.through else { return texts.filled("groupAsk.ageOpen", ["from": "\(span.from)"]) }
            return texts.filled("groupAsk.ageSpan", ["from": "\(span.from)", "through": "\(through)"])
        }.joined(separator: ", ")
    }

    func places(_ regions: [RegionCode]?) -> String {
        guard let regions else { return texts["groupAsk.everywhere"] }
        let named = regions.prefix(Self.placesMax).map { levelled($0) }, more = regions.count - named.count
        return named.joined(separator: "; ") + (more > 0 ? " " + texts.counted("groupAsk.more", more) : "")
    }

    /// `weight from 70 kg to below 77.5 kg`
    func range(_ range: DoorQuestion.Range) -> String {
        let limits = range.limits, unit = unit(range.kind)
        var values = ["kind": texts["field.kind\(range.kind.rawValue)"]]
        values["from"] = limits.from.map { "\(texts.decimal($0, 2)) \(unit)" }
        values["below"] = limits.below.map { "\(texts.decimal($0, 2)) \(unit)" }
        return texts.filled(
            limits.from == nil ? "groupAsk.rangeOnlyBelow" : limits.below == nil ? "groupAsk.rangeOnlyFrom" : "groupAsk.rangeBoth", values)
    }

    func unit(_ kind: DataKind) -> String {
        let unit = GroupBins(kind)?.unit ?? ""
        return unit.isEmpty ? "" : texts.unit(unit)
    }

    func term(_ request: GroupRequest) -> String {
        switch request.term {
        case .once: texts["term.once"]
        case .lasting(let time): texts.counted("term.days", max(1, Int(time / 86_400_000)))
        }
    }

    func state(_ state: GroupRequest.State) -> String {
        switch state {
        case .awaitingOperator: texts["groupAsk.state_waiting"]
        case .active(_, nil): texts["groupAsk.state_first"]
        case .active(_, let until?): texts.filled("groupAsk.state_active", ["until": texts.instant(until)])
        case .over(let ending, let at): texts.filled("groupAsk.state_\(ending.rawValue)", ["time": texts.instant(at)])
        }
    }

    /// Whom a question is about, on one line.
    func who(_ ask: GroupAsk) -> String {
        [sexes(ask.sexes), ages(ask.bands), places(ask.regions)].joined(separator: " · ")
            + (ask.needsDoor ? " · " + ask.ranges.map(range).joined(separator: ", ") : "")
    }

    /// From how many people of one cell on a kind is answered for certain, and how sure its mean is.
    func sure(_ sure: GroupRequests.Sure, _ ask: GroupAsk) -> String {
        var values = ["kind": texts["field.kind\(sure.kind.rawValue)"], "certain": texts.number(sure.certain)]
        guard let error = sure.error, let bins = GroupBins(sure.kind) else { return texts.filled("groupAsk.sure", values) }
        values["people"] = texts.number(sure.people)
        values["error"] = "\(texts.decimal(error, digits(bins) + 1)) \(unit(sure.kind))"
        return texts.filled("groupAsk.sureOfMean", values)
    }

    /// Parts of a group of which nothing was released; nil for none.
    func missing(_ cells: [GroupCell]) -> String? {
        guard !cells.isEmpty else { return nil }
        let named = cells.prefix(Self.placesMax).map { cell in
            "\(sexes([cell.sex])), \(ages([cell.band])), \(levelled(cell.region))"
        }
        let more = cells.count - named.count
        return named.joined(separator: "; ") + (more > 0 ? " " + texts.counted("groupAsk.more", more) : "")
    }

    /// `23 Nov`, in UTC as windows are.
    func day(_ time: Milliseconds) -> String {
        let date = CalendarDate(utc: time), months = texts["date.months"].split(separator: " ")
        return months.indices.contains(date.month - 1) ? "\(date.day) \(months[date.month - 1].prefix(3))" : "\(date.day)"
    }

    // MARK: Figures

    /// Digits behind the mark: so many that half a class is told apart.
    func digits(_ bins: GroupBins) -> Int { bins.step >= 100 ? 0 : bins.step >= 5 ? 1 : 2 }

    func value(_ estimate: Estimate, _ bins: GroupBins) -> String {
        "\(texts.decimal(estimate.value, digits(bins))) \(unit(bins.kind))"
    }

    /// `70.2 to 70.8`
    func interval(_ estimate: Estimate, _ digits: Int) -> String {
        texts.filled("groupAsk.interval", ["low": texts.decimal(estimate.low, digits), "high": texts.decimal(estimate.high, digits)])
    }

    func window(_ window: GroupWindow) -> String {
        texts.filled("groupAsk.window", ["from": texts.instant(window.start), "to": texts.instant(window.end)])
    }

    /// A class of values: `40 to 45`, `below 45`, `115 and more`.
    func name(_ bin: Int, of bins: GroupBins) -> String {
        guard bins.isOrdered else { return place(bin) }
        let low = texts.decimal(bins.lowest(of: bin), 2), high = bin < GroupBins.count - 1 ? texts.decimal(bins.lowest(of: bin + 1), 2) : ""
        if bin == 0 { return texts.filled("groupAsk.classFirst", ["below": high]) }
        return bin == GroupBins.count - 1
            ? texts.filled("groupAsk.classLast", ["from": low]) : texts.filled("groupAsk.class", ["from": low, "below": high])
    }

    private func place(_ bin: Int) -> String {
        guard bin != PositionGrid.elsewhere else { return texts["groupAsk.elsewhere"] }
        let row = bin / PositionGrid.columns + 1, column = bin % PositionGrid.columns + 1
        return texts.filled("groupAsk.place", ["row": "\(row)", "column": "\(column)"])
    }
}

extension GroupWords {
    /// A place with its level, because a province mostly has the name of a town: *Milano (municipality), Lombardia, Italy*.
    func levelled(_ code: RegionCode) -> String {
        let path = list.path(of: code), lang = texts.lang
        guard let first = path.first else { return code.text }
        let own = "\(first.name(in: lang)) (\(texts["groupAsk.level_\(first.level)"]))"
        let around = path.dropFirst().filter { $0.name != first.name }.map { $0.name(in: lang) }
        return ([own] + around).joined(separator: ", ")
    }

    func problem(_ problem: GroupAsk.Problem) -> String {
        switch problem {
        case .noKinds: texts["groupAsk.noKinds"]
        case .notGrouped(let kind):
            texts.filled(GroupBins(kind) == nil ? "groupAsk.notGrouped" : "groupAsk.noShare", ["kind": texts["field.kind\(kind.rawValue)"]])
        case .unconstrained: texts["groupAsk.unconstrained"]
        case .empty: texts["groupAsk.empty"]
        case .unknownRegion(let code): texts.filled("groupAsk.unknownPlace", ["place": code.text])
        case .tooManyRegions(let count):
            texts.filled("groupAsk.tooManyRegions", ["n": texts.number(count), "limit": texts.number(GroupAsk.regionsMax)])
        case .positionsOfOneRegion: texts["groupAsk.positionsOfOneRegion"]
        case .rangeOfPositions: texts["groupAsk.rangeOfPositions"]
        }
    }

    func problem(_ problem: GroupRequest.Problem) -> String {
        switch problem {
        case .purposeMissing: texts["consentProblem.purposeMissing"]
        case .purposeTooLong: texts.filled("consentProblem.purposeTooLong", ["limit": String(GroupRequest.purposeCharactersMax)])
        case .termOutOfRange, .pastOutOfRange: texts["consentProblem.termOutOfRange"]
        }
    }

    func problem(_ problem: GroupRequestProblem) -> String {
        switch problem {
        case .notYours: texts["consentProblem.notYours"]
        case .alreadyAsked: texts["groupAsk.alreadyAsked"]
        case .tooManyOpen: texts["consentProblem.tooManyOpen"]
        case .over: texts["groupAsk.isOver"]
        }
    }
}
