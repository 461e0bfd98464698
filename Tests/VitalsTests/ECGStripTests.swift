import Testing
import Vitals

@Suite struct ECGStripTests {
    private static func strip(
        time: Milliseconds = 1_772_439_138_000, millihertz: Int = 500_000, count: Int = 1000, leads: Int = 1,
        change: (inout [Int32?]) -> Void = { _ in },
        source: String? = nil
    ) throws(ECGStrip.Fault) -> ECGStrip {
        var values = [Int32?](repeating: 7, count: count)
        change(&values)
        return try ECGStrip(
            time: time, millihertz: millihertz, leads: (0..<leads).map { _ in .init(name: .init("I"), values: values) }, source: source)
    }

    private static func fault(_ make: () throws(ECGStrip.Fault) -> ECGStrip) -> ECGStrip.Fault? {
        do throws(ECGStrip.Fault) {
            _ = try make()
            return nil
        } catch { return error }
    }

    @Test("DATA-1: a strip is within its limits: rate, length, leads, values and their range, or it says which it is not")
    func limits() {
        func fault(_ make: () throws(ECGStrip.Fault) -> ECGStrip) -> ECGStrip.Fault? { Self.fault(make) }
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip() } == nil)
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(millihertz: 49_999) } == .rate(49_999))
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(millihertz: 2_000_001) } == .rate(2_000_001))
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(millihertz: 0) } == .rate(0))
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(count: 499) } == .tooShort(998))
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(count: 500) } == nil)
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(count: 150_000) } == nil)
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(count: 150_001) } == .tooLong(300_002))
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(count: 150_000, leads: 3) } == .tooManyValues(450_000))
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(leads: 0) } == .noLeads)
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(leads: 16) } == .tooManyLeads(16))
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(change: { $0[9] = 100_001 }) } == .outOfRange(lead: 0, value: 9))
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(change: { $0[9] = .min }) } == .outOfRange(lead: 0, value: 9))
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(change: { $0[9] = nil }) } == nil)
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(change: { $0 = $0.map { _ in nil } }) } == .empty(lead: 0))
        #expect(fault { () throws(ECGStrip.Fault) in try Self.strip(time: .min) } == .time)
    }

    @Test("DATA-1: a lead's standard name is found as devices write it; another name stays, in bounds")
    func names() {
        let names = [
            "Lead I": "I", "ecg ii": "II", "EKG V6": "V6", "avf": "aVF", "Derivazione III": "III", "MLII": "MLII", "ECG": "", "": "",
            "Lead": "",
        ]
        for (text, name) in names { #expect(ECGLeadName(text).description == name, "\(text)") }
        #expect(ECGLeadName("I").number == 1 && ECGLeadName("aVF").number == 64 && ECGLeadName(number: 61)?.description == "III")
        #expect(ECGLeadName("MLII").number == nil && ECGLeadName(number: 2000) == nil)
        #expect(ECGLeadName(String(repeating: "x", count: 500)).description.count == ECGLeadName.charactersMax)
    }

    @Test("DATA-3: what a file says of its device is cut, and holds no control characters")
    func texts() throws {
        let strip = try Self.strip(source: "  A\u{0}\u{1B}[31mB \n" + String(repeating: "x", count: 500))
        #expect(strip.source?.count == ECGStrip.Limits.textMax && strip.source?.hasPrefix("A[31mB x") == true, "\(strip.source ?? "")")
        #expect(try Self.strip(source: " \n").source == nil)
    }

    @Test("DATA-1: ECG is a kind of its own that is in no column, raises no alarm and is not typed")
    func kind() {
        let entry = DataKind.ecg.entry
        #expect(entry.storage == .attachment && !DataKind.scalars.contains(.ecg) && !KindEntry.entered.contains(.ecg))
        #expect(entry.uses == [.asked, .exported, .shown] && entry.sources == [.imported])
        #expect(DataKind.ecg.parts.isEmpty && ScalarSample(.ecg, time: 0, value: 0) == nil)
    }
}
