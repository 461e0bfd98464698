/// The match of a typed residence in the list of regions.
public enum HomeRegion: Sendable, Hashable {
    case found(RegionCode)
    /// The person has to say which: one of these, or another one where there is none.
    case unclear([RegionCode])
}

extension RegionList {
    /// Maps a residence by the name of its municipality, its postal code, the letters of its province and its country. What fits several places, and
    /// what contradicts itself, is unclear.
    /// - Parameter country: ISO 3166-1 alpha-2, where the residence names none.
    public func home(of residence: String, country: String) -> HomeRegion { ResidenceSearch(self, residence).home(country) }
}

/// The search for one residence. Words are compared as `Normalisation.folded` writes them.
private struct ResidenceSearch {
    /// The parts between commas.
    struct Part {
        /// As typed.
        let raw: [Substring]
        /// Folded, one word each.
        let words: [String]
    }

    let list: RegionList
    let parts: [Part]

    init(_ list: RegionList, _ residence: String) {
        self.list = list
        let marks: Set<Character> = [",", ";", "(", ")", "/", "–", "—", "|", "\n", "\t"]
        parts = residence.split(whereSeparator: marks.contains).flatMap { $0.split(separator: " - ") }.map { part in
            Part(
                raw: part.split(whereSeparator: \.isWhitespace),
                words: Normalisation.folded(String(part)).split(separator: " ").map(String.init))
        }.filter { !$0.words.isEmpty }
    }

    func home(_ assumed: String) -> HomeRegion {
        let named = namedCountry
        let country = named ?? RegionCode(assumed).flatMap { list[$0] == nil ? nil : $0 }
        if country?.text == "IT" { return italian() }
        if let country, let home = abroad(country, isNamed: named != nil) { return home }
        if named == nil, case let italian = candidates().found, !italian.isEmpty { return .unclear(codes(italian)) }
        return .unclear(country.map { list.children(of: $0).map(\.code) } ?? [])
    }

    // MARK: Elsewhere

    /// The country that stands at the end of a part, or in a part of its own, the last one first.
    private var namedCountry: RegionCode? {
        for part in parts.reversed() {
            for start in part.words.indices {
                let name = part.words[start...].joined(separator: " ")
                // Three letters at the end of a street are a word.
                if start > 0, name.utf8.count <= 3 { continue }
                let found = list.named[name, default: []]
                // Bra, whose name is the letters of Brazil, and Perosa Argentina are towns.
                if found.contains(where: isMunicipality) { break }
                if found.count == 1, list.regions[found[0]].level == .country { return list.regions[found[0]].code }
            }
        }
        return nil
    }

    /// - Returns: nil where the residence names no subdivision, and no country either.
    private func abroad(_ country: RegionCode, isNamed: Bool) -> HomeRegion? {
        let all = Set(list.children(of: country).map(\.code))
        if all.isEmpty { return isNamed ? .found(country) : nil }
        var found: Set<Int> = []
        for part in parts { found.formUnion(spans(part.words[...]) { all.contains(list.regions[$0].code) }) }
        // New York, NY 10001
        for part in parts {
            for word in part.raw where word.count > 1 {
                if let code = RegionCode("\(country)-\(word)"), all.contains(code), let index = list.places[code] { found.insert(index) }
            }
        }
        if found.count == 1 { return .found(codes(found)[0]) }
        return isNamed ? .unclear(found.isEmpty ? all.sorted() : codes(found)) : nil
    }

    // MARK: Italy

