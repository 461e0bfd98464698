/// The name of a browser in a list and in a mail: `Firefox, Android` and not the whole of its User-Agent. It says so itself: a hint for
/// the owner, never a proof.
public enum FactorDevice {
    private static let programs = [
        ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS X", "Mac"), ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ]

    /// - Parameter userAgent: as it was sent.
    /// - Returns: the first word of it when nothing in it is known; `?` when it is empty.
    public static func name(_ userAgent: String) -> String {
        let names = [programs, systems].compactMap { known in known.first { userAgent.contains($0.0) }?.1 }
        if !names.isEmpty { return names.joined(separator: ", ") }
        return userAgent.split(separator: " ").first.map { String($0.prefix(40)) } ?? "?"
    }
}
