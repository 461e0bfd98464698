import Foundation
import Testing

@testable import Credentials

@Suite("Passwords", .timeLimit(.minutes(2)))
struct PasswordHasherTests {
    static let cheap = PasswordCost(kibibytes: 64, passes: 1)

    static func pepper(_ byte: UInt8 = 7) throws -> Pepper { try #require(Pepper([UInt8](repeating: byte, count: 32))) }

    static func hasher(_ cost: PasswordCost = cheap, pepper: UInt8 = 7, waitingMax: Int = 8) throws -> PasswordHasher {
        try PasswordHasher(pepper: try Self.pepper(pepper), cost: cost, threads: 1, waitingMax: waitingMax)
    }

    @Test("ACC-6: the hash is Argon2id as others compute it (libargon2's own vectors)")
    func vectors() throws {
        let cost = PasswordCost(kibibytes: 256, passes: 2)
        for text in [
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        ] {
            let stored = try #require(EncodedHash(text))
            #expect(stored.text == text)
            let tag = try Argon2id.tag(of: Array("password".utf8), salt: stored.salt, cost: stored.cost, length: 32)
            #expect(tag == stored.tag)
        }
        #expect(try Argon2id.tag(of: [1], salt: Array(0..<16), cost: cost, length: 32).count == 32)
    }

    @Test("ACC-6: a password is known again, in either Unicode form, and another one is not")
    func comparison() async throws {
        let hasher = try Self.hasher()
        let stored = try await hasher.hash("caff\u{E8} e latte")
        #expect(stored.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"))
        #expect(!stored.contains("caff"))
        #expect(try await hasher.verify("caffe\u{300} e latte", against: stored) == .matches(needsRehash: false))
        #expect(try await hasher.verify("caffe e latte", against: stored) == .differs)
        #expect(try await hasher.verifyAgainstNothing("caff\u{E8} e latte") == .differs)
        let again = try await hasher.hash("caff\u{E8} e latte")
        #expect(again != stored, "each hash has a salt of its own")
    }

    @Test("ACC-6: without the pepper nothing matches, and the check shows that it is another one")
    func pepper() async throws {
        let stored = try await Self.hasher(pepper: 7).hash("a password")
        #expect(try await Self.hasher(pepper: 8).verify("a password", against: stored) == .differs)
        #expect(try Self.pepper(7).check == Self.pepper(7).check)
        #expect(try Self.pepper(7).check != Self.pepper(8).check)
        #expect(try Self.pepper(7).check.count == 32)
        #expect(Pepper([1, 2, 3]) == nil)
        #expect("\(try Self.pepper(7))" == "Pepper(secret)")
    }

    @Test("ACC-6: a hash that is weaker than new ones is told at log-in, a stronger one is not")
    func upgrade() async throws {
        let old = try await Self.hasher().hash("a password")
        for (cost, expected) in [
            (PasswordCost(kibibytes: 128, passes: 1), true), (PasswordCost(kibibytes: 64, passes: 2), true),
            (PasswordCost(kibibytes: 32, passes: 1), false), (Self.cheap, false),
        ] {
            #expect(try await Self.hasher(cost).verify("a password", against: old) == .matches(needsRehash: expected))
        }
        #expect(try await Self.hasher(PasswordCost(kibibytes: 128, passes: 1)).verify("another", against: old) == .differs)
    }

    @Test(
        "ACC-6: a damaged hash is told, not taken for a wrong password, and cannot occupy the hub",
        arguments: [
            "", "plain", "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
            "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29t",
            "$argon2id$v=19$m=4294967295,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
            "$argon2id$v=19$m=64,t=4000000,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
            "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ=$c29tZXNhbHRzb21lc2FsdA",
            "$argon2id$v=19$m=+64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
            "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA$",
        ])
    func damaged(stored: String) async throws {
        let hasher = try Self.hasher()
        await #expect(throws: PasswordProblem.self) { try await hasher.verify("a password", against: stored) }
    }

    @Test("ACC-6: a password that is too long is refused before anything is computed")
    func tooLong() async throws {
        let hasher = try Self.hasher()
        let longest = String(repeating: "x", count: PasswordHasher.passwordBytesMax)
        #expect(try await hasher.verify(longest, against: try await hasher.hash(longest)) == .matches(needsRehash: false))
        await #expect(throws: PasswordHasher.PasswordTooLong.self) { try await hasher.hash(longest + "x") }
        await #expect(throws: PasswordHasher.PasswordTooLong.self) { try await hasher.verifyAgainstNothing(longest + "x") }
    }

    @Test("ACC-6: a cost out of range is refused at start")
    func badCost() {
        for cost in [
            PasswordCost(kibibytes: 4, passes: 1), PasswordCost(kibibytes: 64, passes: 0),
            PasswordCost(kibibytes: 64, passes: 1, lanes: 0), PasswordCost(kibibytes: 4_194_304, passes: 1),
        ] {
            #expect(throws: PasswordProblem.self) { try Self.hasher(cost) }
        }
    }

    @Test("ACC-6: when all threads work and the queue is full, the answer is Busy at once, and later it goes on")
    func busy() async throws {
        let hasher = try Self.hasher(waitingMax: 1)
        let stored = try await hasher.hash("a password")
        let gate = DispatchSemaphore(value: 0)
        // The thread's job and the one that may wait stand for two slow hashes.
        #expect(
            hasher.pool.add {
                gate.wait()
                return {}
            })
        #expect(hasher.pool.add { {} })
        try #require(!hasher.pool.add { {} })
        await #expect {
            try await hasher.verify("a password", against: stored)
        } throws: { error in
            ((error as? PasswordHasher.Busy)?.retryAfter ?? 0) >= 1
        }
        await #expect(throws: PasswordHasher.Busy.self) { try await hasher.verifyAgainstNothing("a password") }
        await #expect(throws: PasswordHasher.Busy.self) { try await hasher.hash("a password") }
        gate.signal()
        while hasher.pool.load > 0 { await Task.yield() }
        #expect(try await hasher.verify("a password", against: stored) == .matches(needsRehash: false))
    }

    @Test("ACC-6: who hears that a hash is done finds the thread free for the next one")
    func freeAgain() async throws {
        let threads = try HashingThreads(count: 1, waitingMax: 0)
        let load = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
            #expect(threads.add { { continuation.resume(returning: threads.load) } })
        }
        #expect(load == 0)
    }

    @Test("ACC-6: a hundred log-ins at once are all answered: by a verdict or by Busy")
    func flood() async throws {
        let hasher = try Self.hasher(PasswordCost(kibibytes: 1024, passes: 1), waitingMax: 4)
        let stored = try await hasher.hash("a password")
        let answers = await withTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do {
                        return "\(try await hasher.verify("a password", against: stored))"
                    } catch { return error is PasswordHasher.Busy ? "busy" : "\(error)" }
                }
            }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(answers.values.reduce(0, +) == 100)
        #expect(Set(answers.keys).isSubset(of: ["busy", "matches(needsRehash: false)"]), "\(answers)")
        #expect(answers["matches(needsRehash: false)", default: 0] >= 1)
    }

    @Test("ACC-6: a name without an account takes as long as one with")
    func sameTime() async throws {
        let hasher = try Self.hasher(PasswordCost(kibibytes: 2048, passes: 2))
        let stored = try await hasher.hash("a password")
        var (known, unknown) = (Duration.seconds(100), Duration.seconds(100))
        func isSame() -> Bool { known / unknown > 0.5 && known / unknown < 2 }
        // The shortest of each: on a busy machine it takes some tries to see them.
        for count in 0..<300 where count < 10 || !isSame() {
            known = min(known, try await ContinuousClock().measure { _ = try await hasher.verify("wrong one", against: stored) })
            unknown = min(unknown, try await ContinuousClock().measure { _ = try await hasher.verifyAgainstNothing("wrong one") })
        }
        #expect(isSame(), "known \(known), unknown \(unknown)")
    }

    @Test("ACC-6: the threads have low priority and a name, and end with their owner")
    func threads() async throws {
        var threads: HashingThreads? = try HashingThreads(count: 2, waitingMax: 0)
        let (task, niceness) = await withCheckedContinuation { (continuation: CheckedContinuation<(String, String), Never>) in
            let isTaken = threads?.add {
                let link = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
                let stat = (try? String(contentsOfFile: "/proc/\(link)/stat", encoding: .utf8)) ?? ""
                // After the name in brackets comes field 3; niceness is field 19 (proc_pid_stat(5)).
                let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
                return { continuation.resume(returning: ("/proc/\(link)", fields.count > 16 ? String(fields[16]) : stat)) }
            }
            #expect(isTaken == true)
        }
        #expect(niceness == "10")
        #expect(try String(contentsOfFile: task + "/comm", encoding: .utf8) == "password-hash\n")
        threads = nil
        for _ in 0..<500 where FileManager.default.fileExists(atPath: task) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!FileManager.default.fileExists(atPath: task))
    }
}
