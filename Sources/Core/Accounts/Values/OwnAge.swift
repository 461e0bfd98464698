/// From which age on people open and own their account themselves (ACC-17; GDPR, article 8: 16 years, or what a member state sets from 13 on).
public enum OwnAge {
    /// The range of the setting, in years.
    public static let range = 13...18

    /// The age where nothing is set, in years: 14 in Italy (d.lgs. 101/2018, article 2-quinquies), 16 elsewhere.
    /// - Parameter country: of the tax identifier; nil for an unknown one.
    public static func standard(_ country: Country?) -> Int { country == .italy ? 14 : 16 }
}
