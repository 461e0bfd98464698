import Sensing
import SourceThread
import SystemBus

/// The thread's part of ``ModemCaller``.
final class ModemLoop {
    private static let retryDelay: Int64 = 2000
    /// A modem that is off is switched on again and again: it is there to call for help.
    private static let enableInterval: Int64 = 30_000
    private static let enableLimit: Int64 = 60_000
    private static let jobsMax = 64
    /// Texts are sent: whatever lies on the modem before that is read and deleted, once in so long.
    private static let sweepInterval: Int64 = 3_600_000
    private static let numbersMax = 64

    private let address: BusAddress
    private let configuration: ModemCaller.Configuration
    private let inbox: RequestInbox<ModemCaller.Request>
    private let stop: StopSignal
    private let sink: @Sendable (ModemCaller.Event) -> Void
    private var directory = ModemDirectory()
    private var jobs: [any ModemJob] = []
    private var enabling: [String: Int64] = [:]
    /// When a text or call last failed on a modem: another one is tried first.
    private var failures: [String: Int64] = [:]
    /// The recipients of texts and calls.
    private var numbers: [PhoneNumber] = []
    private var sweeps: [String: Int64] = [:]
    /// Texts that were read, with the time from which on they are deleted.
    private var erasures: [String: (modem: String, due: Int64)] = [:]
    private var told: (modems: [ModemStatus], problem: SourceProblem?)?
    private var problem: SourceProblem?

    init(
        bus: BusAddress, configuration: ModemCaller.Configuration, inbox: RequestInbox<ModemCaller.Request>, stop: StopSignal,
        sink: @escaping @Sendable (ModemCaller.Event) -> Void
    ) {
        (address, self.configuration, self.inbox, self.stop, self.sink) = (bus, configuration, inbox, stop, sink)
    }

    func run() {
        while true {
            do throws(BusError) {
                try serve(Bus(address))
                return
            } catch {
                lose(
                    SourceProblem(
                        what: "The modem cannot be reached: the system's bus is gone (\(error))", advice: "Start dbus", retries: true))
            }
            // Requests are answered while there is no bus, too.
            let until = Boottime.now() + Self.retryDelay
            while Boottime.now() < until {
                let (requests, wake) = inbox.take()
                if stop.wait(milliseconds: 0) == .stopped { return }
                for request in requests { take(request, link: nil) }
                _ = (wake ?? stop).wait(milliseconds: until - Boottime.now())
            }
        }
    }

    /// Events of the bus since the last look.
    private final class News {
        var signals: [BusMessage] = []
        var answer: Result<[BusValue], BusError>?
        var ownerHasChanged = true
    }

    /// Returns when stopped, throws when the bus is gone.
    private func serve(_ bus: Bus) throws(BusError) {
        let link = ModemLink(bus), news = News()
        let signals = try bus.subscribe("type='signal',sender='\(ModemCodes.service)'") { news.signals.append($0) }
        let ownership = try bus.watchOwner(of: ModemCodes.service) { _ in news.ownerHasChanged = true }
        defer { withExtendedLifetime((signals, ownership)) {} }
        while true {
            try bus.process()
            if news.ownerHasChanged {
                news.ownerHasChanged = false
                meet(try bus.owner(of: ModemCodes.service) != nil, link, news)
            }
            if let answer = news.answer { learn(answer, news) }
            for signal in news.signals { handle(signal, link) }
            news.signals = []
            let (requests, wake) = inbox.take()
            if stop.wait(milliseconds: 0) == .stopped { return end(bus) }
            for request in requests { take(request, link: link) }
            work(link)
            tell()
            guard bus.delay != 0, news.answer == nil else { continue }
            _ = bus.wait(stop: wake ?? stop, milliseconds: nextTick())
        }
    }

    private func meet(_ isThere: Bool, _ link: ModemLink, _ news: News) {
        guard isThere else {
            return lose(
                SourceProblem(
                    what: "No text and no call can go out: ModemManager does not run",
                    advice: "Install and start it: apt-get install modemmanager", retries: true, kind: .noModem))
        }
        link.call(ModemCodes.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", limit: 10_000) { [weak news] in
            news?.answer = $0
        }
    }

