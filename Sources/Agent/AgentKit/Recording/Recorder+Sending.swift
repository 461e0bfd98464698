internal import Logging
internal import SampleBuffer
internal import Seams
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// Requests of the sync loop.
extension Recorder {
    func nextBatch(bytesMax: Int) throws(BufferError) -> OutgoingBatch? {
        defer { tellNotices() }
        if let batch = outbox.batch() { return batch }
        do throws(BufferError) { return try buffer.nextBatch(bytesMax: bytesMax, at: now, live: live) } catch {
            guard let batch = live.batch(bytesMax: bytesMax) else { throw error }
            return batch
        }
    }

    /// - Parameters: `sent` and `received`: when the request went out and its answer came, by the monotonic clock.
    func apply(_ answer: SyncAnswer, to batch: SentBatch, sent: Milliseconds, received: Milliseconds) throws(BufferError) -> AnswerOutcome {
        if let outcome = applyToMemory(answer, to: batch, sent: sent, received: received) { return outcome }
        var outcome: AnswerOutcome
        do throws(BufferError) { outcome = try buffer.apply(answer, to: batch, &live, at: now) } catch {
            // The hub takes things, whatever the disk does.
            acknowledged = clock.boottime()
            throw error
        }
        outcome.more = outcome.more || live.waiting.segments > 0
        if outcome.acknowledged > 0 { acknowledged = clock.boottime() }
        if outcome.moved > 0 { beginLiveStream() }
        note(answer, sent: sent, received: received)
        tell(outcome)
        return outcome
    }

    /// Nothing goes to the stream of before any more: after a fork the disk numbers what goes to its successor.
    private func beginLiveStream() {
        guard live.count == 0 else { return }
        live = LiveOutbox(stream: clock.machine.randomness.id())
        let known = clocks.withLock { $0.current(now: clock.boottime(), utc: clock.utc()) }
        liveClocks.withLock {
            $0 = ClockComparisons()
            $0.putBack(known)
        }
    }

    /// The hub did not take what was sent: what only memory holds is not left waiting for it.
    func noteNoAnswer() {
        acknowledged = nil
        look()
    }

    /// The same for SOS records that went out from memory, without waiting for the disk; nil when the batch holds none.
    nonisolated func applyToMemory(
        _ answer: SyncAnswer, to batch: SentBatch, sent: Milliseconds, received: Milliseconds
    ) -> AnswerOutcome? {
        guard let outcome = outbox.apply(answer, to: batch) else { return nil }
        note(answer, sent: sent, received: received)
        tell(outcome)
        return outcome
    }

    private nonisolated func note(_ answer: SyncAnswer, sent: Milliseconds, received: Milliseconds) {
        guard target == .live else { return }
        let half = (received - sent + 1) / 2
        noteClock(utc: answer.utc, at: sent + half, uncertainty: UInt32(clamping: half + 1), source: .hub)
    }

    nonisolated func noteClock(utc: Milliseconds, at time: Milliseconds, uncertainty: UInt32, source: ClockRecord.Source) {
        clocks.withLock { $0.note(utc: utc, at: time, uncertainty: uncertainty, source: source, every: configuration.clockEvery) }
        liveClocks.withLock { $0.note(utc: utc, at: time, uncertainty: uncertainty, source: source, every: configuration.clockEvery) }
    }

    private nonisolated func tell(_ outcome: AnswerOutcome) {
        refused.withLock { $0 += outcome.refused }
        // Whom the hub does not know is told once, by ``Departures``.
        let forGood = outcome.refused - outcome.withheld
        if forGood > 0 {
            logger.error("the hub refused segments for good; `trackme-agent status` says why", metadata: ["segments": "\(forGood)"])
        }
        if outcome.moved > 0 {
            logger.warning(
                "this box's data exists twice: a copied card or a restored image. Going on in a new stream",
                metadata: ["segments": "\(outcome.moved)"])
        }
        if outcome.lostByHub > 0 {
            logger.notice("the hub lost segments and gets them again", metadata: ["segments": "\(outcome.lostByHub)"])
        }
    }

    nonisolated func tell(thinned count: Int) {
        logger.warning("a sensor sends more often than is kept: what is beyond is left out", metadata: ["samples": "\(count)"])
    }

    func holdsUnsentSOS() throws(BufferError) -> Bool { try buffer.holdsUnsentSOS() }

    /// Brings acknowledgements that wait in memory to the disk.
    func settle() {
        do throws(BufferError) { try buffer.settle() } catch { logger.debug("\(error)") }
    }

    func store(hubAddress: String) throws(BufferError) { try buffer.store(hubAddress: hubAddress) }

    func storedToken() throws(BufferError) -> String? { try buffer.token() }

    func store(token: String, newStream: Bool) throws(BufferError) {
        // What was collected under the old order still belongs to the old stream.
        if newStream { try seal() }
        try buffer.store(token: token, newStream: newStream)
        guard newStream else { return }
        beginLiveStream()
        logger.warning(
            "the hub does not know this box's last token: a copied card, a restored image or a restored hub. Going on in a new stream")
    }

    func bufferStatus() throws(BufferError) -> BufferStatus {
        var status = try buffer.status()
        let (waiting, arrived) = (live.waiting, live.arrived)
        status.unsentSegments += waiting.segments
        status.unsentSamples += waiting.samples
        status.acknowledgedSegments += arrived.segments
        status.acknowledgedSamples += arrived.samples
        return status
    }

    func waiting() throws(BufferError) -> (segments: Int, samples: Int) {
        let stored = try buffer.waiting(), waiting = live.waiting
        return (stored.segments + waiting.segments, stored.samples + waiting.samples)
    }
}
