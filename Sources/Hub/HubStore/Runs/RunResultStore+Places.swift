import Database
import Foundation
import Runs
import Vitals

/// A kept result among the others of its run.
struct Rank {
    /// ``RunResult/enrolment``.
    let row: Int64
    let group: RankingRow.Group
    /// As it stands in the row: of who was just worked out, among those who were.
    let place: Int?
    /// Milliseconds from the gun to the finish.
    let time: Milliseconds?
    /// It was kept before, and not worked out with the others.
    let isLeft: Bool

    /// Full ones, begun ones counted, by which ``Ranking`` orders.
    private var seconds: Milliseconds { time.map { $0 / 1000 + ($0 % 1000 > 0 ? 1 : 0) } ?? .max }

    /// Each place once, by row; equal ones share it. Finishers stand by their time. Of who was under way at the end no row tells the order: what
    /// is left keeps its place, and the others stand around it in theirs.
    static func places(_ rows: [Rank]) -> [Int64: Int] {
        var places: [Int64: Int] = [:]
        let finished = rows.filter { $0.group == .finished }.sorted { $0.seconds < $1.seconds }
        for (index, row) in finished.enumerated() {
            let equal = index > 0 && finished[index - 1].seconds == row.seconds ? places[finished[index - 1].row] : nil
            places[row.row] = equal ?? index + 1
        }
        let running = rows.filter { $0.group == .running }.sorted { ($0.place ?? .max) < ($1.place ?? .max) }
        var left = running.filter(\.isLeft)[...], others = running.filter { !$0.isLeft }[...], before: Rank?
        for index in running.indices {
            let place = finished.count + index + 1, isLeft = others.isEmpty || left.first.map { ($0.place ?? .max) <= place } ?? false
            guard let row = isLeft ? left.popFirst() : others.popFirst() else { break }
            let equal = before.flatMap { $0.isLeft == row.isLeft && $0.place == row.place ? places[$0.row] : nil }
            places[row.row] = equal ?? place
            before = row
        }
        return places
    }

    /// Places within classes, by row, of who has a place. Behind somebody whose class nobody knows any more there is none: it might be wrong.
    /// - Parameter classes: by row, nil for who is in none; without those of whom it is not known.
    static func placesInClass(_ places: [Int64: Int], _ classes: [Int64: String?]) -> [Int64: Int] {
        let unknown = places.filter { !classes.keys.contains($0.key) }.map(\.value).min() ?? .max
        var found: [Int64: Int] = [:], last: [String: (count: Int, place: Int, overall: Int)] = [:]
        for (row, overall) in places.sorted(by: { $0.value < $1.value }) where overall <= unknown {
            guard let known = classes[row], let name = known else { continue }
            let before = last[name] ?? (0, 0, 0), place = before.overall == overall ? before.place : before.count + 1
            last[name] = (before.count + 1, place, overall)
            found[row] = place
        }
        return found
    }
}

/// What is left of a result from before.
private struct LeftResult {
    let id: Int64
    let kept: Rank
    /// nil for nobody's, and where it does not open.
    let person: PersonID?
    let known: KeptResult?
}

