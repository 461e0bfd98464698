/// Files with electrocardiograms that nobody's heart made.
public enum MadeECG {
    /// Beats of 1 mV each second, in microvolts.
    public static func curve(_ count: Int, hertz: Int, scale: Int32 = 1) -> [Int32] {
        (0..<count).map { index in
            let phase = index % hertz * 100 / hertz
            let value: Int32 =
                switch phase {
                case 20..<24: Int32(phase - 20) * 40
                case 38: -120
                case 40: 1000
                case 41: 600
                case 42: -240
                case 60..<70: Int32(5 - abs(phase - 65)) * 50
                default: Int32(phase % 3) * 4
                }
            return value * scale
        }
    }

    /// Apple Health's CSV of one ECG.
    public static func apple(
        date: String = "2026-03-02 09:12:18 +0100", classification: String = "Sinus Rhythm", rate: String = "512 hertz",
        unit: String = "µV",
        values: [String]? = nil
    ) -> String {
        let lines = values ?? curve(512 * 30, hertz: 512).map { "\($0).25" }
        return """
            Name,Ada Made-Up
            Date of Birth,1 Jan 1980
            Recorded Date,\(date)
            Classification,\(classification)
            Symptoms,
            Software Version,1.90
            Device,"Apple Watch4,2"
            Sample Rate,\(rate)


            Lead,Lead I
            Unit,\(unit)


            """ + lines.joined(separator: "\n") + "\n"
    }

    /// A signal of an EDF file.
    public struct Signal: Sendable {
        public var label: String, dimension = "uV", physical = ("-3276.8", "3276.7"), digital = ("-32768", "32767")
        /// Samples of each record, one record after the other.
        public var records: [[Int16]]

        public init(_ label: String, _ records: [[Int16]]) { (self.label, self.records) = (label, records) }
    }

    /// An EDF file; with `plus` an EDF+ one with `Startdate` and equipment.
    public static func edf(
        _ signals: [Signal], plus: String = "EDF+C", date: String = "02.03.26", time: String = "09.12.18", duration: String = "1",
        records: Int? = nil
    ) -> [UInt8] {
        func field(_ text: String, _ length: Int) -> [UInt8] {
            Array(text.utf8.prefix(length)) + [UInt8](repeating: 32, count: max(0, length - text.utf8.count))
        }
        let count = records ?? signals.first?.records.count ?? 0
        var bytes = field("0", 8) + field("X F 01-JAN-1980 Ada_Made-Up", 80) + field("Startdate 02-MAR-2026 PSG-1 NN Made_Recorder", 80)
        bytes += field(date, 8) + field(time, 8) + field("\(256 * (signals.count + 1))", 8) + field(plus, 44)
        bytes += field("\(count)", 8) + field(duration, 8) + field("\(signals.count)", 4)
        for signal in signals { bytes += field(signal.label, 16) }
        for _ in signals { bytes += field("AgAgCl electrode", 80) }
        for signal in signals { bytes += field(signal.dimension, 8) }
        for signal in signals { bytes += field(signal.physical.0, 8) }
        for signal in signals { bytes += field(signal.physical.1, 8) }
        for signal in signals { bytes += field(signal.digital.0, 8) }
        for signal in signals { bytes += field(signal.digital.1, 8) }
        for _ in signals { bytes += field("HP:0.05Hz LP:250Hz", 80) }
        for signal in signals { bytes += field("\(signal.records.first?.count ?? 0)", 8) }
        for _ in signals { bytes += field("", 32) }
        for record in 0..<(signals.first?.records.count ?? 0) {
            for signal in signals {
                for value in signal.records[record] {
                    bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
                }
            }
        }
        return bytes
    }

    /// Samples of a signal that hold text of an annotation list.
    public static func annotations(_ text: String, samples: Int = 16) -> [Int16] {
        let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: max(0, 2 * samples - text.utf8.count))
        return (0..<samples).map { Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8) }
    }

    /// A FHIR R4 Observation with a component for each lead.
    public static func fhir(
        time: String = "2026-03-02T09:12:18+01:00", period: String = "2", unit: String = "mV",
        leads: [(code: String, data: String)], origin: String = "0", extra: String = ""
    ) -> String {
        let parts = leads.map { lead in
            """
            {"code":{"coding":[{"system":"urn:oid:2.16.840.1.113883.6.24","code":"\(lead.code)"}]},"valueSampledData":{"origin":{"value":\(origin),\
            "unit":"\(unit)","system":"http://unitsofmeasure.org","code":"\(unit)"},"period":\(period),"factor":0.001,"dimensions":1,\
            "data":"\(lead.data)"}}
            """
        }.joined(separator: ",")
        return """
            {"resourceType":"Observation","status":"final","subject":{"display":"Ada Made-Up"},"effectiveDateTime":"\(time)",\
            "device":{"display":"Made Recorder"},"interpretation":[{"text":"Sinus Rhythm"}]\(extra),"component":[\(parts)]}
            """
    }

    /// A body of `multipart/form-data` with one file.
    public static func form(_ field: String, _ file: [UInt8], boundary: String = "made-up") -> [UInt8] {
        Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"a.csv\"\r\n\r\n".utf8) + file
            + Array("\r\n--\(boundary)--\r\n".utf8)
    }
}
