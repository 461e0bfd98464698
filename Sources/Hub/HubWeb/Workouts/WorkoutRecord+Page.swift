import Foundation
import History
import HubServices
import HubStore
import Hummingbird
import Runs
import Vitals
import Workouts

extension WorkoutLook {
    /// Whatever the address says that no link has is as if it were not there.
    /// - Parameter measures: the reader's, where the address names no unit.
    init(_ request: Request, _ measures: Measures) {
        let sent = request.uri.queryParameters
        func asked(_ name: Substring) -> String { sent[name].map(String.init) ?? "" }
        unit = Unit(rawValue: asked("unit")) ?? Unit(measures)
        colour = TrackColours.Measure(rawValue: asked("colour")) ?? .heartRate
        axis = WorkoutCurves.Axis(rawValue: asked("axis")) ?? .time
    }
}

/// One workout as its page shows it.
struct WorkoutRecordModel {
    let detail: WorkoutRecords.Detail
    let zones: HeartRateZones?
    /// Whether the person chose a home zone for any workout or run.
    let hasHome: Bool
    let isOwn: Bool
    let others: Others
    let look: WorkoutLook
    let base: String
    let words: WorkoutWords
    let ground: PlacesMap

    private var texts: Texts { words.texts }
    private var figures: WorkoutStatistics { detail.statistics }
    private var path: String { "\(base)/\(detail.record.id)" }

    func page(_ form: FormModel) throws -> WorkoutRecordPage {
        let curves = try curves, efforts = efforts, zones = zoneRows, laps = rows(figures.laps)
        let splits = rows(look.unit == .miles ? figures.miles : figures.kilometres)
        let hasFiles = detail.line != nil
        return WorkoutRecordPage(
            kind: words.kind(detail.content.kind), when: words.began(detail.record.span.lowerBound), note: detail.content.edit?.note,
            facts: facts, isGone: detail.line == nil, map: try map(), curves: curves, hasZones: !zones.isEmpty, zones: zones,
            hasLaps: !laps.isEmpty, laps: laps,
            splitTitle: texts["workouts.splits_\(look.unit.rawValue)"], hasSplits: !splits.isEmpty, splits: splits,
            hasEfforts: !efforts.isEmpty, efforts: efforts,
            units: WorkoutLook.Unit.allCases.map { unit in
                choice(unit.rawValue, look.unit == unit) { $0.unit = unit }
            }, form: form.model(texts), hasFiles: hasFiles,
            files: hasFiles ? files("") : [], hasOthersFiles: hasFiles && hasHome,
            othersFiles: hasFiles && hasHome ? files("&home=hidden") : [],
            isCompared: !others.records.isEmpty || others.isCut, hasOthers: !others.records.isEmpty, othersNote: others.note(texts),
            others: others.records.compactMap { other in
                other.content.map {
                    .init(value: "\(other.id)", text: "\(words.title(other, $0)), \(words.began(other.span.lowerBound))")
                }
            }, compare: "\(base)/compare", id: "\(detail.record.id)",
            home: texts[hasHome ? "workouts.homeHidden" : "workouts.noHome"],
            followers: isOwn ? Link(href: "/followers", text: texts["site.followers"]) : nil, delete: "\(path)/delete", back: base)
    }

    private func files(_ more: String) -> [Link] {
        WorkoutRecords.FileFormat.allCases.map {
            Link(href: "\(path)/file?format=\($0.rawValue)\(more)", text: $0.rawValue.uppercased())
        }
    }

    private func choice(_ text: String, _ isHere: Bool, _ change: (inout WorkoutLook) -> Void) -> Choice {
        var other = look
        change(&other)
        return Choice(href: path + other.query, text: text, isHere: isHere)
    }

    // MARK: Figures

    private var facts: [Fact] {
        func fact(_ name: String, _ value: String) -> Fact { Fact(label: texts["workouts.fact_\(name)"], value: value) }
        var facts: [Fact] = []
        let hasWay = figures.metres >= 10
        if hasWay { facts.append(fact("distance", words.distance(figures.metres))) }
        if hasWay { facts.append(fact("moving", words.clock(figures.moving))) }
        facts.append(fact("time", words.clock(figures.duration)))
        if figures.pace != nil {
            facts += [fact("pace", words.pace(figures.pace)), fact("elapsedPace", words.pace(figures.elapsedPace))]
        }
        if let heart = figures.heart {
            facts += [fact("heartMean", words.rate(heart.average)), fact("heartMax", words.rate(Double(heart.max)))]
            if let energy = heart.energy {
                facts.append(fact("energy", "\(texts.number(Int((energy / 4.184).rounded()))) \(texts.unit("kcal"))"))
            }
        }
        if let up = figures.up, let down = figures.down {
            facts += [fact("up", words.height(up)), fact("down", words.height(down))]
        }
        return facts
    }

