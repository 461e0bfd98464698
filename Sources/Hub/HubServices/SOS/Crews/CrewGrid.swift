import Foundation
import Vitals

/// Crews by the cell of a tenth of a degree in which they are, so that the nearest are found without looking at all.
struct CrewGrid: Sendable {
    struct Cell: Hashable, Sendable {
        var north: Int, east: Int
    }

    static let perDegree = 10.0
    private static let around = Int(360 * perDegree)
    /// From so many cells away the whole index is looked at.
    private static let ringsMax = 60

    private var cells: [Cell: Set<AccountID>] = [:]

    static func cell(_ latitude: Double, _ longitude: Double) -> Cell {
        Cell(north: Int((latitude * perDegree).rounded(.down)), east: wrapped(Int((longitude * perDegree).rounded(.down))))
    }

    private static func wrapped(_ east: Int) -> Int { ((east % around) + around) % around }

    mutating func move(_ crew: AccountID, from old: Cell?, to new: Cell?) {
        guard old != new else { return }
        if let old {
            cells[old]?.remove(crew)
            if cells[old]?.isEmpty == true { cells[old] = nil }
        }
        if let new { cells[new, default: []].insert(crew) }
    }

    /// Crews ring by ring around a place. `body` gets those of a ring and says the distance in metres beyond which nobody is wanted any more; nil
    /// for none yet. Returns false where it did not get to an end: then all have to be looked at.
    func visit(_ latitude: Double, _ longitude: Double, _ body: ([AccountID]) -> Double?) -> Bool {
        let centre = Self.cell(latitude, longitude)
        for ring in 0...Self.ringsMax {
            // More cells than there are crews' cells: all are quicker.
            if (2 * ring + 1) * (2 * ring + 1) > 4 * cells.count + 64 { return false }
            let wanted = body(ofRing(ring, centre))
            if let wanted, wanted < Self.metresBeyond(ring, latitude) { return true }
        }
        return false
    }

    private func ofRing(_ ring: Int, _ centre: Cell) -> [AccountID] {
        var found: [AccountID] = []
        for north in -ring...ring {
            let step = abs(north) == ring || ring == 0 ? 1 : 2 * ring
            for east in stride(from: -ring, through: ring, by: step) {
                found += cells[Cell(north: centre.north + north, east: Self.wrapped(centre.east + east))] ?? []
            }
        }
        return found
    }

    /// The least distance of a crew in none of the rings up to this one.
    private static func metresBeyond(_ ring: Int, _ latitude: Double) -> Double {
        let degrees = Double(ring) / perDegree, radians = Double.pi / 180
        let east = asin(max(0, cos(latitude * radians)) * sin(degrees * radians))
        return CrewIndex.earthRadius * min(degrees * radians, east)
    }
}
