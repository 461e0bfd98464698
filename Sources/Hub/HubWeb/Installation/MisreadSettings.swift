import Configuration
import Synchronization

/// Hears which settings have a value that is not of their kind: the reader gives none for them, as if they were not set.
final class MisreadSettings: AccessReporter {
    private let found = Mutex<[String]>([])

    /// A sentence for each, with what to write instead. The value stands in none: it may be a secret.
    var mistakes: [String] { found.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let isRefused = event.providerResults.contains { if case .failure = $0.result { true } else { false } }
        guard isRefused || event.conversionError != nil else { return }
        let key = event.metadata.key.components.joined(separator: ".")
        found.withLock { $0.append("\(key) has a value that is not \(Self.kind(event.metadata.valueType)).") }
    }

    private static func kind(_ type: ConfigType) -> String {
        switch type {
        case .int: "a whole number: write it without quotation marks, like 8443"
        case .double: "a number: write it like 4.5"
        case .bool: "true or false: write one of these words"
        case .stringArray, .intArray, .doubleArray, .boolArray, .byteChunkArray: "a list: write it like [one, two]"
        case .string, .bytes: "a text: put it into quotation marks"
        }
    }
}
