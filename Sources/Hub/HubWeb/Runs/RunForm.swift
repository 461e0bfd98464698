import Exchange
import Foundation
import HubServices
import HubStore
import Runs
import Vitals

/// What an organiser typed about a run: read from the form, with all that cannot be understood at its place.
struct RunForm {
    /// As they are shown again.
    var values: [String: String]
    var plan: RunPlan
    var course: CoursePlan
    /// At which field what is said.
    var said: [(field: String, text: String)] = []
    /// What an imported file held that is not used, and that it was read.
    var notes: [String] = []
    /// The rows of waves and places that are shown.
    var waveRows: Int
    var placeRows: Int
    /// For a place of the course, the row in which it was typed.
    private var rowOfPlace: [Int] = []

    static let rowsMore = 3

    /// - Parameter old: the run that is edited, and its course.
    init(_ form: UploadForm, old: (run: StoredRun, course: CoursePlan)?, _ texts: Texts) {
        values = form.fields
        waveRows = Self.rows("waveRows", most: OrganiserService.wavesMax, form)
        placeRows = Self.rows("placeRows", most: CourseFile.placesMax, form)
        let zone = form["runZone"]
        plan = RunPlan(
            name: form["runName"], purpose: form["runPurpose"], place: form["runPlace"], timeZone: zone, starts: 0, ends: 0, closes: 0,
            most: 0, isPublic: form["runPublic"] == "1")
        course = CoursePlan(points: [])
        // Times need the zone, and that may need the course; what is wrong is said in the order of the form.
        readCourse(form, old?.course, texts)
        let aboutCourse = said
        said = []
        readZone()
        readTimes(texts)
        readNumbers(texts)
        readWaves(texts)
        said += aboutCourse
        readPlaces(texts)
    }

    private static func rows(_ name: String, most: Int, _ form: UploadForm) -> Int {
        let more = form["more"] == name ? rowsMore : 0
        return min(max((Int(form[name]) ?? 0) + more, 1), most)
    }

    private func typed(_ name: String) -> String { (values[name] ?? "").trimmingCharacters(in: .whitespaces) }

    // MARK: Reading

    private mutating func time(_ name: String, _ texts: Texts) -> Milliseconds? {
        let text = typed(name)
        if let time = RunTime.milliseconds(text, plan.timeZone) { return time }
        said.append((name, texts[text.isEmpty ? "runs.timeMissing" : "runs.timeWrong"]))
        return nil
    }

    /// The zone of the place, where none was chosen: that of the first point of the course, and the hub's while there is none.
    private mutating func readZone() {
        guard plan.timeZone.isEmpty else { return }
        let place = course.points.first.map { GroundFile.Place(latitude: Double($0.latitude) / 1e7, longitude: Double($0.longitude) / 1e7) }
        let found = place.flatMap { PlaceZones.table.zone(of: $0, Ground.file) }
        plan.timeZone = Self.known(found ?? .current)
        // Shown again, so that the organiser sees what the times mean.
        if found != nil { values["runZone"] = plan.timeZone }
    }

    /// A zone that the form offers.
    private static func known(_ zone: TimeZone) -> String { RunFormModel.zones.contains(zone.identifier) ? zone.identifier : "UTC" }

    private mutating func readTimes(_ texts: Texts) {
        let starts = time("runStarts", texts), ends = time("runEnds", texts)
        plan.starts = starts ?? 0
        plan.ends = ends ?? 0
        // Nothing typed: until the start.
        plan.closes = typed("runCloses").isEmpty ? plan.starts : time("runCloses", texts) ?? 0
    }

    private mutating func number(_ name: String, _ texts: Texts) -> Int? {
        let text = typed(name)
        if text.isEmpty { return nil }
        if let number = Int(text) { return number }
        said.append((name, texts["runs.numberWrong"]))
        return nil
    }

    private mutating func readNumbers(_ texts: Texts) {
        plan.most = number("runMost", texts) ?? 0
        plan.youngest = number("runYoungest", texts)
        course.laps = typed("runLaps").isEmpty ? 1 : number("runLaps", texts) ?? 1
        course.splitEvery = Double(typed("runSplits")) ?? 1000
    }

    private mutating func readWaves(_ texts: Texts) {
        for row in 0..<waveRows where !typed("waveName\(row)").isEmpty || !typed("waveGun\(row)").isEmpty {
            let gun = time("waveGun\(row)", texts)
            plan.waves.append(Wave(name: typed("waveName\(row)"), gun: gun ?? plan.starts))
        }
    }

    /// A file that came now, else what was drawn, else what there is.
    private mutating func readCourse(_ form: UploadForm, _ old: CoursePlan?, _ texts: Texts) {
        if let file = form.files["courseFile"] {
            do {
                let read = try CourseFile(file.bytes)
                course.points = read.points
                notes.append(texts.filled("runs.imported", ["file": file.name, "n": texts.number(read.points.count)]))
                notes += read.notes.map { texts.filled("runs.\($0.key)", $0.values) }
                take(read.places, texts)
            } catch { said.append(("courseFile", texts["runs.file_\(error.rawValue)"])) }
        } else if let drawn = DrawnLine.points(typed("drawn")) {
            course.points = drawn
        } else {
            said.append(("courseFile", texts["runs.drawnWrong"]))
        }
        if let old, Self.isSame(old.points, course.points) {
            (course.points, course.start, course.finish) = (old.points, old.start, old.finish)
        }
        values["drawn"] = DrawnLine.text(course.points)
    }

