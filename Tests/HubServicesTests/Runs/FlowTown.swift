import Accounts
import Exchange
import Foundation
import HubServices
import HubStore
import Logging
import Privacy
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

/// Two people, two organisations and an operator at one hub, and the test's own book of who may read what. The book follows from what the
/// services answered and from the clock, by rules of a few lines that share no code with `Privacy`.
struct FlowTown {
    enum Way: CaseIterable { case program, stream, file }

    /// One consent in the book.
    struct Entry {
        let id: ConsentID
        let asker: Int, person: Int
        let kinds: Set<DataKind>
        let term: ConsentTerm
        /// Whether the person had denied this asker too often when it was asked.
        let wasBlocked: Bool
        var opened: Milliseconds?
        var closed = false
        /// Rights that were given out while it ran, and are tried again after it.
        var grants: [Grant] = []
        var stream: Deliveries.Iterator?
        var cursor: SubscriptionCursor?
        /// Segments that came since it began and that its stream owes.
        var owed: [Milliseconds] = []
    }

    struct Sent {
        let time: Milliseconds
        var deleted: Set<DataKind> = []
    }

    var hub: ConsentFixture
    let people: [StoredAccount], askers: [StoredAccount], strangers: [StoredAccount]
    private var box: ServicesFixture.Box, tokenMade: Milliseconds
    private var deletion: Deletion
    var entries: [Entry] = []
    var sent: [[Sent]] = [[], []]
    var gone: Set<Int> = []
    var violations: [String] = [], log: [String] = []
    var flowed: [Way: Int] = [:], withheld: [Way: Int] = [:]
    private var streamID = StreamID.random(), sequence: UInt64 = 0, asked = 0
    /// Denials in a row of an asker by a person. Unanswered questions count too, and are not in it: a count too low checks less, not wrong.
    private var denials: [[Int]: Int] = [:]

    var now: Milliseconds { hub.clock.now }

    init() async throws {
        hub = try ConsentFixture()
        let bob = try ConsentFixture.add("bob@example.org", [.person], to: hub.accounts)
        let insurer = try ConsentFixture.add("data@insurer.example", [.organisation], to: hub.accounts)
        (people, askers) = ([hub.ada, bob], [hub.hospital, insurer])
        strangers = [hub.checker]
        // One box for both, as a family's gateway.
        box = try await hub.hub.enrol(people.map(\.id.person))
        tokenMade = hub.clock.now
        deletion = try Self.deletion(hub)
    }

    private static func deletion(_ hub: ConsentFixture) throws -> Deletion {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let audit = try AuditLog(HubDirectory(hub.hub.directory.url), accounts: hub.accounts, environment: [:])
        return Deletion(accounts: hub.accounts, series: hub.hub.series, audit: audit, logger: logger)
    }

    private func reader(_ asker: Int) -> Reader { .organisation(OrganisationID(askers[asker].id)) }

    // MARK: Events

    mutating func step(_ random: inout SeededGenerator) async throws {
        let event = Int.random(in: 0..<100, using: &random)
        switch event {
        case 0..<16: try await ask(&random)
        case 16..<42: try await answer(&random)
        case 42..<68:
            let person = Int.random(in: 0..<2, using: &random)
            for _ in 0..<Int.random(in: 1...3, using: &random) { try await ingest(person) }
        case 68..<72: try endByAsker(&random)
        case 72..<76: try deliver(&random)
        case 76..<86: try await pass(.random(in: 1...20, using: &random) * hour / 2)
        case 86..<88: try await pass(73 * hour)
        case 88..<92: try await restart()
        case 92..<96: try deletePart(&random)
        case 96..<98: try lift(&random)
        default: if Int.random(in: 0..<5, using: &random) == 0 { try deleteAccount(Int.random(in: 0..<2, using: &random)) }
        }
    }

