import Monitoring
import Sensing
import Testing
import Vitals

@Suite struct PolicyTests {
    @Test(
        "EDGE-9: on the mains SOS is on and run tracking off, on a power bank everything is on",
        arguments: [
            (BoxRole.phone, BoxPower.mains, BoxPower?.none, false), (.phone, .battery, nil, true), (.phone, .unknown, nil, true),
            (.gateway, .unknown, nil, false), (.gateway, .mains, nil, false), (.gateway, .battery, nil, true),
            (.phone, .battery, .mains, false), (.gateway, .unknown, .battery, true), (.phone, .mains, .unknown, false),
        ])
    func feeds(role: BoxRole, power: BoxPower, override: BoxPower?, tracks: Bool) {
        var scene = Scene(role, power: power, override: override, hasPosition: true)
        scene.worn()
        #expect(scene.monitor.isWatching)
        #expect(scene.monitor.isTracking == tracks)
    }

    @Test("EDGE-9: pulling the plug switches run tracking on, and recorded is what feeds the box")
    func unplugged() {
        var scene = Scene(.phone, power: .mains, hasPosition: true)
        scene.worn()
        scene.clear()
        scene.tell(.power(.battery, batteryPercent: 90))
        #expect(scene.tracking == [true])
        #expect(scene.watching.isEmpty)
        #expect(scene.recorded == [.init(code: .boxPower, value: 2), .init(code: .boxBattery, value: 90)])
        scene.tell(.power(.battery, batteryPercent: 87))
        scene.tell(.power(.battery, batteryPercent: 85))
        #expect(scene.recorded.last == .init(code: .boxBattery, value: 85))
        #expect(scene.recorded.count == 3)
    }

    @Test("EDGE-9: a power bank looks like the mains: a phone that moves for 30 s tracks, until it has stood for five minutes")
    func powerBank() {
        var scene = Scene(.phone, power: .mains, hasPosition: true)
        scene.worn()
        scene.clear()
        scene.fixes(30, speed: 300)
        #expect(scene.tracking.isEmpty)
        scene.fixes(1, speed: 300)
        #expect(scene.tracking == [true])
        // At a crossing, and on.
        scene.fixes(120, speed: 0)
        scene.fixes(1, speed: 300)
        scene.fixes(299, speed: 0)
        #expect(scene.tracking == [true])
        scene.fixes(1, speed: 0)
        #expect(scene.tracking == [true, false])
        #expect(scene.recorded.allSatisfy { $0.code != .boxPower })
    }

    @Test("EDGE-9: without a fix the end of the movement comes by itself")
    func movementEnds() {
        var scene = Scene(.phone, power: .mains, hasPosition: true)
        scene.fixes(31, speed: 300)
        scene.clear()
        scene.wait(299)
        #expect(scene.tracking.isEmpty)
        scene.wait(1)
        #expect(scene.tracking == [false])
    }

    @Test("EDGE-9: a phone at a socket that is not carried does not track, whatever its receiver shows for a moment")
    func atSocket() {
        func tracks(_ speeds: [Int32], role: BoxRole = .phone, override: BoxPower? = nil) -> Bool {
            var scene = Scene(role, power: .mains, override: override, hasPosition: true)
            for speed in speeds { scene.fixes(1, speed: speed) }
            return scene.monitor.isTracking
        }
        let run = [Int32](repeating: 150, count: 60), burst = [Int32](repeating: 300, count: 29)
        #expect(tracks(run))
        #expect(!tracks([Int32](repeating: 149, count: 600)))
        #expect(!tracks(burst + [20] + burst + [20] + burst))
        #expect(!tracks(run, role: .gateway))
        #expect(!tracks(run, override: .mains))
        var scene = Scene(.phone, power: .mains, hasPosition: true)
        for _ in 0..<10 {
            scene.fixes(20, speed: 300)
            scene.wait(11)
        }
        #expect(!scene.monitor.isTracking)
    }

    @Test("EDGE-9: of somebody who runs with a box on a power bank, a sensor that is gone is lost, and nobody is away")
    func lostOnARun() {
        var scene = Scene(.phone, power: .mains, hasPosition: true)
        scene.worn()
        scene.fixes(31, speed: 300)
        scene.lose()
        scene.fixes(400, speed: 300)
        #expect(scene.monitor.wearing == .noSignal)
        #expect(!scene.told.contains(.sensorAway))
    }

    @Test("EDGE-9: a phone whose sensor charges tracks runs at a socket, too; a gateway's place is nobody's run")
    func chargingAtSocket() {
        for role in BoxRole.allCases {
            var scene = Scene(role, power: .mains, hasPosition: true)
            scene.battery(50)
            scene.worn()
            scene.readings([0, 0, 0])
            scene.battery(60)
            #expect(scene.monitor.wearing == .charging)
            #expect(scene.monitor.isTracking == (role == .phone))
        }
    }

