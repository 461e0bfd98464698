import Accounts
import Groups
import HubServices
import Vitals

/// Made-up people of some towns, of whom an attacker knows everything but which targets count: in each cell one target, every second of whom does.
struct GroupAttackPeople {
    struct Target {
        let cell: GroupCell
        let isThere: Bool
    }

    /// The class of a target's values.
    static let bin = 6
    /// One too few, so that a target makes the least size.
    static let small = ReleaseRule.minimum - 1

    let towns: [Region]
    /// Everybody else of a cell there is one too few.
    let village: Region
    let kinds: [DataKind]
    let people: WindowPeople
    let targets: [Target]
    /// Of the village.
    let few: [Target]

    /// - Parameters:
    ///   - list: has so many towns with cells, in provinces of their own, and one more.
    ///   - size: of each cell but the village's: as many for each class, and so many that it is released for certain.
    /// - Returns: nil where the list has too few towns.
    init?(_ list: RegionList, _ tree: RegionTree, towns count: Int, kinds: [DataKind], size: Int) {
        var provinces: Set<RegionCode> = [], found: [Region] = []
        for region in list.regions where region.level == .municipality && tree.regions[region.code]?.hasCells == true {
            guard region.centre != nil, let province = region.parent, found.count <= count, provinces.insert(province).inserted else {
                continue
            }
            found.append(region)
        }
        guard found.count == count + 1, let village = found.popLast() else { return nil }
        var people = WindowPeople(
            kinds: kinds, homes: found.map(\.code) + [village.code], capacity: (count * size + Self.small + 1) * 63)
        var targets: [[Target]] = []
        for (home, region) in (found + [village]).enumerated() {
            var here: [Target] = []
            for sex in CellSex.allCases {
                for band in AgeBand.all {
                    let target = Target(cell: GroupCell(sex, band, region.code), isThere: (here.count + home) % 2 == 0)
                    for number in 0..<(home == count ? Self.small : size) {
                        _ = people.append(sex, band, home: home, bins: kinds.map { _ in number % GroupBins.count })
                    }
                    if target.isThere { _ = people.append(sex, band, home: home, bins: kinds.map { _ in Self.bin }) }
                    here.append(target)
                }
            }
            targets.append(here)
        }
        few = targets.removeLast()
        (towns, self.village, self.kinds, self.people, self.targets) = (found, village, kinds, people, targets.flatMap(\.self))
    }

    /// How many others of a large cell are in the target's class.
    static func known(size: Int) -> Double { Double(size / GroupBins.count) }

    /// The least size that every one of these kinds is released with for certain, with room for the target.
    static func size(of kinds: [DataKind], _ settings: GroupSettings) -> Int {
        let rows = GroupPlan(settings.budget, minimum: settings.minimum).rows.filter {
            $0.level == .municipality && kinds.contains($0.kind)
        }
        return ((rows.map(\.certain).max() ?? ReleaseRule.minimum) / GroupBins.count + 2) * GroupBins.count
    }
}
