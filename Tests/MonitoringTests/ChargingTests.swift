import Monitoring
import Sensing
import Testing
import Vitals

@Suite struct ChargingTests {
    /// Worn at 50 %, then taken off.
    private func takenOff(_ role: BoxRole = .phone, power: BoxPower = .battery) -> Scene {
        var scene = Scene(role, power: power, hasPosition: true)
        scene.battery(50)
        scene.worn()
        return scene
    }

    @Test("EDGE-9: a battery that rises while nobody wears the sensor is charging: SOS off and told, positions go on")
    func rises() {
        var scene = takenOff()
        scene.readings([0, 0, 0])
        scene.clear()
        scene.battery(51)
        #expect(scene.monitor.wearing == .notWorn)
        scene.battery(52)
        #expect(scene.monitor.wearing == .charging)
        #expect(scene.told == [.sensorCharging])
        #expect(scene.recorded == [.init(code: .sensorCharging, value: 1)])
        #expect(!scene.monitor.isWatching)
        #expect(scene.monitor.isTracking)
        #expect(scene.condition(.worn) == .broken)
    }

    @Test("EDGE-9: a level that has jumped up when the sensor comes back is charging, when no readings follow")
    func jumps() {
        var scene = takenOff()
        scene.lose()
        scene.wait(3600)
        scene.clear()
        scene.tell(.heartRate(.connected(time: scene.now)))
        scene.battery(80)
        scene.wait(9)
        #expect(scene.monitor.wearing == .noSignal)
        scene.wait(1)
        #expect(scene.monitor.wearing == .charging)
        #expect(scene.told == [.sensorCharging])
        #expect(scene.over == [.sensorLost])
    }

    @Test("EDGE-9: a sensor that comes back full and sends readings is not told as charging", arguments: [true, false])
    func comesBackFull(wasWorn: Bool) {
        var scene = takenOff()
        if !wasWorn { scene.readings([0, 0, 0]) }
        scene.lose()
        scene.wait(3600)
        scene.clear()
        scene.tell(.heartRate(.connected(time: scene.now)))
        scene.battery(100)
        scene.worn(60)
        #expect(!scene.told.contains(.sensorCharging))
        #expect(scene.monitor.isWatching)
        #expect(scene.counted.count == 60)
    }

    @Test("EDGE-9: three usable readings end charging, one or two do not")
    func ends() {
        var scene = takenOff()
        scene.lose()
        scene.wait(600)
        scene.battery(80)
        #expect(scene.monitor.wearing == .charging)
        scene.clear()
        scene.readings([70, 71])
        #expect(scene.monitor.wearing == .charging)
        #expect(scene.counted == [])
        scene.readings([72])
        #expect(scene.monitor.wearing == .worn)
        #expect(scene.counted == [72])
        #expect(scene.over == [.sensorCharging])
        #expect(scene.recorded.contains(.init(code: .sensorCharging, value: 0)))
        scene.battery(80)
        scene.lose()
        scene.wait(20)
        #expect(scene.monitor.wearing == .noSignal)
    }

    @Test("EDGE-9: a level that wavers or falls, or rises on somebody who wears the sensor, is not charging")
    func wavers() {
        var scene = takenOff()
        for percent: UInt8 in [52, 55, 60] {
            scene.battery(percent)
            scene.worn(1)
        }
        scene.readings([0, 0, 0])
        for percent: UInt8 in [59, 60, 59, 60, 58, 59] { scene.battery(percent) }
        #expect(scene.monitor.wearing == .notWorn)
        scene.wait(60)
        #expect(!scene.told.contains(.sensorCharging))
    }

    @Test("EDGE-9: a sensor that repeats a value in its dock is charging when its level rises")
    func dock() {
        var scene = takenOff()
        scene.readings([UInt16](repeating: 70, count: 70), intervals: [])
        #expect(scene.monitor.wearing == .frozen)
        scene.battery(53)
        #expect(scene.monitor.wearing == .charging)
        #expect(scene.over.contains(.sensorFrozen))
    }

