import Vitals

/// What a merge adds to each block: samples of one kind, clock and hour, and with which segment each came.
struct AddedSamples {
    struct Place: Hashable {
        var kind: DataKind
        var clock: Int64
        /// Of the clock, since its zero.
        var hour: Int64
    }

    struct Block {
        var samples = SampleSet()
        var sequences = BlockSequences()

        fileprivate mutating func add(_ sequence: UInt64, _ append: (inout SampleSet) -> Void) {
            append(&samples)
            sequences.append(sequence)
        }
    }

    private var blocks: [Place: Block] = [:]

    var count: Int { blocks.count }

    /// The older stream first: in a closed hour it is the one that counts.
    var inOrder: [(Place, Block)] {
        blocks.sorted { ($0.key.clock, $0.key.hour) < ($1.key.clock, $1.key.hour) }.map { ($0.key, $0.value) }
    }

    /// The hour of a clock in which a time of it lies.
    static func hour(_ time: Milliseconds) -> Int64 { Int64((Double(time) / 3_600_000).rounded(.down)) }

    mutating func add(_ samples: SampleSet, clock: Int64, sequence: UInt64) {
        func place(_ kind: DataKind, _ time: Milliseconds) -> Place { Place(kind: kind, clock: clock, hour: Self.hour(time)) }
        for column in samples.columns {
            switch column {
            case .heartRates(let list):
                for sample in list {
                    blocks[place(.heartRate, sample.time), default: .init()].add(sequence) { $0.heartRates.append(sample) }
                }
            case .positions(let list):
                for sample in list { blocks[place(.position, sample.time), default: .init()].add(sequence) { $0.positions.append(sample) } }
            case .events(let list):
                for sample in list { blocks[place(.event, sample.time), default: .init()].add(sequence) { $0.events.append(sample) } }
            case .gaps(let list):
                for sample in list { blocks[place(.gap, sample.time), default: .init()].add(sequence) { $0.gaps.append(sample) } }
            case .clocks(let list):
                for sample in list { blocks[place(.clock, sample.time), default: .init()].add(sequence) { $0.clocks.append(sample) } }
            case .scalars(let kind, let list):
                for sample in list { blocks[place(kind, sample.time), default: .init()].add(sequence) { $0.scalars.append(sample) } }
            // What cannot be read is kept with the events of the hour in which it came.
            case .unknown(let list):
                blocks[place(.event, samples.timeRange?.lowerBound ?? 0), default: .init()].samples.unknown += list
            }
        }
    }
}