    private func italian() -> HomeRegion {
        var (found, isPlace) = candidates()
        let coded = postal
        if !coded.isEmpty {
            let both = found.intersection(coded)
            // Of some municipalities the list has no postal codes.
            let uncoded = found.subtracting(list.coded)
            guard !both.isEmpty || !uncoded.isEmpty else { return .unclear(codes(found.union(coded))) }
            found = both.isEmpty ? uncoded : both
            isPlace = isPlace || !both.isEmpty
        }
        if found.count > 1, let sign = province {
            let within = found.filter { list.regions[$0].parent == sign }
            if !within.isEmpty { found = within }
        }
        if found.count > 1 {
            // Castro, Bergamo: the second one names the province of the first one.
            let names = Set(found.flatMap { list.folded[$0] })
            let supported = found.filter { index in
                guard let parent = list.regions[index].parent, let place = list.places[parent] else { return false }
                let around = list.folded[place]
                return around.contains(where: names.contains) && !around.contains(where: list.folded[index].contains)
            }
            if supported.count == 1 { found = supported }
        }
        if found.count == 1, isPlace, province.map({ list.regions[found[found.startIndex]].parent == $0 }) ?? true {
            return .found(codes(found)[0])
        }
        return .unclear(codes(found))
    }

    /// Municipalities that the residence names: those outside of streets, or else those in their names, which are no places of it.
    private func candidates() -> (found: Set<Int>, isPlace: Bool) {
        let outside = Set(parts.flatMap { spans(placeWords($0), isMunicipality) })
        return outside.isEmpty ? (Set(parts.flatMap { spans($0.words[...], isMunicipality) }), false) : (outside, true)
    }

    private func isMunicipality(_ index: Int) -> Bool { list.regions[index].level == .municipality }

    /// The words of a part that do not name a street: what follows the postal code, or all of a part that begins with no street.
    private func placeWords(_ part: Part) -> ArraySlice<String> {
        // Borgo San Lorenzo is a town.
        let isTown = list.named[part.words.joined(separator: " "), default: []].contains(where: isMunicipality)
        let isStreet = !isTown && part.words.first.map(Self.streets.contains) ?? false
        guard let code = part.words.lastIndex(where: isPostalCode) else { return isStreet ? [] : part.words[...] }
        return code + 1 < part.words.endIndex ? part.words[(code + 1)...] : isStreet ? [] : part.words[..<code]
    }

    private static let streets: Set<String> = [
        "via", "viale", "vicolo", "piazza", "piazzale", "piazzetta", "corso", "largo", "strada", "stradone", "contrada", "localita", "loc",
        "frazione", "fraz", "borgo", "salita", "calle", "lungomare", "vico", "traversa", "rione", "p", "v", "str", "regione", "quartiere",
    ]

    private func isPostalCode(_ word: String) -> Bool { word.utf8.count == 5 && word.utf8.allSatisfy { $0.digit != nil } }

    /// Municipalities with a postal code of the residence.
    private var postal: Set<Int> {
        Set(parts.flatMap { $0.words.filter(isPostalCode).flatMap { list.postal[Int($0) ?? 0] ?? [] } })
    }

    /// The province by its two capitals, which end a part or stand between brackets.
    private var province: RegionCode? {
        for part in parts.reversed() {
            guard let last = part.raw.last, last.utf8.count == 2, let code = RegionCode("IT-\(last)") else { continue }
            if list[code]?.level == .province { return code }
        }
        return nil
    }

    // MARK: Names

    private static let wordsMax = 8

    /// Places whose whole names stand in the words: the longest name at each word, none within another.
    private func spans(_ words: ArraySlice<String>, _ isWanted: (Int) -> Bool) -> Set<Int> {
        var found: Set<Int> = [], start = words.startIndex
        while start < words.endIndex {
            var next = start + 1
            for end in stride(from: min(start + Self.wordsMax, words.endIndex), to: start, by: -1) {
                let fitting = list.named[words[start..<end].joined(separator: " "), default: []].filter(isWanted)
                guard !fitting.isEmpty else { continue }
                found.formUnion(fitting)
                next = end
                break
            }
            start = next
        }
        return found
    }

    private func codes(_ indices: Set<Int>) -> [RegionCode] { indices.sorted().map { list.regions[$0].code } }
}
