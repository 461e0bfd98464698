import Exchange
import TestSupport
import Testing
import Vitals

@Suite struct ImportFileTests {
    @Test("DATA-2: each file of a folder or archive has its reader")
    func files() throws {
        func kind(_ text: String, _ path: String = "x") -> ImportFile { ImportFile(path: path, head: Array(text.utf8)) }
        #expect(kind(AppleHealthTests.document("")) == .appleHealth)
        #expect(kind("<?xml version=\"1.0\"?><ClinicalDocument xmlns=\"urn:hl7-org:v3\">") == .clinicalDocument)
        #expect(kind("<?xml version=\"1.0\"?>\n<gpx version=\"1.1\">") == .activity && kind("<TrainingCenterDatabase>") == .activity)
        #expect(ImportFile(path: "a.fit", head: [14, 16, 0, 0, 0, 0, 0, 0] + Array(".FIT".utf8)) == .activity)
        #expect(kind("Name,Anna\nSample Rate,512 hertz\n", "electrocardiograms/ecg_2024-05-01.csv") == .electrocardiogram)
        #expect(kind("0       X X X X") == .electrocardiogram && kind("{\"resourceType\":\"Observation\"}") == .electrocardiogram)
        #expect(kind(TakeoutTests.data("com.google.weight", [])) == .takeoutData)
        #expect(kind("{\"fitnessActivity\": \"walking\"}") == .takeoutSession)
        #expect(kind("Start time,End time,Move Minutes count") == .takeoutDay && kind("Date,Move Minutes count") == .takeoutDays)
        #expect(kind("{\"resourceType\":\"Bundle\",") == .fhir)
        let samples = try SampleSet.everyScalar()
        #expect(ImportFile(path: "", head: try CSVWriter(scalars: true).file(of: samples)) == .samplesCSV)
        #expect(ImportFile(path: "", head: try CSVWriter(subject: "A").file(of: samples)) == .samplesCSV)
        #expect(ImportFile(path: "", head: try JSONWriter(created: someTime).file(of: samples)) == .samplesJSON)
        #expect(ImportFile(path: "", head: try JSONLinesWriter().file(of: samples)) == .samplesLines)
        var zip = ZipWriter(modified: someTime)
        #expect(ImportFile(path: "", head: zip.begin("a")) == .archive)
        #expect(kind("") == .unknown && kind("hello") == .unknown && kind("<html>") == .unknown && kind("{}") == .unknown)
        #expect(ImportFile.day(ofPath: "Takeout/Fit/Daily activity metrics/2024-05-01.csv") == "2024-05-01")
        #expect(ImportFile.day(ofPath: "2024-13-01.csv") == nil && ImportFile.day(ofPath: "../2024-05-01.json") == nil)
    }

    /// Files of every format, made up.
    private static func files() throws -> [(name: String, bytes: [UInt8], reader: any HealthReader)] {
        let samples = try SampleSet.everyScalar(), patient = FHIRID(PersonID(high: 1, low: 2))
        let fhir = FHIRBundleWriter(.collection, base: "https://h.example", patient: patient, detail: .minutes, created: someTime)
        let record = AppleHealthTests.record("HKQuantityTypeIdentifierStepCount", "1", unit: "count")
        var mixed = SampleSet.madeUp(seed: 1, count: 40)
        mixed.scalars = samples.scalars
        return [
            ("apple", Array(AppleHealthTests.document(String(repeating: record, count: 20)).utf8), AppleHealthReader(now: importTime)),
            (
                "takeout", Array(TakeoutTests.data("com.google.weight", (1...20).map { TakeoutTests.number(50 + Double($0)) }).utf8),
                TakeoutDataReader(now: importTime)
            ),
            ("fhir", try fhir.file(of: mixed), FHIRBundleReader(now: importTime)),
            ("csv", try CSVWriter(subject: "A,B", scalars: true).file(of: mixed), SampleCSVReader(now: importTime)),
            ("json", try JSONWriter(created: someTime).file(of: mixed), SampleJSONReader(isLines: false, now: importTime)),
            ("lines", try JSONLinesWriter().file(of: mixed), SampleJSONReader(isLines: true, now: importTime)),
        ]
    }

    private static func count(_ reader: some HealthReader, _ bytes: [UInt8], _ size: Int) -> (samples: Int, report: ImportReport) {
        let imported = reader.all(of: bytes, inPiecesOf: size)
        return (imported.samples.count, imported.report)
    }

    @Test("DATA-2: cut and damaged files of every format are read as far as they go, and never end the program", arguments: 0..<6)
    func fuzz(index: Int) throws {
        let file = try Self.files()[index], whole = Self.count(file.reader, file.bytes, 1 << 20).samples
        #expect(whole > 0)
        var generator = SeededGenerator(seed: UInt64(index)), kept = 0
        for round in 0..<120 {
            var bytes = file.bytes
            if round % 3 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator)) }
            for _ in 0..<(round % 3 == 0 ? 0 : round % 3) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let (samples, report) = Self.count(file.reader, bytes, Int.random(in: 1...5000, using: &generator))
            #expect(samples <= whole + 1 && report.problems.count <= HealthImport.Limits.problemsMax, "round \(round) of \(file.name)")
            // Where the cut lies in the last bytes, nothing is missing.
            if round % 3 == 0, samples < whole, file.name != "lines" {
                #expect(!report.problems.isEmpty, "round \(round) of \(file.name) says nothing")
            }
            if round % 3 != 0 { kept += samples }
        }
        // One or two flips lose a few samples, not the rest of the file.
        #expect(Double(kept) > 0.75 * Double(whole * 80), "\(file.name): \(kept) of \(whole * 80)")
    }
}
