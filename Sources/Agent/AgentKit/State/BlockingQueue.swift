internal import Dispatch

/// The queues on which the agent waits for its disk. Each file has its own: one that hangs holds up no other.
enum BlockingQueue {
    static func ofFile(_ name: String) -> DispatchQueue { DispatchQueue(label: "trackme.\(name)") }
}
