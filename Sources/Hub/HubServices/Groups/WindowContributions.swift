import Accounts
public import Groups
import History
public import HubStore
import Privacy
public import Vitals

/// With what one person counts in a window: by what they are counted, and one bin for each kind. It says nothing of who they are.
public struct GroupContribution: Sendable, Hashable {
    public let attributes: GroupAttributes
    /// 0 to 254 for each kind of the window; nil where there is no value.
    public let bins: [UInt8?]

    public init(attributes: GroupAttributes, bins: [UInt8?]) { (self.attributes, self.bins) = (attributes, bins) }
}

/// Puts the contributions of people to a window together when it closes, and keeps them sealed.
public struct WindowContributions: Sendable {
    let accounts: AccountStore
    let series: SeriesStore
    let index: AttributeIndex

    /// Of one part of a window.
    static let rowsMax = 10_000

    public init(accounts: AccountStore, series: SeriesStore, index: AttributeIndex) {
        (self.accounts, self.series, self.index) = (accounts, series, index)
    }

    /// Closes a window: works out what everybody who counts now contributes to it, and keeps that for good. Who has replays or drills within it
    /// contributes nothing, because the summaries of their hours hold these as well.
    /// - Parameters:
    ///   - kinds: in the order of ``GroupContribution/bins``, at most 255.
    ///   - bin: the bin of a value, which is one of ``History/WindowValue``.
    ///   - now: at or after the end of the window.
    /// - Returns: how many people contributed; nil for a window that was closed before, or while the index is not whole.
    public func close(
        _ window: GroupWindow, kinds: [DataKind], bin: (DataKind, Double) -> UInt8?, now: Milliseconds
    ) throws -> Int? {
        guard index.isWhole, now >= window.end, try !accounts.consents.groupWindows.isClosed(window) else { return nil }
        let eligibility = series.groupEligibility, codec = ContributionCodec(kinds: kinds)
        let everPlayed = try eligibility.peopleWithPlayedData(from: .min / 2, to: .max / 2)
        let played = try eligibility.peopleWithPlayedData(from: window.start, to: window.end)
        var parts: [[UInt8]] = [], rows: [GroupContribution] = [], count = 0
        for member in index.members(on: CalendarDate(utc: window.start)) where !played.contains(member.person) {
            guard
                case let isPlayed = everPlayed.contains(member.person),
                try eligibility.isMet(by: member.person, created: member.created, isPlayed: isPlayed, now: now),
                let row = try contribution(of: member, to: window, kinds, bin, isPlayed: isPlayed, now: now)
            else { continue }
            rows.append(row)
            count += 1
            if rows.count == Self.rowsMax {
                parts.append(codec.encoded(rows))
                rows = []
            }
        }
        // A window in which nobody counts is closed as well.
        parts.append(codec.encoded(rows))
        return try accounts.consents.groupWindows.close(window, parts: parts) ? count : nil
    }

    /// - Returns: nil where there is no value of any kind.
    private func contribution(
        of member: AttributeIndex.Member, to window: GroupWindow, _ kinds: [DataKind], _ bin: (DataKind, Double) -> UInt8?,
        isPlayed: Bool, now: Milliseconds
    ) throws -> GroupContribution? {
        let bins = try kinds.map { kind in
            try value(of: kind, of: member.person, in: window, isPlayed: isPlayed, now: now).flatMap { bin(kind, $0) }
        }
        return bins.contains { $0 != nil } ? GroupContribution(attributes: member.attributes, bins: bins) : nil
    }

    private func value(
        of kind: DataKind, of person: PersonID, in window: GroupWindow, isPlayed: Bool, now: Milliseconds
    ) throws -> Double? {
        func hours(from: Milliseconds) throws -> [Int64: Rollup] {
            try series.history.rollups(.maintenance(of: person), of: kind, by: .hours, from: from, to: window.end, now: now) ?? [:]
        }
        if let value = WindowValue.value(of: kind, hours: try hours(from: window.start)) { return value }
        guard let reach = Contribution.reach(of: kind), !isPlayed else { return nil }
        // The newest hour that still counts.
        return try hours(from: window.end - Milliseconds(reach) * 86_400_000).filter { !$0.value.isEmpty }.max { $0.key < $1.key }
            .flatMap { WindowValue.value(of: kind, hours: [$0.key: $0.value]) }
    }

    /// The contributions to a closed window; nil for one that is open.
    /// - Throws: what the store throws, and ``HubStore/HubStoreError`` for parts that are none.
    public func contributions(to window: GroupWindow) throws -> (kinds: [DataKind], rows: [GroupContribution])? {
        var kinds: [DataKind]?, rows: [GroupContribution] = []
        for part in try accounts.consents.groupWindows.contributions(to: window) {
            guard let read = ContributionCodec.decoded(part) else {
                throw HubStoreError.wrongKey(what: "A window of statistics about groups")
            }
            kinds = read.kinds
            rows += read.rows
        }
        return kinds.map { ($0, rows) }
    }
}

/// Rows of contributions in bytes: the kinds, then for each person sex, band, nine bytes of the place, and a bin for each kind.
struct ContributionCodec {
    let kinds: [DataKind]

    private static let placeBytes = 9, none: UInt8 = 255
    private static let genders: [Gender?] = [nil, .male, .female, .other]

    func encoded(_ rows: [GroupContribution]) -> [UInt8] {
        var bytes = [UInt8(clamping: kinds.count)] + kinds.map(\.rawValue)
        for row in rows {
            bytes.append(UInt8(clamping: Self.genders.firstIndex(of: row.attributes.gender) ?? 0))
            bytes.append(UInt8(clamping: row.attributes.band.from))
            let place = Array((row.attributes.region?.text ?? "").utf8.prefix(Self.placeBytes))
            bytes += place + [UInt8](repeating: 0, count: Self.placeBytes - place.count)
            bytes += kinds.indices.map { $0 < row.bins.count ? row.bins[$0] ?? Self.none : Self.none }
        }
        return bytes
    }

    /// nil for bytes that ``encoded(_:)`` did not make.
    static func decoded(_ bytes: [UInt8]) -> (kinds: [DataKind], rows: [GroupContribution])? {
        guard let count = bytes.first.map(Int.init), bytes.count > count else { return nil }
        let kinds = bytes[1..<(count + 1)].compactMap { DataKind(rawValue: $0) }
        let rest = Array(bytes[(count + 1)...]), width = 2 + placeBytes + count
        guard kinds.count == count, rest.count.isMultiple(of: width) else { return nil }
        var rows: [GroupContribution] = []
        for start in stride(from: 0, to: rest.count, by: width) {
            let gender = Int(rest[start])
            guard genders.indices.contains(gender) else { return nil }
            let place = rest[(start + 2)..<(start + 2 + placeBytes)].prefix { $0 != 0 }
            let bins = rest[(start + 2 + placeBytes)..<(start + width)].map { bin -> UInt8? in bin == none ? nil : bin }
            rows.append(
                GroupContribution(
                    attributes: GroupAttributes(
                        gender: genders[gender], band: AgeBand(age: Int(rest[start + 1])),
                        region: RegionCode(String(decoding: place, as: UTF8.self))),
                    bins: bins))
        }
        return (kinds, rows)
    }
}
