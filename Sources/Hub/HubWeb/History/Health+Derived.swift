import Accounts
import Foundation
import History
import HubServices
import Vitals

/// Values that nobody measured, marked as such.
extension HealthPage {
    struct DerivedValue: TemplateModel {
        let name: String, amount: String, method: String
    }

    struct DerivedDay: TemplateModel {
        let day: String
        let values: [DerivedValue]
    }

    struct Derived: TemplateModel {
        let days: [DerivedDay]
        /// That the formulas were made of others.
        var extrapolated: String?
        let formulas: [Publication]
        let hasFormulas: Bool
    }
}

extension HealthSpan {
    /// Its days, as the reader's clock counts them; empty for more than a week, for parts of a day, and for days to come.
    func each(until now: Milliseconds) -> [Range<Milliseconds>] {
        guard length != .hours, days <= HistoryService.derivedMax else { return [] }
        let calendar = Self.calendar(zone)
        var found: [Range<Milliseconds>] = [], time = from
        while time < min(to, now), found.count < HistoryService.derivedMax {
            let day = calendar.interval(.day, around: time)
            found.append(day)
            guard day.upperBound > time else { break }
            time = day.upperBound
        }
        return found
    }
}

extension HealthModel {
    var derived: HealthPage.Derived? {
        guard !reading.derived.isEmpty else { return nil }
        let days = reading.derived.map { day in
            HealthPage.DerivedDay(day: words.time(day.begin, .day, in: reading.span), values: values(day))
        }
        let isEnergy = reading.derived.contains { $0.active != nil || $0.resting != nil }
        let formulas: [HealthPage.Publication] =
            isEnergy
            ? [DerivationMethod.activeEnergyFromHeartRate, .restingEnergyFromBody].compactMap { method in
                method.citation.map { .init(short: texts[method.key], full: $0) }
            } : []
        return .init(
            days: days,
            extrapolated: reading.derived.contains(where: \.isExtrapolated) ? texts["derived.extrapolated"] : nil,
            formulas: formulas, hasFormulas: !formulas.isEmpty)
    }

    private func values(_ day: HistoryService.DerivedDay) -> [HealthPage.DerivedValue] {
        func value(_ name: String, _ amount: String, _ method: DerivationMethod) -> HealthPage.DerivedValue {
            .init(name: texts["derived.\(name)"], amount: amount, method: texts[method.key])
        }
        var values: [HealthPage.DerivedValue] = []
        if let walked = day.walked { values.append(value("walked", texts.distance(walked), .distanceFromPositions)) }
        if let run = day.run { values.append(value("run", texts.distance(run), .distanceFromPositions)) }
        if let steps = day.steps { values.append(value("steps", texts.number(Int(clamping: steps)), .stepsFromCadence)) }
        if let active = day.active {
            values.append(value("active", words.measured(active.rounded(), 0, texts.unit("kcal")), .activeEnergyFromHeartRate))
        }
        if let resting = day.resting {
            values.append(value("resting", words.measured(resting.rounded(), 0, texts.unit("kcal")), .restingEnergyFromBody))
        }
        return values
    }
}
