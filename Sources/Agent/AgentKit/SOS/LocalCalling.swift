internal import Peripherals
internal import Sensing
internal import Vitals

/// How the box calls for help by its own means, for one person. All calls return at once.
protocol LocalCalling: Sendable {
    /// For the next alarm.
    func change(_ plan: LocalAlarm.Plan)
    /// Starts, unless it goes on already. A drill gives way to the real thing.
    /// - Parameter since: when the case was raised, UTC milliseconds; nil: now. Answers that are older do not count.
    func raise(mode: LocalAlarm.Mode, isUpdate: Bool, since: Milliseconds?)
    /// There is more to tell.
    func changed()
    /// Somebody has taken it.
    func acknowledged()
    /// The owner of the case, here or elsewhere, is asked whether somebody is with the person.
    func ask(_ recipient: Int)
    /// It is over.
    func stop()
    /// It is over, after the calls had ended: whoever may have been told hears it, in writing.
    func standDown()
    /// Texts everybody who is texted, outside of any alarm; nothing while one goes on.
    /// - Parameter text: for the recipient at that place of the plan.
    func notify(_ text: @escaping @Sendable (Int) -> String)
}

extension LocalCaller: LocalCalling {}

/// Makes the means of one person: what an attempt says, and who takes what happens, are handed in.
typealias LocalCallingMaker =
    @Sendable (
        LocalAlarm.Plan, @escaping @Sendable (LocalAlarm.Attempt) -> LocalCaller.Message,
        @escaping @Sendable (LocalCaller.Event) -> Void
    ) -> any LocalCalling
