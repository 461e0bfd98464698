import Foundation
import Processes
import Synchronization
import Vitals

/// The work of one line's thread: runs baresip, hands its words to the ``PhoneLine``, and carries out what that decides.
struct BaresipRunner: ~Copyable {
    /// baresip has so long to take its first connection, milliseconds.
    private static let linkMax: Milliseconds = 10_000
    /// It is started again after this, doubled with each failure in a row, milliseconds.
    private static let retryFirst: Milliseconds = 1000, retryMax: Milliseconds = 60_000
    /// One that ran for so long has not failed at its start.
    private static let steadyAfter: Milliseconds = 60_000
    /// After being asked to end it has so long to leave the trunk.
    private static let endMax: Milliseconds = 3000
    private static let saidMax = 4096

    private struct Child {
        let process: RunningProgram
        let port: UInt16
        let output: Int32
        let started: Milliseconds
        let folder: PrivateFolder
        /// -1 until it takes commands.
        var control: Int32 = -1
        /// Its last output, for the log of its death.
        var said: [UInt8] = []
    }

    private let trunk: Trunk, program: String, programs: Programs, owner: Baresip, wake: Int32
    private let changed: @Sendable (String?) -> Void
    private let clock = ContinuousClock(), start: ContinuousClock.Instant
    private var line: PhoneLine
    private var child: Child? { didSet { owner.shared.withLock { [id = child?.process.id] in $0.process = id } } }
    private var frames = Netstring()
    private var call: Baresip.Call?
    private var launchAt: Milliseconds = 0
    private var failures = 0
    private var wantedAt: Milliseconds = 0
    /// nil before the first.
    private var told: String??

    init(
        _ trunk: Trunk, program: String, by programs: Programs, line owner: Baresip, wake: Int32,
        changed: @escaping @Sendable (String?) -> Void
    ) {
        (self.trunk, self.program, self.programs) = (trunk, program, programs)
        (self.owner, self.wake, self.changed) = (owner, wake, changed)
        start = clock.now
        line = PhoneLine(registers: trunk.registers)
    }

    private var now: Milliseconds { Milliseconds((clock.now - start) / .milliseconds(1)) }

    mutating func run() {
        while true {
            let (order, sound, isStopping) = owner.shared.withLock { shared in
                defer { (shared.order, shared.sound) = (nil, nil) }
                return (shared.order, shared.sound, shared.isStopping)
            }
            if child == nil, !isStopping, now >= launchAt { launch() }
            link()
            if let order { begin(order) }
            if let sound { send("ausrc", "aufile,\(sound)") }
            guard !isStopping else { break }
            wait()
            hear()
            reap()
            askWhetherWanted()
            handle(.tick)
            tell()
        }
        end(because: "the hub stops")
    }

    // MARK: baresip

    private mutating func launch() {
        do throws(TrunkProblem) { child = try launched() } catch { failed(error.description) }
    }

    private func launched() throws(TrunkProblem) -> Child {
        let folder = try PrivateFolder(), peer = trunk.peer
        guard let port = Sockets.freePort(), let ends = Programs.pipe() else {
            throw TrunkProblem(description: "this process has no file descriptor left: raise its limit (LimitNOFILE=)")
        }
        defer { close(ends.write) }
        let config = BaresipFiles.config(
            address: Sockets.localAddress(towards: peer.host, port: peer.port), port: port, silence: "\(folder.path)/silence.wav")
        guard folder.write(Array(config.utf8), to: "config"), folder.write(Array(BaresipFiles.accounts(trunk).utf8), to: "accounts"),
            folder.write(Sound.silence(milliseconds: 1000).wav, to: "silence.wav")
        else {
            close(ends.read)
            throw TrunkProblem(description: "the files of a telephone line cannot be written: make room in /dev/shm")
        }
        do throws(Programs.Failure) {
            let environment = ["PATH=/usr/bin:/bin", "HOME=\(folder.path)", "LANG=C.UTF-8"]
            let process = try programs.start(
                [program, "-f", folder.path], environment: environment, .init(output: ends.write, errors: ends.write))
            _ = folder.write(Array("\(process.id)".utf8), to: PrivateFolder.processFile)
            return Child(process: process, port: port, output: ends.read, started: now, folder: folder)
        } catch {
            close(ends.read)
            let why = error.code == ENOENT ? "it is not installed (apt-get install baresip-core)" : String(cString: strerror(error.code))
            throw TrunkProblem(description: "\(program) cannot be started: \(why)")
        }
    }

    private mutating func link() {
        guard let running = child, running.control < 0 else { return }
        if let control = Sockets.connect(port: running.port) {
            child?.control = control
            frames = Netstring()
            handle(.linked)
        } else if now - running.started >= Self.linkMax {
            end(because: "baresip does not take commands")
        }
    }

