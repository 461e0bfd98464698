import HubServices
import HubStore

/// What waits for operators on the pages of the console: the menu counts it.
struct ConsoleCounts: Sendable {
    let sos: SOSService
    let mails: FailedMails
    let checks: RunChecks

    /// Open alarms, mails that were given up lately, and runs that wait for a look.
    func all() throws -> Int { try sos.views.countsOfOpen.all + mails.countLately() + checks.countWaiting() }
}
