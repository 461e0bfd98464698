import Foundation
import HubServices
import Runs

/// The form for a run as the page shows it.
struct RunFormModel {
    let values: [String: String]
    var said: [(field: String, text: String)] = []
    var notes: [String] = []
    var waveRows = 1
    var placeRows = 2
    let isNew: Bool
    /// The document that is kept, by its name.
    var document: String?

    static let splits = [0, 500, 1000, 1609, 5000, 10_000]

    static let zones = PlaceZones.table.all.union(TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") }).sorted() + ["UTC"]

    func model(_ texts: Texts) -> RunFormPart {
        let isWrong = said.contains { $0.field == "course" }
        return RunFormPart(
            notes: notes,
            problems: said.isEmpty
                ? nil
                : FormErrorSummary(
                    title: texts.counted("mistake.title", said.count),
                    list: said.map { Link(href: "#\($0.field)", text: line($0, texts)) }),
            revision: values["revision"] ?? "", waveRows: String(waveRows), placeRows: String(placeRows), what: shown(what(texts), texts),
            when: shown(when(texts), texts), who: shown(who(texts), texts), hasCourseErrors: isWrong,
            courseErrors: said.filter { $0.field == "course" }.map(\.text), course: shown(course(texts), texts),
            drawn: values["drawn"] ?? "", splits: shown(courseSplits(texts), texts),
            places: (0..<placeRows).map { row in
                .init(
                    row: String(row), title: texts.filled("runs.placeN", ["n": String(row + 1)]), fields: shown(place(row, texts), texts))
            },
            wavesError: said.first { $0.field == "waves" }?.text,
            waves: (0..<waveRows).map { row in
                .init(title: texts.filled("runs.waveN", ["n": String(row + 1)]), fields: shown(wave(row, texts), texts))
            },
            document: document.map { .init(name: $0) }, permission: shown(permission(texts), texts))
    }

    private func line(_ said: (field: String, text: String), _ texts: Texts) -> String {
        let bare = said.field.trimmingCharacters(in: .decimalDigits), row = said.field.dropFirst(bare.count)
        guard let label = texts.find("runs.field_\(bare)") else { return said.text }
        return row.isEmpty ? "\(label): \(said.text)" : "\(label) \((Int(row) ?? 0) + 1): \(said.text)"
    }

    private func shown(_ fields: [FormField], _ texts: Texts) -> [FieldPart] {
        FormModel(action: "", button: "", fields: fields, values: values, said: said).shown(texts)
    }

    // MARK: Fields

    private func field(
        _ name: String, _ kind: FormField.Kind, _ texts: Texts, isRequired: Bool = true, hint: Bool = false
    ) -> FormField {
        let bare = name.trimmingCharacters(in: .decimalDigits)
        return FormField(
            name: name, kind: kind, isRequired: isRequired, hint: hint ? texts["runs.hint_\(bare)"] : nil,
            label: texts["runs.field_\(bare)"])
    }

    private func what(_ texts: Texts) -> [FormField] {
        [field("runName", .text, texts), field("runPurpose", .paragraph, texts), field("runPlace", .text, texts, hint: true)]
    }

    private func when(_ texts: Texts) -> [FormField] {
        [
            field(
                "runZone", .choice([("", texts["runs.zoneOfPlace"])] + Self.zones.map { ($0, $0.replacing("_", with: " ")) }), texts,
                isRequired: false),
            field("runStarts", .instant, texts), field("runEnds", .instant, texts),
            field("runCloses", .instant, texts, isRequired: false, hint: true),
        ]
    }

    private func who(_ texts: Texts) -> [FormField] {
        [
            field("runPublic", .choice([("1", texts["runs.public"]), ("0", texts["runs.byInvitation"])]), texts, hint: true),
            field("runMost", .number, texts), field("runYoungest", .number, texts, isRequired: false, hint: true),
        ]
    }

    private func course(_ texts: Texts) -> [FormField] {
        [
            field(
                "courseFile", .file(accept: ".gpx,.geojson,.json,application/gpx+xml,application/geo+json"), texts, isRequired: false,
                hint: true)
        ]
    }

    private func courseSplits(_ texts: Texts) -> [FormField] {
        [
            field("runLaps", .number, texts, hint: true),
            field(
                "runSplits",
                .choice(
                    Self.splits.map {
                        (String($0), $0 == 0 ? texts["runs.noSplits"] : $0 == 1609 ? texts["runs.mile"] : texts.kilometres(Double($0)))
                    }),
                texts),
        ]
    }

    private func wave(_ row: Int, _ texts: Texts) -> [FormField] {
        [field("waveName\(row)", .text, texts, isRequired: false), field("waveGun\(row)", .instant, texts, isRequired: false)]
    }

    private func place(_ row: Int, _ texts: Texts) -> [FormField] {
        [
            field("placeName\(row)", .text, texts, isRequired: false),
            field("placeKind\(row)", .choice(CoursePlace.Kind.allCases.map { ($0.rawValue, texts["runs.kind_\($0.rawValue)"]) }), texts),
            field("placeWhere\(row)", .text, texts, isRequired: false, hint: row == 0),
        ]
    }

    private func permission(_ texts: Texts) -> [FormField] {
        var fields = [field("document", .file(accept: ".pdf,.jpg,.jpeg,.png"), texts, isRequired: false, hint: true)]
        if document != nil { fields.append(field("documentRemove", .tick(value: "1"), texts, isRequired: false)) }
        if isNew { fields.append(field("disclaimer", .tick(value: OrganiserService.disclaimerVersion), texts, hint: true)) }
        return fields
    }
}

/// The fields of a run, by subject.
struct RunFormPart: TemplateModel {
    struct Place: TemplateModel {
        let row: String, title: String
        let fields: [FieldPart]
    }

    struct Wave: TemplateModel {
        let title: String
        let fields: [FieldPart]
    }

    struct Document: TemplateModel {
        let name: String
    }

    /// What was left unread in a file.
    let notes: [String]
    var problems: FormErrorSummary?
    let revision: String, waveRows: String, placeRows: String
    let what: [FieldPart]
    let when: [FieldPart]
    let who: [FieldPart]
    let hasCourseErrors: Bool
    let courseErrors: [String]
    let course: [FieldPart]
    /// The line, as draw.js writes it.
    let drawn: String
    let splits: [FieldPart]
    let places: [Place]
    var wavesError: String?
    let waves: [Wave]
    var document: Document?
    let permission: [FieldPart]
}

struct RunFormPage: FramedPage {
    static let template = "runForm"

    let form: Inline<RunFormPart>
    /// The number of people who are told of a change.
    var told: String?
    var problem: String?
    let action: String, button: String
    var back: String?
    /// JSON.
    let mapConfig: String, scriptTexts: String
}