    /// An asker asks; an operator lets it through, mostly.
    private mutating func ask(_ random: inout SeededGenerator) async throws {
        let asker = Int.random(in: 0..<2, using: &random), person = Int.random(in: 0..<2, using: &random)
        let choices: [Set<DataKind>] = [[.heartRate], [.position], [.heartRate, .position]]
        let kinds = try #require(choices.randomElement(using: &random))
        let terms: [ConsentTerm] = [.once, .lasting(.random(in: 1...30, using: &random) * hour), .lasting(3 * day)]
        let term = try #require(terms.randomElement(using: &random))
        asked += 1
        do {
            let consent = try hub.consents.ask(
                ConsentAddress(people[person].email), by: askers[asker], kinds: kinds, purpose: "Purpose \(asked)", term: term)
            let isApproved = Int.random(in: 0..<6, using: &random) > 0
            note("\(asker) asks \(person) for \(kinds), \(term)\(isApproved ? "" : ", and no operator looks")")
            if isApproved { try hub.consents.approve(consent.id, by: hub.checker) }
            try await hub.timers.fire()
            entries.append(
                Entry(
                    id: consent.id, asker: asker, person: person, kinds: kinds, term: term,
                    wasBlocked: denials[[asker, person], default: 0] >= 3))
        } catch is ConsentProblem { note("\(asker) may not ask \(person) now") }
    }

    /// Somebody answers, at times somebody whom nobody asked. Only the person's own answer counts.
    private mutating func answer(_ random: inout SeededGenerator) async throws {
        guard let index = pick(&random) else { return }
        let entry = entries[index]
        let answer = try #require([ConsentAnswer.accept, .accept, .accept, .deny, .revoke].randomElement(using: &random))
        let isOwn = Int.random(in: 0..<5, using: &random) > 0
        let others = [people[1 - entry.person]] + askers + strangers
        let account = isOwn ? people[entry.person] : try #require(others.randomElement(using: &random))
        do { try hub.consents.answer(entry.id, answer, by: account.id) } catch is ConsentProblem {
            return note("\(answer) of \(index) by \(account.email) is refused")
        }
        note("\(answer) of \(index) by \(account.email)")
        // Closing what is closed does nothing, and is not refused to who has just been deleted.
        if gone.contains(entry.person), isOwn, entry.closed || entry.opened == nil, answer != .accept { return }
        guard isOwn, !gone.contains(entry.person) else { return violate("\(account.email) decided about \(index)") }
        let pair = [entry.asker, entry.person]
        switch answer {
        case .accept where entry.opened == nil && !entry.closed:
            if entry.wasBlocked { violate("\(index) was before a person who had blocked the asker") }
            (entries[index].opened, denials[pair]) = (now, 0)
        case .accept: break
        case .deny:
            if !entry.closed { denials[pair, default: 0] += 1 }
            entries[index].closed = true
        case .revoke: entries[index].closed = true
        }
    }

    private mutating func ingest(_ person: Int) async throws {
        hub.clock.advance(1000)
        if now - tokenMade > hour / 2 {
            (box.token, tokenMade) = (try await hub.hub.token(box.id, box.key, predecessor: box.token).accessToken, now)
        }
        sequence += 1
        let time = now
        let segment = hub.hub.segment(
            sequence, stream: streamID, person: people[person].id.person, rate: person == 0 ? 60 : 120, time: time)
        let answer = try await hub.hub.send([segment], token: box.token)
        let isRefused = answer.streams.contains { !($0.refused ?? []).isEmpty }
        note("\(person) sends \(time)\(isRefused ? ", refused" : "")")
        if isRefused != gone.contains(person) { violate("\(person) is deleted or not, and the hub took data or did not") }
        guard !isRefused else { return }
        sent[person].append(Sent(time: time))
        for index in entries.indices where entries[index].person == person && isOpen(index) { entries[index].owed.append(time) }
    }

    private mutating func endByAsker(_ random: inout SeededGenerator) throws {
        guard let index = pick(&random) else { return }
        let asker = Int.random(in: 0..<4, using: &random) == 0 ? 1 - entries[index].asker : entries[index].asker
        do { try hub.consents.end(entries[index].id, by: reader(asker)) } catch is ConsentProblem {
            return note("end of \(index) by \(asker) is refused")
        }
        note("\(asker) ends \(index)")
        if asker != entries[index].asker { violate("\(asker) ended what is not theirs") }
        entries[index].closed = true
    }

    private mutating func deliver(_ random: inout SeededGenerator) throws {
        guard let index = pick(&random), entries[index].opened != nil else { return }
        do { try hub.consents.delivered(entries[index].id, to: reader(entries[index].asker)) } catch is ConsentProblem { return }
        note("\(index) is delivered")
        if entries[index].term == .once { entries[index].closed = true }
    }

