internal import Vitals

/// The words of our own exports (SampleNames.swift), read back.
enum SampleWords {
    static let provenances = words(Provenance.allCases) { $0.exportName.description }
    static let contacts = words([SensorContact.notDetected, .detected]) { $0.exportName?.description ?? "" }
    static let fixes = words([FixMode.twoDimensional, .threeDimensional]) { $0.exportName?.description ?? "" }
    static let positionSources = words(PositionSource.allCases) { $0.exportName.description }
    static let gapReasons = words(GapRecord.Reason.allCases) { $0.exportName.description }
    private static let events = words((0...UInt16(UInt8.max)).map(StateEvent.Code.init(rawValue:))) { code in
        var name: [UInt8] = []
        code.appendName(to: &name)
        return String(decoding: name, as: UTF8.self)
    }

    /// `sensor_lost`, or `event_123` for a code that has no name.
    static func event(_ name: String) -> StateEvent.Code? {
        if let known = events[name] { return known }
        return name.hasPrefix("event_") ? UInt16(name.dropFirst(6)).map(StateEvent.Code.init(rawValue:)) : nil
    }

    /// The name of a code, or the number of one that a later version wrote.
    static func code(_ name: String, _ codes: [String]) -> Int64? { codes.firstIndex(of: name).map(Int64.init) ?? Int64(name) }

    /// RR intervals are written in 0.1 ms, which is fine enough to find the 1/1024 s again.
    static func interval(tenths: Int64) -> UInt16? {
        let (product, overflow) = tenths.multipliedReportingOverflow(by: 1024)
        return overflow || product < 0 ? nil : UInt16(exactly: (product / 5000 + 1) / 2)
    }

    /// Exports say how many segments are lost, not which: they count from 0 here.
    static func gap(_ time: Milliseconds, _ reason: GapRecord.Reason, segments: UInt64) -> GapRecord? {
        segments > 0 ? GapRecord(time: time, sequences: 0...segments - 1, reason: reason) : nil
    }

    private static func words<Value>(_ values: [Value], _ name: (Value) -> String) -> [String: Value] {
        Dictionary(values.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
    }
}
