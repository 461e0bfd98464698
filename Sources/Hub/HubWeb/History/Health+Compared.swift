import Foundation
import History
import HubServices
import Vitals

/// How values compare with references (DATA-4): in words, with the source.
struct HealthCompared {
    let subject: ReferenceSubject
    let texts: Texts
    /// In which units limits are said.
    var measures = Measures()

    private typealias Found = (comparison: HealthPage.Comparison, source: ReferenceSource)

    /// The newest value of a kind; nil where there is no reference for it.
    func comparison(_ sample: ScalarSample) -> HealthPage.Comparison? {
        let value = Double(sample.value) * sample.kind.scale
        switch sample.kind {
        case .bloodPressure: return sample.second.flatMap { pressure(sample.value, $0) }
        case .oxygenSaturation: return comparison(.oxygenSaturation, value, "%")
        case .bodyTemperature: return comparison(.bodyTemperature, value, texts.unit("Cel"), measures.unit(of: .bodyTemperature))
        default: return nil
        }
    }

    /// - Parameters:
    ///   - value: in the unit of the quantity.
    ///   - unit: its name.
    ///   - own: the unit in which the limits are said instead.
    func comparison(_ quantity: ReferenceQuantity, _ value: Double, _ unit: String, _ own: Measures.Unit? = nil) -> HealthPage.Comparison? {
        guard let range = ReferenceTable.range(of: quantity, for: subject), let place = range.place(of: value) else { return nil }
        let limits = limits(own.map(range.shown) ?? range, own?.name ?? unit)
        return said(place, texts.filled("reference.says_\(basis(range.basis))", ["range": limits]), range.source)
    }

    /// From where to where a reference reaches.
    func limits(_ range: ReferenceRange, _ unit: String) -> String {
        func number(_ value: Double?) -> String { value.map { texts.decimal($0, 2) } ?? "" }
        let key = range.low == nil ? "upTo" : range.high == nil ? "from" : "between"
        return texts.filled("reference.range_\(key)", ["low": number(range.low), "high": number(range.high), "unit": unit])
    }

    /// What the points of a kind's plot are compared with; nil where there is no reference for single values, or the age is not known.
    func range(_ kind: DataKind) -> ReferenceRange? {
        switch kind {
        case .bloodPressure: ReferenceTable.range(of: .systolicPressure, for: subject)
        case .oxygenSaturation: ReferenceTable.range(of: .oxygenSaturation, for: subject)
        case .bodyTemperature: ReferenceTable.range(of: .bodyTemperature, for: subject)
        default: nil
        }
    }

    private func pressure(_ systolic: Int64, _ diastolic: Int64) -> HealthPage.Comparison? {
        guard let age = subject.age, age >= BloodPressureClass.ageMin,
            let found = BloodPressureClass(systolic: systolic, diastolic: diastolic)
        else { return nil }
        return said(found.place, texts["reference.class_\(found.rawValue)"], BloodPressureClass.source)
    }

    private func said(_ place: ReferenceRange.Place, _ text: String, _ source: ReferenceSource) -> HealthPage.Comparison {
        .init(
            isOut: place != .within, place: texts["reference.place_\(place.rawValue)"], text: text, source: texts[source.key],
            citation: source.citation)
    }

    private func basis(_ basis: ReferenceRange.Basis) -> String {
        switch basis {
        case .population: "population"
        case .groupMeans: "groupMeans"
        case .recommendation: "recommendation"
        case .classes: "classes"
        }
    }
}

extension ReferenceRange {
    /// The same limits in another unit.
    func shown(in unit: Measures.Unit) -> ReferenceRange { converted(factor: unit.factor, zero: unit.zero) }
}

extension HealthPage {
    /// How a value compares with a reference.
    struct Comparison: TemplateModel {
        let isOut: Bool
        /// Below, within or above.
        let place: String
        let text: String
        /// In short, and in full.
        let source: String, citation: String
    }

