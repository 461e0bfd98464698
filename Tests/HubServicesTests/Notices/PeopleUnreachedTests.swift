import Accounts
import Alerts
import HubStore
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// People whom no way of the hub reaches, as its operator hears of them.
@Suite(.timeLimit(.minutes(1)))
struct PeopleUnreachedTests {
    private static let ada = PersonID(high: 1, low: 1), eve = PersonID(high: 1, low: 2), pia = PersonID(high: 1, low: 3)

    private final class Scene: Sendable {
        let clock = ManualClock()
        let monitor: WayMonitor
        let told = Mutex<[Int]>([])

        init() {
            let clock = clock
            monitor = WayMonitor(now: { clock.now }, logger: SOSTown.quiet)
            monitor.observePeople { [weak self] unreached in self?.told.withLock { $0.append(unreached.count) } }
        }

        /// What the operator was told by a look that finds these without a way, so many seconds behind the one before.
        func look(_ people: [PersonID], after seconds: Milliseconds = 10) -> [Int] {
            clock.advance(seconds * 1000)
            var unreached = PeopleUnreached()
            for person in people { unreached.add(person, [.mail]) }
            told.withLock { $0 = [] }
            monitor.told(unreached)
            return told.withLock { $0 }
        }
    }

    @Test("SOS-22: a second person who loses their last way is told to the operator within a minute, also while another has theirs back")
    func second() {
        let scene = Scene()
        #expect(scene.look([Self.ada]) == [1] && scene.look([Self.ada], after: 60) == [])
        #expect(scene.look([Self.ada, Self.eve]) == [2], "at once, where the last news is older than half a minute")
        #expect(scene.look([Self.ada, Self.eve], after: 60) == [])
        // One for the other: as many as before, and somebody else.
        #expect(scene.look([Self.eve, Self.pia]) == [2])
        #expect(scene.look([Self.pia]) == [] && scene.look([]) == [0] && scene.look([]) == [])
    }

    @Test("SOS-22: people who lose their last way one after the other are told every half minute, and nobody is forgotten")
    func oneAfterTheOther() {
        let scene = Scene()
        #expect(scene.look([Self.ada]) == [1])
        #expect(scene.look([Self.ada, Self.eve]) == [] && scene.look([Self.ada, Self.eve, Self.pia]) == [])
        #expect(scene.look([Self.ada, Self.eve, Self.pia]) == [3])
        // Whoever lost it, has it back and loses it again is news again.
        #expect(scene.look([Self.eve, Self.pia], after: 60) == [] && scene.look([Self.ada, Self.eve, Self.pia]) == [3])
        // Operators hear that it is over also where those whom they heard of were reached before the others.
        #expect(scene.look([Self.ada]) == [] && scene.look([Self.eve]) == [] && scene.look([]) == [0])
    }

    @Test("SOS-22: the operator of a hub hears of a second person whose ways have failed")
    func twoPeople() async throws {
        let town = try await SOSTown(), eve = try SOSTown.account(town.hub, .person, "eve@example.org").id
        let contact = SOSContact(name: "Bob", phone: "+39333", email: nil, language: "en")
        try await town.sos.choices.addContact(contact, of: eve.person, by: eve)
        try await town.sos.choices.turnOn(eve.person, consented: true, strict: false, by: eve)
        let told = Mutex<[Int]>([])
        town.sos.ways.observePeople { unreached in told.withLock { $0.append(unreached.count) } }
        func look(failing numbers: [String]) async -> [Int] {
            told.withLock { $0 = [] }
            for number in numbers {
                town.sos.ways.attempted(.text, to: number, .failure(WayFailure("no such number", isOfWay: false)))
            }
            await town.pass(60_000)
            await town.sos.chain.look()
            return told.withLock { $0 }
        }
        #expect(await look(failing: []) == [])
        #expect(await look(failing: ["+39333"]) == [1])
        #expect(await look(failing: ["+39025B", "+39025C"]) == [2])
    }
}