    /// Heights do not come back from the page.
    private static func isSame(_ one: [CoursePoint], _ other: [CoursePoint]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { $0.latitude == $1.latitude && $0.longitude == $1.longitude }
    }

    /// Marked places of a file become rows, where the course comes by.
    private mutating func take(_ places: [CoursePlace], _ texts: Texts) {
        guard !places.isEmpty else { return }
        var trial = course
        trial.places = places
        let off = Set(trial.problems().filter { $0.code == .placeOffCourse }.compactMap(\.index))
        let used = places.indices.filter { !off.contains($0) }
        if !off.isEmpty { notes.append(texts.filled("runs.notePlacesOff", ["n": String(off.count)])) }
        var row = (0..<placeRows).last { !typed("placeName\($0)").isEmpty || !typed("placeWhere\($0)").isEmpty }.map { $0 + 1 } ?? 0
        for index in used where row < CourseFile.placesMax {
            let name = places[index].name.isEmpty ? texts["runs.kind_\(places[index].kind.rawValue)"] : places[index].name
            values["placeName\(row)"] = name
            values["placeKind\(row)"] = places[index].kind.rawValue
            values["placeWhere\(row)"] = DrawnLine.text(places[index].point)
            row += 1
        }
        placeRows = max(placeRows, row)
    }

    private mutating func readPlaces(_ texts: Texts) {
        for row in 0..<placeRows where !typed("placeName\(row)").isEmpty || !typed("placeWhere\(row)").isEmpty {
            let kind = CoursePlace.Kind(rawValue: typed("placeKind\(row)")) ?? .other, text = typed("placeWhere\(row)")
            let name = typed("placeName\(row)").isEmpty ? texts["runs.kind_\(kind.rawValue)"] : String(typed("placeName\(row)").prefix(100))
            // A distance first: "1,5 km" has two numbers as well.
            if let metres = Self.metres(text), let point = point(at: metres) {
                course.places.append(CoursePlace(name: name, kind: kind, point: point, metres: metres))
            } else if let point = DrawnLine.place(text) {
                course.places.append(CoursePlace(name: name, kind: kind, point: point))
            } else {
                said.append(("placeWhere\(row)", texts[text.isEmpty ? "runs.whereMissing" : "runs.whereWrong"]))
                continue
            }
            rowOfPlace.append(row)
        }
    }

    /// `12.5` and `12,5` are kilometres from the start; a unit may stand behind.
    static func metres(_ text: String) -> Double? {
        let bare = text.lowercased().replacing("km", with: "").replacing(",", with: ".").trimmingCharacters(in: .whitespaces)
        return Double(bare).flatMap { $0.isFinite && $0 >= 0 && $0 < 10_000 ? $0 * 1000 : nil }
    }

    /// nil beyond the course, and where there is none yet.
    private func point(at metres: Double) -> CoursePoint? {
        var bare = course
        bare.places = []
        guard let course = try? Course(bare), metres <= course.length else { return nil }
        return course.point(at: metres)
    }

    // MARK: What is wrong

    /// Adds what the service finds; at a field of which something is said already, nothing is said twice.
    mutating func take(_ faults: [RunFault], _ texts: Texts) {
        for fault in faults {
            if case .course(let problems) = fault {
                for problem in problems where !(course.points.isEmpty && said.contains { $0.field == "courseFile" }) {
                    if problem.code == .placeOffCourse, let index = problem.index, rowOfPlace.indices.contains(index) {
                        said.append(("placeWhere\(rowOfPlace[index])", texts.fault(problem)))
                    } else {
                        said.append((problem.code == .laps || problem.code == .openLoop ? "runLaps" : "course", texts.fault(problem)))
                    }
                }
            } else if let (field, text) = texts.fault(fault), !said.contains(where: { $0.field == field }) {
                said.append((field, text))
            }
        }
    }

    // MARK: Showing what there is

    /// Of a run that is edited.
    static func values(_ run: StoredRun, _ course: CoursePlan) -> [String: String] {
        let plan = run.plan, zone = plan.timeZone
        var values = [
            "runName": plan.name, "runPurpose": plan.purpose, "runPlace": plan.place, "runZone": zone,
            "runStarts": RunTime.field(plan.starts, zone), "runEnds": RunTime.field(plan.ends, zone),
            "runCloses": RunTime.field(plan.closes, zone), "runMost": String(plan.most), "runPublic": plan.isPublic ? "1" : "0",
            "runYoungest": plan.youngest.map(String.init) ?? "", "runLaps": String(course.laps),
            "runSplits": String(Int(course.splitEvery)),
            "drawn": DrawnLine.text(course.points), "revision": String(run.revision), "waveRows": String(plan.waves.count + 1),
            "placeRows": String(course.places.count + 1),
        ]
        for (row, wave) in plan.waves.enumerated() {
            values["waveName\(row)"] = wave.name
            values["waveGun\(row)"] = RunTime.field(wave.gun, zone)
        }
        for (row, place) in course.places.enumerated() {
            values["placeName\(row)"] = place.name
            values["placeKind\(row)"] = place.kind.rawValue
            values["placeWhere\(row)"] = place.metres.map { String(format: "%.3f km", $0 / 1000) } ?? DrawnLine.text(place.point)
        }
        return values
    }

    /// Of a new one.
    /// - Parameter zone: of the reader's browser; nil for that of the place.
    static func fresh(_ zone: TimeZone?) -> [String: String] {
        [
            "runZone": zone.map(known) ?? "", "runMost": "100", "runPublic": "1", "runLaps": "1", "runSplits": "1000", "waveRows": "1",
            "placeRows": "2",
        ]
    }
}