extension RunResultStore {
    /// Keeps the results of all who have one, in slices: 1,000 are no long transaction (design rule 9). Each row is written with the place that
    /// it has among all: what is left from before has one too, and only those are touched that move.
    /// - Parameters:
    ///   - results: whoever else had one has none any more: a place is given once. What is nobody's stays.
    ///   - unread: ``RunResult/enrolment`` of who could not be read: they keep what they have.
    ///   - isOver: whoever took part keeps theirs, in its place: who was deleted, took the check-in back, or has an enrolment that does not open.
    ///   - slice: rows of one transaction.
    public func keepResults(
        _ results: [RunResult], of run: RunID, unread: Set<Int64> = [], isOver: Bool = false, slice: Int = 100
    ) throws {
        let (left, gone) = try before(run, but: Set(results.map(\.enrolment)), unread, isOver: isOver)
        let new = results.map { Rank(row: $0.enrolment, group: $0.group, place: $0.place, time: $0.time, isLeft: false) }
        let places = left.isEmpty ? nil : Rank.places(left.map(\.kept) + new)
        let inClass = left.isEmpty ? nil : Self.placesInClass(places ?? [:], results, left)
        for first in stride(from: 0, to: results.count, by: slice) {
            try setResults(Array(results[first..<min(first + slice, results.count)]), of: run, places: places, inClass: inClass)
        }
        let moved = left.filter { places?[$0.kept.row] != $0.kept.place }
        var other: [LeftResult] = []
        if let inClass { other = left.filter { one in one.known.map { $0.result.placeInCategory != inClass[one.kept.row] } ?? false } }
        guard !gone.isEmpty || !moved.isEmpty || !other.isEmpty else { return }
        try pool.write { db in
            for (id, person) in gone {
                guard try !keys.isDeleted(person) else { continue }
                try db.execute(sql: "DELETE FROM result WHERE id = ?", arguments: [id])
            }
            // How somebody ended stays as it was seen: what is said of them may be taken back.
            for one in moved {
                try db.execute(sql: "UPDATE result SET place = ? WHERE id = ?", arguments: [places?[one.kept.row], one.id])
            }
            for one in other {
                guard var known = one.known, let person = one.person, try !keys.isDeleted(person) else { continue }
                known.result.placeInCategory = inClass?[one.kept.row]
                let sealed = try seal(known, of: person, .runResult, Self.place(run, one.kept.row))
                try db.execute(
                    sql: "UPDATE result SET envelope = ? WHERE id = ? AND person IS NOT NULL", arguments: [sealed, one.id])
            }
        }
    }

    /// nil where there are no classes.
    private static func placesInClass(_ places: [Int64: Int], _ results: [RunResult], _ left: [LeftResult]) -> [Int64: Int]? {
        guard (results.map(\.result) + left.map(\.known?.result)).contains(where: { $0?.category != nil }) else { return nil }
        var classes: [Int64: String?] = [:]
        for one in results { if let known = one.result { classes.updateValue(known.category, forKey: one.enrolment) } }
        for one in left { if let known = one.known { classes.updateValue(known.result.category, forKey: one.kept.row) } }
        return Rank.placesInClass(places, classes)
    }

    /// Results of a run from before, but those of ``RunResult/enrolment`` of `all`: what is left of them, and what goes.
    private func before(
        _ run: RunID, but all: Set<Int64>, _ unread: Set<Int64>, isOver: Bool
    ) throws -> (left: [LeftResult], gone: [(id: Int64, person: PersonID)]) {
        let rows = try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT result.id, result.enrolment, standing, place, time, entry, result.person, enrolment.state, result.envelope
                    FROM result LEFT JOIN enrolment ON enrolment.id = result.enrolment WHERE result.run = (SELECT id FROM run WHERE run = ?)
                    """,
                arguments: [Data(run.bytes)])
        }
        var left: [LeftResult] = [], gone: [(id: Int64, person: PersonID)] = []
        for row in rows {
            let id: Int64 = row[0], enrolment: Int64 = row[1], state: Int64? = row[7]
            guard !all.contains(enrolment) else { continue }
            let person = try (row[6] as Data?).flatMap { PersonID(bytes: $0) }.flatMap { try keys.isDeleted($0) ? nil : $0 }
            if let person, !unread.contains(enrolment), !isOver || state != EnrolmentState.checkedIn.rawValue {
                gone.append((id, person))
            } else if let group = RankingRow.Group(rawValue: row[2] as String) {
                // What the organiser says of somebody holds for what is left of them: with a place they would hold up the others.
                let said = (row[5] as String?).flatMap { RankingRow.Group(rawValue: $0) }
                let kept = Rank(row: enrolment, group: said ?? group, place: row[3], time: row[4], isLeft: true)
                let known = try person.flatMap { try self.kept(row[8], of: $0, run, enrolment) }
                left.append(LeftResult(id: id, kept: kept, person: person, known: known))
            }
        }
        return (left, gone)
    }
}
