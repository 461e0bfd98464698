internal import Logging
internal import Peripherals
internal import Positioning
internal import Seams
internal import Sensing
internal import ServiceLifecycle
internal import Supervision

/// Runs the box: sources in, samples out, the clock's ticks, and the word to the service manager. It ends when the agent is stopped, after
/// everything that had been heard is stored.
final class BoxService: Service {
    private let box: Box
    private let parts: BoxParts
    private let positions: PositionSources.Configuration
    private let logger: Logger

    init(_ box: Box, parts: BoxParts, positions: PositionSources.Configuration, logger: Logger) {
        self.box = box
        self.parts = parts
        self.positions = positions
        self.logger = logger
    }

    func run() async throws {
        try parts.sources.start(positions)
        try await box.begin()
        logger.saying { () throws(ServiceManagerProblem) in try ServiceManager.ready(status: "collecting; see trackme-agent status") }
        await withGracefulShutdownHandler {
            async let storing: Void = parts.queue.run()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.tick() }
                if let reports = self.parts.reports { group.addTask { await BoxTelling.run(self.box, to: reports) } }
                group.addTask { await self.box.stallDetector.run(self.parts.sos.hub, self.box.context.clock) }
                for await event in self.parts.sources.events { await self.box.take(event) }
                group.cancelAll()
            }
            logger.saying { () throws(ServiceManagerProblem) in try ServiceManager.stopping() }
            await box.end()
            parts.queue.finish()
            await storing
        } onGracefulShutdown: {
            self.parts.sources.stop()
        }
        parts.sources.stop()
        parts.announcer.stop()
        await parts.recorder.sealReporting()
    }

    private func tick() async {
        var second = 0
        while !Task.isCancelled {
            if second.isMultiple(of: 10) { await box.chain.lookAtBuffer() }
            if second.isMultiple(of: 60) { await box.lookAtHooks() }
            if second.isMultiple(of: 20) { await box.means.lookAtModem() }
            await box.tick()
            // A box that no longer does its work is started anew by the service manager.
            if await box.chain.isAlive() { logger.saying { () throws(ServiceManagerProblem) in try ServiceManager.watchdog() } }
            second += 1
            try? await box.context.clock.machine.sleep(for: .seconds(1))
        }
    }
}

extension Logger {
    /// Says a word to the service manager; that it was not heard is a warning.
    func saying<Problem: CustomStringConvertible>(_ word: () throws(Problem) -> Void) {
        do throws(Problem) { try word() } catch { warning("\(error)") }
    }
}
