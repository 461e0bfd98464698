import Foundation
import HubServices
import HubStore
import Runs
import Vitals

/// Runs in words.
extension Texts {
    func runState(_ state: RunState) -> String { self["runs.state_\(state)"] }

    /// Day and time where the run is, with the name of that time.
    func instant(_ utc: Milliseconds, in zone: String) -> String {
        guard let known = TimeZone(identifier: zone) else { return instant(utc) }
        let parts = RunTime.parts(utc, known)
        let name = known.abbreviation(for: Date(timeIntervalSince1970: Double(utc) / 1000)) ?? zone
        let minutes = clock(parts.hour ?? 0, parts.minute ?? 0)
        return marked(utc, "\(day(parts.day ?? 1, (parts.month ?? 1) - 1, parts.year ?? 1970)), \(minutes) \(name)")
    }

    /// `4.2 km`, `850 m`.
    func kilometres(_ metres: Double) -> String {
        metres < 1000 ? "\(Int(metres.rounded())) m" : "\(decimal((metres / 10).rounded() / 100, 2)) km"
    }

    /// One line about when and where a run is.
    func when(_ plan: RunPlan) -> String { "\(instant(plan.starts, in: plan.timeZone)) · \(plan.place)" }

    // MARK: Refusals

    func refusal(_ refusal: EnrolmentRefusal, zone: String) -> String {
        switch refusal {
        case .unknown: self["runs.no_unknown"]
        case .full: self["runs.no_full"]
        case .closed(let at): filled("runs.no_closed", ["time": instant(at, in: zone)])
        case .started: self["runs.no_started"]
        case .finished: self["runs.no_finished"]
        case .cancelled: self["runs.no_cancelled"]
        case .overlaps(let code): filled("runs.no_overlaps", ["code": code])
        case .notInvited: self["runs.no_notInvited"]
        case .alreadyEnrolled: self["runs.no_alreadyEnrolled"]
        case .notEnrolled: self["runs.no_notEnrolled"]
        case .notYours: self["runs.no_notYours"]
        case .tooYoung(let years): filled("runs.no_tooYoung", ["years": String(years)])
        case .choices(let fault): self["runs.choice_\(fault)"]
        }
    }

    func refusal(_ refusal: CheckInService.Refusal, zone: String) -> String {
        switch refusal {
        case .unknown: self["runs.no_unknown"]
        case .notEnrolled: self["runs.no_notEnrolled"]
        case .notYours: self["runs.no_notYours"]
        case .tooEarly(let opens): filled("runs.checkInOpens", ["time": instant(opens, in: zone)])
        case .started: self["runs.checkInStarted"]
        case .finished: self["runs.no_finished"]
        case .cancelled: self["runs.no_cancelled"]
        }
    }

    func problem(_ problem: RunProblem, zone: String) -> String {
        switch problem {
        case .unknown: self["runs.problem_unknown"]
        case .notAnOrganiser: self["runs.problem_notAnOrganiser"]
        case .disclaimer: self["runs.problem_disclaimer"]
        case .faults: self["runs.problem_faults"]
        case .tooMany: filled("runs.problem_tooMany", ["n": String(RunsStore.openRunsMax)])
        case .changedMeanwhile: self["runs.problem_changedMeanwhile"]
        case .state(let state): filled("runs.problem_state", ["state": runState(state)])
        case .tooEarly(let opens): filled("runs.problem_tooEarly", ["time": instant(opens, in: zone)])
        case .startStands: self["runs.problem_startStands"]
        case .dailyLimit(let count): filled("runs.problem_dailyLimit", ["n": String(count)])
        case .document(.size): filled("runs.problem_documentSize", ["size": megabytes(OrganiserService.documentMax)])
        case .document(.type): self["runs.problem_documentType"]
        case .message: filled("runs.problem_message", ["n": String(OrganiserService.messageMax)])
        case .address: self["runs.problem_address"]
        }
    }

    // MARK: What is wrong with a run

