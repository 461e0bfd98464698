import Accounts
import Foundation
import Groups
import HubServices
import Privacy
import Runs
import Vitals

/// The form in which a question about a group is typed: decoded into a draft, and shown again with what is wrong.
struct GroupForm {
    let snapping: GroupSnapping
    let texts: Texts

    static let past = [1, 4, 13, 53]
    static let days = [30, 90, 365]
    /// Ranges of health values that the form has room for.
    static let ranges = 1...2
    static let sexes: [(name: String, sex: CellSex)] = [("sexFemale", .female), ("sexMale", .male), ("sexOther", .other)]

    private var words: GroupWords { GroupWords(texts: texts, list: snapping.list) }

    /// What is wrong with one field, in words.
    struct Problems: Error {
        let said: [(field: String, text: String)]
    }

    // MARK: Shown

    func fields(_ length: GroupWindow.Length) -> [FormField] {
        let kinds = snapping.kinds.map { kind in
            FormField(
                name: "kind\(kind.rawValue)", kind: .tick(value: "1"), isRequired: false, label: texts["field.kind\(kind.rawValue)"],
                group: texts["groupAsk.kinds"])
        }
        let sexes = Self.sexes.map { name, sex in
            FormField(
                name: name, kind: .tick(value: "1"), isRequired: false, label: texts["groupAsk.sex_\(sex.word)"],
                group: texts["groupAsk.sexes"])
        }
        let past = Self.past.map { ("\($0)", texts.counted("groupAsk.past_\(length.rawValue)", $0)) }
        let terms = [("once", texts["term.once"])] + Self.days.map { ("\($0)", texts.counted("term.days", $0)) }
        var fields = kinds + sexes
        fields += [
            optional("ageFrom", .number), optional("ageThrough", .number, hint: true), optional("places", .paragraph, hint: true),
            optional("circle", .text, hint: true), optional("radius", .number), optional("polygon", .paragraph, hint: true),
        ]
        fields += Self.ranges.flatMap(rangeFields)
        fields += [
            FormField(name: "requestPurpose", kind: .paragraph, hint: texts["signUp.purposeHint"]),
            FormField(name: "past", kind: .choice(past), label: texts["groupAsk.past"]),
            FormField(name: "term", kind: .choice(terms), hint: texts["groupAsk.termHint"]),
            FormField(name: "mails", kind: .tick(value: "1"), isRequired: false, label: texts["groupAsk.mails"]),
        ]
        return fields
    }

    private func optional(_ name: String, _ kind: FormField.Kind, hint: Bool = false) -> FormField {
        FormField(
            name: name, kind: kind, isRequired: false, hint: hint ? texts["groupAsk.\(name)Hint"] : nil, label: texts["groupAsk.\(name)"])
    }

    private func rangeFields(_ number: Int) -> [FormField] {
        let kinds = snapping.kinds.filter { GroupBins($0)?.isOrdered == true }.map { kind in
            ("\(kind.rawValue)", "\(texts["field.kind\(kind.rawValue)"]) (\(texts.unit(GroupBins(kind)?.unit ?? "")))")
        }
        let choices = [("", texts["groupAsk.noRange"])] + kinds
        func label(_ key: String) -> String { texts.filled("groupAsk.\(key)", ["n": "\(number)"]) }
        return [
            FormField(
                name: "range\(number)", kind: .choice(choices), isRequired: false,
                hint: number == 1 ? texts["groupAsk.rangeHint"] : nil, label: label("range")),
            FormField(name: "range\(number)From", kind: .number, isRequired: false, label: label("rangeFrom")),
            FormField(name: "range\(number)Below", kind: .number, isRequired: false, label: label("rangeBelow")),
        ]
    }

    // MARK: Read

    /// What was typed becomes a question.
    /// - Throws: ``Problems``.
    func ask(_ sent: [String: String]) throws -> GroupAsk {
        var draft = GroupDraft()
        draft.kinds = Set(snapping.kinds.filter { sent["kind\($0.rawValue)"] == "1" })
        let sexes = Self.sexes.filter { sent[$0.name] == "1" }.map(\.sex)
        draft.sexes = sexes.isEmpty ? nil : Set(sexes)
        draft.ageFrom = try whole(sent, "ageFrom")
        draft.ageThrough = try whole(sent, "ageThrough")
        draft.places = Self.lines(sent["places"])
        draft.areas = try areas(sent)
        for number in Self.ranges {
            guard let name = sent["range\(number)"], !name.isEmpty else { continue }
            guard let kind = snapping.kinds.first(where: { "\($0.rawValue)" == name }) else {
                throw Problems(said: [("range\(number)", texts["mistake.notAChoice"])])
            }
            draft.ranges.append(
                GroupDraft.Range(kind, from: try decimal(sent, "range\(number)From"), below: try decimal(sent, "range\(number)Below")))
        }
        do { return try snapping.ask(draft) } catch { throw Problems(said: [said(error)]) }
    }

    /// For how long and how far back; nil for what the form does not offer.
    static func span(_ sent: [String: String]) -> (term: GroupRequest.Term, past: Int)? {
        guard let past = sent["past"].flatMap(Int.init), Self.past.contains(past), let text = sent["term"] else { return nil }
        if text == "once" { return (.once, past) }
        guard let days = Int(text), Self.days.contains(days) else { return nil }
        return (.lasting(Milliseconds(days) * 86_400_000), past)
    }

