internal import BlueZ
internal import Sensing
internal import Vitals

/// A sensor beside the one that tells the heart rate: what it told last. It never says that anybody is, or is not, well; that it is silent or
/// away is nothing but that.
struct OtherSensor: Sendable, Hashable {
    /// Time for which its measurement is shown, in milliseconds; then it is silent. A pod tells each second, a thermometer or a scale now and then.
    static let streamShown: Milliseconds = 20_000, onceShown: Milliseconds = 600_000

    let address: SensorAddress
    var isConnected = false
    var batteryPercent: Int?
    var problem: SourceProblem?
    private var latest: ScalarSample?

    init(address: SensorAddress) { self.address = address }

    mutating func take(_ event: HeartRateEvent) {
        switch event {
        case .connected: (isConnected, problem) = (true, nil)
        case .lost(let problem, _): (isConnected, self.problem) = (false, problem)
        case .battery(let percent, _): batteryPercent = Int(percent)
        case .reading(let reading): (isConnected, problem, latest) = (true, nil, reading)
        case .measurement, .bodyLocation, .charging: break
        }
    }

    /// The last reading; nil where it is too old to say anything of now.
    func reading(at now: Milliseconds) -> ScalarSample? {
        guard let latest else { return nil }
        let shown = latest.kind == .cadence ? Self.streamShown : Self.onceShown
        return now - latest.time <= shown ? latest : nil
    }
}
