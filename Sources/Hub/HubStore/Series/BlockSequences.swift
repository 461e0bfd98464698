import Foundation
import Segments
import Vitals

/// With which segment each sample of a block came: sequences of the block's stream, in the order of its samples. Readers by arrival find in a block by
/// them what they have not had (CONS-14).
struct BlockSequences: Sendable, Hashable {
    /// Samples behind each other that came with one segment.
    struct Run: Sendable, Hashable {
        /// nil where the block is older than what is told apart.
        var sequence: UInt64?
        var count: Int
    }

    private(set) var runs: [Run] = []

    /// Samples of one block that are told apart, at most: 55 a second. Of denser ones the place of a reader begins anew.
    static let countMax = 200_000
    private static let version: UInt64 = 1

    init() {}

    /// Of so many samples nobody knows it.
    init(unknown count: Int) { append(nil, count: count) }

    var count: Int { runs.reduce(0) { $0 + $1.count } }

    mutating func append(_ sequence: UInt64?, count: Int = 1) {
        guard count > 0 else { return }
        if let last = runs.last, last.sequence == sequence {
            runs[runs.count - 1].count += count
        } else {
            runs.append(Run(sequence: sequence, count: count))
        }
    }

    mutating func append(_ other: BlockSequences) { for run in other.runs { append(run.sequence, count: run.count) } }

    /// Follows a sort of the samples by time; equal times keep their order.
    /// - Parameter times: before the sort.
    mutating func sort(by times: [Milliseconds]) {
        guard times.count == count, times.indices.dropFirst().contains(where: { times[$0 - 1] > times[$0] }) else { return }
        let all = sequences
        var sorted = BlockSequences()
        for index in times.indices.sorted(by: { (times[$0], $0) < (times[$1], $1) }) { sorted.append(all[index]) }
        self = sorted
    }

    /// Follows a removal of samples; `isGone` has one entry for each.
    mutating func remove(where isGone: [Bool]) {
        guard isGone.count == count else { return }
        var left = BlockSequences()
        for (sequence, isGone) in zip(sequences, isGone) where !isGone { left.append(sequence) }
        self = left
    }

    private var sequences: [UInt64?] {
        var all: [UInt64?] = []
        all.reserveCapacity(count)
        for run in runs { all.append(contentsOf: repeatElement(run.sequence, count: run.count)) }
        return all
    }

    /// The samples of a block that came with these segments. A block holds one kind.
    func parts(of samples: SampleSet, in wanted: Set<UInt64>) -> [UInt64: SampleSet] {
        guard let column = samples.columns.first else { return [:] }
        var parts: [UInt64: SampleSet] = [:], start = 0
        for run in runs {
            defer { start += run.count }
            guard let sequence = run.sequence, wanted.contains(sequence) else { continue }
            parts[sequence, default: SampleSet()].append(column.part(start..<start + run.count))
        }
        return parts
    }

    // MARK: Bytes

    /// Runs as groups: twice the count of one run and whether its sequence is unknown, the difference to the sequence before, and how many more runs
    /// follow that go on in the same way. A sensor at 1 Hz takes one or two groups an hour.
    func encoded() -> [UInt8] {
        var writer = NumberWriter(), previous: UInt64 = 0, index = 0
        writer.write(Self.version)
        while index < runs.count {
            let run = runs[index]
            writer.write(UInt64(run.count) << 1 | (run.sequence == nil ? 1 : 0))
            index += 1
            guard let sequence = run.sequence else { continue }
            let difference = sequence &- previous
            writer.write(signed: Int64(bitPattern: difference))
            previous = sequence
            var more: UInt64 = 0
            while index < runs.count, runs[index].count == run.count, let next = runs[index].sequence, next &- previous == difference {
                (previous, index, more) = (next, index + 1, more + 1)
            }
            writer.write(more)
        }
        return writer.bytes
    }

