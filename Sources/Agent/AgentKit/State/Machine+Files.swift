internal import Dispatch
internal import Seams

extension Machine {
    /// A queue on which the agent waits for its disk. Each file has its own: one that hangs holds up no other.
    func queue(ofFile name: String) -> WorkQueue { makeQueue(label: "trackme.\(name)", quality: .unspecified, isConcurrent: false) }
}
