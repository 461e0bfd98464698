import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Runs
import Vitals

/// A lone workout (RUN-19): begun, seen while it goes on, stopped, kept; and friends', as long as they share theirs.
struct WorkoutPages: Sendable {
    let site: RunSite
    let workouts: WorkoutService
    let live: LiveWorkouts
    let service: AccountService

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/workout") { request, context in
            let frame = Frame(request, context), account = try frame.session().account
            return try page(frame, try runner(request, account), account, request)
        }
        router.post("/runs/workout") { request, context in try await begin(request, context) }
        router.post("/runs/workout/stop") { request, context in
            try await act(request, context) { runner, account, _ in
                "/\(try workouts.endWorkout(of: runner.person, by: account).id)"
            }
        }
        router.post("/runs/workout/lap") { request, context in
            try await act(request, context) { runner, account, _ in
                try workouts.addLap(of: runner.person, by: account)
                return ""
            }
        }
        router.post("/runs/workout/share") { request, context in
            try await act(request, context) { runner, account, sent in
                try workouts.shareWorkout(of: runner.person, sent["share"] == "1", by: account)
                return ""
            }
        }
        router.get("/runs/workout/:id") { request, context in
            let frame = Frame(request, context), account = try frame.session().account, runner = try runner(request, account)
            return site.page(
                WorkoutModel(frame.texts).done(try workout(context, runner, account), runner), frame,
                title: frame.texts["workout.doneTitle"])
        }
        router.post("/runs/workout/:id/delete") { request, context in
            let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
            let runner = try runner(sent["person"], account), workout = try workout(context, runner, account)
            guard !workout.isOpen else { throw HTTPError(.notFound) }
            try workouts.deleteWorkout(workout.id, of: runner.person, by: account)
            return Response.redirect(to: "/runs/workout\(runner.query)", type: .normal)
        }
        router.get("/runs/workout/friends/:person") { request, context in try friend(Frame(request, context), context) }
        streams(router)
    }

    // MARK: Who

    func runner(_ request: Request, _ account: StoredAccount) throws -> RunSite.Runner {
        try runner(request.uri.queryParameters["person"].map(String.init) ?? "", account)
    }

    private func runner(_ who: String, _ account: StoredAccount) throws -> RunSite.Runner {
        guard let runner = try site.runner(who, of: account),
            try site.accounts.consents.authority(over: runner.person).mayAnswer(account.id, at: site.now)
        else { throw PageRefusal.notAllowed }
        return runner
    }

    private func workout(_ context: HubContext, _ runner: RunSite.Runner, _ account: StoredAccount) throws -> StoredWorkout {
        guard let id = WorkoutID(try context.parameters.require("id")),
            let workout = try workouts.workout(id, of: runner.person, for: account)
        else { throw HTTPError(.notFound) }
        return workout
    }

    /// A friend's workout that is shared with whoever asks, now.
    /// - Throws: `HTTPError`, the same for somebody who is no friend, shares nothing, or is nobody.
    func shared(_ context: HubContext, _ account: StoredAccount) throws -> (person: PersonID, name: String) {
        guard account.roles.contains(.person) else { throw PageRefusal.notAllowed }
        guard let person = PersonID(try context.parameters.require("person")),
            try site.store.workouts.workoutGrant(of: person, to: account.id) != nil, let name = try site.accounts.person(person)?.name
        else { throw HTTPError(.notFound) }
        return (person, name)
    }

    // MARK: The page

    private static let count = 50

    private func page(
        _ frame: Frame, _ runner: RunSite.Runner, _ account: StoredAccount, _ request: Request, values: [String: String]? = nil,
        said: [(field: String, text: String)] = [], problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts, words = WorkoutModel(texts)
        let before = request.uri.queryParameters["before"].flatMap { Milliseconds(String($0)) } ?? .max
        let done = try workouts.workouts(of: runner.person, before: before, for: account)
        var page = WorkoutPage(
            runner: runner.isOwn ? nil : runner.name, hasNone: done.isEmpty, done: done.map { words.entry($0, runner) },
            who: runner.isOwn ? "" : runner.person.description, query: runner.query)
        if let open = try workouts.openWorkout(of: runner.person, for: account) {
            page.open = try words.live(live.shown(open), stream: "/runs/workout/events\(runner.query)", map: site.map)
            page.laps = open.content.laps.flatMap(\.last).map { last in
                texts.filled(
                    "workout.laps",
                    ["n": texts.number((open.content.laps?.count ?? 0) + 1), "time": WorkoutModel.clock((last - open.began) / 1000)])
            }
            page.sharing = .init(
                isShared: open.isShared, text: texts[open.isShared ? "workout.isShared" : "workout.isNotShared"],
                home: open.content.home.map { texts.filled("workout.homeOf", ["km": texts.kilometres($0.radius)]) }
                    ?? texts["workout.noHome"],
                value: open.isShared ? "0" : "1", button: texts[open.isShared ? "workout.unshare" : "workout.share"])
        } else {
            page.form = try form(runner, values: values, said: said, problem: problem, texts).model(texts)
        }
        if done.count == Self.count, let last = done.last {
            page.more = "/runs/workout?before=\(last.began)" + (runner.isOwn ? "" : "&person=\(runner.person)")
        }
        if runner.isOwn {
            let friends = try workouts.friendsWorkouts(for: account)
            page.friends = friends.map {
                Link(
                    href: "/runs/workout/friends/\($0.friend.person)", text: texts.filled("workout.friendRuns", ["name": $0.friend.name]))
            }
            page.hasFriends = !friends.isEmpty
        }
        return site.page(page, frame, title: texts["workout.title"], status: status)
    }

    private func form(
        _ runner: RunSite.Runner, values: [String: String]?, said: [(field: String, text: String)], problem: String?, _ texts: Texts
    ) throws -> FormModel {
        let known = try site.enrolments.knownHomes(of: runner.person).first
        let fields = [
            FormField(
                name: "share", kind: .tick(value: "1"), isRequired: false, hint: texts["workout.shareHint"], label: texts["workout.share"]),
            FormField(
                name: "homeRadius",
                kind: .choice([("", texts["runs.noHome"])] + EnrolPages.radii.map { (String(Int($0)), texts.kilometres($0)) }),
                isRequired: false, hint: texts["workout.homeHint"], label: texts["runs.field_home"]),
            FormField(
                name: "homePlace", kind: .text, isRequired: false,
                hint: texts[known == nil ? "runs.hint_homePlace" : "runs.hint_homeKept"], label: texts["runs.field_homePlace"]),
        ]
        return FormModel(
            action: "/runs/workout\(runner.query)", button: texts["workout.begin"], fields: fields,
            values: values ?? ["homeRadius": known.map { String(Int($0.radius)) } ?? ""], said: said, problem: problem)
    }

    private func begin(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), texts = frame.texts, account = try frame.session().account
        let sent = try await SentForm(request), runner = try runner(request, account)
        func refused(_ field: String, _ key: String) throws -> Response {
            try page(
                frame, runner, account, request, values: sent.fields, said: [(field, texts[key])], status: .unprocessableContent)
        }
        var home: HomeZone?
        if let radius = Double(sent["homeRadius"]) {
            let typed = sent["homePlace"].trimmingCharacters(in: .whitespaces)
            if typed.isEmpty, let known = try site.enrolments.knownHomes(of: runner.person).first(where: { $0.radius == radius }) {
                home = known
            } else if let place = DrawnLine.place(typed) {
                home = try site.enrolments.homeZone(around: place, radius: radius, of: runner.person)
            } else {
                return try refused("homePlace", typed.isEmpty ? "runs.homePlaceMissing" : "runs.homePlaceWrong")
            }
        }
        do {
            _ = try workouts.beginWorkout(of: runner.person, isShared: sent["share"] == "1", home: home, by: account)
        } catch WorkoutService.Refusal.tooMany {
            let problem = texts.filled("workout.tooMany", ["n": texts.number(WorkoutStore.workoutsMax)])
            return try page(frame, runner, account, request, values: sent.fields, problem: problem, status: .conflict)
        } catch WorkoutService.Refusal.homeRadius {
            return try refused("homeRadius", "runs.choice_homeRadius")
        }
        return .redirect(to: "/runs/workout\(runner.query)", type: .normal)
    }

    /// Does something about the one that goes on; where none does, the page says so.
    private func act(
        _ request: Request, _ context: HubContext, _ body: (RunSite.Runner, StoredAccount, SentForm) throws -> String
    ) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
        let runner = try runner(sent["person"], account)
        do {
            return .redirect(to: "/runs/workout\(try body(runner, account, sent))\(runner.query)", type: .normal)
        } catch WorkoutService.Refusal.unknown {
            return .redirect(to: "/runs/workout\(runner.query)", type: .normal)
        }
    }

    // MARK: A friend's

    private func friend(_ frame: Frame, _ context: HubContext) throws -> Response {
        let account = try frame.session().account, texts = frame.texts, (person, name) = try shared(context, account)
        guard let (grant, workout) = try site.store.workouts.workoutGrant(of: person, to: account.id) else {
            throw HTTPError(.notFound)
        }
        let shown = try live.shown(workout, by: grant)
        let model = try WorkoutModel(texts).live(shown, stream: "/runs/workout/friends/\(person)/events", map: site.map, isFriend: true)
        return site.page(WorkoutFriendPage(open: model), frame, title: texts.filled("workout.friendTitle", ["name": name]))
    }
}

struct WorkoutPage: FramedPage {
    static let template = "workout"

    struct Sharing: TemplateModel {
        let isShared: Bool
        let text: String, home: String, value: String, button: String
    }

    /// One that is over.
    struct Done: TemplateModel {
        let href: String, when: String, text: String
    }

    /// The child's name.
    var runner: String?
    var open: WorkoutPart?
    /// Which lap it is, and since when.
    var laps: String?
    var sharing: Sharing?
    var form: FormPart?
    var hasFriends = false
    var friends: [Link] = []
    let hasNone: Bool
    let done: [Done]
    /// Where older ones are.
    var more: String?
    let who: String, query: String
}

struct WorkoutFriendPage: FramedPage {
    static let template = "workoutFriend"

    let open: WorkoutPart
}
