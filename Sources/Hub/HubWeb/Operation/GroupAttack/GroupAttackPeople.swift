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
    private static let askedTowns = 2, townsOfProvinceMax = 8

    let towns: [Region]
    /// Everybody else of a cell there is one too few.
    let village: Region
    let kinds: [DataKind]
    let people: WindowPeople
    /// Those who can be asked about with ranges of health values: of some towns, because each of them is sealed.
    let asked: WindowPeople
    let targets: [Target]
    /// Of the village.
    let few: [Target]

    /// - Parameters:
    ///   - list: has so many towns with cells, in provinces of their own, and one more.
    ///   - size: of each cell but the village's: as many for each class, and so many that it is released for certain.
    /// - Returns: nil where the list has too few towns.
    init?(_ list: RegionList, _ tree: RegionTree, towns count: Int, kinds: [DataKind], size: Int) {
        guard var found = Self.towns(list, tree, count + 1), let village = found.popLast() else { return nil }
        var people = WindowPeople(
            kinds: kinds, homes: found.map(\.code) + [village.code], capacity: (count * size + Self.small + 1) * 63)
        var asked = WindowPeople(kinds: kinds, homes: found.map(\.code) + [village.code])
        var targets: [[Target]] = []
        for (home, region) in (found + [village]).enumerated() {
            var here: [Target] = []
            for sex in CellSex.allCases {
                for band in AgeBand.all {
                    let target = Target(cell: GroupCell(sex, band, region.code), isThere: (here.count + home) % 2 == 0)
                    for number in 0..<(home == count ? Self.small : size) {
                        let bins = kinds.map { _ -> Int? in number % GroupBins.count }
                        _ = people.append(sex, band, home: home, bins: bins)
                        if home < Self.askedTowns { _ = asked.append(sex, band, home: home, bins: bins) }
                    }
                    if target.isThere { _ = people.append(sex, band, home: home, bins: kinds.map { _ in Self.bin }) }
                    here.append(target)
                }
            }
            targets.append(here)
        }
        few = targets.removeLast()
        (towns, self.village, self.kinds, self.people, self.targets) = (found, village, kinds, people, targets.flatMap(\.self))
        self.asked = asked
    }

    /// Towns with cells and a middle on the map, of as many provinces as there are. Of no province all that are listed: those would be one group.
    /// - Returns: nil where there are too few.
    private static func towns(_ list: RegionList, _ tree: RegionTree, _ count: Int) -> [Region]? {
        var found: [Region] = [], ofProvince: [RegionCode: Int] = [:]
        let towns = list.regions.filter { region in
            region.level == .municipality && region.centre != nil && region.parent != nil && tree.regions[region.code]?.hasCells == true
        }
        let listed = Dictionary(grouping: list.regions.filter { $0.level == .municipality }) { $0.parent }.mapValues(\.count)
        var taken: Set<RegionCode> = []
        for round in 1...townsOfProvinceMax {
            for town in towns {
                guard found.count < count, let province = town.parent, ofProvince[province, default: 0] < round,
                    round == 1 || round < listed[town.parent, default: 0], taken.insert(town.code).inserted
                else { continue }
                ofProvince[province, default: 0] += 1
                found.append(town)
            }
        }
        return found.count == count ? found : nil
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
