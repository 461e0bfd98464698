import Groups

@testable import Accounts

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
    static let north = code("01"), south = code("02")
    static let lake = code("011"), hills = code("012"), coast = code("021")
    static let lakeTown = code("0111"), lakeCity = code("0112"), hillTown = code("0121")
    static let hamlet = code("0122"), harbour = code("0211")

    /// By its number within the country.
    static func code(_ number: String) -> RegionCode { RegionCode(country: "IT", number) }
}
