import Accounts
import CGround
import Groups

/// The list of regions, which comes with the hub: `packaging/regions/README.md` says from where.
enum Regions {
    /// Read when it is first asked for. Empty where the program holds none that can be read: nobody has a region then.
    static let list =
        (try? RegionList(UnsafeRawBufferPointer(start: trackme_regions_bytes(), count: trackme_regions_count()))) ?? .empty

    /// The same as a tree, for groups.
    static let tree = RegionTree(list)
}

extension Texts {
    /// A place and what lies around it, from the small to the large one: *Forlì, Forlì-Cesena, Emilia-Romagna, Italy*.
    func place(_ code: RegionCode, in list: RegionList) -> String {
        var names: [String] = []
        for name in list.path(of: code).map({ $0.name(in: lang) }) where names.last != name { names.append(name) }
        return names.joined(separator: ", ")
    }
}
