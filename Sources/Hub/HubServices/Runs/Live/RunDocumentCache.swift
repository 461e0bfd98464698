public import HubStore
public import NIOCore
import Runs
import Synchronization
import Vitals

/// A run's course and replay as pages read them, made once for many readers.
final class RunDocumentCache: Sendable {
    struct Course: Sendable {
        let revision: Int, state: RunState
        let text: LiveRuns.Text
    }

    struct Replay: Sendable {
        let made: Milliseconds
        let text: ByteBuffer
    }

    let courses = Mutex(OfRuns<Course>())
    let replays = Mutex(OfRuns<Replay>())
}

/// Documents of some runs, up to a limit: then it begins anew.
struct OfRuns<Made: Sendable>: Sendable {
    private var known: [RunID: Made] = [:]

    subscript(run: RunID) -> Made? {
        get { known[run] }
        set {
            if known.count >= 32 { known.removeAll() }
            known[run] = newValue
        }
    }
}

extension LiveRuns {
    /// JSON, and a tag that changes with it.
    public struct Text: Sendable {
        public let bytes: ByteBuffer
        public let tag: String
    }

    /// The course and what stands beside it; nil for a run without one. The caller looks that the run is shown.
    public func courseText(of run: StoredRun) throws -> Text? {
        let state = run.state(at: now)
        if let known = texts.courses.withLock({ $0[run.id] }), known.revision == run.revision, known.state == state { return known.text }
        guard let plan = try store.course(of: run.id) else { return nil }
        let bytes = Self.courseText(run, state, try Course(plan))
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes.readableBytesView { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let text = Text(bytes: bytes, tag: "\"\(String(hash, radix: 16))\"")
        texts.courses.withLock { $0[run.id] = .init(revision: run.revision, state: state, text: text) }
        return text
    }

    private static func courseText(_ run: StoredRun, _ state: RunState, _ course: Course) -> ByteBuffer {
        let points = course.thinned()
        var buffer = ByteBufferAllocator().buffer(capacity: 400 + points.count * 28)
        for (index, (key, value)) in [
            ("code", run.code), ("name", run.plan.name), ("state", "\(state)"), ("timeZone", run.plan.timeZone),
        ].enumerated() {
            buffer.writeString(index == 0 ? "{" : ",")
            buffer.quoted(key)
            buffer.writeString(":")
            buffer.quoted(value)
        }
        for (key, value) in [("starts", run.plan.starts), ("ends", run.plan.ends), ("length", Milliseconds(course.length.rounded()))] {
            buffer.comma()
            buffer.quoted(key)
            buffer.writeString(":")
            buffer.write(value)
        }
        buffer.writeString(",\"points\":")
        buffer.list(points) { buffer, item in
            buffer.writeString("[")
            buffer.degrees(item.point.latitude)
            buffer.comma()
            buffer.degrees(item.point.longitude)
            buffer.comma()
            buffer.write(Int(item.metres.rounded()))
            buffer.writeString("]")
        }
        buffer.writeString(",\"splits\":")
        buffer.list(course.splits) { buffer, split in
            buffer.writeString("[")
            buffer.write(Int(split.metres.rounded()))
            buffer.comma()
            if let name = split.name { buffer.quoted(name) } else { buffer.null() }
            buffer.writeString("]")
        }
        buffer.writeString(",\"places\":")
        // One for each place, and not for each pass of it.
        var told: Set<CoursePoint> = []
        buffer.list(course.places.filter { told.insert($0.point).inserted }) { buffer, place in
            buffer.writeString("[")
            buffer.degrees(place.point.latitude)
            buffer.comma()
            buffer.degrees(place.point.longitude)
            buffer.comma()
            buffer.quoted(place.name)
            buffer.comma()
            buffer.quoted(place.kind.rawValue)
            buffer.writeString("]")
        }
        buffer.writeString("}")
        return buffer
    }

    /// How everybody got along who publishes their track; nil before the run is over.
    public func replayText(of run: StoredRun) throws -> ByteBuffer? {
        let now = now
        guard run.state(at: now) == .finished, try !store.isCalledOff(run.id) else { return nil }
        // For a second: what is taken back is gone by then (design rule 10).
        if let known = texts.replays.withLock({ $0[run.id] }), (0..<1000).contains(now - known.made) { return known.text }
        guard let plan = try store.course(of: run.id) else { return nil }
        let course = try Course(plan), from = min(run.began ?? .max, run.plan.starts), end = run.ended ?? run.plan.ends
        let shown = try published(run).filter { $0.choices.published.contains(.track) && $0.kept.trail.count > 2 }
        let lines = shown.map { item in
            PublicView(zones: item.choices.home.map { [$0] } ?? [], delay: item.choices.delay).shown(item.kept.trail, on: course, at: now)
        }
        // A minute behind what is seen last: a run may stay open for hours after that.
        let last = zip(shown, lines).compactMap { item, line in line.last.map { item.kept.trail[0] + $0.seconds * 1000 } }.max()
        let to = min(end, last.map { $0 + 60_000 } ?? end)
        var buffer = ByteBufferAllocator().buffer(capacity: 100 + shown.reduce(0) { $0 + $1.kept.trail.count * 6 + 60 })
        buffer.writeString("{\"from\":")
        buffer.write(from)
        buffer.writeString(",\"to\":")
        buffer.write(to)
        buffer.writeString(",\"names\":{")
        for (index, item) in shown.filter({ !$0.choices.publicName.isEmpty }).enumerated() {
            if index > 0 { buffer.comma() }
            buffer.quoted(String(item.bib))
            buffer.writeString(":")
            buffer.quoted(item.choices.publicName)
        }
        buffer.writeString("},\"runners\":")
        buffer.list(Array(zip(shown, lines))) { buffer, item in
            let (item, line) = item, gun = item.kept.trail[0]
            buffer.writeString("[")
            buffer.write(item.bib)
            buffer.comma()
            buffer.write(gun)
            buffer.comma()
            buffer.list(line) { buffer, point in
                buffer.write(point.seconds + (gun - from) / 1000)
                buffer.comma()
                buffer.write(point.metres)
            }
            buffer.writeString("]")
        }
        buffer.writeString("}")
        texts.replays.withLock { [buffer] in $0[run.id] = .init(made: now, text: buffer) }
        return buffer
    }

    private func published(_ run: StoredRun) throws -> [RunResultService.Published] {
        try RunResultService.published(run, store.results.results(of: run.id), store.enrolments, accounts)
    }
}

extension PublicView {
    /// A kept trail as it may be shown: within a zone the progress stands still, and nothing is newer than the delay lets.
    func shown(_ trail: [Milliseconds], on course: Course, at now: Milliseconds) -> [(seconds: Milliseconds, metres: Milliseconds)] {
        guard let gun = trail.first else { return [] }
        let points = stride(from: 1, to: trail.count - 1, by: 2).map { (seconds: trail[$0], metres: trail[$0 + 1]) }
        let dense = zones.isEmpty ? points : Self.dense(points)
        var line: [(seconds: Milliseconds, metres: Milliseconds)] = [], isHidden = false
        for point in dense where gun + point.seconds * 1000 <= now - delay {
            guard shows(course.point(at: Double(point.metres))) else {
                isHidden = true
                continue
            }
            if isHidden, let last = line.last, point.seconds - 1 > last.seconds { line.append((point.seconds - 1, last.metres)) }
            isHidden = false
            line.append(point)
        }
        return line
    }

    /// A point for each 20 m: a zone may begin between two kept ones.
    private static func dense(_ points: [(seconds: Milliseconds, metres: Milliseconds)]) -> [(seconds: Milliseconds, metres: Milliseconds)]
    {
        guard let first = points.first else { return [] }
        return zip(points, points.dropFirst()).reduce(into: [first]) { dense, pair in
            let (before, behind) = pair, steps = max((behind.metres - before.metres) / 20, 1)
            for step in 1...steps {
                dense.append(
                    (
                        before.seconds + (behind.seconds - before.seconds) * step / steps,
                        before.metres + (behind.metres - before.metres) * step / steps
                    ))
            }
        }
    }
}
