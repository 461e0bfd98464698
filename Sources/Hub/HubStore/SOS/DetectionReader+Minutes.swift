public import Distress
import Privacy
public import Vitals

extension DetectionReader {
    /// Minutes of a person's own live data, for personal limits: mean rate, readings, mean speed as satellites tell it.
    public func minutesOfRest(of person: PersonID, from: Milliseconds, to: Milliseconds, now: Milliseconds) throws -> [Baseline.Minute] {
        let grant = Grant.system(.detection, of: person)
        guard let reading = try store.reader.read(grant, from: from, to: to, now: now), reading.provenance == .live else { return [] }
        struct Sum { var rate = 0, count = 0, speed = 0, fixes = 0 }
        var minutes: [Milliseconds: Sum] = [:]
        for sample in reading.heartRates where sample.contact != .notDetected && sample.beatsPerMinute > 0 {
            minutes[sample.time / 60_000, default: Sum()].rate += Int(sample.beatsPerMinute)
            minutes[sample.time / 60_000]?.count += 1
        }
        for sample in reading.positions {
            guard let speed = sample.speed, sample.tellsSpeed, minutes[sample.time / 60_000] != nil else { continue }
            minutes[sample.time / 60_000]?.speed += Int(speed)
            minutes[sample.time / 60_000]?.fixes += 1
        }
        return minutes.filter { $0.value.count > 0 }.map { minute, sum in
            Baseline.Minute(
                start: minute * 60_000, heartRate: sum.rate / sum.count, count: sum.count,
                speed: sum.fixes > 0 ? sum.speed / sum.fixes : nil)
        }
    }
}
