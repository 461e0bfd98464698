import Groups

/// A made-up list: two regions, provinces with towns of 20,000 and more, and smaller ones without cells.
enum MadeRegions {
    static let tree = RegionTree([
        GroupRegion(north, level: .region), GroupRegion(south, level: .region),
        GroupRegion(lake, level: .province, parent: north), GroupRegion(hills, level: .province, parent: north),
        GroupRegion(coast, level: .province, parent: south),
        GroupRegion(lakeTown, level: .municipality, parent: lake), GroupRegion(lakeCity, level: .municipality, parent: lake),
        GroupRegion(hillTown, level: .municipality, parent: hills),
        GroupRegion(hamlet, level: .municipality, parent: hills, hasCells: false),
        GroupRegion(harbour, level: .municipality, parent: coast),
    ])
    static let north = RegionCode("01"), south = RegionCode("02")
    static let lake = RegionCode("01.1"), hills = RegionCode("01.2"), coast = RegionCode("02.1")
    static let lakeTown = RegionCode("01.1.1"), lakeCity = RegionCode("01.1.2"), hillTown = RegionCode("01.2.1")
    static let hamlet = RegionCode("01.2.2"), harbour = RegionCode("02.1.1")
}
