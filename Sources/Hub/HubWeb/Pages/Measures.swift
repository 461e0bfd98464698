import Foundation
import HTTPTypes
import Hummingbird
import Vitals

/// In which units and by which clock somebody reads: as they chose, else as the region in the browser's first language has it.
struct Measures: Sendable, Hashable {
    /// Pounds instead of kilograms.
    var hasPounds = false
    /// Miles instead of kilometres.
    var hasMiles = false
    /// Fahrenheit instead of Celsius.
    var hasFahrenheit = false
    /// Feet and inches instead of centimetres.
    var hasInches = false
    /// 12 hours instead of 24.
    var hasNoon = false

    /// What somebody chose on a page.
    enum Choice: String, Sendable, CaseIterable {
        case browser, metric, us
    }

    /// Remembers what somebody chose.
    static let cookie = "__Host-trackme-units"

    init() {}

    init(_ choice: Choice) {
        if choice == .us { (hasPounds, hasMiles, hasFahrenheit, hasInches, hasNoon) = (true, true, true, true, true) }
    }

    /// - Parameters:
    ///   - languages: as a browser sends them (RFC 9110, 12.5.4).
    ///   - page: the language of the page. A region counts for its own language alone: many browsers come in American English to people who
    ///     read another one, and a language without a region names no units.
    init(languages: String, page: String) {
        let tag = languages.prefix { $0 != "," && $0 != ";" }.trimmingCharacters(in: .whitespaces)
        let parts = Locale.Components(identifier: tag).languageComponents
        guard parts.languageCode?.identifier == page, parts.region != nil, tag.allSatisfy({ $0.isASCII }) else { return }
        let locale = Locale(identifier: tag)
        hasPounds = locale.measurementSystem == .us
        (hasFahrenheit, hasInches) = (hasPounds, hasPounds)
        hasMiles = hasPounds || locale.measurementSystem == .uk
        hasNoon = [.oneToTwelve, .zeroToEleven].contains(locale.hourCycle)
    }

    /// What a request chose: now, or before.
    static func chosen(_ request: Request) -> Choice {
        let now = request.uri.queryParameters["units"].flatMap { Choice(rawValue: String($0)) }
        return now ?? request.cookies[cookie].flatMap { Choice(rawValue: $0.value) } ?? .browser
    }

    init(_ request: Request, _ texts: Texts) {
        let choice = Self.chosen(request)
        self = choice == .browser ? Measures(languages: request.headers[.acceptLanguage] ?? "", page: texts.lang) : Measures(choice)
    }

    /// A unit in place of that of the table of kinds.
    struct Unit: Sendable, Hashable {
        /// As people write it.
        let name: String
        /// So many of it are one of the table's.
        let factor: Double
        /// What zero of the table's unit is in this one.
        var zero = 0.0
        let decimals: Int

        /// A value of the table's unit in this one. Differences between values have the factor alone.
        func value(_ stored: Double) -> Double { stored * factor + zero }
    }

    /// nil for kinds that stay as they are.
    func unit(of kind: DataKind) -> Unit? {
        switch kind {
        case .weight: hasPounds ? Unit(name: "lb", factor: 1 / 0.45359237, decimals: 1) : nil
        case .distance: hasMiles ? Unit(name: "mi", factor: 1 / Self.mile, decimals: 2) : nil
        case .speed: hasMiles ? Unit(name: "mph", factor: 3600 / Self.mile, decimals: 1) : nil
        case .bodyTemperature: hasFahrenheit ? Unit(name: "°F", factor: 1.8, zero: 32, decimals: 1) : nil
        case .height: hasInches ? Unit(name: "in", factor: 1 / 2.54, decimals: 1) : nil
        default: nil
        }
    }

    /// Metres of what distances and speeds are told by: a kilometre or a mile.
    var length: Double { hasMiles ? Self.mile : 1000 }

    static let mile = 1609.344

    /// A height as people say it: `5 ft 9 in`.
    /// - Parameter centimetres: it is rounded to a whole inch.
    static func feet(_ centimetres: Double) -> String {
        let inches = Int((centimetres / 2.54).rounded())
        return "\(inches / 12) ft \(inches % 12) in"
    }

    /// `14:05`, `2:05 PM`.
    /// - Parameter isShort: whether full hours are `2 PM`, for marks that stand beside each other.
    func clock(hour: Int, minute: Int, isShort: Bool = false) -> String {
        guard hasNoon else { return String(format: "%02d:%02d", hour, minute) }
        let half = hour < 12 ? "AM" : "PM", number = hour % 12 == 0 ? 12 : hour % 12
        return isShort && minute == 0 ? "\(number)\u{A0}\(half)" : String(format: "%d:%02d\u{A0}", number, minute) + half
    }
}