    private func rows(_ splits: [WorkoutSplit]) -> [WorkoutRecordPage.Split] {
        splits.enumerated().map { index, split in
            .init(
                number: split.isWhole ? texts.number(index + 1) : words.distance(split.metres), distance: words.distance(split.metres),
                time: words.clock(split.duration), pace: words.pace(split.pace),
                rate: split.heartRate.map { "\(Int($0.rounded()))" } ?? "–", up: split.up.map(words.height) ?? "–",
                isGuess: !split.isSeen)
        }
    }

    private var efforts: [WorkoutRecordPage.Effort] {
        figures.efforts.map { effort in
            .init(
                distance: words.effort(Int(effort.distance)), time: words.clock(effort.duration),
                pace: words.pace(Double(effort.duration) / effort.distance))
        }
    }

    private var zoneRows: [WorkoutRecordPage.Zone] {
        guard let zones, let times = figures.zones, times.count == zones.starts.count + 1 else { return [] }
        let all = Double(max(1, times.reduce(0, +)))
        return times.enumerated().map { zone, time in
            let share = Int((Double(time) / all * 100).rounded())
            return .init(
                name: zones.name(of: zone, in: texts), range: zones.range(of: zone, in: texts), time: words.clock(time),
                share: "\(share) %", width: "\(share)%", bin: "bin\(zone)")
        }
    }

    // MARK: Map and curves

    private var plane: WorkoutDrawing.Plane? {
        guard let line = detail.line, line.metres >= 10 else { return nil }
        return WorkoutDrawing.Plane(line.points.map(\.place), isSquare: false)
    }

    /// One colour of the way, for the script.
    private struct TrackPiece: Encodable {
        /// nil where the measure is not known.
        let bin: Int?
        let line: String
    }

    private func map() throws -> WorkoutRecordPage.Map? {
        guard let line = detail.line, let plane else {
            return detail.content.sketch.isEmpty
                ? nil
                : .init(svg: WorkoutDrawing.sketch(detail.content.sketch) ?? "", legend: [], choices: [])
        }
        let colours = TrackColours(line, by: look.colour, zones: zones, count: 1500)
        let label = texts.filled("workouts.mapOf", ["distance": words.distance(line.metres)])
        let pieces = colours.pieces.map { TrackPiece(bin: $0.bin, line: WayOverview.text([$0.points])) }
        let svg = WorkoutDrawing.map(colours, plane, label: label) { $0 < 1000 ? "\($0) m" : "\($0 / 1000) km" }
        return .init(
            svg: svg, track: .init(label: label, mapConfig: try ground.configuration(texts), pieces: try ScriptJSON.text(pieces)),
            legend: legend(colours),
            choices: TrackColours.Measure.allCases.map { measure in
                choice(texts["workouts.colour_\(measure.rawValue)"], look.colour == measure) { $0.colour = measure }
            })
    }

    private func legend(_ colours: TrackColours) -> [WorkoutRecordPage.Key] {
        let used = Set(colours.pieces.map(\.bin))
        func edge(_ value: Double) -> String {
            switch colours.measure {
            case .heartRate: words.rate(value)
            case .pace: words.pace(value > 0 ? 1000 / value : nil)
            case .height: "\(Int(value.rounded())) m"
            }
        }
        var keys = (0...colours.edges.count).filter { used.contains($0) }.map { bin -> WorkoutRecordPage.Key in
            let low = bin > 0 ? edge(colours.edges[bin - 1]) : nil
            let high = bin < colours.edges.count ? edge(colours.edges[bin]) : nil
            let text =
                switch (low, high) {
                case (let low?, let high?): "\(low) – \(high)"
                case (let low?, nil): texts.filled(colours.measure == .pace ? "workouts.faster" : "workouts.from", ["value": low])
                case (nil, let high?): texts.filled(colours.measure == .pace ? "workouts.slower" : "workouts.below", ["value": high])
                case (nil, nil): texts["workouts.colour_\(colours.measure.rawValue)"]
                }
            return .init(name: "bin\(bin)", text: text)
        }
        if used.contains(nil) { keys.append(.init(name: "nobin", text: texts["workouts.unknown"])) }
        return keys
    }

