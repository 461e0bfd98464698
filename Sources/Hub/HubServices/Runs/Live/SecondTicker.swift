import Seams
import ServiceLifecycle

/// Two loops until the hub stops: what is done each second, and what is read meanwhile. Each has a queue of its own, so that neither waits for the
/// other's disk, and requests wait for none.
struct SecondTicker: Sendable {
    private let machine: Machine
    private let ticking: WorkQueue
    private let reading: WorkQueue

    /// - Parameter name: of the queues, such as "runs".
    init(_ name: String, on machine: Machine) {
        self.machine = machine
        ticking = BlockingQueue.tick.made(on: machine, for: name)
        reading = BlockingQueue.read.made(on: machine, for: name)
    }

    /// - Parameter readNext: false when there is nothing to read for now.
    func run(tick: @escaping @Sendable () -> Void, readNext: @escaping @Sendable () -> Bool) async {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask {
                    var next = machine.uptime
                    while !Task.isCancelled {
                        await ticking.run(tick)
                        // A second from the last one, and none is made up for.
                        next = max(next + .seconds(1), machine.uptime)
                        try? await machine.sleep(for: next - machine.uptime)
                    }
                }
                group.addTask {
                    while !Task.isCancelled {
                        let isMore = await reading.run(readNext)
                        if !isMore { try? await machine.sleep(for: .milliseconds(200)) }
                    }
                }
            }
        }
    }
}
