/// One number of a figure, as it is now.
public struct MetricSample: Sendable, Hashable {
    public let metric: HubMetric
    /// One for each of the figure's labels.
    public let labels: [String]
    /// In the unit that the figure's name ends with.
    public let value: Double
    /// Of a histogram: which of its lines.
    let part: Part

    enum Part: Sendable, Hashable {
        case whole
        /// Up to so many seconds; nil for all.
        case bucket(Double?)
        case sum, count
    }

    public init(_ metric: HubMetric, _ value: Double, _ labels: String...) {
        self.init(metric, value, labels: labels, part: .whole)
    }

    public init(_ metric: HubMetric, _ value: some BinaryInteger, _ labels: String...) {
        self.init(metric, Double(value), labels: labels, part: .whole)
    }

    init(_ metric: HubMetric, _ value: Double, labels: [String], part: Part) {
        (self.metric, self.value, self.labels, self.part) = (metric, value, labels, part)
    }
}

extension Sequence<MetricSample> {
    /// In Prometheus' text format 0.0.4: each figure that is there with its help and its type.
    public var exposition: String {
        let known = Dictionary(grouping: self, by: \.metric)
        var text = ""
        for metric in HubMetric.allCases {
            guard let samples = known[metric] else { continue }
            let facts = metric.facts
            text += "# HELP \(metric.rawValue) \(facts.help)\n# TYPE \(metric.rawValue) \(facts.kind.rawValue)\n"
            for sample in samples { text += sample.line(facts.labels) }
        }
        return text
    }
}

extension MetricSample {
    fileprivate func line(_ names: [String]) -> String {
        var pairs = zip(names, labels).map { "\($0)=\"\(Self.escaped($1))\"" }, name = metric.rawValue
        switch part {
        case .whole: break
        case .bucket(let limit):
            name += "_bucket"
            pairs.append("le=\"\(limit.map(Self.text) ?? "+Inf")\"")
        case .sum: name += "_sum"
        case .count: name += "_count"
        }
        return "\(name)\(pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") \(Self.text(value))\n"
    }

    private static func escaped(_ label: String) -> String {
        label.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// Whole numbers without a point. Counters are far from 2^53.
    private static func text(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }
}
