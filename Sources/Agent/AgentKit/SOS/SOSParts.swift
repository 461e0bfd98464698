internal import Foundation
internal import Logging
internal import Peripherals
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// The parts of AutomatedSOS on this box.
struct SOSParts: Sendable {
    var hub: any SOSHub
    var calling: LocalCallingMaker
    /// As kept; nil where nobody has turned it on yet.
    var settings: SOSSettings?
    /// They were there and could not be read.
    var isSettingsLost = false
    /// The state that was open when the agent ended.
    var state: SOSState?
    /// Where people were as the agent ended.
    var places: [StoredPosition] = []
    /// Which programs of the owner would run, and why others would not.
    var hooks: @Sendable () -> HooksGlance = { HooksGlance() }
    /// When each of them last succeeded, UTC milliseconds.
    var hookProofs: [String: Milliseconds] = [:]
}

extension SOSParts {
    /// The real ones.
    static func ofBox(
        configuration: AgentConfiguration, directory: StateDirectory, hub: any SOSHub, announcer: Announcer, logger: Logger,
        programs: Hooks.Configuration? = nil
    ) -> SOSParts {
        var ofFolder = Hooks.Configuration()
        (ofFolder.folder, ofFolder.programs) = (configuration.hooks, directory.machine.programs)
        let programs = programs ?? ofFolder
        let (settings, damage) = SOSSettingsFile.load(from: directory.path, machine: directory.machine)
        if let damage { logger.error("\(damage)") }
        let (state, stateDamage) = SOSStateFile.load(from: directory.path, machine: directory.machine)
        if let stateDamage { logger.error("\(stateDamage)") }
        let (places, placeDamage) = LastPlaceFile.load(from: directory.path, machine: directory.machine)
        if let placeDamage { logger.error("\(placeDamage)") }
        // Each person's runs have their own; all look at the folder together, so that what was counted is what runs.
        let hooks = Hooks(configuration: programs) { _ in }, runners = Runners()
        let voice = announcer.voice ?? Voice()
        let modem = configuration.modem.caller(on: directory.machine)
        let calling: LocalCallingMaker = { plan, render, sink in
            let caller = LocalCaller(
                plan: plan, voice: voice, modem: modem.map { modem in { ModemCaller(configuration: modem, sink: $0) } },
                hooks: { runners.add(Hooks(configuration: programs, sink: $0)) }, render: render, sink: sink)
            logger.saying { () throws(SourceProblem) in try caller.start() }
            return caller
        }
        return SOSParts(
            hub: hub, calling: calling, settings: settings, isSettingsLost: damage != nil, state: state, places: places,
            hooks: {
                hooks.refresh()
                runners.refresh()
                let names = hooks.folder.programs.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
                return HooksGlance(names: names, problems: hooks.folder.problems.map(\.description))
            }, hookProofs: HookProofsFile.load(from: directory.path, machine: directory.machine))
    }
}

/// The hooks of all people.
private final class Runners: Sendable {
    private let all = Mutex<[Hooks]>([])

    func add(_ hooks: Hooks) -> Hooks {
        all.withLock { $0.append(hooks) }
        return hooks
    }

    func refresh() { for hooks in all.withLock({ $0 }) { hooks.refresh() } }
}

extension AgentConfiguration.Modem {
    /// nil where no modem is to be used.
    fileprivate func caller(on machine: Machine) -> ModemCaller.Configuration? {
        guard isEnabled else { return nil }
        var caller = ModemCaller.Configuration()
        (caller.audioDevice, caller.programs) = (audio, machine.programs)
        caller.allowedShortNumbers = Set(shortNumbers.compactMap(PhoneNumber.init))
        return caller
    }
}
