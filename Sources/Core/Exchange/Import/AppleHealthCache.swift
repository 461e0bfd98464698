internal import Vitals

/// Values of earlier records: Apple's export has them by type, and those of one program behind each other.
struct AppleHealthCache: Sendable {
    private var typeBytes: [UInt8] = [], lastType = AppleHealthType.unknown
    /// Of the last type.
    private(set) var typeName = ""
    private var unitBytes: [UInt8] = [], unitKind: DataKind?, lastUnit: ImportUnit?
    private var nameBytes: [UInt8] = [], deviceBytes: [UInt8] = []
    private var lastSource = HealthImport.Source(name: "")

    mutating func type(_ bytes: ArraySlice<UInt8>) -> AppleHealthType {
        guard !typeBytes.elementsEqual(bytes) else { return lastType }
        typeBytes = Array(bytes)
        typeName = String(decoding: bytes.prefix(256), as: UTF8.self)
        lastType = AppleHealthType(typeName)
        return lastType
    }

    mutating func unit(_ bytes: ArraySlice<UInt8>, _ kind: DataKind) -> ImportUnit? {
        guard unitKind != kind || !unitBytes.elementsEqual(bytes) else { return lastUnit }
        (unitBytes, unitKind) = (Array(bytes), kind)
        lastUnit = ImportUnit(String(decoding: bytes.prefix(64), as: UTF8.self), storedIn: kind.entry.unit)
        return lastUnit
    }

    /// The source of the last tag.
    mutating func source(_ tags: XMLTagStream) -> HealthImport.Source {
        // The address, which comes first, differs from record to record.
        let name = tags.value("sourceName") ?? [], device = (tags.value("device") ?? []).drop { $0 != UInt8(ascii: ",") }
        guard !nameBytes.elementsEqual(name) || !deviceBytes.elementsEqual(device) else { return lastSource }
        (nameBytes, deviceBytes) = (Array(name), Array(device))
        lastSource = HealthImport.Source(
            name: XMLScanner.unescaped(String(decoding: name, as: UTF8.self)),
            device: Self.device(XMLScanner.unescaped(String(decoding: device, as: UTF8.self))))
        return lastSource
    }

    /// `, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:8.3>` is `Apple Watch (Watch6,2)`.
    static func device(_ text: String) -> String? {
        var fields: [Substring: Substring] = [:]
        for field in text.prefix(1000).split(separator: ", ") {
            let parts = field.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields[parts[0]] = parts[1].hasSuffix(">") ? parts[1].dropLast() : parts[1] }
        }
        guard let name = fields["name"] ?? fields["model"] else { return nil }
        return fields["hardware"].map { "\(name) (\($0))" } ?? String(name)
    }
}