    private func learn(_ answer: Result<[BusValue], BusError>, _ news: News) {
        news.answer = nil
        switch answer {
        case .success(let objects):
            problem = nil
            directory.reset(objects)
        case .failure(let error) where error.isUnknownService: break
        case .failure(let error):
            problem = ModemError.problem("ModemManager does not say what modems there are", error)
            news.ownerHasChanged = error.isTimeout
        }
    }

    private func lose(_ problem: SourceProblem) {
        self.problem = problem
        directory.clear()
        (enabling, failures, sweeps, erasures) = ([:], [:], [:], [:])
        for job in jobs { job.lost(problem) }
        jobs = []
        tell()
    }

    private func handle(_ signal: BusMessage, _ link: ModemLink) {
        _ = directory.handle(signal)
        for job in jobs { job.handle(signal) }
        let gone = Set(jobs.map(\.modem)).subtracting(directory.modems.map(\.path))
        for job in jobs where gone.contains(job.modem) { job.lost(noModem) }
        guard signal.interface == ModemCodes.messaging, signal.member == "Added", signal.arguments.count == 2,
            signal.arguments[1].bool == true, let path = signal.arguments[0].string
        else { return }
        read(path, modem: signal.path, erasesAll: false, link)
    }

    private func read(_ path: String, modem: String, erasesAll: Bool, _ link: ModemLink) {
        link.properties(of: path, ModemCodes.text) { [weak self] in
            self?.received($0, path, modem: modem, erasesAll: erasesAll, link)
        }
    }

    /// Before texts go out there must be room for the answers. What lies there is older than the alarm, or came while nobody read it.
    private func sweep(_ modem: String, _ link: ModemLink) {
        let now = Boottime.now()
        guard now - (sweeps[modem] ?? -Self.sweepInterval) >= Self.sweepInterval else { return }
        sweeps[modem] = now
        for path in directory.modems.first(where: { $0.path == modem })?.texts ?? [] { read(path, modem: modem, erasesAll: true, link) }
    }

    private func received(_ text: [String: BusValue], _ path: String, modem: String, erasesAll: Bool, _ link: ModemLink) {
        guard let number = text["Number"]?.string.flatMap(PhoneNumber.init) else { return }
        if text["PduType"]?.int == ModemCodes.statusReport {
            guard let state = text["DeliveryState"]?.int, let reference = text["MessageReference"]?.int else { return }
            for case let job as TextJob in jobs { job.report(state, reference: reference, number: number) }
            link.tell(modem, ModemCodes.messaging, "Delete", [.objectPath(path)])
        } else if text["State"]?.int == ModemCodes.smsReceived {
            if erasesAll || numbers.contains(where: { $0.isSameLine(as: number) }) {
                erasures[path] = (modem, Boottime.now() + configuration.readTextKept)
            }
            let sentAt = text["Timestamp"]?.string.flatMap(ModemTime.utc)
            sink(.reply(from: number, text: String((text["Text"]?.string ?? "").prefix(500)), sentAt: sentAt, wasThere: erasesAll))
        }
    }

    /// Switches modems on, lets jobs see the time, and forgets those that are over.
    private func work(_ link: ModemLink) {
        let now = Boottime.now()
        for modem in directory.modems where modem.isDisabled && now - (enabling[modem.path] ?? -Self.enableInterval) >= Self.enableInterval
        {
            enabling[modem.path] = now
            link.call(modem.path, ModemCodes.modem, "Enable", [.bool(true)], limit: Self.enableLimit) { [weak self] answer in
                guard let self else { return }
                problem = nil
                guard case .failure(let error) = answer, !error.isUnknownObject else { return }
                problem = ModemError.problem("The modem \(modem.name) cannot be switched on", error)
            }
        }
        for (path, erasure) in erasures where erasure.due <= now {
            erasures[path] = nil
            link.tell(erasure.modem, ModemCodes.messaging, "Delete", [.objectPath(path)])
        }
        for job in jobs { job.tick(now) }
        jobs.removeAll(where: \.isOver)
    }

    private func nextTick() -> Int64 {
        let retries = directory.modems.filter(\.isDisabled).map { (enabling[$0.path] ?? 0) + Self.enableInterval }
        guard let next = (jobs.compactMap(\.deadline) + retries + erasures.values.map(\.due)).min() else { return 60_000 }
        return max(1, min(60_000, next - Boottime.now()))
    }

