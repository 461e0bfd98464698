import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// How available each service was, for everybody (OPS-7, PERF-4). It names nobody.
struct StatusPages: Sendable {
    static let path = "/status"

    let availability: AvailabilityStore
    let planned: PlannedMaintenance
    let templates: Templates
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/status") { request, context in
            let frame = Frame(request, context)
            return try templates.page(model(frame.texts), frame, title: frame.texts["status.title"], help: "status")
        }
    }

    private func model(_ texts: Texts) throws -> StatusPage {
        let time = now()
        return StatusPage(
            services: try MeasuredService.allCases.map { try item($0, texts, at: time) },
            next: planned.next.map {
                texts.filled("status.next", ["from": texts.instant($0.begin), "to": texts.instant($0.end)])
            },
            hours: planned.hours.map { texts.filled("status.hours", ["hours": "\($0)"]) })
    }

    private func item(_ service: MeasuredService, _ texts: Texts, at now: Milliseconds) throws -> StatusPage.Item {
        let months = try Availability.months(of: service, availability, now: now).map { month in
            StatusPage.Month(
                name: Self.name(of: month.begin, texts), available: Self.percent(month.available, texts),
                unplanned: Self.minutes(month.unplanned, texts), planned: Self.minutes(month.planned, texts),
                measured: texts.number(Int(month.measured / 3_600_000)))
        }
        let outage = try Availability.current(of: service, availability, now: now)
        let state = outage.map { texts.filled("status.down", ["time": texts.instant($0.begin)]) } ?? texts["status.up"]
        return StatusPage.Item(
            id: "service\(service.rawValue)", name: texts["status.name_\(service)"], about: texts["status.about_\(service)"], state: state,
            level: outage == nil ? "good" : "bad", hasMonths: !months.isEmpty, months: months)
    }

    /// Of a month in UTC.
    static func name(of begin: Milliseconds, _ texts: Texts) -> String {
        let date = CalendarDate(utc: begin), months = texts["date.months"].split(separator: " ")
        return months.indices.contains(date.month - 1) ? "\(months[date.month - 1]) \(date.year)" : "\(date.month)/\(date.year)"
    }

    /// - Parameter hundredths: of a percent.
    static func percent(_ hundredths: Int, _ texts: Texts) -> String {
        let rest = hundredths % 100
        return "\(hundredths / 100)\(texts["date.decimal"])\(rest < 10 ? "0" : "")\(rest) %"
    }

    /// Rounded up: an outage of a second is one of a minute.
    static func minutes(_ span: Milliseconds, _ texts: Texts) -> String { texts.number(Int((span + 59_999) / 60_000)) }
}

struct StatusPage: FramedPage {
    static let template = "status"

    struct Month: TemplateModel {
        let name: String, available: String, unplanned: String, planned: String, measured: String
    }

    struct Item: TemplateModel {
        let id: String, name: String, about: String, state: String, level: String
        let hasMonths: Bool
        let months: [Month]
    }

    let services: [Item]
    var next: String?
    var hours: String?
}
