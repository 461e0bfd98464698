import Monitoring
import Sensing
import Testing
import Vitals

@Suite struct WearingTests {
    @Test("EDGE-9: readings of a worn sensor count from the first")
    func worn() {
        var scene = Scene()
        #expect(scene.monitor.wearing == .unknown)
        scene.tell(.heartRate(.connected(time: scene.now)))
        #expect(scene.monitor.wearing == .noSignal)
        scene.readings([70, 71, 72], contact: .detected)
        #expect(scene.monitor.wearing == .worn)
        #expect(scene.counted == [70, 71, 72])
        #expect(scene.watching == [true])
        #expect(scene.recorded.contains(.init(code: .sensorContact, value: 1)))
        #expect(scene.monitor.summary.heartRate == 72)
        #expect(scene.monitor.summary.heartRateTime == scene.now)
    }

    @Test(
        "EDGE-9: a few readings without contact, or of 0, are a sensor that nobody wears",
        arguments: [(UInt16(72), SensorContact.notDetected), (0, .unsupported), (0, .detected)])
    func notWorn(rate: UInt16, contact: SensorContact) {
        var scene = Scene()
        scene.worn()
        scene.clear()
        scene.readings([rate, rate], contact: contact)
        #expect(scene.monitor.wearing == .worn)
        scene.readings([rate], contact: contact)
        #expect(scene.monitor.wearing == .notWorn)
        #expect(scene.watching == [false])
        #expect(scene.counted == [])
        #expect(scene.recorded == [.init(code: .sensorContact, value: 0)])
        #expect(scene.monitor.summary.heartRate == nil)
        scene.readings([UInt16](repeating: rate, count: 30), contact: contact)
        #expect(scene.told == [.sensorNotWorn])
        #expect(scene.condition(.worn) == .broken)
        #expect(scene.condition(.sensor) == .good)
    }

    @Test("EDGE-9: contact that comes and goes is told once, and over when it stays")
    func flappingContact() {
        var scene = Scene()
        scene.worn()
        for _ in 0..<20 {
            scene.readings([0, 0, 0, 0])
            scene.worn(3)
        }
        #expect(scene.told == [.sensorNotWorn])
        #expect(scene.over == [])
        scene.worn(10)
        #expect(scene.over == [.sensorNotWorn])
        #expect(!scene.counted.contains(0))
    }

    @Test("EDGE-9: one reading with contact does not make a worn sensor, three do")
    func contactAgain() {
        var scene = Scene()
        scene.readings([0, 0, 0])
        scene.readings([70, 71])
        #expect(scene.monitor.wearing == .notWorn)
        scene.readings([72, 73])
        #expect(scene.monitor.wearing == .worn)
        #expect(scene.counted == [72, 73])
    }

    @Test("EDGE-9, SOS-18: silence is no signal after 10 s and told after 30 s, and readings end it")
    func silence() {
        var scene = Scene()
        scene.worn()
        scene.clear()
        scene.wait(9)
        #expect(scene.monitor.wearing == .worn)
        scene.wait(1)
        #expect(scene.monitor.wearing == .noSignal)
        #expect(scene.watching == [false])
        #expect(scene.condition(.sensor) == .weak)
        scene.wait(19)
        #expect(scene.told.isEmpty)
        scene.wait(1)
        #expect(scene.told == [.sensorLost])
        #expect(scene.condition(.sensor) == .broken)
        scene.worn(6)
        #expect(scene.monitor.wearing == .worn)
        #expect(scene.over == [.sensorLost])
        #expect(scene.condition(.sensor) == .good)
    }

    @Test("EDGE-9, SOS-18: a lost link is no signal at once and told after 30 s, with its own reason")
    func lostLink() {
        var scene = Scene()
        scene.worn(10)
        scene.clear()
        scene.lose()
        #expect(scene.monitor.wearing == .noSignal)
        #expect(scene.watching == [false])
        scene.wait(29)
        #expect(scene.told.isEmpty)
        scene.wait(1)
        #expect(scene.told == [.sensorLost])
        #expect(scene.link(.sensor)?.detail == Scene.problem.what)
        #expect(scene.link(.sensor)?.advice == Scene.problem.advice)
        #expect(scene.link(.sensor)?.lastGood == scene.now - 30_000)
    }

