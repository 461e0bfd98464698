public import Vitals

/// Reads a Bundle (FHIR R4, JSON) of Observations, entry by entry: what ``FHIRBundleWriter`` wrote, and what others write with the same
/// LOINC codes and UCUM units.
///
/// | Observation | here |
/// | --- | --- |
/// | a code of a hub's own CodeSystem (`…/CodeSystem/observation`) or a LOINC code of the table of kinds | a sample of that kind |
/// | more precise LOINC codes: 3141-9, 3137-7, 8331-1, 41950-7, 55284-4 | weight, height, temperature, steps, blood pressure |
/// | heart rate with SampledData in a component | a heart rate for each value, with the RR intervals that follow |
/// | position with SampledData | a position for each value |
/// | electrocardiograms | left out and counted: ``ECGFile`` reads them |
/// | others | counted by code |
///
/// Our own export comes back as it was, but for what FHIR has no place for: the contact and energy of a heart rate, how a position was
/// found, and, in an export of minutes, the milliseconds.
/// A Bundle is about one person: Observations whose subject is not that of the first are refused.
public struct FHIRBundleReader: HealthReader {
    private var collector: ImportCollector
    private var stream = JSONItemStream()
    private var subject: String?
    private var isBundle = false

    /// - Parameter now: the hub's time, UTC.
    public init(now: Milliseconds) { collector = ImportCollector(now: now) }

    public var report: ImportReport { collector.report }

    public mutating func read(_ bytes: [UInt8]) -> [HealthImport.Part] {
        collector.report.bytes += bytes.count
        var parts: [HealthImport.Part] = []
        for item in stream.found(in: bytes) {
            take(item)
            parts += collector.takeIfFull()
        }
        return parts
    }

    public mutating func finish() -> [HealthImport.Part] {
        collector.report.noteEnd(of: stream)
        if stream.hasBegun, !isBundle { collector.report.note(.unknownFormat, at: .file) }
        return collector.take()
    }

    private mutating func take(_ found: JSONItemStream.Found) {
        switch found {
        case .member("resourceType", let bytes): isBundle = StrictJSON(item: bytes)?.plainText == "Bundle"
        case .member("timestamp", let bytes): collector.report.created = StrictJSON(item: bytes)?.plainText.flatMap(ImportText.time)
        case .item("entry", let index, let bytes):
            let place = ImportProblem.Place.item(list: "entry", index)
            guard let entry = StrictJSON(item: bytes) else { return collector.report.note(.notJSON, at: place) }
            guard let resource = entry["resource"], let type = resource["resourceType"]?.plainText else {
                return collector.report.note(.missing, at: place, "resource")
            }
            guard type == "Observation" else { return collector.report.noteUnknown(type) }
            take(FHIRObservation(resource), place)
        case .member, .item: break
        case .damage, .tooLong: collector.report.noteDamage(found)
        }
    }

    private mutating func take(_ observation: FHIRObservation, _ place: ImportProblem.Place) {
        if observation.isWithdrawn { return collector.report.leaveOut(.withdrawn) }
        if observation.isElectrocardiogram { return collector.report.leaveOut(.electrocardiograms) }
        guard let kind = observation.kind else { return collector.report.noteUnknown(observation.codeName) }
        if let whose = observation.subject {
            subject = subject ?? whose
            guard subject == whose else { return collector.report.note(.otherPerson, at: place) }
        }
        guard let time = observation.time else { return collector.report.note(.time, at: place, kind.name) }
        collector.begin(HealthImport.Source(name: observation.device ?? ""), stated: observation.isTest ? .replay : nil)
        do throws(FHIRObservation.Fault) {
            switch kind {
            case .heartRate: for sample in try observation.heartRates(from: time) { collector.add(sample, at: place) }
            case .position: for sample in try observation.positions(from: time) { collector.add(sample, at: place) }
            default: collector.add(try observation.scalar(kind, at: time), at: place)
            }
        } catch {
            switch error {
            case .absent: collector.report.leaveOut(.absent)
            case .unit: collector.report.note(.unit, at: place, kind.name)
            case .value: collector.report.note(.value, at: place, kind.name)
            }
        }
    }
}
