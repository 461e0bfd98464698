import Foundation
import Segments
import Vitals

/// The workload of a run: request bodies in the order of time, each with one segment of ten seconds of one person. Every run is a new stream,
/// so that the hub has none of it.
public struct Workload: Sendable {
    /// The kinds of data in a segment.
    public enum Kinds: String, Sendable, CaseIterable {
        case both
        case heartRate = "heart-rate"
        case position
    }

    private enum Source: Sendable {
        /// Runners that end now.
        case runners(seconds: Int)
        /// A recorded activity, worn by everybody.
        case activity(Activity)
    }

    private let people: Int
    private let kinds: Kinds
    private let source: Source

    /// The span of one segment.
    static let secondsPerSegment = 10
    /// One day, for one person.
    static let secondsMax = 86_400

    /// Runners at one heart rate and one position a second.
    public init(people: Int, seconds: Int, kinds: Kinds = .both) throws {
        guard seconds.isMultiple(of: Self.secondsPerSegment), (Self.secondsPerSegment...Self.secondsMax).contains(seconds) else {
            throw FleetError("Seconds: a multiple of \(Self.secondsPerSegment) up to \(Self.secondsMax), not \(seconds).")
        }
        self.people = people
        self.kinds = kinds
        source = .runners(seconds: seconds)
    }

    /// An activity from a file (see ``Activity``).
    public init(people: Int, activity file: String, kinds: Kinds = .both) throws {
        self.people = people
        self.kinds = kinds
        source = .activity(try Activity(contentsOf: file))
    }

    /// All samples divided by all requests.
    var samplesPerRequest: Double {
        switch source {
        case .runners: Double(Self.secondsPerSegment) * (kinds == .both ? 2 : 1)
        case .activity(let activity):
            Double(activity.slices(kinds).reduce(0) { $0 + $1.count }) / Double(max(1, activity.slices(kinds).count))
        }
    }

    /// Calls `send` with each body.
    func forEachBody(of fleet: FleetState, _ send: ([UInt8]) throws -> Void) throws {
        let people = try fleet.people(people)
        let stream = StreamID.random()
        var sequence: UInt64 = 0
        func pass(_ person: PersonID, _ samples: SampleSet, _ clock: ClockDomain, _ provenance: Provenance) throws {
            sequence += 1
            let segment = Segment(
                stream: stream, sequence: sequence, person: person, provenance: provenance, clock: clock, samples: samples)
            try send(try SegmentBatch.encode([segment.encoded()]))
        }
        switch source {
        case .activity(let activity):
            for slice in activity.slices(kinds) {
                for person in people { try pass(person, slice, .recorded, .replay) }
            }
        case .runners(let seconds):
            var runners = people.indices.map(Runner.init)
            let start = (Clocks.utcMilliseconds() / 1000 - Milliseconds(seconds)) * 1000
            for second in stride(from: 0, to: seconds, by: Self.secondsPerSegment) {
                for (index, person) in people.enumerated() {
                    let samples = Self.samples(of: &runners[index], from: start + Milliseconds(second) * 1000, kinds)
                    try pass(person, samples, .wall, .live)
                }
            }
        }
    }

    private static func samples(of runner: inout Runner, from start: Milliseconds, _ kinds: Kinds) -> SampleSet {
        var samples = SampleSet()
        for second in 0..<secondsPerSegment {
            let (heartRate, position) = runner.step(at: start + Milliseconds(second) * 1000)
            if kinds != .position { samples.heartRates.append(heartRate) }
            if kinds != .heartRate { samples.positions.append(position) }
        }
        return samples
    }
}

extension Fleet {
    /// Writes bodies for a load generator that reads `[length of path, 4 bytes little-endian][length of body, likewise][path][body]`, with an
    /// empty path, and makes sure that the token in the state file is fresh.
    /// - Returns: how many bodies were written.
    public mutating func writeBodies(_ work: Workload, to path: String) async throws -> Int {
        _ = try await token()
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path) else {
            throw FleetError("\(path) cannot be written: is the folder there and writable?")
        }
        defer { try? file.close() }
        var pending = Data()
        var count = 0
        try work.forEachBody(of: state) { body in
            withUnsafeBytes(of: (UInt32(0).littleEndian, UInt32(body.count).littleEndian)) { pending.append(contentsOf: $0) }
            pending.append(contentsOf: body)
            count += 1
            if pending.count > 1 << 20 {
                try file.write(contentsOf: pending)
                pending.removeAll(keepingCapacity: true)
                if count.isMultiple(of: 10_000) { progress("\(count) bodies") }
            }
        }
        try file.write(contentsOf: pending)
        return count
    }
}
