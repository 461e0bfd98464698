import Accounts
import Groups
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// A made-up list of regions, and windows that were closed over it.
struct MadeGroups {
    let own: OwnDataFixture
    let tree: RegionTree
    let window = GroupWindow(.week, number: 2_900)

    static let list = """
        TMREGIONS 1
        =IT\tItaly\tItalia\tITA
        +25\tLombardia
        -MI\tMilano
        015146\tMilano\t\t20121\t1350000
        -LC\tLecco
        097042\tLecco\t\t23900\t47000
        +21\tPiemonte
        -TO\tTorino
        001272\tTorino\t\t10121\t850000
        """

    static func code(_ text: String) throws -> RegionCode { try #require(RegionCode(text)) }

    static func regions() throws -> RegionList { try RegionList(Array(list.utf8)) }

    init(_ list: RegionList? = nil) throws {
        own = try OwnDataFixture()
        tree = RegionTree(try list ?? Self.regions())
    }

    var accounts: AccountStore { own.hub.accounts }
    var releases: GroupReleases { accounts.consents.groupReleases }

    func answers(_ budget: GroupBudget = GroupBudget()) -> GroupAnswers { GroupAnswers(releases, tree: tree, budget: budget) }

    static func cell(_ sex: CellSex, _ age: Int, _ region: String) throws -> GroupCell {
        GroupCell(sex, AgeBand(age: age), try code(region))
    }

    /// A released window of heart rates: a hundred in each class of each cell.
    func close(_ window: GroupWindow, _ cells: [RegionLevel: [GroupCell]], contributions: [[UInt8]] = []) throws {
        let variance = try #require(NoiseVariance(400))
        let released = cells.map { level, cells in
            GroupRelease(
                window: window, kind: .heartRate, level: level, variance: variance,
                cells: Dictionary(uniqueKeysWithValues: cells.map { ($0, [Int64](repeating: 100, count: 16)) }))
        }
        _ = try releases.close(window, releases: released, contributions: contributions, now: window.closes())
    }

    /// Women of 30 to 34 in Milan, of whom every second one sleeps long, beside men of Turin.
    static func people(_ count: Int) throws -> WindowPeople {
        var people = WindowPeople(kinds: [.heartRate, .sleep], homes: [try code("IT-001272"), try code("IT-015146")])
        for number in 0..<count {
            _ = people.append(.female, AgeBand(age: 30), home: 1, bins: [number % 4, number % 2 == 0 ? 10 : nil])
            if number % 10 == 0 { _ = people.append(.male, AgeBand(age: 30), home: 0, bins: [0, 10]) }
        }
        return people
    }
}
