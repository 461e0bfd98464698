internal import Alerts
internal import Distress
internal import Logging
internal import Peripherals
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// By what the box could reach somebody by itself, and whether anybody could be called at all: its modem, its owner's programs, and the
/// hub as far as it is heard.
@BoxActor
final class LocalMeans {
    private let context: BoxContext
    private let stations: SOSStations
    private(set) var modem = ModemSnapshot()
    private(set) var hooks = HooksGlance()
    /// The results of tests and attempts.
    private(set) var ways: BoxWays
    private let proofs: NewestFile<[String: Milliseconds]>

    /// - Parameter proofs: when each hook last succeeded, UTC milliseconds.
    init(_ context: BoxContext, _ stations: SOSStations, proofs: [String: Milliseconds]) {
        (self.context, self.stations, ways) = (context, stations, BoxWays(hooks: proofs))
        self.proofs = HookProofsFile.writer(context.directory, logger: context.logger)
    }

    // MARK: - What is seen of them

    func begin(_ hooks: HooksGlance) { self.hooks = hooks }

    /// - Returns: whether there are any now and were none, or the other way round.
    func found(_ new: HooksGlance) -> Bool {
        let isChanged = (new.count > 0) != (hooks.count > 0)
        for problem in new.problems where !hooks.problems.contains(problem) { context.logger.error("\(problem)") }
        hooks = new
        return isChanged
    }

    /// - Returns: whether there are more or fewer lines to call by.
    func take(_ modems: [ModemStatus], _ problem: SourceProblem?) -> Bool {
        let before = modem.lines
        modem = ModemSnapshot(modems, problem)
        return modem.lines != before
    }

    /// With the looks of the box: a modem that is only there, and one that is not, are seen by that.
    func lookAtModem() {
        ways.looked(modem: modem.name != nil, modem.problem, at: context.clock.boottime())
        if ways.confirm(at: context.wayTime) { keepProofs() }
    }

    /// A text or a call left, or did not.
    func attempted(to phone: String, _ problem: SourceProblem?, at now: Milliseconds) { ways.attempted(to: phone, problem, at: now) }

    func succeeded(hook name: String, at now: BoxWays.Now) {
        ways.succeeded(hook: name, at: now)
        keepProofs()
    }

    private func keepProofs() { proofs.keep(ways.kept(at: context.wayTime)) }

    // MARK: - Who could be reached

    /// Somebody who is not beside the box could be reached by the box itself.
    func hasOwnMeans(_ person: PersonID) -> Bool {
        if hasProvenHook { return true }
        guard modem.name != nil, let watching = stations.all[person] else { return false }
        return stations.caseSettings(watching).recipients.contains {
            ($0.contact.isTexted && modem.canText || $0.contact.isCalled && modem.canCall) && !ways.modem.isFailing(for: $0.contact.phone)
        }
    }

    private var hasProvenHook: Bool { !ways.proven(among: hooks.names, at: context.wayTime).isEmpty }

    /// ``SOSReport/means``. A modem that refuses everybody whom it is to reach is none, a hook that no test has proven neither.
    func reported(of watching: SOSStation) -> [String] {
        let phones = stations.caseSettings(watching).recipients.map(\.contact.phone)
        let refuses = ways.modem.isFailing || !phones.isEmpty && phones.allSatisfy { ways.modem.isFailing(for: $0) }
        return [modem.canText && !refuses ? "text" : nil, modem.canCall && !refuses ? "call" : nil, hasProvenHook ? "hook" : nil]
            .compactMap(\.self)
    }

    /// The hub answers and has somebody to tell, or the box has means of its own.
    func canCall(_ person: PersonID) -> Bool { hubCanCall(person) || hasOwnMeans(person) }

    /// For a person who has AutomatedSOS off only where the hub says so: release 0.3.0 calls nobody for them.
    func hubCanCall(_ person: PersonID) -> Bool {
        guard stations.isHubHeard(person), let watching = stations.all[person] else { return false }
        let reachesNobody = watching.hub.answer?.reachesNobody
        return watching.settings.distress.isOn ? reachesNobody != true : reachesNobody == false
    }

    /// There is nobody whom hub or box could call, whatever becomes of the connection.
    func isNobodySetUp(_ person: PersonID) -> Bool {
        guard let watching = stations.all[person], !watching.isSettingsLost, hooks.count == 0, stations.isHubHeard(person)
        else { return false }
        let hubHasSomebody = watching.hub.answer?.reachesNobody.map { !$0 } ?? watching.settings.distress.isOn
        return !hubHasSomebody && stations.caseSettings(watching).contacts.isEmpty
    }

    /// A text to a contact would leave now, as far as is known.
    func hasTextedContact(_ watching: SOSStation) -> Bool {
        modem.canText && watching.settings.recipients.contains { $0.contact.isTexted }
    }
}

/// The last known state of the modems.
struct ModemSnapshot: Sendable, Hashable {
    /// Of one that could text or call now.
    var name: String?
    var canText = false
    var canCall = false
    var problem: String?
    /// The number that could call now: each is a line.
    var lines = 0
}

extension ModemSnapshot {
    init(_ modems: [ModemStatus], _ problem: SourceProblem?) {
        let good = modems.first { $0.canText || $0.canCall }
        name = good.map { $0.network.isEmpty ? $0.name : "\($0.name), \($0.network)" }
        (canText, canCall) = (modems.contains(where: \.canText), modems.contains(where: \.canCall))
        self.problem = (problem ?? modems.compactMap(\.problem).first).map { "\($0)" }
        lines = modems.count(where: \.canCall)
    }
}
