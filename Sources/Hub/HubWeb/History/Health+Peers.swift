import Accounts
import Groups
import History
import HubServices
import Vitals

/// How a value compares with people of the same sex and age where the person lives, in words (DATA-4).
struct HealthPeers {
    let found: GroupComparison
    let kind: DataKind
    let words: HealthWords

    /// What is compared. A person's value is made as groups make it, but over the last seven days in their own time zone.
    static let kinds: [DataKind] = [.heartRate, .steps, .sleep, .weight]

    private var texts: Texts { words.texts }

    /// - Parameter value: in the unit of the kind's classes.
    func comparison(_ value: Double) -> HealthPage.Comparison {
        let period = ["from": day(found.window.start), "through": day(found.window.end - 1)]
        let says = [
            "low": amount(found.low), "high": amount(found.high), "mean": amount(found.mean.value), "least": amount(found.mean.low),
            "most": amount(found.mean.high),
        ]
        var group = period
        group["sex"] = texts["gender.\(found.cell.sex.word)"].lowercased()
        group["ages"] = texts.ages(found.cell.band)
        group["place"] = texts.place(found.cell.region, in: Regions.list)
        group["n"] = texts.number(Int(found.count.value.rounded()))
        let place = found.place(of: value)
        return .init(
            isOut: place != .within, place: texts["peers.place_\(place.rawValue)"], text: texts.filled("peers.says", says),
            source: texts.filled("peers.source", period), citation: texts.filled("peers.citation", group))
    }

    /// In the units in which the page has the kind.
    private func amount(_ value: Double) -> String {
        if kind == .sleep { return words.duration(minutes: Int(value.rounded())) }
        guard let own = texts.measures.unit(of: kind) else {
            return words.measured(value, kind == .steps || kind == .heartRate ? 0 : 1, words.unit(of: kind))
        }
        return words.measured(own.value(value), 1, own.name)
    }

    /// Windows are in UTC.
    private func day(_ time: Milliseconds) -> String { texts.day(CalendarDate(utc: time)) }
}

extension Texts {
    /// *30 to 34*, *100 and older*.
    func ages(_ band: AgeBand) -> String {
        guard let through = band.through else { return filled("footprint.agesFrom", ["from": "\(band.from)"]) }
        return filled("footprint.ages", ["from": "\(band.from)", "through": "\(through)"])
    }
}