    /// nil for anything that ``encoded()`` did not write.
    init?(decoding bytes: some Sequence<UInt8>) {
        var reader = NumberReader(bytes), previous: UInt64 = 0, left = Self.countMax
        guard reader.number() == Self.version else { return nil }
        while !reader.isAtEnd {
            guard let head = reader.number(), head >> 1 > 0, head >> 1 <= UInt64(left) else { return nil }
            let count = Int(head >> 1)
            left -= count
            guard head & 1 == 0 else {
                append(nil, count: count)
                continue
            }
            guard let difference = reader.signed(), let more = reader.count(left / count) else { return nil }
            left -= more * count
            for _ in 0...more {
                previous = previous &+ UInt64(bitPattern: difference)
                append(previous, count: count)
            }
        }
    }

    // MARK: Beside a block

    /// Sealed beside the block that holds these samples; empty where it is not known or too much.
    static func sealed(
        _ sequences: BlockSequences?, of samples: SampleSet, with key: PersonKey, beside block: Envelope.Place
    ) throws -> Data {
        guard let sequences, sequences.count <= countMax, sequences.count == samples.timesInOrder.count else { return Data() }
        return Data(try Envelope.seal(sequences.encoded(), with: key, at: place(beside: block)))
    }

    /// - Parameter envelope: nil for a block that an older hub wrote: of none of its samples it is known.
    /// - Returns: nil where it cannot be told, or is too much.
    static func open(
        _ envelope: Data?, of samples: SampleSet, with key: PersonKey, beside block: Envelope.Place
    ) -> BlockSequences? {
        let count = samples.timesInOrder.count
        guard let envelope else { return BlockSequences(unknown: count) }
        guard !envelope.isEmpty, let plain = try? Envelope.open(envelope, with: key, at: place(beside: block)) else { return nil }
        return BlockSequences(decoding: plain).flatMap { $0.count == count ? $0 : nil }
    }

    private static func place(beside block: Envelope.Place) -> Envelope.Place {
        Envelope.Place(person: block.person, table: .blockSequences, row: block.row)
    }
}

extension SampleSet {
    /// The times of all samples that have one, in the order of ``columns``.
    var timesInOrder: [Milliseconds] { columns.flatMap(\.times) }

    /// Which samples of a block go where some kinds go at times for which `isGone` holds, in the order of ``columns``: as ``remove(_:where:)`` does it.
    func gone(_ kinds: Set<DataKind>, where isGone: (Milliseconds) -> Bool) -> [Bool] {
        columns.flatMap { column -> [Bool] in
            switch column {
            case .heartRates(let all): all.map { kinds.contains(.heartRate) && isGone($0.time) }
            case .positions(let all): all.map { kinds.contains(.position) && isGone($0.time) }
            case .events(let all):
                all.map { (kinds.contains(.event) || kinds.contains(.flaggedEvent) && $0.code.isFlag) && isGone($0.time) }
            case .gaps(let all): all.map { kinds.contains(.gap) && isGone($0.time) }
            case .clocks(let all): all.map { kinds.contains(.clock) && isGone($0.time) }
            case .scalars(let kind, let all): all.map { kinds.contains(kind) && isGone($0.time) }
            case .unknown: []
            }
        }
    }
}

extension SampleColumn {
    fileprivate var times: [Milliseconds] {
        switch self {
        case .heartRates(let all): all.map(\.time)
        case .positions(let all): all.map(\.time)
        case .events(let all): all.map(\.time)
        case .gaps(let all): all.map(\.time)
        case .clocks(let all): all.map(\.time)
        case .scalars(_, let all): all.map(\.time)
        case .unknown: []
        }
    }

    fileprivate func part(_ range: Range<Int>) -> SampleSet {
        var part = SampleSet()
        switch self {
        case .heartRates(let all): part.heartRates = Array(all[range])
        case .positions(let all): part.positions = Array(all[range])
        case .events(let all): part.events = Array(all[range])
        case .gaps(let all): part.gaps = Array(all[range])
        case .clocks(let all): part.clocks = Array(all[range])
        case .scalars(_, let all): part.scalars = Array(all[range])
        case .unknown: break
        }
        return part
    }
}
