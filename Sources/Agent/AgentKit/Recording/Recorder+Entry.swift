internal import SampleBuffer
internal import Vitals

extension Recorder {
    /// Stores what a person entered, in a stream of its own and at once.
    /// - Throws: where the disk does not take it: nothing of it is kept, and the person is told.
    func enter(_ sample: ScalarSample, of person: PersonID) throws(BufferError) {
        // A seal that the disk did not confirm is looked at by the next one of its stream.
        if let trouble { throw BufferError.notWritable(path: configuration.stateDirectory, detail: trouble) }
        try buffer.seal([SealPart(person: person, clock: .wall, samples: SampleSet(scalars: [sample]))], to: .manual, at: now)
        nudges.signal(.sealed)
    }
}