    private mutating func pass(_ time: Milliseconds) async throws {
        hub.clock.advance(time)
        try await hub.timers.fire()
        note("\(Double(time) / Double(hour)) h pass")
    }

    /// Stopped and started: streams end, and go on behind their cursors.
    private mutating func restart() async throws {
        for index in entries.indices { entries[index].stream = nil }
        hub = try hub.restarted()
        deletion = try Self.deletion(hub)
        try await hub.timers.fire()
        note("the hub starts again")
    }

    private mutating func deletePart(_ random: inout SeededGenerator) throws {
        let person = Int.random(in: 0..<2, using: &random), kind = Bool.random(using: &random) ? DataKind.heartRate : .position
        guard !gone.contains(person), let first = sent[person].randomElement(using: &random)?.time else { return }
        let span = first...(first + 2 * hour)
        _ = try deletion.deletePart(of: people[person].id.person, kinds: [kind], span: span, by: people[person].id, now: now)
        try deletion.work(now: now)
        for index in sent[person].indices where span.contains(sent[person][index].time) { sent[person][index].deleted.insert(kind) }
        // What a stream owes of it need not come any more; what it has read need not be taken back, and nothing else changed.
        for index in entries.indices where entries[index].person == person {
            (entries[index].stream, entries[index].owed, entries[index].cursor) = (nil, [], nil)
        }
        note("\(person) deletes \(kind) of \(span)")
    }

    private mutating func deleteAccount(_ person: Int) throws {
        guard gone.insert(person).inserted else { return }
        // The deletion alone has to be enough.
        if log.count.isMultiple(of: 2) { try hub.consents.endAll(of: people[person].id.person, by: people[person].id) }
        try deletion.deletePerson(people[person].id.person, by: people[person].id, now: now)
        for index in entries.indices where entries[index].person == person { entries[index].closed = true }
        note("\(person) deletes the account")
    }

    private mutating func lift(_ random: inout SeededGenerator) throws {
        let asker = Int.random(in: 0..<2, using: &random), person = Int.random(in: 0..<2, using: &random)
        guard !gone.contains(person) else { return }
        try hub.consents.liftBlock(of: reader(asker), with: people[person].id.person, by: people[person].id)
        denials[[asker, person]] = 0
        note("\(person) lets \(asker) ask again")
    }

    // MARK: The book

    /// Whether the book says that a consent gives access now.
    func isOpen(_ index: Int) -> Bool {
        let entry = entries[index]
        guard let opened = entry.opened, !entry.closed, !gone.contains(entry.person) else { return false }
        switch entry.term {
        case .once: return now < opened + 7 * day
        case .lasting(let duration): return now < opened + duration
        case .until, .untilRevoked: return false
        }
    }

    private func pick(_ random: inout SeededGenerator) -> Int? {
        // Mostly the newest, which are open.
        let back = min(entries.count, Int.random(in: 0..<4, using: &random) == 0 ? entries.count : 4)
        return back == 0 ? nil : Int.random(in: entries.count - back..<entries.count, using: &random)
    }

    private mutating func note(_ text: String) { log.append("\(log.count). \(now): \(text)") }
    private mutating func violate(_ text: String) { violations.append(text) }

    // MARK: Reading

    mutating func readAll() async throws {
        for index in entries.indices.suffix(10) {
            try readByProgram(index)
            try await readByFile(index)
            try await readByStream(index)
        }
    }

    /// Samples that came out: of the right person, of granted kinds, and not deleted.
    private mutating func look(_ rates: [HeartRateSample], _ positions: [PositionSample], _ index: Int, _ way: Way) {
        let entry = entries[index]
        guard isOpen(index) else {
            return violate("\(way): \(rates.count + positions.count) samples by \(index), which gives no access")
        }
        if !rates.isEmpty, !entry.kinds.contains(.heartRate) { violate("\(way): heart rates by \(index)") }
        if !positions.isEmpty, !entry.kinds.contains(.position) { violate("\(way): positions by \(index)") }
        let own = sent[entry.person]
        for (kind, times) in [(DataKind.heartRate, rates.map(\.time)), (.position, positions.map(\.time))] {
            let allowed = Set(own.filter { !$0.deleted.contains(kind) }.map(\.time))
            if let time = times.first(where: { !allowed.contains($0) }) { violate("\(way): \(kind) of \(time) by \(index)") }
        }
        flowed[way, default: 0] += rates.count + positions.count
    }