    @Test(
        "SOS-18: a strap that has slipped, without contact and without signal in turn, is told within 60 s, and not at each turn",
        arguments: [0, 1, 2])
    func slipped(usable: Int) {
        var scene = Scene()
        scene.worn(10)
        scene.clear()
        var early: [Notice] = []
        for _ in 0..<20 {
            scene.tell(.heartRate(.connected(time: scene.now)))
            // A reading or two that count are no end of it.
            scene.readings([UInt16](repeating: 70, count: usable), contact: .detected)
            scene.readings([UInt16](repeating: 70, count: 12 - usable), contact: .notDetected)
            scene.lose()
            scene.wait(18)
            if scene.now <= 1_070_000 { early = scene.told }
        }
        #expect(early == [.sensorNotWorn])
        #expect(scene.told == early)
        #expect(scene.over == [])
        scene.worn(8)
        #expect(scene.over == [.sensorNotWorn])
        #expect(scene.monitor.isWatching)
    }

    @Test("SOS-18: missing contact is over five minutes after the link was lost; who puts the strap on again has his time")
    func lingers() {
        var scene = Scene()
        scene.worn(10)
        scene.readings([UInt16](repeating: 70, count: 40), contact: .notDetected)
        #expect(scene.told == [.sensorNotWorn])
        scene.lose()
        scene.wait(299)
        #expect(scene.told == [.sensorNotWorn, .sensorLost])
        #expect(scene.over == [])
        scene.wait(1)
        #expect(scene.over == [.sensorNotWorn])
        scene.readings([UInt16](repeating: 70, count: 20), contact: .notDetected)
        #expect(scene.told == [.sensorNotWorn, .sensorLost])
        scene.readings([70], contact: .notDetected)
        #expect(scene.told == [.sensorNotWorn, .sensorLost, .sensorNotWorn])
    }

    @Test("SOS-18: a sensor that was never heard is told after 30 s, too")
    func neverHeard() {
        var scene = Scene()
        scene.wait(30)
        #expect(scene.monitor.wearing == .unknown)
        #expect(scene.told.contains(.sensorLost))
        #expect(scene.condition(.sensor) == .broken)
    }

    @Test(
        "SOS-18: readings that no person can have never count, and are told like a missing signal", arguments: [UInt16(10), 24, 241, 900])
    func impossible(rate: UInt16) {
        var scene = Scene()
        scene.worn()
        scene.clear()
        scene.readings([UInt16](repeating: rate, count: 40))
        #expect(scene.counted == [])
        #expect(scene.monitor.wearing == .noSignal)
        #expect(scene.told.contains(.sensorLost))
        #expect(scene.condition(.sensor) == .broken)
    }

    @Test("EDGE-9: the same value for 60 s without RR intervals is frozen, not protected, and told")
    func frozen() {
        var scene = Scene()
        scene.worn()
        scene.clear()
        scene.readings([UInt16](repeating: 64, count: 60), intervals: [])
        #expect(scene.monitor.wearing == .worn)
        scene.readings([64], intervals: [])
        #expect(scene.monitor.wearing == .frozen)
        #expect(scene.told == [.sensorFrozen])
        #expect(scene.watching == [false])
        #expect(scene.counted.count == 60)
        #expect(scene.recorded == [.init(code: .sensorFrozen, value: 1)])
        scene.clear()
        scene.readings([65, 66, 65, 66, 65, 66], intervals: [])
        #expect(scene.monitor.wearing == .worn)
        #expect(scene.watching == [true])
        #expect(scene.counted == [65, 66, 65, 66, 65, 66])
        #expect(scene.over == [.sensorFrozen])
        #expect(scene.recorded == [.init(code: .sensorFrozen, value: 0)])
    }

