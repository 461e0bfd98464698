import Exchange
import HubServices
import Privacy
import Vitals

extension ECGReading {
    /// Adds the strips of a download to its archive, in the form that goes with the format of the series: `ecg.json`, `ecg.fhir.json`, or with
    /// CSV `ecg/strips.csv` and a file for each strip. GPX has nothing that holds them: they come as `ecg.json`. Without strips the archive
    /// stays as it is.
    func write(
        _ format: String, _ grant: Grant, _ span: ClosedRange<Milliseconds>, _ patient: FHIRID, _ created: Milliseconds,
        into zip: inout ZipWriter, send: ([UInt8]) async throws -> Void
    ) async throws {
        guard let list = try strips(grant, in: span) else { throw Export.Failure.grantEnded }
        guard !list.isEmpty else { return }
        var writer = zip, lines = ECGText.csvListHead, isFirst = true
        switch format {
        case CSVWriter.fileExtension: break
        case FHIRBundleWriter.fileExtension:
            try await send(writer.begin("ecg.fhir.json") + writer.data(FHIRECG.bundleBegin(created: created)))
        default: try await send(writer.begin("ecg.json") + writer.data(ECGText.jsonBegin))
        }
        try await each(grant, in: span) { named in
            switch format {
            case CSVWriter.fileExtension:
                lines += ECGText.csvLine(named)
                try await send(writer.begin("ecg/\(named.id).csv") + writer.data(ECGText.csv(named.strip)) + writer.endMember())
            case FHIRBundleWriter.fileExtension:
                try await send(writer.data(FHIRECG.entry(named, patient: patient, isFirst: isFirst)))
            default: try await send(writer.data(ECGText.json(named, isFirst: isFirst)))
            }
            isFirst = false
        }
        switch format {
        case CSVWriter.fileExtension: try await send(writer.begin("ecg/strips.csv") + writer.data(lines) + writer.endMember())
        case FHIRBundleWriter.fileExtension: try await send(writer.data(FHIRECG.bundleEnd) + writer.endMember())
        default: try await send(writer.data(ECGText.jsonEnd) + writer.endMember())
        }
        zip = writer
    }
}
