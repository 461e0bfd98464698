internal import Alerts
internal import Foundation
internal import Logging
internal import Peripherals
internal import Seams
internal import Sensing
internal import Vitals

/// Whether the box's own ways to people work (SOS-22): its modem, by how it is and by what became of real texts and calls, and the programs of its
/// owner, by tests that went through.
struct BoxWays: Sendable, Hashable {
    /// A hook counts as somebody for so long after a test, or an alarm, in which it succeeded: 30 days.
    static let provenFor: Milliseconds = 30 * 86_400_000

    private(set) var modem = WayHealth()
    /// The box's knowledge of the time: UTC is only believed where it was confirmed since the boot.
    struct Now: Sendable, Hashable {
        var utc: Milliseconds
        var isConfirmed: Bool
        var boottime: Milliseconds
    }

    /// A proof that is so far ahead of a confirmed time is of a clock that was wrong, milliseconds.
    static let aheadMax: Milliseconds = 86_400_000

    /// When each hook last succeeded, UTC milliseconds, by its file's name.
    private(set) var hooks: [String: Milliseconds]
    /// The same by the boot clock, for those that succeeded while nothing had confirmed the time.
    private(set) var hooksOfBoot: [String: Milliseconds] = [:]

    init(hooks: [String: Milliseconds] = [:]) { self.hooks = hooks }

    /// The modem was looked at; `problem` says why it could neither text nor call.
    mutating func looked(modem isReady: Bool, _ problem: String?, at now: Milliseconds) {
        modem.probed(
            "network", isReady ? .success("ready") : .failure(WayFailure(problem ?? "there is no modem that could text or call")), at: now)
    }

    /// A text or a call left, or did not.
    mutating func attempted(to recipient: String, _ problem: SourceProblem?, at now: Milliseconds) {
        guard let problem else { return modem.attempted(to: recipient, .success("left"), at: now) }
        switch problem.kind {
        // It rang and nobody took it: the modem did its part.
        case .notTaken, .noSound, .oldAnswer: modem.attempted(to: recipient, .success("rang"), at: now)
        // The next look shows whether that lasts.
        case .noModem, .noSIM, .noNetwork: break
        case .undelivered: modem.attempted(to: recipient, .failure(WayFailure("\(problem)", isOfWay: false)), at: now)
        default: modem.attempted(to: recipient, .failure(WayFailure("\(problem)")), at: now)
        }
    }

    /// A time that nothing confirmed is kept with the boot clock until something does: a proof must neither end with the first right time nor
    /// outlive its days by a clock that was ahead.
    mutating func succeeded(hook name: String, at now: Now) {
        hooksOfBoot[name] = now.boottime
        confirm(at: now)
    }

    /// - Returns: whether ``hooks`` is another one now.
    @discardableResult
    mutating func confirm(at now: Now) -> Bool {
        guard now.isConfirmed, !hooksOfBoot.isEmpty else { return false }
        for (name, time) in hooksOfBoot { hooks[name] = now.utc - (now.boottime - time) }
        hooksOfBoot = [:]
        return true
    }

    /// What is kept over restarts: also what nothing has confirmed yet, by the best time that there is.
    func kept(at now: Now) -> [String: Milliseconds] {
        hooks.merging(hooksOfBoot.mapValues { now.utc - (now.boottime - $0) }) { $1 }
    }

    /// How long a hook still counts as somebody, milliseconds; nil where it does not. A clock that nothing confirmed takes nothing away while it
    /// is behind.
    private func left(_ name: String, at now: Now) -> Milliseconds? {
        let age: Milliseconds
        if let time = hooksOfBoot[name] {
            age = now.boottime - time
        } else if let time = hooks[name], !now.isConfirmed || time - now.utc <= Self.aheadMax {
            age = now.utc - time
        } else {
            return nil
        }
        return age < Self.provenFor ? Self.provenFor - age : nil
    }

    /// Those among `names` that count as somebody.
    func proven(among names: [String], at now: Now) -> [String] { names.filter { left($0, at: now) != nil } }

    /// How long until the first of the hooks' proofs ends, among those that count, milliseconds; nil for none.
    func provenFor(among names: [String], at now: Now) -> Milliseconds? { names.compactMap { left($0, at: now) }.min() }
}

/// The contents of the folder of hooks.
struct HooksGlance: Sendable, Hashable {
    /// Of the files that would run.
    var names: [String] = []
    /// Why others would not.
    var problems: [String] = []

    var count: Int { names.count }
}

/// When each hook last succeeded, in a file.
enum HookProofsFile {
    private static let file = "sos-hooks.json"

    /// Nothing for a file that cannot be read: a test then has to go through again, which the box says.
    static func load(from path: String, machine: Machine = .system) -> [String: Milliseconds] {
        guard let content = try? StateDirectory.read(file, in: path, machine: machine) else { return [:] }
        return (try? JSONDecoder().decode([String: Milliseconds].self, from: Data(content))) ?? [:]
    }

    static func writer(_ directory: StateDirectory, logger: Logger) -> NewestFile<[String: Milliseconds]> {
        NewestFile(
            file, in: directory, refusal: "that a test of the hooks went through is forgotten when the agent restarts", logger: logger)
    }
}
