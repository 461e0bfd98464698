import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// The streams of a workout: `event: workout` each second with a ``HubServices/WorkoutShown``, `event: end` when it is over, or not shared any more.
extension WorkoutPages {
    func streams(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/workout/events") { request, context in
            let account = try Frame(request, context).session().account, runner = try runner(request, account)
            guard let open = try workouts.openWorkout(of: runner.person, for: account) else { throw HTTPError(.notFound) }
            return try RunLiveRoutes.stream(request) { () throws(RunBusy) in
                try live.watch(open, from: context.address)
            } holds: {
                RunLiveRoutes.isLoggedIn(account.id, request, service)
                    && (try? site.accounts.consents.authority(over: runner.person).grant(to: account.id, at: live.now)) != nil
            }
        }
        router.get("/runs/workout/friends/:person/events") { request, context in
            let account = try Frame(request, context).session().account, (person, _) = try shared(context, account)
            guard let (_, workout) = try site.store.workouts.workoutGrant(of: person, to: account.id) else {
                throw HTTPError(.notFound)
            }
            return try RunLiveRoutes.stream(request) { () throws(RunBusy) in
                try live.watch(workout, as: account.id, from: context.address)
            } holds: {
                // What is told ends with the sharing; this one with the log-in too.
                RunLiveRoutes.isLoggedIn(account.id, request, service)
            }
        }
    }
}