    private static func lines(_ text: String?) -> [String] {
        (text ?? "").split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private func whole(_ sent: [String: String], _ name: String) throws -> Int? {
        guard let text = sent[name]?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
        guard let number = Int(text) else { throw Problems(said: [(name, texts["groupAsk.notWhole"])]) }
        return number
    }

    private func decimal(_ sent: [String: String], _ name: String) throws -> Double? {
        guard let text = sent[name]?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
        guard let number = Double(text.replacingOccurrences(of: ",", with: ".")), number.isFinite else {
            throw Problems(said: [(name, texts["groupAsk.notANumber"])])
        }
        return number
    }

    private func areas(_ sent: [String: String]) throws -> [GroupArea] {
        var areas: [GroupArea] = []
        let circle = Self.lines(sent["circle"]), corners = Self.lines(sent["polygon"])
        if !circle.isEmpty || sent["radius"]?.isEmpty == false {
            guard let centre = circle.first.flatMap(Self.point) else { throw Problems(said: [("circle", texts["groupAsk.notAPoint"])]) }
            guard let radius = try decimal(sent, "radius") else { throw Problems(said: [("radius", texts["groupAsk.noRadius"])]) }
            areas.append(.circle(centre, radius: radius * 1000))
        }
        if !corners.isEmpty {
            let points = corners.compactMap(Self.point)
            guard points.count == corners.count else { throw Problems(said: [("polygon", texts["groupAsk.notAPoint"])]) }
            areas.append(.polygon(points))
        }
        return areas
    }

    /// Latitude and longitude in degrees, as people type or copy them: `45.46, 9.19`.
    static func point(_ text: String) -> CoursePoint? {
        let parts = text.replacingOccurrences(of: ", ", with: " ").split { $0 == " " || $0 == ";" }.map(String.init)
        let two = parts.count == 1 ? text.split(separator: ",").map(String.init) : parts
        let numbers = two.compactMap { Double($0.replacingOccurrences(of: ",", with: ".")) }
        guard numbers.count == 2, abs(numbers[0]) <= 90, abs(numbers[1]) <= 180 else { return nil }
        return CoursePoint(latitude: Int32((numbers[0] * 1e7).rounded()), longitude: Int32((numbers[1] * 1e7).rounded()))
    }

    // MARK: What is wrong

    private func said(_ problem: GroupDraft.Problem) -> (field: String, text: String) {
        switch problem {
        case .ages: return ("ageThrough", texts["groupAsk.wrongAges"])
        case .unknownPlace(let name): return ("places", texts.filled("groupAsk.unknownPlace", ["place": name]))
        case .ambiguousPlace(let name, let codes):
            let choices = codes.map { "\($0) (\(words.levelled($0)))" }.joined(separator: "; ")
            return ("places", texts.filled("groupAsk.ambiguousPlace", ["place": name, "choices": choices]))
        case .area: return ("polygon", texts["groupAsk.wrongArea"])
        case .areaWithoutPlaces: return ("circle", texts["groupAsk.emptyArea"])
        case .range(let kind): return ("range1", texts.filled("groupAsk.wrongRange", ["kind": texts["field.kind\(kind.rawValue)"]]))
        case .ask(let problem): return ("kind\(snapping.kinds.first?.rawValue ?? 0)", words.problem(problem))
        }
    }
}

extension GroupAsk {
    /// As a form sends it back once it was shown: whole bands, codes and classes, and nothing that was drawn.
    var fields: [String: String] {
        func list(_ values: [String]?) -> String { (values ?? []).joined(separator: " ") }
        return [
            "kinds": list(kinds.map(\.name)), "sexes": list(sexes?.map(\.word)), "bands": list(bands?.map { "\($0.from)" }),
            "regions": list(regions?.map(\.text)),
            "ranges": list(ranges.map { "\($0.kind.name):\($0.bins.lowerBound)-\($0.bins.upperBound)" }),
        ]
    }

    /// - Throws: `GroupAsk.Problem`; `empty` for what no page sends.
    init(fields: [String: String], _ snapping: GroupSnapping) throws(GroupAsk.Problem) {
        func words(_ name: String) -> [String] { (fields[name] ?? "").split(separator: " ").map(String.init) }
        func all<Item: Hashable>(_ name: String, _ read: (String) -> Item?) throws(GroupAsk.Problem) -> Set<Item>? {
            let sent = words(name), items = Set(sent.compactMap(read))
            guard items.count == sent.count else { throw .empty }
            return items.isEmpty ? nil : items
        }
        var ranges: [DoorQuestion.Range] = []
        for word in words("ranges") {
            let parts = word.split { $0 == ":" || $0 == "-" }.map(String.init)
            guard parts.count == 3, let kind = DataKind(name: parts[0]), let low = Int(parts[1]), let high = Int(parts[2]), low >= 0,
                low <= high, high < GroupBins.count
            else { throw .empty }
            ranges.append(DoorQuestion.Range(kind, bins: low...high))
        }
        try self.init(
            kinds: all("kinds") { DataKind(name: $0) } ?? [], of: Set(snapping.kinds), sexes: all("sexes") { CellSex(word: $0) },
            bands: all("bands") { Int($0).map(AgeBand.init(age:)) }, regions: all("regions") { RegionCode($0) }, ranges: ranges,
            in: snapping.tree)
    }
}