    /// Until there is something to do.
    private func wait() {
        let isBusy = child.map { $0.control < 0 } ?? false
        var entries = [
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0), pollfd(fd: child?.control ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: child?.output ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&entries, 3, isBusy ? 50 : 500)
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wake, &bytes, bytes.count) > 0 {}
        // The other end is closed: that would be ready at once until the process is reaped.
        if entries[2].revents & Int16(POLLHUP) != 0 { usleep(20_000) }
    }

    private mutating func hear() {
        guard let running = child else { return }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        var count = read(running.output, &bytes, bytes.count)
        if count > 0 { said(bytes.prefix(count)) }
        guard running.control >= 0 else { return }
        count = read(running.control, &bytes, bytes.count)
        if count == 0 { return end(because: "baresip closed its connection") }
        guard count > 0 else { return }
        do throws(Netstring.Malformed) {
            for message in try frames.take(bytes.prefix(count)) { take(message) }
        } catch { end(because: "baresip's words cannot be read") }
    }

    /// Only the log says that the trunk answered a probe, with whatever status: somebody is there.
    private mutating func said(_ bytes: ArraySlice<UInt8>) {
        let known = child?.said ?? []
        let all = Array((known + bytes).suffix(Self.saidMax))
        child?.said = all
        let text = String(decoding: all, as: UTF8.self)
        guard let answer = text.range(of: "OPTIONS of ") ?? text.range(of: "OPTIONS failed: ") else { return }
        child?.said = []
        // "Connection timed out" is baresip's own word.
        let isStatus = text[answer.upperBound...].first?.isNumber ?? false
        if text[answer].hasSuffix("of ") || isStatus { handle(.trunkAnswered) }
    }

    private mutating func take(_ payload: [UInt8]) {
        switch ControlMessage(payload) {
        case .event(let event)?: event.lineEvent.map { handle($0) }
        case .response(isDone: false, let text, token: "dial")?: handle(.dialFailed(text.isEmpty ? "baresip did not dial" : text))
        case .response?, nil: break
        }
    }

    private mutating func reap() {
        guard let running = child, let ending = running.process.ending else { return }
        let how =
            switch ending {
            case .exited(let status): "ended with \(status)"
            case .killed(let signal): "ended by signal \(signal)"
            case .lost(let code): "cannot be waited for: \(String(cString: strerror(code)))"
            }
        // Before it takes commands it knows no number that it could say.
        let last = running.control < 0 ? String(decoding: running.said, as: UTF8.self).split(separator: "\n").last.map { ": \($0)" } : nil
        forget()
        failed("baresip \(how)\(last.map { String($0.filter { $0 >= " " }.prefix(200)) } ?? "")")
    }

    private mutating func end(because why: String) {
        guard let running = child else { return failed(why) }
        running.process.send(SIGTERM)
        let end = now + Self.endMax
        while running.process.ending == nil {
            if now >= end {
                running.process.send(SIGKILL)
                running.process.wait()
                break
            }
            usleep(20_000)
        }
        forget()
        failed(why)
    }

    private mutating func forget() {
        guard let running = child else { return }
        if now - running.started >= Self.steadyAfter { failures = 0 }
        if running.control >= 0 { close(running.control) }
        close(running.output)
        child = nil
    }

    private mutating func failed(_ why: String) {
        launchAt = now + min(Self.retryMax, Self.retryFirst << Milliseconds(min(failures, 6)))
        failures += 1
        handle(.lost(why))
    }

    // MARK: Calls

    private mutating func begin(_ new: Baresip.Call) {
        guard line.isFree else {
            new.ended(.lineFailed(line.problem ?? "it is in use"))
            return new.over()
        }
        // What is heard is chosen before: it begins with the answer.
        send("ausrc", "aufile,\(new.sound)")
        (call, wantedAt) = (new, now)
        handle(.order(new.order))
    }

    private mutating func askWhetherWanted() {
        guard let call, now - wantedAt >= 1000 else { return }
        wantedAt = now
        if !call.isWanted() { handle(.recall) }
    }

    private mutating func handle(_ event: PhoneLine.Event) {
        let effects = line.handle(event, at: now)
        // Whoever hears what became of a call finds the line as it is.
        tell()
        for effect in effects {
            switch effect {
            case .dial(let uri): send("dial", uri)
            case .hangUp: send("hangup")
            case .tellKey: call?.keyPressed()
            case .finish(let outcome): call?.ended(outcome)
            case .probe: send("options", trunk.probed)
            case .restart(let why): return end(because: why)
            }
        }
        switch line.state {
        case .free, .down:
            call?.over()
            call = nil
        case .dialling, .ringing, .answered, .taken, .closing: break
        }
    }

    private mutating func tell() {
        let problem = line.problem
        guard told != .some(problem) else { return }
        told = problem
        owner.shared.withLock { $0.problem = problem }
        changed(problem)
    }

    private mutating func send(_ command: String, _ parameters: String = "") {
        guard let control = child?.control, control >= 0 else { return }
        let bytes = ControlMessage.command(command, parameters, token: command)
        // Commands are short, and the buffer of a connection to oneself takes hundreds.
        if Glibc.send(control, bytes, bytes.count, Int32(MSG_NOSIGNAL)) != bytes.count {
            end(because: "baresip takes no more commands")
        }
    }
}
