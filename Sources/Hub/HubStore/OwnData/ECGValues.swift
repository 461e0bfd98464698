import Vitals

/// The values of a strip as bytes: for each lead its values in their order, each as the difference to the one before, in base 128 with the
/// sign in the lowest bit, counted from 1; 0 where there is none. An ECG takes about one byte a value.
enum ECGValues {
    static func encode(_ strip: ECGStrip) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(strip.count * strip.leads.count * 3 / 2)
        for lead in strip.leads {
            var last: Int64 = 0
            for value in lead.values {
                guard let value else {
                    bytes.append(0)
                    continue
                }
                let step = Int64(value) - last
                append(UInt64(bitPattern: step << 1 ^ step >> 63) + 1, to: &bytes)
                last = Int64(value)
            }
        }
        return bytes
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 127 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The strip with its values.
    /// - Throws: ``HubStoreError/wrongKey(what:)`` for bytes that no strip has.
    static func strip(_ bytes: [UInt8], _ stored: StoredECG) throws -> ECGStrip? {
        let damaged = HubStoreError.wrongKey(what: "An ECG of \(bytes.count) bytes")
        var at = 0, leads: [ECGStrip.Lead] = []
        for name in stored.head.leads {
            var last: Int64 = 0, values: [Int32?] = []
            for _ in 0..<stored.head.count {
                guard let number = number(bytes, &at) else { throw damaged }
                guard number > 0 else {
                    values.append(nil)
                    continue
                }
                let step = Int64(bitPattern: (number - 1) >> 1) ^ -Int64(bitPattern: (number - 1) & 1)
                last = last &+ step
                guard let value = Int32(exactly: last) else { throw damaged }
                values.append(value)
            }
            leads.append(ECGStrip.Lead(name: ECGLeadName(name), values: values))
        }
        guard at == bytes.count else { throw damaged }
        do {
            return try ECGStrip(
                time: stored.time, millihertz: stored.head.millihertz, leads: leads, source: stored.head.source, said: stored.head.said)
        } catch { throw damaged }
    }

    private static func number(_ bytes: [UInt8], _ at: inout Int) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard at < bytes.count else { return nil }
            let byte = bytes[at]
            at += 1
            number |= UInt64(byte & 127) << UInt64(shift)
            if byte < 128 { return number }
        }
        return nil
    }
}
