import Dispatch
import Synchronization
import Testing

@testable import HubServices

struct ReadPoolTests {
    private final class Gate: Sendable {
        let open = DispatchSemaphore(value: 0)
        let running = Mutex(0), most = Mutex(0), order = Mutex<[Int]>([])

        func pass(_ number: Int) {
            let now = running.withLock { running in
                running += 1
                return running
            }
            most.withLock { $0 = max($0, now) }
            open.wait()
            order.withLock { $0.append(number) }
            running.withLock { $0 -= 1 }
        }
    }

    private func until(_ isTrue: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while !isTrue(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
        #expect(isTrue())
    }

    @Test("CONS-12: so many readings run at once, so many wait, and who comes then is refused at once; later there is room again")
    func bounded() async throws {
        let pool = ReadPool<Int>(width: 2, waitingMax: 3, readerMax: 9), gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask { try await pool.run(for: number) { gate.pass(number) } }
                try await until { pool.load == number + 1 }
            }
            await #expect(throws: ReadPoolBusy.everybody) { try await pool.run(for: 7) { 1 } }
            try await until { gate.running.withLock { $0 } == 2 }
            for _ in 0..<5 { gate.open.signal() }
            try await group.waitForAll()
        }
        #expect(gate.most.withLock { $0 } == 2)
        #expect(Set(gate.order.withLock { $0 }) == Set(0..<5))
        #expect(try await pool.run(for: 7) { 1 } == 1)
        #expect(pool.load == 0)
    }

    @Test("CONS-12: one reader takes its share and no more, and what fails gives its place back")
    func share() async throws {
        struct Failed: Error {}
        let pool = ReadPool<String>(width: 1, waitingMax: 9, readerMax: 2), gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...2 {
                group.addTask { try await pool.run(for: "a") { gate.pass(number) } }
                try await until { pool.load == number }
            }
            await #expect(throws: ReadPoolBusy.reader) { try await pool.run(for: "a") {} }
            group.addTask { try await pool.run(for: "b") { gate.pass(3) } }
            for _ in 0..<3 { gate.open.signal() }
            try await group.waitForAll()
        }
        for _ in 0..<5 { await #expect(throws: Failed.self) { try await pool.run(for: "a") { throw Failed() } } }
        #expect(pool.load == 0)
    }

    @Test("CONS-12: what is read in parts counts as one reading of its reader until it ends, and is not refused in its middle")
    func parts() async throws {
        let pool = ReadPool<String>(width: 1, waitingMax: 0, readerMax: 1), gate = Gate()
        var place: ReadPool<String>.Place? = try pool.place(for: "a")
        #expect(throws: ReadPoolBusy.reader) { try pool.place(for: "a") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run(for: "b") { gate.pass(1) } }
            try await until { gate.running.withLock { $0 } == 1 }
            await #expect(throws: ReadPoolBusy.everybody) { try await pool.run(for: "c") {} }
            group.addTask { [place] in try await place?.run { gate.pass(2) } }
            try await until { pool.load == 2 }
            for _ in 0..<2 { gate.open.signal() }
            try await group.waitForAll()
        }
        #expect(gate.order.withLock { $0 } == [1, 2])
        place = nil
        #expect(try await pool.run(for: "a") { 1 } == 1 && pool.load == 0)
    }
}
