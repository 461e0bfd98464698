import Vitals

/// The number of posts that may be on their way at once: in all, for each organisation, and to each destination as many as it has shown to take fast.
///
/// A destination begins with one. What it takes within ``fast`` doubles that; what is slow or fails halves it. So a slow receiver keeps one
/// place, however much waits for it, and the others have the rest.
public struct DeliveryLimits {
    /// Posts on their way at once, each with a connection of its own.
    public static let totalMax = 256
    static let destinationMax = 64
    /// One with many host names shall not have all places.
    static let organisationMax = totalMax / 4
    /// The longest post of a turn that counts as fast.
    static let fast: Duration = .seconds(1)
    /// Destinations that are remembered, about; a forgotten one begins anew.
    static let destinationsMax = 4096

    private struct Destination {
        var used = 0
        var width = 1
    }

    private var destinations: [String: Destination] = [:]
    /// Places that each has now.
    private var organisations: [OrganisationID: Int] = [:]
    private(set) var used = 0

    var isFull: Bool { used >= Self.totalMax }

    /// Takes places for one turn.
    /// - Returns: how many, `count` at most; 0 when there is none now.
    mutating func take(_ destination: String, of organisation: OrganisationID, atMost count: Int) -> Int {
        var entry = destinations[destination] ?? Destination()
        let ofOrganisation = organisations[organisation] ?? 0
        let taken = min(count, entry.width - entry.used, Self.organisationMax - ofOrganisation, Self.totalMax - used)
        guard taken > 0 else { return 0 }
        if destinations.count >= Self.destinationsMax { destinations = destinations.filter { $0.value.used > 0 } }
        entry.used += taken
        used += taken
        organisations[organisation] = ofOrganisation + taken
        destinations[destination] = entry
        return taken
    }

    /// Gives places back.
    /// - Parameters:
    ///   - count: a turn's places, which it could all use: what it could not was given back when it began.
    ///   - slowest: the longest post of the turn; nil when one failed. A turn without a post changes nothing: `.zero` with `posts` 0.
    mutating func give(_ destination: String, of organisation: OrganisationID, _ count: Int, posts: Int, slowest: Duration?) {
        guard var entry = destinations[destination] else { return }
        entry.used -= count
        used -= count
        let rest = (organisations[organisation] ?? 0) - count
        organisations[organisation] = rest > 0 ? rest : nil
        if let slowest, slowest <= Self.fast {
            // Only who filled its places has shown that it takes more.
            if min(count, posts) >= entry.width { entry.width = min(Self.destinationMax, entry.width * 2) }
        } else {
            entry.width = max(1, entry.width / 2)
        }
        destinations[destination] = entry
    }
}