    private mutating func readByProgram(_ index: Int) throws {
        let entry = entries[index], other = reader(1 - entry.asker)
        if try hub.consents.read(entry.id, as: other, from: 0, to: .max / 2) != nil { violate("\(index) was read by somebody else") }
        let service = ServiceID(high: 1, low: 1)
        if try hub.consents.last(10, entry.id, as: reader(entry.asker), for: service) != nil { violate("\(index) was read for a service") }
        guard let reading = try hub.consents.read(entry.id, as: reader(entry.asker), from: 0, to: .max / 2) else {
            if isOpen(index) { violate("\(index) is open and gives nothing") }
            withheld[.program, default: 0] += 1
            return
        }
        if !isOpen(index) { violate("\(index) gives a reading and is not open") }
        look(reading.heartRates, reading.positions, index, .program)
    }

    /// With each right that was ever given out, as a download holds one for minutes.
    private mutating func readByFile(_ index: Int) async throws {
        let entry = entries[index]
        if let grant = try hub.accounts.consents.grant(by: entry.id, to: reader(entry.asker), now: now), entries[index].grants.count < 2 {
            entries[index].grants.append(grant)
        }
        let clock = hub.clock, export = Export(series: hub.hub.series.reader, now: { clock.now })
        for grant in entries[index].grants {
            let bytes = Mutex<[UInt8]>([])
            do {
                try await export.write(CSVWriter(), grant, in: 0...now) { chunk in bytes.withLock { $0 += chunk } }
            } catch Export.Failure.grantEnded {
                if isOpen(index) { violate("file: \(index) is open and its download ended") }
                if !bytes.withLock(\.isEmpty) { violate("file: bytes of \(index), which gives no access") }
                withheld[.file, default: 0] += 1
                continue
            }
            let lines = bytes.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\r\n").dropFirst()
            if !isOpen(index) { violate("file: \(lines.count) lines by \(index), which gives no access") }
            if lines.contains(where: { $0.contains(",heart_rate,") }), !entry.kinds.contains(.heartRate) {
                violate("file: rates by \(index)")
            }
            if lines.contains(where: { $0.contains(",position,") }), !entry.kinds.contains(.position) {
                violate("file: places by \(index)")
            }
            flowed[.file, default: 0] += lines.count
        }
    }

    /// Takes what the stream owes, and no more than that: a stream that owes nothing waits.
    private mutating func readByStream(_ index: Int) async throws {
        let entry = entries[index]
        if entry.stream == nil {
            guard
                let deliveries = try hub.subscriptions.deliveries(of: entry.id, to: reader(entry.asker), after: entry.cursor)
            else {
                if isOpen(index), entry.term != .once { violate("\(index) is open and has no stream") }
                withheld[.stream, default: 0] += 1
                return
            }
            if !isOpen(index) || entry.term == .once { violate("\(index) has a stream and is not open") }
            entries[index].stream = deliveries.makeAsyncIterator()
        }
        // Some streams are read slowly: what they have taken in must not come out any more when the consent ends.
        if isOpen(index), index.isMultiple(of: 2), !log.count.isMultiple(of: 3) { return }
        guard var stream = entries[index].stream else { return }
        defer { entries[index].stream = stream }
        while !entries[index].owed.isEmpty || !isOpen(index) {
            switch try await stream.next() {
            case .samples(let arrival, let cursor):
                look(arrival.samples.heartRates, arrival.samples.positions, index, .stream)
                let times = Set(arrival.samples.heartRates.map(\.time) + arrival.samples.positions.map(\.time))
                if let opened = entry.opened, arrival.received < opened { violate("stream: \(index) gave what came before it") }
                entries[index].owed.removeAll(where: times.contains)
                entries[index].cursor = cursor
                if !isOpen(index) || index.isMultiple(of: 2) { return }
            case .ended, nil:
                if isOpen(index) { violate("stream: \(index) is open and its stream ended") }
                withheld[.stream, default: 0] += 1
                return
            case .startOver(_, let cursor):
                // After a merge: what it owes is read by the program.
                (entries[index].owed, entries[index].cursor) = ([], cursor)
            case .idle: violate("stream: \(index) owes \(entries[index].owed.count) and is idle")
            }
            if !violations.isEmpty { return }
        }
    }
}
