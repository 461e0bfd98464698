import Foundation
import Monitoring
import Sensing
import Testing
import Vitals

@Suite struct ChainTests {
    @Test("SOS-18: every link is good when everything works, with the time at which it last did")
    func good() {
        var scene = Scene(hasPosition: true)
        scene.tell(.hub(.reached(at: scene.now)))
        scene.tell(.buffer(nil))
        scene.worn()
        scene.fix()
        #expect(scene.monitor.links.map(\.name) == ChainLink.Name.allCases)
        #expect(scene.monitor.links.allSatisfy { $0.condition == .good && $0.lastGood != nil && $0.detail == nil })
        #expect(scene.told.isEmpty)
    }

    @Test("SOS-18: before anything was heard the links are unknown, and not good")
    func unknown() {
        let scene = Scene(hasPosition: true)
        for name in [ChainLink.Name.sensor, .worn, .position, .buffer, .hub] { #expect(scene.condition(name) == .unknown) }
    }

    @Test("SOS-18, ACC-12: why a link does not hold has a name, for pages in other languages; what an older agent says has none")
    func reasons() throws {
        var scene = Scene(hasPosition: true)
        #expect(scene.link(.sensor)?.why == "link.why.notHeard" && scene.link(.worn)?.why == "link.why.wearUnknown")
        let away = SourceProblem(what: "It does not answer", advice: "Wear it", retries: true, kind: .strapAway)
        scene.tell(.heartRate(.lost(away, time: scene.now)))
        #expect(scene.link(.sensor)?.why == "problem.strapAway" && scene.link(.sensor)?.detail == away.what)
        scene.wait(60)
        #expect(scene.condition(.sensor) == .broken && scene.link(.sensor)?.why == "problem.strapAway")
        scene.tell(.hub(.unset))
        #expect(scene.link(.hub)?.why == "link.why.noHub")
        scene.tell(.hub(.refuses(Scene.problem)))
        #expect(scene.link(.hub)?.why == nil && scene.link(.hub)?.detail == Scene.problem.what, "which has words of its own only")
        scene.tell(.pause(until: scene.now + 3_600_000, utc: nil))
        for name in [ChainLink.Name.sensor, .worn, .position] { #expect(scene.link(name)?.why == "link.why.paused") }
        let old = try JSONDecoder().decode(ChainLink.self, from: Data(#"{"name":"hub","condition":"weak","detail":"It is gone"}"#.utf8))
        #expect(old == ChainLink(name: .hub, condition: .weak, detail: "It is gone"))
    }

    @Test("SOS-18, EDGE-3: a receiver without a fix, a silent one and a lost one are told within 60 s", arguments: [0, 1, 2])
    func positionLost(how: Int) {
        var scene = Scene(hasPosition: true)
        scene.tell(.position(.connected(time: scene.now)))
        scene.fix()
        scene.clear()
        let start = scene.now
        if how == 2 { scene.tell(.position(.lost(Scene.problem, time: scene.now))) }
        for _ in 0..<44 {
            scene.wait(1)
            if how == 0 { scene.tell(.position(.noFix(time: scene.now))) }
        }
        #expect(!scene.told.contains(.positionLost))
        #expect(scene.condition(.position) == .weak)
        scene.wait(1)
        #expect(scene.told.contains(.positionLost))
        #expect(scene.condition(.position) == .broken)
        #expect(scene.link(.position)?.lastGood == start)
        if how == 2 { #expect(scene.link(.position)?.detail == Scene.problem.what) }
        for _ in 0..<6 {
            scene.wait(1)
            scene.fix()
        }
        #expect(scene.over.contains(.positionLost))
        #expect(scene.condition(.position) == .good)
    }

    @Test("SOS-18, EDGE-13: the position's link says why the receiver gives none, and nothing of it once a receiver is heard")
    func receiver() {
        var scene = Scene(hasPosition: true)
        scene.tell(.position(.connected(time: scene.now)))
        scene.wait(45)
        #expect(scene.link(.position)?.detail == "There is no position")
        scene.tell(.receiver(Scene.problem))
        #expect(scene.link(.position)?.detail == Scene.problem.what && scene.link(.position)?.advice == Scene.problem.advice)
        let gone = SourceProblem(what: "The source is gone", advice: "Start it", retries: true)
        scene.tell(.position(.lost(gone, time: scene.now)))
        #expect(scene.link(.position)?.detail == gone.what, "which is the nearer reason")
        scene.tell(.position(.connected(time: scene.now)))
        #expect(scene.link(.position)?.detail == Scene.problem.what)
        scene.tell(.position(.noFix(time: scene.now)))
        #expect(scene.link(.position)?.detail == "There is no position")
        scene.tell(.receiver(Scene.problem))
        scene.fix(.network)
        scene.wait(600)
        #expect(scene.link(.position)?.detail == Scene.problem.what, "what networks say is no word of the receiver")
        scene.fix()
        scene.wait(45)
        #expect(scene.link(.position)?.detail == "There is no position")
    }

    @Test("EDGE-3: a fixed place holds for ever, a rough one for ten minutes, and a satellite fix goes before both")
    func otherPositions() {
        var fixed = Scene(.gateway, hasPosition: true)
        fixed.fix(.fixed)
        fixed.wait(864_000)
        #expect(fixed.condition(.position) == .good)
        var rough = Scene(hasPosition: true)
        rough.fix()
        rough.fix(.network)
        #expect(rough.condition(.position) == .good)
        rough.wait(20)
        rough.fix(.network)
        #expect(rough.condition(.position) == .weak)
        rough.wait(599)
        #expect(!rough.told.contains(.positionLost))
        rough.wait(1)
        #expect(rough.told.contains(.positionLost))
    }

    @Test("SOS-18: a box that nothing gives positions to says so, and tells nobody every minute")
    func noPosition() {
        var scene = Scene()
        scene.worn(120)
        #expect(scene.told.isEmpty)
        #expect(scene.condition(.position) == .off)
        #expect(!scene.monitor.isTracking)
    }

    @Test("SOS-18: a hub that does not answer is told after 30 s, however often the reason changes, and once it answers it is over")
    func hub() {
        var scene = Scene(hasPosition: true)
        scene.tell(.hub(.reached(at: scene.now)))
        scene.clear()
        for second in 0..<30 {
            let problem = SourceProblem(what: "No route, \(second)", advice: "Check the cable.", retries: true)
            scene.tell(.hub(.unreachable(problem)))
            scene.worn(1)
        }
        #expect(scene.told == [.hubUnreachable])
        #expect(scene.condition(.hub) == .broken)
        #expect(scene.link(.hub)?.advice == "Check the cable.")
        scene.tell(.hub(.reached(at: scene.now)))
        scene.worn(5)
        #expect(scene.over == [.hubUnreachable])
        #expect(scene.condition(.hub) == .good)
    }

    @Test("SOS-18: the hub is as old as its last answer, however often the link is looked at; so is the database")
    func ages() {
        var scene = Scene(hasPosition: true)
        let answered = scene.now
        scene.tell(.hub(.reached(at: answered)))
        scene.tell(.buffer(nil, goodAt: answered))
        for _ in 0..<60 {
            scene.wait(60)
            scene.tell(.hub(.reached(at: answered)))
            scene.tell(.buffer(nil, goodAt: answered))
        }
        for name in [ChainLink.Name.hub, .buffer] {
            #expect(scene.link(name)?.lastGood == answered)
            #expect(scene.condition(name) == .good)
        }
    }

    @Test("SOS-18: a power source that hangs is not known after 60 s; a look without a change is not recorded, and no news")
    func power() {
        var scene = Scene()
        scene.tell(.power(.battery, batteryPercent: 85))
        scene.clear()
        var shown: Set<Milliseconds?> = []
        for _ in 0..<30 {
            scene.wait(10)
            scene.tell(.power(.battery, batteryPercent: 85))
            #expect(scene.condition(.power) == .good)
            shown.insert(scene.link(.power)?.lastGood)
        }
        #expect(scene.recorded.isEmpty)
        #expect(shown.count == 11, "the age of the last look, and yet no news with each")
        #expect(shown.contains(scene.now))
        scene.wait(59)
        #expect(scene.condition(.power) == .good)
        scene.wait(1)
        #expect(scene.condition(.power) == .unknown)
        #expect(scene.link(.power)?.lastGood == scene.now - 60_000)
        scene.tell(.power(.battery, batteryPercent: 84))
        #expect(scene.condition(.power) == .good)
    }

    @Test("SOS-18: a hub that is not stopped and has answered nothing yet has no age")
    func noAnswerYet() {
        var scene = Scene()
        scene.tell(.hub(.reached(at: nil)))
        #expect(scene.link(.hub)?.lastGood == nil)
    }

    @Test("SOS-18: a hub that refuses is told at once")
    func refuses() {
        var scene = Scene(hasPosition: true)
        scene.tell(.hub(.refuses(Scene.problem)))
        #expect(scene.told == [.hubRefuses])
        #expect(scene.condition(.hub) == .broken)
        scene.tell(.hub(.unset))
        #expect(scene.over == [.hubRefuses])
        #expect(scene.condition(.hub) == .off)
    }

    @Test("OPS-2, SOS-18: a hub that does not know this person is told at once, and not as one that refuses the box")
    func unbound() {
        var scene = Scene(hasPosition: true)
        var problem = Scene.problem
        problem.kind = .hubUnbound
        scene.tell(.hub(.refuses(problem)))
        #expect(scene.told == [.hubUnbound] && !Notice.hubUnbound.isOfBox)
        #expect(scene.condition(.hub) == .broken)
        scene.tell(.hub(.reached(at: nil)))
        #expect(scene.over == [.hubUnbound])
    }

    @Test("SOS-18: a database that takes nothing is told at once, also in a pause")
    func buffer() {
        var scene = Scene(hasPosition: true)
        scene.tell(.pause(until: scene.now + 3_600_000, utc: nil))
        scene.tell(.buffer(Scene.problem))
        #expect(scene.told == [.paused, .bufferFailing] || scene.told == [.bufferFailing, .paused])
        #expect(scene.condition(.buffer) == .broken)
        scene.tell(.buffer(nil))
        scene.wait(5)
        #expect(scene.over == [.bufferFailing])
        #expect(scene.condition(.buffer) == .good)
    }
}