    private var curves: WorkoutRecordPage.Curves? {
        get throws {
            guard let line = detail.line else { return nil }
            let axis = line.metres >= 10 ? look.axis : .time
            let steps = WorkoutCurves(line, by: axis, count: 300).steps
            let plots = [
                plot("heartRate", steps.map(\.heartRate), least: 20) { words.rate($0) },
                plot("pace", steps.map(\.pace), isFlipped: true, least: 20) { words.pace($0) },
                plot("elevation", steps.map(\.elevation), least: 20) { "\(Int($0.rounded())) m" },
            ].compactMap(\.self)
            guard !plots.isEmpty else { return nil }
            let plane = plane
            let points = steps.map { step in
                let place = step.place.flatMap { plane?.place($0) }
                return CurvePoint(
                    text: read(step), x: place?.x, y: place?.y,
                    at: step.place.map { [$0.latitude, $0.longitude].map { (Double($0) / 100).rounded() / 1e5 } })
            }
            return .init(
                plots: plots, points: try ScriptJSON.text(points), last: "\(max(0, points.count - 1))",
                choices: line.metres >= 10
                    ? WorkoutCurves.Axis.allCases.map { other in
                        choice(texts["workouts.axis_\(other.rawValue)"], axis == other) { $0.axis = other }
                    } : [])
        }
    }

    /// One place of the cursor, for the script.
    private struct CurvePoint: Encodable {
        let text: String
        /// On the drawing.
        let x: Int?, y: Int?
        /// On the ground: latitude and longitude, about a metre.
        let at: [Double]?
    }

    private func read(_ step: WorkoutCurves.Step) -> String {
        [
            words.clock(step.time - detail.record.span.lowerBound), words.distance(step.metres), step.heartRate.map(words.rate),
            step.pace.map { words.pace($0) }, step.elevation.map { "\(Int($0.rounded())) m" },
        ].compactMap(\.self).joined(separator: " · ")
    }

    private func plot(
        _ name: String, _ values: [Double?], isFlipped: Bool = false, least: Double, _ text: (Double) -> String
    ) -> WorkoutRecordPage.Plot? {
        let known = values.compactMap(\.self)
        guard known.count > 1, let scale = WorkoutDrawing.Scale(known, isFlipped: isFlipped, least: least) else { return nil }
        let title = texts["workouts.curve_\(name)"], marks = (text(scale.bottom), text(scale.top))
        let label = "\(title): \(marks.0) – \(marks.1)"
        return .init(title: title, svg: WorkoutDrawing.curves([(name, values)], scale, label: label, marks: marks))
    }
}

extension WorkoutWords {
    /// A distance that best efforts are of, in whole metres.
    func effort(_ metres: Int) -> String { metres == 1609 ? texts["runs.mile"] : texts.kilometres(Double(metres)) }
}

/// The page of one workout.
struct WorkoutRecordPage: FramedPage {
    static let template = "workoutRecord"

    struct Map: TemplateModel {
        /// Markup of ``WorkoutDrawing``.
        let svg: String
        var track: Track?
        let legend: [Key]
        let choices: [Choice]
    }

    /// What the script needs to draw the way on the ground: JSON.
    struct Track: TemplateModel {
        let label: String, mapConfig: String, pieces: String
    }

    /// What a colour means.
    struct Key: TemplateModel {
        let name: String, text: String
    }

    struct Plot: TemplateModel {
        let title: String, svg: String
    }

    struct Curves: TemplateModel {
        let plots: [Plot]
        /// JSON.
        let points: String
        /// The number of the last of them.
        let last: String
        let choices: [Choice]
    }

    struct Zone: TemplateModel {
        let name: String, range: String, time: String, share: String, width: String, bin: String
    }

    struct Split: TemplateModel {
        let number: String, distance: String, time: String, pace: String, rate: String, up: String
        let isGuess: Bool
    }

    struct Effort: TemplateModel {
        let distance: String, time: String, pace: String
    }

    let kind: String, when: String
    var note: String?
    let facts: [Fact]
    /// Its samples were overwritten.
    let isGone: Bool
    var map: Map?
    var curves: Curves?
    let hasZones: Bool
    let zones: [Zone]
    let hasLaps: Bool
    /// As somebody pressed the button, or a recording says.
    let laps: [Split]
    let splitTitle: String
    let hasSplits: Bool
    let splits: [Split]
    let hasEfforts: Bool
    let efforts: [Effort]
    let units: [Choice]
    let form: FormPart
    let hasFiles: Bool
    let files: [Link]
    /// The same without what lies around the home, to pass on.
    let hasOthersFiles: Bool
    let othersFiles: [Link]
    struct Other: TemplateModel {
        let value: String, text: String
    }

    let isCompared: Bool
    let hasOthers: Bool
    /// What is not among them.
    let othersNote: String?
    /// With which it can be compared.
    let others: [Other]
    let compare: String, id: String
    /// What others see of the surroundings of the home.
    let home: String
    /// Who may read; nil where the reader does not decide about it here.
    var followers: Link?
    let delete: String, back: String
}