    @Test("EDGE-9: a low sensor is no longer told as low while it charges")
    func lowWhileCharging() {
        var scene = Scene()
        scene.battery(12)
        scene.worn()
        #expect(scene.told == [.sensorBatteryLow])
        scene.readings([0, 0, 0])
        scene.battery(15)
        #expect(scene.over == [.sensorBatteryLow])
        #expect(scene.told == [.sensorBatteryLow, .sensorCharging])
    }

    @Test("EDGE-9: batteries of sensor and box are told at 20 % and at 10 %, each once", arguments: [true, false])
    func levels(isBox: Bool) {
        var scene = Scene()
        scene.worn()
        scene.clear()
        func take(_ percent: Int) {
            if isBox { scene.tell(.power(.battery, batteryPercent: percent)) } else { scene.battery(UInt8(percent)) }
            scene.worn(3)
        }
        let low = isBox ? Notice.boxBatteryLow : .sensorBatteryLow, veryLow = isBox ? Notice.boxBatteryVeryLow : .sensorBatteryVeryLow
        for percent in [40, 21] { take(percent) }
        #expect(scene.told.isEmpty)
        for percent in [20, 21, 20, 22, 19, 11] { take(percent) }
        #expect(scene.told == [low])
        for percent in [10, 11, 10, 12, 5] { take(percent) }
        #expect(scene.told == [low, veryLow])
        #expect(scene.over.isEmpty)
        #expect(scene.monitor.summary.notices.contains(veryLow) && !scene.monitor.summary.notices.contains(low))
        #expect(scene.condition(isBox ? .power : .sensor) == .weak)
        take(13)
        #expect(scene.over == [veryLow])
        take(23)
        #expect(scene.over == [veryLow, low])
    }

    @Test("EDGE-9: an empty box at the socket is not told: it fills by itself")
    func boxAtSocket() {
        var scene = Scene()
        scene.tell(.power(.battery, batteryPercent: 8))
        #expect(scene.told == [.boxBatteryLow, .boxBatteryVeryLow])
        scene.tell(.power(.mains, batteryPercent: 8))
        #expect(scene.over == [.boxBatteryLow, .boxBatteryVeryLow])
        #expect(scene.recorded.filter { $0.code == .boxPower }.map(\.value) == [2, 1])
        #expect(scene.recorded.filter { $0.code == .boxBattery }.map(\.value) == [8])
    }

    @Test("EDGE-9: what the sensor itself says of charging is told at once, and no reading speaks against it")
    func said() {
        var scene = takenOff()
        scene.clear()
        scene.tell(.heartRate(.charging(true, time: scene.now)))
        #expect(scene.monitor.wearing == .charging)
        #expect(scene.told == [.sensorCharging])
        scene.worn(10)
        #expect(scene.monitor.wearing == .charging && scene.counted == [])
        scene.tell(.heartRate(.charging(false, time: scene.now)))
        #expect(scene.monitor.wearing == .worn)
        #expect(scene.over == [.sensorCharging])
        #expect(scene.recorded == [.init(code: .sensorCharging, value: 1), .init(code: .sensorCharging, value: 0)])
    }

    @Test("EDGE-9: a sensor that says that it does not charge is not guessed to; one that does not know is")
    func saidNot() {
        var scene = takenOff()
        scene.tell(.heartRate(.charging(false, time: scene.now)))
        scene.readings([0, 0, 0])
        for percent: UInt8 in [52, 55, 60] { scene.battery(percent) }
        #expect(scene.monitor.wearing == .notWorn)
        scene.tell(.heartRate(.charging(nil, time: scene.now)))
        #expect(scene.monitor.wearing == .charging)
    }

    @Test("EDGE-9: what was said on an earlier link ends with readings of a new one, where that says nothing")
    func saidBefore() {
        var scene = takenOff()
        scene.tell(.heartRate(.charging(true, time: scene.now)))
        scene.lose()
        scene.wait(600)
        #expect(scene.monitor.wearing == .charging, "at the charger its radio may be off")
        scene.tell(.heartRate(.connected(time: scene.now)))
        scene.worn(2)
        #expect(scene.monitor.wearing == .charging)
        scene.worn(1)
        #expect(scene.monitor.wearing == .worn)
    }
}