    /// The field at which it is told, and what to do.
    func fault(_ fault: RunFault) -> (field: String, text: String)? {
        switch fault {
        case .nameMissing: ("runName", self["runs.fault_nameMissing"])
        case .nameTooLong: ("runName", filled("runs.fault_tooLong", ["n": String(OrganiserService.nameMax)]))
        case .purposeMissing: ("runPurpose", self["runs.fault_purposeMissing"])
        case .purposeTooLong: ("runPurpose", filled("runs.fault_tooLong", ["n": String(OrganiserService.purposeMax)]))
        case .placeMissing: ("runPlace", self["runs.fault_placeMissing"])
        case .placeTooLong: ("runPlace", filled("runs.fault_tooLong", ["n": String(OrganiserService.nameMax)]))
        case .timeZone: ("runZone", self["runs.fault_timeZone"])
        case .starts: ("runStarts", self["runs.fault_starts"])
        case .ends: ("runEnds", self["runs.fault_ends"])
        case .duration: ("runEnds", self["runs.fault_duration"])
        case .closes: ("runCloses", self["runs.fault_closes"])
        case .most: ("runMost", filled("runs.fault_most", ["n": number(OrganiserService.mostMax)]))
        case .mostBelowEnrolled(let count): ("runMost", filled("runs.fault_mostBelowEnrolled", ["n": number(count)]))
        case .youngest: ("runYoungest", self["runs.fault_youngest"])
        case .waves: ("waves", filled("runs.fault_waves", ["n": String(OrganiserService.wavesMax)]))
        case .course: nil
        }
    }

    /// What is wrong with a course, where, and what to do.
    func fault(_ problem: CourseProblem) -> String {
        let value = problem.value.map { value in
            switch problem.code {
            case .tooFewPoints, .tooManyPoints, .laps: number(Int(value.rounded()))
            default: kilometres(value)
            }
        }
        let said = filled(
            "runs.course_\(problem.code.rawValue)", ["value": value ?? "", "point": problem.index.map { String($0 + 1) } ?? ""])
        guard let metres = problem.metres else { return said }
        guard let end = problem.metresEnd, end > metres else {
            return filled("runs.courseAt", ["km": kilometres(metres), "text": said])
        }
        return filled("runs.courseFromTo", ["from": kilometres(metres), "to": kilometres(end), "text": said])
    }

    func warning(_ warning: RunWarning, zone: String) -> (text: String, code: String?) {
        switch warning {
        case .notHeldAgainstMap: return (self["runs.notHeldAgainstMap"], nil)
        case .conflict(let code, let starts, let ends):
            let key = code == nil ? "runs.conflictHidden" : "runs.conflict"
            return (
                filled(key, ["code": code ?? "", "from": instant(starts, in: zone), "to": instant(ends, in: zone)]), code
            )
        }
    }
}

/// Times as a form has them, where the run is.
enum RunTime {
    static func calendar(_ zone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }

    static func parts(_ utc: Milliseconds, _ zone: TimeZone) -> DateComponents {
        calendar(zone).dateComponents([.year, .month, .day, .hour, .minute], from: Date(timeIntervalSince1970: Double(utc) / 1000))
    }

    /// `2026-11-22T09:00`
    static func field(_ utc: Milliseconds, _ zone: String) -> String {
        guard let known = TimeZone(identifier: zone) else { return "" }
        let parts = parts(utc, known)
        return String(
            format: "%04d-%02d-%02dT%02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0, parts.minute ?? 0)
    }

    /// UTC milliseconds of a `datetime-local` field; nil for none. Seconds, which some browsers send, are left out.
    static func milliseconds(_ text: String, _ zone: String) -> Milliseconds? {
        let halves = text.trimmingCharacters(in: .whitespaces).split { $0 == "T" || $0 == " " }
        guard halves.count == 2, let known = TimeZone(identifier: zone) else { return nil }
        let day = halves[0].split(separator: "-").compactMap { Int($0) }, clock = halves[1].split(separator: ":").compactMap { Int($0) }
        guard day.count == 3, clock.count >= 2, (1970...9999).contains(day[0]), (1...12).contains(day[1]), (1...31).contains(day[2]),
            (0...23).contains(clock[0]), (0...59).contains(clock[1])
        else { return nil }
        let parts = DateComponents(year: day[0], month: day[1], day: day[2], hour: clock[0], minute: clock[1])
        guard let date = calendar(known).date(from: parts) else { return nil }
        // The 31st of a month of 30 days would be the next month's first.
        guard calendar(known).component(.day, from: date) == day[2] else { return nil }
        return Milliseconds(date.timeIntervalSince1970 * 1000)
    }
}
