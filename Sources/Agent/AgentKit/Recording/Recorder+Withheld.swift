internal import Logging
internal import SampleBuffer
internal import Vitals

/// What the hub refused because it does not know for whom this box sends.
extension Recorder {
    /// The hub takes these people's: what was kept of them goes out, oldest last as ever.
    func bringBack(_ people: Set<PersonID>) {
        outbox.bringBack(people)
        do throws(BufferError) {
            let count = try WithheldSegments(buffer).bringBack(people)
            guard count > 0 else { return }
            logger.notice("the hub takes again what it did not know as this box's: it is sent now", metadata: ["segments": "\(count)"])
            nudges.signal(.sealed)
        } catch {
            // It says it again within five minutes.
            logger.debug("\(error)")
        }
    }
}