    @Test("EDGE-9, SOS-18: a sensor that froze and then falls silent is told as lost 30 s after its last reading")
    func frozenThenSilent() {
        var scene = Scene()
        scene.worn()
        scene.readings([UInt16](repeating: 64, count: 61), intervals: [])
        scene.clear()
        scene.wait(29)
        #expect(scene.monitor.wearing == .noSignal && scene.told.isEmpty)
        scene.wait(1)
        #expect(scene.told == [.sensorLost])
    }

    @Test("EDGE-9: a steady heart with RR intervals is not frozen")
    func steady() {
        var scene = Scene()
        scene.readings([UInt16](repeating: 60, count: 200), intervals: [1024])
        #expect(scene.monitor.wearing == .worn)
        #expect(scene.told.isEmpty)
    }

    @Test("EDGE-9: the same value before and after a long silence is not frozen, however often the link breaks it is")
    func frozenAcrossGaps() {
        var scene = Scene()
        scene.readings([70], intervals: [])
        scene.wait(600)
        scene.readings([70], intervals: [])
        #expect(scene.monitor.wearing == .worn)
        for _ in 0..<6 {
            scene.lose()
            scene.wait(20)
            scene.readings([70, 70], intervals: [])
        }
        #expect(scene.monitor.wearing == .frozen)
    }

    @Test("EDGE-9: at a box that stands, five minutes without a signal mean that the wearer is away", arguments: [true, false])
    func away(isGateway: Bool) {
        var scene = isGateway ? Scene(.gateway, power: .unknown) : Scene(.phone, power: .mains)
        scene.worn()
        scene.clear()
        scene.lose()
        scene.wait(299)
        #expect(scene.monitor.wearing == .noSignal)
        scene.wait(1)
        #expect(scene.monitor.wearing == .away)
        #expect(scene.told == [.sensorLost, .sensorAway])
        #expect(scene.over == [.sensorLost])
        #expect(scene.recorded == [.init(code: .sensorAway, value: 1)])
        #expect(scene.condition(.sensor) == .broken)
        scene.clear()
        scene.worn(1)
        #expect(scene.over == [.sensorAway])
        #expect(scene.recorded == [.init(code: .sensorAway, value: 0)])
        #expect(scene.watching == [true])
    }

    @Test("EDGE-9: a box that is carried never says away")
    func carried() {
        var scene = Scene(.phone, power: .battery)
        scene.worn()
        scene.lose()
        scene.wait(3600)
        #expect(scene.monitor.wearing == .noSignal)
        #expect(scene.told == [.sensorLost])
    }

    @Test("EDGE-9: readings that waited in a queue are as old as they are, and do not count")
    func late() {
        var scene = Scene()
        scene.worn()
        scene.wait(60)
        scene.clear()
        for age in stride(from: Milliseconds(59), through: 11, by: -1) {
            scene.tell(.heartRate(.measurement(HeartRateSample(time: scene.now - age * 1000, beatsPerMinute: 30, rrIntervals: [900]))))
        }
        #expect(scene.counted == [])
        #expect(scene.monitor.wearing == .noSignal)
        scene.tell(.heartRate(.measurement(HeartRateSample(time: scene.now - 500, beatsPerMinute: 70, rrIntervals: [900]))))
        #expect(scene.counted == [70])
    }

    @Test("EDGE-9: another sensor begins with nothing")
    func anotherSensor() {
        var scene = Scene()
        scene.battery(15)
        scene.worn()
        #expect(scene.told.contains(.sensorBatteryLow))
        scene.tell(.sensorChosen(true))
        #expect(scene.monitor.wearing == .unknown)
        #expect(!scene.monitor.isWatching)
        #expect(scene.over.contains(.sensorBatteryLow))
        scene.tell(.sensorChosen(false))
        #expect(scene.condition(.sensor) == .off)
        scene.wait(20)
        #expect(scene.told.last == .noSensor)
        scene.tell(.sensorChosen(true))
        #expect(scene.over.last == .noSensor)
    }
}
