import GRDB
import Runs
import Vitals

/// A kept result among the others of its run.
struct KeptPlace {
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
    static func places(_ rows: [KeptPlace]) -> [Int64: Int] {
        var places: [Int64: Int] = [:]
        let finished = rows.filter { $0.group == .finished }.sorted { $0.seconds < $1.seconds }
        for (index, row) in finished.enumerated() {
            let equal = index > 0 && finished[index - 1].seconds == row.seconds ? places[finished[index - 1].row] : nil
            places[row.row] = equal ?? index + 1
        }
        let running = rows.filter { $0.group == .running }.sorted { ($0.place ?? .max) < ($1.place ?? .max) }
        var left = running.filter(\.isLeft)[...], others = running.filter { !$0.isLeft }[...], before: KeptPlace?
        for index in running.indices {
            let place = finished.count + index + 1, isLeft = others.isEmpty || left.first.map { ($0.place ?? .max) <= place } ?? false
            guard let row = isLeft ? left.popFirst() : others.popFirst() else { break }
            let equal = before.flatMap { $0.isLeft == row.isLeft && $0.place == row.place ? places[$0.row] : nil }
            places[row.row] = equal ?? place
            before = row
        }
        return places
    }
}

extension RunsStore {
    /// Gives each place once where results are left that were not worked out with ``RunResult/enrolment`` of `all`.
    func renumber(_ run: Int64, _ all: Set<Int64>, _ db: Database) throws {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT result.id, result.enrolment, standing, place, time, entry FROM result
                LEFT JOIN enrolment ON enrolment.id = result.enrolment WHERE result.run = ?
                """,
            arguments: [run])
        guard rows.contains(where: { !all.contains($0[1] as Int64) }) else { return }
        let kept = rows.compactMap { row -> KeptPlace? in
            guard let group = RankingRow.Group(rawValue: row[2] as String) else { return nil }
            let isLeft = !all.contains(row[1] as Int64)
            // What the organiser says of somebody holds for what is left of them: with a place they would hold up the others.
            let said = isLeft ? (row[5] as String?).flatMap { RankingRow.Group(rawValue: $0) } : nil
            return KeptPlace(row: row[0], group: said ?? group, place: row[3], time: row[4], isLeft: isLeft)
        }
        let places = KeptPlace.places(kept)
        let update = try db.cachedStatement(
            sql: "UPDATE result SET place = ?1 WHERE id = ?2 AND place IS NOT ?1")
        // How somebody ended stays as it was seen: what is said of them may be taken back.
        for one in kept { try update.execute(arguments: [places[one.row], one.row]) }
    }
}
