import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// My health, or that of a minor child: latest values, plots and statistics (DATA-4, DATA-5, DATA-6). It works without script.
struct HealthPages: Sendable {
    static let own = "/health", ofWard = "/care/person/:id/health"

    let accounts: AccountStore
    let history: HistoryService
    let templates: Templates
    /// A month of readings takes its time.
    let reads: ReadPool<AccountID>
    /// Whether AutomatedSOS is on for somebody.
    let isProtected: @Sendable (PersonID) throws -> Bool
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        for base in [Self.own, Self.ofWard] {
            router.get("\(base)") { request, context in try await page(request, context) }
        }
    }

    /// Where the page of somebody is.
    static func path(_ subject: DataSubject) -> String { subject.isOwn ? own : "/care/person/\(subject.person)/health" }

    /// - Throws: `ReadPoolBusy` where so many wait for the same: ``ErrorPages`` says so.
    private func page(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), time = now(), texts = frame.texts, history = history
        let subject = try DataSubject(frame, context, accounts: accounts, now: time)
        guard let grant = try accounts.consents.authority(over: subject.person).grant(to: subject.session.account.id, at: time) else {
            throw PageRefusal.notAllowed
        }
        let query = try HealthQuery(request, now: time, in: texts.zone ?? .gmt)
        let asked = HealthReading.Asked(
            account: subject.account, zones: query.zones(of: subject.account), isProtected: try isProtected(subject.person), now: time)
        let found = try await reads.run(for: subject.session.account.id) { try HealthReading(query, history, grant, asked) }
        guard let reading = found else { throw PageRefusal.notAllowed }
        let model = HealthModel(
            query: query, reading: reading, base: Self.path(subject),
            protectionPath: subject.isOwn ? "/protection" : "/care/person/\(subject.person)/protection",
            workoutsPath: WorkoutRecordPages.path(subject), importsPath: "\(subject.base)/import", texts: texts, now: time)
        let title = subject.isOwn ? texts["health.title"] : texts.filled("health.titleOf", ["name": subject.account.name])
        return templates.page(
            model.page(), frame, title: title, help: subject.isOwn ? "health" : subject.help,
            status: query.problem == nil ? .ok : .unprocessableContent)
    }
}
