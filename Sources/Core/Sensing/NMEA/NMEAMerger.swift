import Vitals

/// The merged sentences of one time stamp.
struct NMEAEpoch: Sendable {
    /// Milliseconds of the day.
    var timeOfDay: Int32
    /// Days since 1970, where a sentence of this epoch gave a date.
    var day: Int?
    var latitude: Int32 = 0
    var longitude: Int32 = 0
    /// Decimals of the minutes of the kept position; -1: no position yet.
    var decimals = -1
    /// A sentence says that there is no fix: then the positions of the others are old, estimated or simulated.
    var isVoid = false
    var altitude: Int32?
    var speed: Int32?
    var course: Int32?
    /// In 0.01.
    var dilution: Int64?
    /// In 0.1 m, from GST.
    var deviation: Int32?

    init(timeOfDay: Int32) { self.timeOfDay = timeOfDay }
}

/// Merges sentences into fixes, and knows the date.
struct NMEAMerger: Sendable {
    let options: NMEADecoder.Options
    var epoch: NMEAEpoch?
    /// Of the last GSA: it has no time of its own, and some receivers send it only now and then. 0: none came.
    var mode: UInt8 = 0
    var modeDilution: Int64?
    /// The date that holds, and the time of day of the last epoch: a time that jumps back by more than half a day is the next day's.
    private var day: Int?
    private var lastTimeOfDay: Int32 = 0
    private var lastDatedDay: Int?
    private var lastTime = Milliseconds.min

    static let rolloverDays = 7168
    private static let dayMilliseconds: Int64 = 86_400_000

    init(options: NMEADecoder.Options) { self.options = options }

    /// A sentence of that time begins a new epoch, unless it is the running one.
    mutating func begin(_ timeOfDay: Int32, at offset: Int64, _ report: inout NMEAReport, _ emit: (NMEAFix) -> Void) {
        if epoch?.timeOfDay == timeOfDay { return }
        endEpoch(at: offset, &report, emit)
        epoch = NMEAEpoch(timeOfDay: timeOfDay)
    }

    /// A date was read. Years are 1980 to 2079: GPS began in 1980.
    mutating func takeDate(day: Int, month: Int, year: Int, _ report: inout NMEAReport) {
        let full = year >= 100 ? year : year + (year >= 80 ? 1900 : 2000)
        guard full >= 1980, full < 2200, let date = CivilDay(year: Int64(full), month: Int64(month), day: Int64(day)) else {
            report.datesImpossible += 1
            return
        }
        let days = Int(date.days)
        if let last = lastDatedDay, last != days, (days - last) % Self.rolloverDays == 0 { report.weekRollovers += 1 }
        lastDatedDay = days
        if epoch == nil { self.day = days } else { epoch?.day = days }
    }

    /// The running epoch is over: gives its fix if it has one.
    mutating func endEpoch(at offset: Int64, _ report: inout NMEAReport, _ emit: (NMEAFix) -> Void) {
        guard let epoch else { return }
        self.epoch = nil
        if let given = epoch.day {
            day = given
        } else if let known = day, epoch.timeOfDay < lastTimeOfDay - 43_200_000 {
            day = known + 1
        }
        lastTimeOfDay = epoch.timeOfDay
        guard epoch.decimals >= 0, !epoch.isVoid else {
            if epoch.isVoid { report.voidEpochs += 1 }
            return
        }
        let (time, quality) = dated(epoch, &report)
        if quality != .missing {
            if time < lastTime { report.timesBackwards += 1 }
            lastTime = time
        }
        report.fixes += 1
        emit(NMEAFix(sample: sample(epoch, time: time), date: quality, endOffset: offset))
    }

    private func dated(_ epoch: NMEAEpoch, _ report: inout NMEAReport) -> (Milliseconds, NMEAFix.DateQuality) {
        guard let day else {
            report.datesMissing += 1
            return (Int64(epoch.timeOfDay), .missing)
        }
        var time = Int64(day) * Self.dayMilliseconds + Int64(epoch.timeOfDay)
        guard let floor = options.notBefore, time < floor else { return (time, .asRecorded) }
        guard options.correctsWeekRollover else {
            report.datesBeforeFloor += 1
            return (time, .beforeFloor)
        }
        let step = Int64(Self.rolloverDays) * Self.dayMilliseconds
        // Dates are from 1980 on: a floor within the range of dates is reached after a few steps.
        let steps = min((floor.subtractingReportingOverflow(time).partialValue - 1) / step + 1, 64)
        time += steps * step
        report.datesCorrected += 1
        return (time, .corrected)
    }

    private func sample(_ epoch: NMEAEpoch, time: Milliseconds) -> PositionSample {
        let isThreeDimensional = mode == 3 || (mode != 2 && epoch.altitude != nil)
        let dilution = epoch.dilution ?? modeDilution
        // 5 m x HDOP: hundredths to tenths of a metre. 99.99 is what receivers send for "unknown".
        let error = dilution.flatMap { $0 > 0 && $0 < 9_900 ? Int32($0 / 2) : nil }
        return PositionSample(
            time: time, latitude: epoch.latitude, longitude: epoch.longitude, altitude: epoch.altitude, speed: epoch.speed,
            course: epoch.course, horizontalError: epoch.deviation ?? error,
            mode: isThreeDimensional ? .threeDimensional : .twoDimensional)
    }
}
