import Exchange
import TestSupport
import Testing
import Vitals

/// 2026-11-27T12:00:00Z.
let importTime: Milliseconds = 1_795_780_800_000

/// What a reader gave of a file.
struct Imported {
    var parts: [HealthImport.Part] = []
    var report: ImportReport

    var samples: SampleSet {
        parts.reduce(into: SampleSet()) { $0.append($1.samples) }
    }

    /// `weight 7250 1714546800000..1714546800000` and the like, in the order of the file.
    var scalars: [String] {
        samples.scalars.map { sample in
            "\(sample.kind.name) \(sample.kind.entry.text(of: sample.value))" + (sample.second.map { " / \($0)" } ?? "")
                + (sample.end.map { " for \(($0 - sample.time) / 1000) s" } ?? "")
        }
    }

    /// `value weight line 3 x2`.
    var problems: [String] {
        report.problems.map { problem in
            let place =
                switch problem.place {
                case .file: "file"
                case .line(let line): "line \(line)"
                case .item(let list, let index): "\(list)[\(index)]"
                }
            return "\(problem.code)" + (problem.detail.map { " \($0)" } ?? "") + " \(place)"
                + (problem.count > 1 ? " x\(problem.count)" : "")
        }
    }
}

extension HealthReader {
    /// The whole file, in pieces of `size` bytes.
    func all(of file: some Sequence<UInt8>, inPiecesOf size: Int = 4096) -> Imported {
        var reader = self, parts: [HealthImport.Part] = []
        let bytes = Array(file)
        for start in stride(from: 0, to: bytes.count, by: size) {
            parts += reader.read(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        parts += reader.finish()
        return Imported(parts: parts, report: reader.report)
    }
}

extension SampleSet {
    /// Each kind in the order of time, as an export has it.
    var inOrder: SampleSet {
        var set = self
        set.heartRates.sort { $0.time < $1.time }
        set.positions.sort { $0.time < $1.time }
        set.scalars = scalars.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
        return set
    }

    /// A sample of each scalar kind at each end of its range, a minute apart, with the shortest and the longest span and second values.
    static func everyScalar() throws -> SampleSet {
        var set = SampleSet(), time = someTime
        for kind in DataKind.scalars {
            let entry = kind.entry
            for isLower in [true, false] {
                var sample = try #require(ScalarSample(kind, time: time, value: isLower ? entry.range.lowerBound : entry.range.upperBound))
                if let second = entry.second {
                    sample.second = isLower ? second.range.lowerBound : min(second.range.upperBound, entry.range.upperBound)
                }
                switch entry.span {
                case .none: break
                case .optional(let max): sample.end = isLower ? nil : time + max
                case .required(let max): sample.end = isLower ? time : time + max
                }
                try #require(sample.problem == nil)
                set.scalars.append(sample)
                time += 60_000
            }
        }
        return set
    }
}
