import Testing
import Vitals

@Suite struct KindTableTests {
    @Test("DATA-1: each kind has a row with a name, bounds and a density of its own, and the names are all different")
    func rows() {
        for kind in DataKind.allCases {
            let entry = kind.entry
            #expect(!entry.name.isEmpty && entry.name.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "_") }, "\(kind)")
            #expect(DataKind(name: entry.name) == kind, "\(kind)")
            #expect(kind.rawValue <= 62, "\(kind): deletions hold kinds as bits")
            #expect(!entry.sources.isEmpty && entry.densityMax > 0, "\(kind)")
            #expect(entry.codes.isEmpty || entry.range == 0...Int64(entry.codes.count - 1), "\(kind)")
            if let second = entry.second, !second.codes.isEmpty { #expect(second.range == 0...Int64(second.codes.count - 1), "\(kind)") }
            #expect(kind.isScalar == (entry.storage == .scalar) && kind.isScalar == (16..<48).contains(kind.rawValue), "\(kind)")
            #expect(kind.isAttachment == (kind.rawValue >= 48), "\(kind)")
        }
        #expect(Set(DataKind.allCases.map(\.name)).count == DataKind.allCases.count)
        #expect(DataKind(name: "heartRate") == nil)
    }

    @Test("EDGE-10: decimals are exact, and codes have names")
    func texts() {
        #expect((-1 as Int64).text(places: 7) == "-0.0000001" && (475_943_350 as Int64).text(places: 7) == "47.5943350")
        #expect((0 as Int64).text(places: 1) == "0.0" && (12 as Int64).text(places: 0) == "12")
        #expect(DataKind.weight.entry.text(of: 7250) == "72.50" && DataKind.sleep.entry.text(of: 4) == "deep")
        #expect(DataKind.sleep.entry.text(of: 99) == "99" && DataKind.steps.entry.text(of: .min) == "\(Int64.min)")
    }

    @Test("DATA-1: the numbers of kinds are stored, so none ever changes")
    func numbers() {
        let numbers: [String: UInt8] = [
            "heart_rate": 1, "position": 2, "event": 3, "gap": 4, "clock": 5, "rr_intervals": 8, "energy_expended": 9, "flagged_event": 10,
            "body_temperature": 16, "steps": 17, "cadence": 18, "distance": 19, "speed": 20, "weight": 21, "height": 22,
            "active_energy": 23,
            "resting_energy": 24, "stand_hours": 25, "sleep": 26, "nutrition_energy": 27, "water": 28, "blood_pressure": 29, "activity": 30,
            "oxygen_saturation": 31, "ecg": 48,
        ]
        for (name, number) in numbers { #expect(DataKind(name: name)?.rawValue == number, "\(name)") }
    }

    @Test("DATA-1: a part stands in the column of its whole")
    func parts() {
        #expect(DataKind.rrIntervals.column == .heartRate && DataKind.energyExpended.column == .heartRate)
        #expect(DataKind.heartRate.parts == [.rrIntervals, .energyExpended] && DataKind.weight.parts.isEmpty)
        #expect(DataKind.flaggedEvent.column == .event && DataKind.weight.column == .weight && DataKind.heartRate.column == .heartRate)
    }

    @Test("DATA-3: a scalar outside of its kind's bounds is named", arguments: DataKind.scalars)
    func bounds(kind: DataKind) throws {
        let entry = kind.entry, second = entry.second.map(\.range.lowerBound)
        var end: Milliseconds?, longest: Milliseconds = 0
        switch entry.span {
        case .none: break
        case .optional(let max), .required(let max): (end, longest) = (1000 + max, max)
        }
        let right = try #require(ScalarSample(kind, time: 1000, value: entry.range.upperBound, end: end, second: second))
        #expect(right.problem == nil)
        func isRefused(_ change: (inout ScalarSample) -> Void) -> Bool {
            var sample = right
            change(&sample)
            return sample.problem?.hasPrefix(kind.name) == true
        }
        #expect(isRefused { $0.value = entry.range.upperBound + 1 })
        #expect(isRefused { $0.value = entry.range.lowerBound - 1 })
        #expect(isRefused { $0.end = 999 })
        #expect(isRefused { $0.end = 1001 + longest })
        #expect(isRefused { ($0.time, $0.end) = (.min, .max) })
        #expect(isRefused { $0.second = (entry.second?.range.upperBound ?? 0) + 1 })
        if entry.second?.isRequired == true { #expect(isRefused { $0.second = nil }) }
        if entry.second?.isLower == true {
            #expect(isRefused { ($0.value, $0.second) = (entry.range.lowerBound, entry.range.lowerBound + 1) })
        }
        if case .required = entry.span { #expect(isRefused { $0.end = nil }) }
    }

    @Test("DATA-14: a span moves with its beginning")
    func span() throws {
        var night = try #require(ScalarSample(.sleep, time: 1000, value: 4, end: 61_000))
        night.move(to: 5000)
        #expect(night.time == 5000 && night.end == 65_000)
    }

    @Test("DATA-1: kinds with columns of their own are no scalars")
    func notScalars() {
        for kind in DataKind.allCases where !kind.isScalar { #expect(ScalarSample(kind, time: 0, value: 0) == nil, "\(kind)") }
    }

    @Test("DATA-1: all that a set holds stands in its columns, and an edit reaches all of it that has a time")
    func columns() throws {
        struct Shift: SampleEdit {
            var count = 0
            mutating func edit<Sample: TimedSample>(_ samples: inout [Sample]) {
                for index in samples.indices { samples[index].move(to: samples[index].time + 10) }
                count += samples.count
            }
        }
        var set = SampleSet(
            heartRates: [HeartRateSample(time: 1, beatsPerMinute: 60)], positions: [PositionSample(time: 2, latitude: 0, longitude: 0)],
            events: [StateEvent(time: 3, code: .ok)], gaps: [GapRecord(time: 4, sequences: 0...1, reason: .diskFull)],
            clocks: [ClockRecord(time: 5, utc: 5, uncertainty: 0, source: .hub)],
            scalars: try [
                #require(ScalarSample(.weight, time: 7, value: 7000)), #require(ScalarSample(.steps, time: 6, value: 10)),
                #require(ScalarSample(.weight, time: 8, value: 7001)),
            ], unknown: [UnknownColumn(kind: 200, count: 1, bytes: [])])
        #expect(set.count == 9 && set.timeRange == 1...8)
        #expect(set.columns.count == 8)
        #expect(set.columns[5] == .scalars(.steps, [set.scalars[1]]))
        #expect(set.columns[6] == .scalars(.weight, [set.scalars[0], set.scalars[2]]))
        var shift = Shift()
        set.edit(&shift)
        #expect(shift.count == 8 && set.timeRange == 11...18)
        var both = set
        both.append(set)
        #expect(both.count == 18)
    }
}
