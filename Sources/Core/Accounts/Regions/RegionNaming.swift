extension RegionList {
    /// Places that somebody names: by its code as the list writes it, or by its whole name, behind which places around it may stand
    /// (*Castro, Bergamo*). Several have the same name; a province mostly has that of a town.
    /// - Returns: large places first; empty where there is none.
    public func places(named typed: String) -> [Region] {
        let parts = typed.split(separator: ",").map { Normalisation.folded(String($0)) }.filter { !$0.isEmpty }
        guard let name = parts.first else { return [] }
        if parts.count == 1, let code = RegionCode(typed.split(whereSeparator: \.isWhitespace).joined()), let region = self[code] {
            return [region]
        }
        return named[name, default: []].filter { index in
            let around = path(of: regions[index].code).dropFirst().flatMap { places[$0.code].map { folded[$0] } ?? [] }
            return parts.dropFirst().allSatisfy(around.contains)
        }.map { regions[$0] }.sorted { ($0.level, -($0.population ?? 0), $0.code) < ($1.level, -($1.population ?? 0), $1.code) }
    }
}
