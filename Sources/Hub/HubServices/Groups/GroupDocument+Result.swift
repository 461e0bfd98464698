import Accounts
public import Groups
import Vitals

extension GroupDocument {
    /// One kind in one window.
    struct Result: Encodable {
        let kind: String, unit: String, status: String
        let count: Figure?, mean: Figure?, median: Figure?
        let percentiles: [Percentile]
        let histogram: [Class]
        let shares: [Share]
        let missing: [Missing]
        let missingMore: Bool

        enum CodingKeys: String, CodingKey {
            case kind, unit, status, count, mean, median, percentiles, histogram, shares, missing
            case missingMore = "missing_more"
        }

        init(_ result: GroupResult, _ list: RegionList) {
            let answer = result.answer, bins = GroupBins(result.kind)
            (kind, unit, status) = (result.kind.name, bins?.unit ?? "", answer == nil ? "refused" : "released")
            (count, mean, median) = (answer.map { Figure($0.count) }, answer?.mean.map(Figure.init), answer?.median.map(Figure.init))
            percentiles = GroupDocument.percents.compactMap { percent in
                answer?.percentile(Double(percent) / 100).map(Figure.init).map {
                    Percentile(percent: percent, value: $0.value, low: $0.low, high: $0.high)
                }
            }
            histogram = (answer?.histogram ?? []).enumerated().map { number, estimate in
                let figure = Figure(estimate), isOrdered = bins?.isOrdered == true
                return Class(
                    number: number, from: isOrdered && number > 0 ? bins?.lowest(of: number) : nil,
                    below: isOrdered && number < GroupBins.count - 1 ? bins?.lowest(of: number + 1) : nil, count: figure.value,
                    low: figure.low, high: figure.high)
            }
            shares = (1..<GroupBins.count).compactMap { edge in
                guard let bins, let figure = answer?.share(from: edge).map(Figure.init) else { return nil }
                return Share(from: bins.lowest(of: edge), share: figure.value, low: figure.low, high: figure.high)
            }
            // Of a refusal all is missing.
            let left = answer == nil ? [] : result.missing
            missing = left.prefix(GroupDocument.missingMax).map {
                Missing(sex: $0.sex.word, from: $0.band.from, through: $0.band.through, region: $0.region.text)
            }
            missingMore = left.count > GroupDocument.missingMax
        }

        /// Members that are null are there, too: a refusal has the shape of an answer.
        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(kind, forKey: .kind)
            try values.encode(unit, forKey: .unit)
            try values.encode(status, forKey: .status)
            try values.encode(count, forKey: .count)
            try values.encode(mean, forKey: .mean)
            try values.encode(median, forKey: .median)
            try values.encode(percentiles, forKey: .percentiles)
            try values.encode(histogram, forKey: .histogram)
            try values.encode(shares, forKey: .shares)
            try values.encode(missing, forKey: .missing)
            try values.encode(missingMore, forKey: .missingMore)
        }

        /// As lines of a table; none for a refusal.
        var figures: [(name: String, at: String, estimate: Estimate)] {
            func line(_ name: String, _ at: String, _ figure: Figure?) -> [(name: String, at: String, estimate: Estimate)] {
                figure.map { [(name, at, Estimate($0.value, low: $0.low, high: $0.high))] } ?? []
            }
            return line("count", "", count) + line("mean", "", mean) + line("median", "", median)
                + percentiles.map { ("percentile", "\($0.percent)", Estimate($0.value, low: $0.low, high: $0.high)) }
                + histogram.map { ("class", $0.from.map(GroupDocument.text) ?? "", Estimate($0.count, low: $0.low, high: $0.high)) }
                + shares.map { ("share", GroupDocument.text($0.from), Estimate($0.share, low: $0.low, high: $0.high)) }
        }
    }
}

extension CellSex {
    /// As programs read it.
    public var word: String {
        switch self {
        case .female: "female"
        case .male: "male"
        case .other: "other"
        }
    }

    public init?(word: String) {
        guard let sex = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = sex
    }
}

extension AgeBand {
    /// Bands next to each other as one span of ages.
    /// - Returns: in order; `through` is nil where it has no end.
    public static func spans(_ bands: [AgeBand]) -> [(from: Int, through: Int?)] {
        bands.sorted().reduce(into: []) { spans, band in
            if let last = spans.last?.through, last + 1 == band.from {
                spans[spans.count - 1].through = band.through
            } else {
                spans.append((band.from, band.through))
            }
        }
    }
}

extension DoorQuestion.Range {
    /// In the kind's unit; nil for no limit. The outer classes hold all that is beyond them.
    public var limits: (from: Double?, below: Double?) {
        guard let classes = GroupBins(kind) else { return (nil, nil) }
        return (
            bins.lowerBound > 0 ? classes.lowest(of: bins.lowerBound) : nil,
            bins.upperBound < GroupBins.count - 1 ? classes.lowest(of: bins.upperBound + 1) : nil
        )
    }
}
