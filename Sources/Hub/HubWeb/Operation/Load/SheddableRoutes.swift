import HTTPTypes
import HubServices
import HubStore

/// Which requests a hub under too much load leaves undone (``LoadShedding``), by their paths. What is not here is always done: alarms, duty, consents,
/// logging in, one's own settings, the operator's pages.
enum SheddableRoutes {
    /// A batch of segments with more bytes is a backlog: a box that keeps up sends some hundred bytes for each person in ten seconds.
    static let backlogBytesMin = 16_384

    /// The kind of a request; nil for one that is always done.
    /// - Parameter path: with or without a query.
    static func kind(of path: String, _ method: HTTPRequest.Method) -> Sheddable? {
        guard !UrgentRoutes.contains(path) else { return nil }
        let method = method == .head ? .get : method
        let words = path.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        guard let first = words.first else { return nil }
        switch first {
        case "data", "account": return ownData(words, method)
        case "health", "workouts", "ledger": return words.last == "file" ? .exports : method == .get ? .history : nil
        case "groups", "requests": return first == "groups" || words.count > 1 ? .groups : nil
        case "followers": return words.last == "groups" && method == .get ? .groups : nil
        case "care", "following", "organisation": return ofOthers(words, method)
        case "people", "l": return method == .get && words.count > 1 ? .liveData : nil
        case "runs": return method == .get ? ofRuns(words) : nil
        case "imports": return method == .post ? .backlog : nil
        case "api": return ofPrograms(words, method)
        default: return nil
        }
    }

    private static func ownData(_ words: [String], _ method: HTTPRequest.Method) -> Sheddable? {
        if words.contains("export") { return .exports }
        // What a person takes back or deletes is no load that waits.
        if method == .post { return words.last == "import" || words.last == "ecg" ? .backlog : nil }
        return words.last == "file" ? .exports : words.contains("ecg") || words.last == "typed" ? .history : nil
    }

    /// Pages about somebody else: /care/person/ID/…, /following/ID/…, /organisation/people/CONSENT/….
    private static func ofOthers(_ words: [String], _ method: HTTPRequest.Method) -> Sheddable? {
        guard words.count > 2 else { return nil }
        if words.contains("data") { return ownData(Array(words.drop { $0 != "data" }), method) }
        guard method == .get else { return nil }
        if words.last == "download" || words.last == "file" { return .exports }
        if words.contains(where: { ["health", "workouts", "tracks", "ecg", "ledger"].contains($0) }) { return .history }
        if words.last == "groups" { return .groups }
        return words.contains("live") || words.last == "recent" ? .liveData : nil
    }

    /// Those who watch; the pages of runners and organisers stay.
    private static func ofRuns(_ words: [String]) -> Sheddable? {
        guard words.count > 1 else { return .spectators }
        if ["mine", "new", "friends", "feed", "nearby", "invitation", "friend", "calendar"].contains(words[1]) { return nil }
        if words[1] == "workout" { return words.count > 2 && words[2] == "friends" ? .spectators : nil }
        guard words.count > 2 else { return .spectators }
        switch words[2] {
        case "events", "course.json", "calendar.ics": return .spectators
        case "replay.json", "results": return .history
        case "start.csv", "start.xml", "tracks.gpx": return .exports
        default: return nil
        }
    }

    /// `/api/v1/…`.
    private static func ofPrograms(_ words: [String], _ method: HTTPRequest.Method) -> Sheddable? {
        guard words.count > 2 else { return nil }
        switch words[2] {
        case "groups": return .groups
        case "fhir" where words.count > 3:
            return words[3] == "MeasureReport" ? .groups : words[3] == "Observation" ? .history : nil
        case "consents" where method == .get && words.count > 4: return words[4] == "stream" ? .liveData : .history
        case "entries": return method == .post ? .backlog : nil
        default: return nil
        }
    }
}

extension MeasuredService {
    /// Whose availability an answer to a path is part of.
    init(path: String) {
        if path.hasPrefix("/runs") {
            self = .track4Run
        } else {
            self = UrgentRoutes.concernsAlarms(path) ? .automatedSOS : .data4Help
        }
    }
}
