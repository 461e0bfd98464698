internal import Exchange
internal import Vitals

/// The person whom the emergency is about.
public struct SOSPerson: Hashable, Sendable {
    /// At most 100 characters.
    public let name: String
    /// Day of birth in the Gregorian calendar; nil when it is not known.
    public let birth: Birth?
    private let knownAge: Int?
    /// To call back, `+` and digits as far as possible; at most 40 characters.
    public let phone: String?
    /// The person's languages, best first, as BCP 47 tags; at most 5.
    public let languages: [String]
    /// Where the person lives, on one line; at most 200 characters. Not where the person is: see ``SOSPlace``. Every format says so where it is
    /// all that is known.
    public let address: String?

    /// A day that exists.
    public struct Birth: Hashable, Sendable {
        public let year: Int, month: Int, day: Int

        /// Nil for a day that does not exist.
        public init?(year: Int, month: Int, day: Int) {
            guard CivilDay(year: Int64(year), month: Int64(month), day: Int64(day)) != nil else { return nil }
            (self.year, self.month, self.day) = (year, month, day)
        }

        /// `1955-03-09`.
        var text: String {
            var bytes: [UInt8] = [], utc = UTCText()
            guard let date = CivilDay(year: Int64(year), month: Int64(month), day: Int64(day)) else { return "" }
            utc.append(date.days * 86_400_000, to: &bytes)
            return String(decoding: bytes.prefix(10), as: UTF8.self)
        }
    }

    /// - Parameter age: in years, 0 to 150, where the day of birth is not known.
    public init(
        name: String, birth: Birth? = nil, age: Int? = nil, phone: String? = nil, languages: [String] = [], address: String? = nil
    ) {
        self.name = name.cleaned(max: 100)
        self.birth = birth
        knownAge = age.flatMap { (0...150).contains($0) ? $0 : nil }
        self.phone = phone?.cleaned(max: 40)
        self.languages = languages.prefix(5).map { $0.asIdentifier(max: 35) }.filter { !$0.isEmpty }
        self.address = address?.cleaned(max: 200)
    }

    /// Age in whole years; nil when neither it nor a day of birth is known, or the day of birth lies ahead (a box without a clock).
    public func age(at time: SOSTime) -> Int? {
        guard let birth else { return knownAge }
        let today = time.localDay
        let hadBirthday = (today.month, today.day) >= (Int64(birth.month), Int64(birth.day))
        let years = Int(today.year) - birth.year - (hadBirthday ? 0 : 1)
        return (0...150).contains(years) ? years : knownAge
    }
}
