import Glibc
import Sensing
import SourceThread
import Vitals

/// The thread's part of ``ButtonReader``: finds the device, reads it, and finds it again.
struct ButtonLoop {
    private let report: @Sendable (SourceProblem) -> Void
    private let sink: @Sendable (ButtonEvent) -> Void
    private let stop: StopSignal
    private let limits: PressDetector.Limits
    private let lights: RequestInbox<ButtonLight>
    private var light = ButtonLight.off
    private var search: ButtonSearch
    private var told: SourceProblem?
    private static let searchInterval: Milliseconds = 1000
    /// After so many searches each device is looked at anew.
    private static let searchesBeforeAll = 30

    init(
        configuration: ButtonReader.Configuration, lights: RequestInbox<ButtonLight>, report: @escaping @Sendable (SourceProblem) -> Void,
        sink: @escaping @Sendable (ButtonEvent) -> Void, stop: StopSignal
    ) {
        self.lights = lights
        self.report = report
        self.sink = sink
        self.stop = stop
        limits = PressDetector.Limits(long: configuration.longPress)
        search = ButtonSearch(directory: configuration.directory, choice: configuration.device, wanted: configuration.keys)
    }

    mutating func run() {
        var searches = 0
        while true {
            do throws(SourceProblem) {
                let found = try search.find()
                try listen(found)
                return
            } catch {
                if error != told { sink(.lost(error, time: Boottime.now())) }
                told = error
            }
            guard stop.wait(milliseconds: Self.searchInterval) == .timedOut else { return }
            searches += 1
            if searches.isMultiple(of: Self.searchesBeforeAll) { search.forget() }
        }
    }

    /// Returns when stopped, throws when the device is gone.
    private mutating func listen(_ found: borrowing ButtonSearch.Found) throws(SourceProblem) {
        let name = found.device.abilities.name
        do throws(InputDevice.Failure) {
            var detector = PressDetector(limits: limits)
            told = nil
            sink(.connected(name: name, path: found.path, keys: found.keys.sorted(), time: Boottime.now()))
            // A remote that the press itself woke up is down already. A call for help too many can be taken back.
            tell(try compare(&detector, with: found, at: Boottime.now()), of: name)
            var lamp = Lamp(hasLights: !found.device.abilities.lights.isEmpty)
            while true {
                let (wanted, wake) = lights.take()
                guard stop.wait(milliseconds: 0) == .timedOut else { return }
                light = wanted.last ?? light
                show(&lamp, on: found)
                let now = Boottime.now()
                var wait = detector.deadline.map { $0 == .max ? 60_000 : $0 - now } ?? 60_000
                if lamp.isUsed, light == .blinking { wait = min(wait, ButtonLight.half - now % ButtonLight.half) }
                switch (wake ?? stop).wait(for: found.device.descriptor, events: POLLIN, milliseconds: wait) {
                // Something is to be shown, or the thread ends.
                case .stopped: continue
                case .ready: tell(try read(found, &detector), of: name)
                case .timedOut: tell(detector.handle(.tick(time: Boottime.now())), of: name)
                }
            }
        } catch {
            throw SourceProblem(
                what: "The button \(name) does not answer any more (\(String(cString: strerror(error.code))))",
                advice: "Plug it in again, or look at its battery", retries: true)
        }
    }

    /// The known state of the lights.
    private struct Lamp {
        /// Whether there are any that can be switched.
        var isUsed: Bool
        var isLit: Bool?

        init(hasLights: Bool) { isUsed = hasLights }
    }

    private func show(_ lamp: inout Lamp, on found: borrowing ButtonSearch.Found) {
        let isLit = light.isLit(at: Boottime.now())
        guard lamp.isUsed, isLit != lamp.isLit else { return }
        do throws(InputDevice.Failure) {
            try found.device.light(isLit)
            lamp.isLit = isLit
        } catch {
            // A device that is gone is told where it is read.
            guard error.code != ENODEV else { return }
            lamp.isUsed = false
            let why = String(cString: strerror(error.code))
            report(
                SourceProblem(
                    what: "The light of the button \(found.device.abilities.name) cannot be switched (\(why))",
                    advice: "Let the button's service write to input devices, too (DeviceAllow=char-input rw, mode 0660 of the device)",
                    retries: false))
        }
    }

    private func read(
        _ found: borrowing ButtonSearch.Found, _ detector: inout PressDetector
    ) throws(InputDevice.Failure) -> [PressDetector.Effect] {
        var effects: [PressDetector.Effect] = []
        for event in try found.device.read() {
            switch event {
            case .key(let key, let isDown, let time) where found.keys.contains(key):
                effects += detector.handle(isDown ? .down(key: key, time: time) : .up(key: key, time: time))
            case .key: break
            // What follows in this batch is older than the state that is asked for.
            case .dropped(let time):
                report(
                    SourceProblem(
                        what: "The kernel dropped events of the button \(found.device.abilities.name): presses may be missing",
                        advice: "Nothing, when it happens once: the box was too busy for a moment", retries: true))
                return effects + (try compare(&detector, with: found, at: time))
            }
        }
        return effects
    }

    /// What is down now against what was heard.
    private func compare(
        _ detector: inout PressDetector, with found: borrowing ButtonSearch.Found, at time: Milliseconds
    ) throws(InputDevice.Failure) -> [PressDetector.Effect] {
        let held = try found.device.held().intersection(found.keys)
        let ended = detector.held.subtracting(held).flatMap { detector.handle(.up(key: $0, time: time)) }
        return ended + held.sorted().flatMap { detector.handle(.down(key: $0, time: time)) }
    }

    private func tell(_ effects: [PressDetector.Effect], of name: String) {
        for effect in effects {
            switch effect {
            case .pressed(let press, let key, let time): sink(.pressed(press, key: key, time: time))
            case .stuck(let key):
                report(
                    SourceProblem(
                        what: "\(ButtonKeys.name(key)) of the button \(name) has been held for a minute",
                        advice: "Look whether something lies on it; until it is let go it can call nobody", retries: true))
            }
        }
    }
}
