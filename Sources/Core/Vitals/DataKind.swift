/// The kinds of data that are stored, granted and asked for apart from each other. What each is stands in ``KindEntry``.
///
/// The raw value is stored and sent, and never used again: it is the number of the kind's column in segments and blocks. At most 62.
public enum DataKind: UInt8, Sendable, Hashable, Codable, CaseIterable {
    case heartRate = 1
    case position = 2
    case event = 3
    case gap = 4
    case clock = 5
    // Parts of another kind's column; they have none of their own.
    case rrIntervals = 8
    case energyExpended = 9
    case flaggedEvent = 10
    // Scalars: each a column of ``ScalarSample``s.
    case bodyTemperature = 16
    case steps = 17
    case cadence = 18
    case distance = 19
    case speed = 20
    case weight = 21
    case height = 22
    case activeEnergy = 23
    case restingEnergy = 24
    case standHours = 25
    case sleep = 26
    case nutritionEnergy = 27
    case water = 28
    case bloodPressure = 29
    case activity = 30
    case oxygenSaturation = 31
    // Attachments: never in a segment or block.
    case ecg = 48
}

extension DataKind {
    /// The kind's row of the table. A kind without one does not compile.
    public var entry: KindEntry {
        switch self {
        case .heartRate: .heartRate
        case .position: .position
        case .event: .event
        case .gap: .gap
        case .clock: .clock
        case .rrIntervals: .rrIntervals
        case .energyExpended: .energyExpended
        case .flaggedEvent: .flaggedEvent
        case .bodyTemperature: .bodyTemperature
        case .steps: .steps
        case .cadence: .cadence
        case .distance: .distance
        case .speed: .speed
        case .weight: .weight
        case .height: .height
        case .activeEnergy: .activeEnergy
        case .restingEnergy: .restingEnergy
        case .standHours: .standHours
        case .sleep: .sleep
        case .nutritionEnergy: .nutritionEnergy
        case .water: .water
        case .bloodPressure: .bloodPressure
        case .activity: .activity
        case .oxygenSaturation: .oxygenSaturation
        case .ecg: .ecg
        }
    }

    /// The kind with such a ``name``; nil for any other text.
    public init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// As the API, exports and texts write it: `heart_rate`. It never changes.
    public var name: String { entry.name }

    /// The kind in whose column the samples stand: another one for parts, such as RR intervals.
    public var column: DataKind {
        switch entry.storage {
        case .own, .scalar, .attachment: self
        case .part(let whole): whole
        }
    }

    /// The kinds that are parts of this one's samples.
    public var parts: Set<DataKind> { Self.partsByWhole[self] ?? [] }

    private static let partsByWhole: [DataKind: Set<DataKind>] = Dictionary(grouping: allCases.filter { $0.column != $0 }, by: \.column)
        .mapValues { Set($0) }

    /// Whether the samples are ``ScalarSample``s.
    public var isScalar: Bool { Self.scalarBits >> UInt64(rawValue) & 1 == 1 }

    /// Asked for each sample that is decoded: a bit for each kind.
    private static let scalarBits = allCases.reduce(0 as UInt64) { $1.entry.storage == .scalar ? $0 | 1 << UInt64($1.rawValue) : $0 }

    /// Whether it is uploaded and kept as a whole, apart from the series.
    public var isAttachment: Bool { entry.storage == .attachment }

    /// All scalar kinds in the order of their numbers.
    public static let scalars = allCases.filter(\.isScalar)

    /// The most samples in any ``SampleDensity/window``.
    public var densityMax: Int { entry.densityMax }
}
