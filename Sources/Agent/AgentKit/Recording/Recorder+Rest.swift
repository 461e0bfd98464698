internal import Logging
internal import SampleBuffer
internal import Seams

/// What a salvage had no time to read of a damaged file, in turns between which samples are taken as ever.
extension Recorder {
    static let turnInterval = Duration.seconds(1)
    /// After a turn that failed: the disk is full, or does not come back.
    private static let retryInterval = Duration.seconds(60)

    func carryOn(after wait: Duration) {
        guard buffer.owesRest, !carriesOn else { return }
        carriesOn = true
        clock.machine.start { [weak self, machine = clock.machine] in
            try? await machine.sleep(for: wait)
            await self?.takeTurn()
        }
    }

    private func takeTurn() {
        carriesOn = false
        var wait = Self.turnInterval
        do throws(BufferError) {
            if try buffer.carryOn(at: now) > 0 { nudges.signal(.sealed) }
        } catch {
            logger.debug("\(error)")
            wait = Self.retryInterval
        }
        carryOn(after: wait)
        tellNotices()
    }
}