    @Test("EDGE-7: a kind that is switched off is neither watched nor told, and recorded as off")
    func kinds() {
        var scene = Scene(hasPosition: true)
        scene.worn()
        scene.fix()
        scene.clear()
        scene.tell(.kinds(heartRate: false, position: true))
        #expect(scene.watching == [false])
        #expect(scene.recorded == [.init(code: .kindsChosen, value: 2)])
        #expect(scene.condition(.sensor) == .off)
        #expect(scene.condition(.worn) == .off)
        scene.tell(.kinds(heartRate: false, position: false))
        #expect(scene.tracking == [false])
        #expect(scene.condition(.position) == .off)
        scene.wait(3600)
        #expect(scene.told.isEmpty)
        scene.tell(.kinds(heartRate: true, position: true))
        #expect(scene.told.isEmpty)
        scene.worn()
        #expect(scene.monitor.isWatching && scene.monitor.isTracking)
        scene.tell(.kinds(heartRate: true, position: true))
        #expect(scene.recorded.filter { $0.code == .kindsChosen }.map(\.value) == [2, 0, 3])
    }

    @Test("EDGE-8: a pause stops watching and tracking, is recorded with its end, and ends by itself")
    func pause() {
        var scene = Scene(hasPosition: true)
        scene.worn()
        scene.fix()
        scene.clear()
        scene.tell(.pause(until: scene.now + 600_000, utc: 1_800_000_600_000))
        #expect(scene.watching == [false] && scene.tracking == [false])
        #expect(scene.told == [.paused])
        #expect(scene.recorded == [.init(code: .paused, value: 1_800_000_600_000)])
        #expect(scene.monitor.summary.pausedUntilUTC == 1_800_000_600_000)
        #expect(scene.condition(.sensor) == .off && scene.condition(.position) == .off)
        scene.readings([0, 0, 0, 70, 71, 72, 73])
        #expect(scene.counted == [] && scene.recorded.count == 1)
        scene.wait(592)
        #expect(scene.over.isEmpty)
        scene.wait(1)
        #expect(scene.over == [.paused])
        #expect(scene.recorded.last == .init(code: .resumed))
        #expect(scene.told == [.paused])
        scene.worn(2)
        #expect(scene.monitor.isWatching)
        #expect(scene.counted.count == 2)
    }

    @Test("EDGE-8: a sensor that stays away after a pause is told 30 s after its end, not at once")
    func afterPause() {
        var scene = Scene(.gateway, power: .mains, hasPosition: true)
        scene.worn()
        scene.tell(.pause(until: scene.now + 3_600_000, utc: nil))
        scene.lose()
        scene.wait(3600)
        scene.clear()
        #expect(scene.monitor.wearing == .noSignal)
        scene.wait(29)
        #expect(scene.told.isEmpty)
        scene.wait(1)
        #expect(scene.told == [.sensorLost])
    }

    @Test("EDGE-8: resume ends a pause early; another pause replaces the first")
    func resume() {
        var scene = Scene(hasPosition: true)
        scene.worn()
        scene.clear()
        scene.tell(.pause(until: scene.now + 60_000, utc: nil))
        scene.tell(.pause(until: scene.now + 120_000, utc: nil))
        scene.wait(90)
        #expect(scene.over.isEmpty)
        scene.tell(.resume)
        scene.tell(.resume)
        #expect(scene.over == [.paused])
        #expect(scene.recorded.map(\.code) == [.paused, .paused, .resumed])
    }

    @Test("EDGE-8: a pause goes on after a restart, and one that ended meanwhile is recorded as over")
    func restart() {
        var scene = Scene(hasPosition: true)
        scene.tell(.pause(until: scene.now + 1000, utc: 5))
        #expect(scene.monitor.summary.pausedUntil == scene.now + 1000)
        var later = Scene(hasPosition: true)
        later.clear()
        later.tell(.pause(until: later.now - 1, utc: 5))
        #expect(later.recorded == [.init(code: .resumed)])
        #expect(later.told.isEmpty)
        #expect(later.monitor.summary.pausedUntil == nil)
    }

    @Test("EDGE-9: the mains that go are told at once, of a gateway until they are back, of a phone for a minute")
    func mainsLost() {
        for role in [BoxRole.gateway, .phone] {
            var scene = Scene(role, power: .mains)
            func count(_ notices: [Notice]) -> Int { notices.count { $0 == .mainsLost } }
            scene.wait(120)
            scene.tell(.power(.battery, batteryPercent: 90))
            #expect(count(scene.told) == 1, "\(role)")
            scene.wait(59)
            scene.tell(.power(.battery, batteryPercent: 90))
            #expect(count(scene.over) == 0, "\(role)")
            scene.wait(1)
            #expect(count(scene.over) == (role == .gateway ? 0 : 1), "\(role)")
            scene.wait(3600)
            scene.tell(.power(.mains, batteryPercent: 80))
            scene.wait(6)
            #expect(count(scene.over) == 1 && count(scene.told) == 1, "\(role)")
        }
    }

    @Test("EDGE-9: no mains were lost where none were there, where nobody knows, and where the person says how the box is fed")
    func mainsNotLost() {
        var phone = Scene(.phone, power: .battery)
        phone.tell(.power(.battery, batteryPercent: 90))
        #expect(!phone.told.contains(.mainsLost))
        phone.tell(.power(.mains, batteryPercent: 90))
        phone.tell(.power(.unknown, batteryPercent: nil))
        #expect(!phone.told.contains(.mainsLost))
        for given in [BoxPower.mains, .battery] {
            var scene = Scene(.gateway, power: .mains, override: given)
            scene.tell(.power(.battery, batteryPercent: 90))
            #expect(!scene.told.contains(.mainsLost), "\(given)")
        }
        var gateway = Scene(.gateway, power: .battery)
        gateway.tell(.power(.battery, batteryPercent: 90))
        #expect(gateway.told.contains(.mainsLost), "it began without")
    }
}
