import AgentKit
import ArgumentParser

struct ReportFlag: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flag", abstract: "Report a fall or a seizure that a detector on this box noticed.",
        discussion: """
            The person is asked "are you OK?" by sound, page and button. Without an answer in 30 seconds help is called, as for a critical \
            heart rate. The same event again within 10 seconds is the same one; while an alarm is open no second one begins.

            Ends with 1, and says why, where nobody is asked: AutomatedSOS is off, paused, or waits to be reactivated. The event is kept all \
            the same, except in a pause. Where this box looks after several people, --person says whose it is.
            """)

    enum Event: String, ExpressibleByArgument, CaseIterable { case fall, seizure }

    @Argument(help: "fall or seizure")
    var event: Event
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.perform(ControlRequest(.flag, flag: event.rawValue)) }
}
