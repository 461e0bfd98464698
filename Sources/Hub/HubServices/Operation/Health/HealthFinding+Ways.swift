import Alerts
import Vitals

/// What leaves the hub, and what has its time: ways out, mails, webhooks, timers, clock and certificate.
extension HealthFinding {
    /// A clock that was set back by more than this is told, milliseconds.
    static let leadMax: Milliseconds = 1000
    /// Milliseconds before its end at which a certificate is told: as the hub's log tells it, and when it is almost too late.
    static let certificateWarning: Milliseconds = 14 * 86_400_000, certificateFailing: Milliseconds = 2 * 86_400_000
    /// Mails leave within seconds where the mail system takes them. Milliseconds.
    static let mailWarning: Milliseconds = 15 * 60_000, mailFailing: Milliseconds = 3_600_000
    /// Later than this a webhook is not tried that is due, milliseconds.
    static let webhookWarning: Milliseconds = 60_000, webhookFailing: Milliseconds = 600_000

    /// - Parameters:
    ///   - lead: by how much the hub's time is ahead of the clock, milliseconds.
    ///   - isSynchronized: nil where that is not known.
    static func clock(lead: Milliseconds, isSynchronized: Bool?) -> HealthFinding {
        var figures = [MetricSample(.clockLead, Double(max(0, lead)) / 1000)]
        if let isSynchronized { figures.append(MetricSample(.clockSynchronized, isSynchronized ? 1 : 0)) }
        if lead > leadMax {
            return HealthFinding(
                .failing, "The clock was set back by \(minutes(lead)): find out by what (timedatectl), and set it right.", figures)
        }
        switch isSynchronized {
        case true: return HealthFinding(.ok, "systemd-timesyncd keeps it right.", figures)
        case false:
            return HealthFinding(
                .warning,
                "systemd-timesyncd has not set it since the start: look whether its servers answer (timedatectl timesync-status).",
                figures)
        case nil: return HealthFinding(.ok, "It was not set back. Whether it is right, is for what keeps it.", figures)
        }
    }

    /// - Parameters:
    ///   - kind: of ways, as `Way.kind` has it.
    ///   - name: of several of them, in a sentence.
    ///   - none: what is said where there is none.
    static func ways(_ kind: String, _ name: String, none: String, _ all: [(way: Way, health: WayHealth)]) -> HealthFinding {
        let own = all.filter { $0.way.kind == kind }, failing = own.filter(\.health.isFailing)
        guard !own.isEmpty else { return HealthFinding(.ok, none) }
        guard !failing.isEmpty else {
            return HealthFinding(.ok, own.allSatisfy { $0.health.state == .working } ? "It works." : "Not tried yet.")
        }
        let count = own.count == 1 ? name : "\(failing.count) of \(own.count) \(name)"
        return HealthFinding(
            failing.count == own.count ? .failing : .warning,
            "\(count): failing. The page /operator/ways says why, and docs/alerts.md what helps.")
    }

    /// - Parameter end: of the certificate, UTC milliseconds; nil without TLS.
    static func certificate(end: Milliseconds?, now: Milliseconds) -> HealthFinding {
        guard let end else { return HealthFinding(.ok, "This hub does no TLS itself: its proxy's certificate is not seen here.") }
        let figures = [MetricSample(.certificateEnd, Double(end) / 1000)], left = end - now
        let stands = left > 0 ? "It holds for \(left / 86_400_000) more days" : "It ended"
        guard left < certificateWarning else { return HealthFinding(.ok, "\(stands).", figures) }
        return HealthFinding(
            left < certificateFailing ? .failing : .warning,
            "\(stands): put a new one in its place, which is read without a restart; the hub's own is renewed by itself.", figures)
    }

    /// - Parameter oldest: when the oldest mail was written, UTC milliseconds.
    static func mails(_ count: Int, oldest: Milliseconds?, now: Milliseconds) -> HealthFinding {
        let age = oldest.map { max(0, now - $0) } ?? 0
        let figures = [MetricSample(.mails, count), MetricSample(.mailsAge, Double(age) / 1000)]
        let stands = "\(count) mails have not left, the oldest waits for \(minutes(age))"
        guard age > mailWarning else { return HealthFinding(.ok, count == 0 ? "None waits." : "\(stands).", figures) }
        return HealthFinding(
            age > mailFailing ? .failing : .warning,
            "\(stands): look at \"a mail is not sent yet\" in the log, and at the mail system's own.", figures)
    }

    /// - Parameter due: since when the longest waiting webhook should have been tried, UTC milliseconds.
    static func webhooks(_ deliveries: Int, due: Milliseconds?, now: Milliseconds) -> HealthFinding {
        let late = due.map { max(0, now - $0) } ?? 0
        let figures = [MetricSample(.deliveries, deliveries), MetricSample(.webhooksLate, Double(late) / 1000)]
        let stands = "\(deliveries) deliveries wait"
        guard late > webhookWarning else { return HealthFinding(.ok, "\(stands), none is late.", figures) }
        return HealthFinding(
            late > webhookFailing ? .failing : .warning,
            "\(stands), and none was tried for \(minutes(late)): look for \"webhook\" in the log, and at the load of the machine.", figures)
    }

    /// - Parameters:
    ///   - late: timers that are late.
    ///   - veryLate: those of them that are later than ten minutes.
    static func timers(late: Int, veryLate: Int) -> HealthFinding {
        let figures = [MetricSample(.timersLate, late)]
        guard late > 0 else { return HealthFinding(.ok, "None is late.", figures) }
        return HealthFinding(
            veryLate > 0 ? .failing : .warning, "\(late) are late: look for \"a timer failed\" and \"about a run failed\" in the log.",
            figures)
    }
}
