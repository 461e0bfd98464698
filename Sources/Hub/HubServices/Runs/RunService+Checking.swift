public import HubStore
public import Runs

extension RunService {
    /// All that is wrong with a run as an organiser means it, for a form that shows everything at once.
    /// - Parameters:
    ///   - course: nil where the one there is stays.
    ///   - run: the one that is edited.
    public func faults(_ plan: RunPlan, course: CoursePlan?, of run: StoredRun? = nil) -> [RunFault] {
        plan.cleaned.faults(enrolled: run?.enrolled ?? 0, now: now) + (course.map(courseFaults) ?? [])
    }
}
