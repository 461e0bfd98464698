import Alerts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Seams
import ServiceLifecycle
import Vitals

/// What programs that watch the hub read: that it lives, whether it does its work, and its figures (docs/metrics.md).
struct HealthFeature: Sendable {
    private let core: HubCore
    private let sos: SOSService
    private let watch: HealthWatch
    private let token: MetricsToken
    /// The threads of connections.
    private let loops: any EventLoopGroup

    /// Prometheus' text format.
    static let exposition = "text/plain; version=0.0.4; charset=utf-8"

    init(_ core: HubCore, _ sos: SOSService, loops: any EventLoopGroup) throws {
        (self.core, self.sos, self.loops) = (core, sos, loops)
        token = try MetricsToken(core.directory, machine: core.machine)
        let looks = HealthLooks(
            core.directory, accounts: core.accounts, series: core.series, runs: core.runsStore, sos: sos, time: core.dispatchTime,
            now: core.now)
        let certificates = core.identity.certificates
        let watch = HealthWatch(
            looks.all { certificates.end.map { Milliseconds($0.timeIntervalSince1970 * 1000) } }, machine: core.machine, logger: core.logger
        )
        self.watch = watch
        let started = Double(core.machine.utc) / 1000, most = core.configuration.listen.connectionsMax
        core.metrics.add { watch.samples }
        core.metrics.add { looks.figures() }
        core.metrics.add {
            [
                MetricSample(.ready, sos.faults.isEmpty && watch.faults.isEmpty ? 1 : 0), MetricSample(.build, 1, HubVersion.current),
                MetricSample(.connectionsMax, most), MetricSample(.processStart, started),
            ]
        }
    }

    /// For everybody, and for whoever watches.
    func routes(_ router: Router<HubContext>) {
        let notes = TrustedProxies(core.configuration).isAssumed ? [TrustedProxies.assumed] : []
        let sos = sos, watch = watch, token = token, loops = loops, metrics = core.metrics
        router.get("/healthz") { _, _ in "ok" }
        // One thread of connections that stands still holds up the answer: who asks gives up, and knows.
        router.get("/livez") { _, _ in
            for loop in loops.makeIterator() { try await loop.submit {}.get() }
            return "alive\n"
        }
        router.get("/readyz") { request, _ in
            Readiness.response(
                sos, notes: notes + core.shedding.notes, checks: watch.findings, faults: watch.faults, isWhole: token.isBorne(by: request))
        }
        router.get("/metrics") { request, _ -> Response in
            guard token.isBorne(by: request) else { return MetricsToken.refusal }
            return Response(
                status: .ok, headers: [.contentType: Self.exposition, .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: metrics.samples.exposition)))
        }
    }

    var services: [any Service] { [watch] }
}

/// For programs that watch the hub: whether an alarm would be seen to, and how what it needs stands. It names kinds of ways and no people.
enum Readiness {
    private typealias Finding = (check: HealthCheck, finding: HealthFinding)

    /// - Parameters:
    ///   - notes: what is to be known beside that.
    ///   - faults: the checks without which the hub keeps nothing.
    ///   - isWhole: whether all is told of the checks; else only which of them fail.
    static func response(
        _ sos: SOSService, notes: [String], checks: [(check: HealthCheck, finding: HealthFinding)], faults: [HealthCheck], isWhole: Bool
    ) -> Response {
        let sosFaults = sos.faults, isReady = sosFaults.isEmpty && faults.isEmpty
        let failing = sos.ways.failing.map { "failing: \($0.way.kind)" }
        let lines = [isReady ? "ready" : "not ready"] + sosFaults.map(\.description) + failing
        let checked = isWhole ? checks.map(line) : failingOnly(checks)
        return Response(
            status: isReady ? .ok : .serviceUnavailable,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: (lines + checked + notes).joined(separator: "\n") + "\n")))
    }

    private static func line(_ one: Finding) -> String { "\(one.check.rawValue): \(one.finding.state.word): \(one.finding.text)" }

    /// The ways stand there by themselves.
    private static func failingOnly(_ checks: [Finding]) -> [String] {
        checks.compactMap { check, finding in
            finding.state == .failing && ![.mail, .texts, .rooms].contains(check) ? "failing: \(check.rawValue)" : nil
        }
    }
}