    private func tell() {
        var modems = directory.modems
        // How many there are is told where that is a problem, and is no news otherwise.
        for index in modems.indices { modems[index].texts = [] }
        let now = (modems, modems.contains { $0.canText || $0.canCall } ? nil : problem ?? noModem)
        if let told, told == now { return }
        told = now
        sink(.modems(now.0, problem: now.1))
    }

    private var noModem: SourceProblem {
        directory.modems.lazy.compactMap(\.problem).first
            ?? problem
            ?? SourceProblem(
                what: "There is no modem", advice: "Plug one in, with a SIM for texts and calls; mmcli -L lists those that are seen",
                retries: true, kind: .noModem)
    }

    private func end(_ bus: Bus) {
        for job in jobs { job.cancel() }
        // What hangs up is on its way; a bus that takes nothing is not waited for.
        for _ in 0..<10 where (try? bus.process()) != nil { _ = bus.wait(stop: stop, milliseconds: 0) }
    }
}

extension ModemLoop {
    private func take(_ request: ModemCaller.Request, link: ModemLink?) {
        switch request {
        case .cancel(let id): for job in jobs where job.id == id { job.cancel() }
        case .text(let id, let number, let text):
            if let problem = refusal(number) { return sink(.textFailed(id, .init(problem: problem, mayHaveArrived: false))) }
            guard let link, let modem = best(where: \.canText) else {
                return sink(.textFailed(id, .init(problem: noModem, mayHaveArrived: false)))
            }
            know(number)
            sweep(modem, link)
            // The modem sends one after the other.
            let before = jobs.count { $0.modem == modem && ($0 as? TextJob)?.isSending == true }
            var limits = configuration
            limits.textLimit *= Int64(min(5, before + 1))
            jobs.append(
                TextJob(id, to: number, text, modem: modem, link: link, limits: limits, now: Boottime.now(), emit: watched(modem)))
        case .call(let id, let number, let prompt):
            if let problem = refusal(number) { return sink(.ended(id, .failed(problem))) }
            guard let link, let modem = best(where: \.canCall, isBusy: { ModemLines.shared.isHeld($0, on: address) }) else {
                return sink(.ended(id, .failed(noModem)))
            }
            know(number)
            let speech = CallSpeech(prompt, configuration) { [sink] in sink(.silent(id, $0)) }
            jobs.append(
                CallJob(
                    id, to: number, speech: speech, modem: modem, on: address, link: link, limits: configuration, now: Boottime.now,
                    emit: watched(modem)))
        }
    }

    private func know(_ number: PhoneNumber) {
        guard !numbers.contains(number) else { return }
        numbers = (numbers + [number]).suffix(Self.numbersMax)
    }

    /// One that is free; of those the one that has not failed for the longest time; of those that never did, the one with the best signal.
    private func best(where can: (ModemStatus) -> Bool, isBusy: (String) -> Bool = { _ in false }) -> String? {
        let paths = directory.modems.filter(can).map(\.path)
        let ranks = paths.enumerated().map { (isBusy($0.element) ? 1 : 0, failures[$0.element] ?? 0, $0.offset, $0.element) }
        return ranks.min { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }?.3
    }

    private func watched(_ modem: String) -> (ModemCaller.Event) -> Void {
        { [weak self, sink] event in
            switch event {
            case .textFailed, .ended(_, .failed): self?.failures[modem] = Boottime.now()
            case .textSent, .answered: self?.failures[modem] = nil
            default: break
            }
            sink(event)
        }
    }

    private func refusal(_ number: PhoneNumber) -> SourceProblem? {
        if number.isShort, !configuration.allowedShortNumbers.contains(number) {
            return SourceProblem(
                what: "\(number) was not called: it may be an emergency number, and the configuration does not allow it",
                advice: "Allow it by name only where the operator of that number has agreed", retries: false)
        }
        guard jobs.count >= Self.jobsMax else { return nil }
        return SourceProblem(what: "\(Self.jobsMax) texts and calls wait already", advice: "Look whether the modem hangs", retries: true)
    }
}