    /// What days came to, or what two values make.
    struct Figure: TemplateModel {
        let label: String, value: String, about: String
        var compared: Comparison?
        /// With people like the person.
        var peers: Comparison?
    }

    /// AutomatedSOS.
    struct Protection: TemplateModel {
        /// As ``trackme.css`` has it for badges.
        let level: String
        let text: String
        /// Why the person is not protected now.
        let reasons: [String]
        let href: String, link: String
    }

    struct Publication: TemplateModel {
        let short: String, full: String
    }
}

extension HealthModel {
    var compared: HealthCompared { HealthCompared(subject: reading.body.subject, texts: texts, measures: reading.measures) }

    /// Means of the last full days, and the body mass index.
    var figures: [HealthPage.Figure] {
        let means = reading.means, compared = compared
        var figures: [HealthPage.Figure] = []
        if let resting = means.resting {
            figures.append(
                .init(
                    label: texts["health.resting"], value: words.measured(resting, 0, texts["live.bpm"]),
                    about: texts["health.aboutResting"],
                    compared: compared.comparison(.restingHeartRate, resting.rounded(), texts["live.bpm"])))
        }
        if let heart = means.heart, let peers = peers(.heartRate, heart.value) {
            figures.append(
                .init(
                    label: texts["health.heartDay"], value: words.measured(heart.value, 0, texts["live.bpm"]),
                    about: texts.counted("health.ofHeartDays", heart.count), peers: peers))
        }
        if let steps = means.steps {
            figures.append(
                .init(
                    label: texts["health.stepsADay"], value: words.measured(steps.value, 0, texts.unit("{steps}")),
                    about: texts.counted("health.ofDays", steps.count),
                    compared: compared.comparison(.stepsPerDay, steps.value, texts.unit("{steps}")), peers: peers(.steps, steps.value)))
        }
        if let sleep = means.sleep {
            figures.append(
                .init(
                    label: texts["health.sleepANight"], value: words.duration(minutes: Int((sleep.value * 60).rounded())),
                    about: texts.counted("health.ofNights", sleep.count),
                    compared: compared.comparison(.sleepPerNight, sleep.value, texts.unit("h")), peers: peers(.sleep, sleep.value * 60)))
        }
        if let index = reading.body.massIndex {
            let rounded = (index * 10).rounded() / 10
            figures.append(
                .init(
                    label: texts["health.massIndex"], value: words.measured(rounded, 1, "kg/m²"), about: texts["health.aboutMassIndex"],
                    compared: compared.comparison(.bodyMassIndex, rounded, "kg/m²")))
        }
        return figures
    }

    private func peers(_ kind: DataKind, _ value: Double) -> HealthPage.Comparison? {
        reading.peers[kind].map { HealthPeers(found: $0, kind: kind, words: words).comparison(value) }
    }

    /// The newest weight, which groups count as well.
    func peers(_ sample: ScalarSample) -> HealthPage.Comparison? {
        sample.kind == .weight ? peers(.weight, Double(sample.value) * sample.kind.scale) : nil
    }

    /// Of what is compared on the page.
    func publications(_ all: [HealthPage.Comparison?]) -> [HealthPage.Publication] {
        all.compactMap(\.self).reduce(into: []) { found, one in
            if !found.contains(where: { $0.short == one.source }) { found.append(.init(short: one.source, full: one.citation)) }
        }
    }

    /// nil where it is not the reader's to know.
    var protection: HealthPage.Protection? {
        guard let view = reading.protection, let path = source.ways.protection else { return nil }
        guard view.isOn else {
            return .init(
                level: "plain", text: texts["health.protectionOff"], reasons: [], href: "\(path)#on",
                link: texts["health.protectionTurnOn"])
        }
        return .init(
            level: view.isProtected ? "good" : "bad", text: texts[view.isProtected ? "protection.yes" : "protection.no"],
            reasons: view.reasons.map { texts["protection.reason_\($0)"] }, href: path, link: texts["health.protectionSee"])
    }
}
