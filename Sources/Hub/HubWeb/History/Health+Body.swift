import Accounts
import History
import HubServices
import HubStore
import Runs
import Vitals

/// What figures and references depend on: age, sex, weight, height.
struct HealthBody: Sendable {
    /// Full years.
    let age: Int?
    /// nil where it is not known, or neither.
    let isFemale: Bool?
    /// Kilograms: the newest that was measured, else that of the profile.
    var weight: Double?
    /// Centimetres.
    var height: Double?

    /// - Parameter account: nil where only what was measured is the reader's to know.
    init(_ account: StoredAccount?, on day: CalendarDate, _ scalars: [NewestScalar]) {
        let birth = account.flatMap { CalendarDate($0[.dateOfBirth]) }
        age = birth.flatMap { born in try? DateOfBirth("\(born)", today: max(born, day)) }.map { $0.age(on: day) }
        isFemale =
            switch account.flatMap({ Gender(rawValue: $0[.gender]) }) {
            case .female: true
            case .male: false
            case .other, nil: nil
            }
        func newest(_ kind: DataKind) -> Double? {
            scalars.first { $0.sample.kind == kind }.map { Double($0.sample.value) * kind.scale }
        }
        weight = newest(.weight) ?? account.flatMap { Double($0[.weight]) }
        height = newest(.height)
    }

    var subject: ReferenceSubject { ReferenceSubject(age: age, isFemale: isFemale) }

    /// nil where something is not known: the formulas tell the sexes apart.
    var energy: EnergyBody? {
        guard let age, let isFemale, let weight, let height else { return nil }
        return EnergyBody(weight: weight, height: height, age: age, isFemale: isFemale)
    }

    /// For the energy of a workout.
    var runner: Body? {
        guard let age, let isFemale, let weight, (25...300).contains(weight) else { return nil }
        return Body(weight: weight, age: Double(age), isFemale: isFemale)
    }

    /// Kilograms by square metre; nil for a height that no adult has.
    var massIndex: Double? {
        guard let weight, let height, (100...250).contains(height) else { return nil }
        return weight / (height / 100 * height / 100)
    }
}
