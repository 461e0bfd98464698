import Accounts
public import Vitals

/// The outcome of a question about one kind in one window. A refusal says nothing else: not which of the reasons it was, and no number.
public enum GroupOutcome: Sendable, Hashable {
    /// 16 noisy counts, the variance of the noise in each of them, and the parts of the group of which nothing was released.
    case released(counts: [Int64], variance: Double, missing: [GroupCell])
    /// Too few people, nobody, or no such group (GRP-2).
    case refused
}

/// A window as an organisation got it. It stays as it was delivered.
public struct GroupDelivery: Sendable, Hashable {
    public let window: GroupWindow
    /// UTC milliseconds.
    public let at: Milliseconds
    public let results: [GroupResult]

    public init(window: GroupWindow, at: Milliseconds, results: [GroupResult]) {
        (self.window, self.at, self.results) = (window, at, results)
    }
}

/// The outcome of one kind.
public struct GroupResult: Sendable, Hashable {
    public let kind: DataKind
    public let outcome: GroupOutcome

    public init(_ kind: DataKind, _ outcome: GroupOutcome) { (self.kind, self.outcome) = (kind, outcome) }

    /// The figures; nil for a refusal.
    public var answer: GroupAnswer? {
        guard case .released(let counts, let variance, _) = outcome, let bins = GroupBins(kind), counts.count == GroupBins.count,
            counts.reduce(0, +) > 0
        else { return nil }
        return GroupAnswer(bins: bins, counts: counts, variance: variance)
    }

    /// Parts of the group of which nothing was released; none for a refusal.
    public var missing: [GroupCell] {
        if case .released(_, _, let missing) = outcome { missing } else { [] }
    }

    /// Parts that are kept with a delivery, at most.
    public static let missingMax = 500
}

extension GroupDelivery: Codable {
    private struct StoredCell: Codable {
        let sex: UInt8, age: Int, region: String
    }

    private struct StoredResult: Codable {
        let kind: UInt8, counts: [Int64]?, variance: Double?, missing: [StoredCell]?
    }

    private enum CodingKeys: CodingKey {
        case length, number, at, results
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(window.length, forKey: .length)
        try values.encode(window.number, forKey: .number)
        try values.encode(at, forKey: .at)
        try values.encode(
            results.map { result in
                guard case .released(let counts, let variance, let missing) = result.outcome else {
                    return StoredResult(kind: result.kind.rawValue, counts: nil, variance: nil, missing: nil)
                }
                let cells = missing.prefix(GroupResult.missingMax).map {
                    StoredCell(sex: $0.sex.rawValue, age: $0.band.from, region: $0.region.text)
                }
                return StoredResult(kind: result.kind.rawValue, counts: counts, variance: variance, missing: cells)
            }, forKey: .results)
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        window = GroupWindow(
            try values.decode(GroupWindow.Length.self, forKey: .length), number: try values.decode(Int64.self, forKey: .number))
        at = try values.decode(Milliseconds.self, forKey: .at)
        results = try values.decode([StoredResult].self, forKey: .results).map { stored in
            guard let kind = DataKind(rawValue: stored.kind) else {
                throw DecodingError.dataCorruptedError(forKey: .results, in: values, debugDescription: "no kind of data")
            }
            guard let counts = stored.counts, let variance = stored.variance else { return GroupResult(kind, .refused) }
            let missing = (stored.missing ?? []).compactMap { cell -> GroupCell? in
                guard let sex = CellSex(rawValue: cell.sex), let region = RegionCode(cell.region) else { return nil }
                return GroupCell(sex, AgeBand(age: cell.age), region)
            }
            return GroupResult(kind, .released(counts: counts, variance: variance, missing: missing))
        }
    }
}
