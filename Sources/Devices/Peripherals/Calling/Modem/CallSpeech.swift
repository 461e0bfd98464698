import Glibc
import Languages
import Sensing
import SourceThread

/// The words of one call: made while it rings, said again and again once it is answered. On a thread of its own.
final class CallSpeech: Sendable {
    private static let pause: Int64 = 1500
    private static let renderLimit: Int64 = 30_000
    private let inbox = RequestInbox<CallOutput>()
    private let thread = SourceThread(name: "call voice")

    /// Begins to make the words. `report`: why they are not heard; called on that thread.
    init(_ prompt: Voice.Prompt, _ configuration: ModemCaller.Configuration, report: @escaping @Sendable (SourceProblem) -> Void) {
        do throws(SourceProblem) {
            try thread.start { [inbox] stop in
                guard let work = Work(prompt, configuration, report: report, stop: stop) else { return }
                work.run(inbox)
            }
        } catch { report(error) }
    }

    deinit { stop() }

    func play(on output: CallOutput) { inbox.put(output) }

    func stop() {
        thread.stop()
        inbox.wake()
    }

    private struct Work: ~Copyable {
        let folder: String
        let configuration: ModemCaller.Configuration
        let report: @Sendable (SourceProblem) -> Void
        let stop: StopSignal

        /// nil, and told, without a folder. Without words the tone of the alarm is in the file: the call says at least that.
        init?(
            _ prompt: Voice.Prompt, _ configuration: ModemCaller.Configuration, report: @escaping @Sendable (SourceProblem) -> Void,
            stop: StopSignal
        ) {
            guard let folder = VoiceOutput.makeFolder() else {
                report(VoiceOutput.noFolder)
                return nil
            }
            (self.folder, self.configuration, self.report, self.stop) = (folder, configuration, report, stop)
            let command = configuration.speaker + ["-v", prompt.language.rawValue, "-w", file, "--", String(prompt.text.prefix(2000))]
            let outcome = ChildProcess.run(command, by: configuration.programs, limit: CallSpeech.renderLimit, cut: stop)
            guard outcome != .succeeded, outcome != .cut else { return }
            report(
                SourceProblem(
                    what: "A call carries the alarm's tone and no words: \(command.first ?? "") \(outcome)",
                    advice: "Install it: apt-get install espeak-ng", retries: true))
            if !VoiceOutput.write(AlarmTone.wav, to: file) { report(VoiceOutput.noFolder) }
        }

        deinit {
            unlink(file)
            rmdir(folder)
        }

        private var file: String { "\(folder)/call.wav" }

        func run(_ inbox: RequestInbox<CallOutput>) {
            var output: CallOutput?
            while stop.wait(milliseconds: 0) != .stopped {
                let (requests, wake) = inbox.take()
                output = requests.last ?? output
                guard let output else {
                    _ = (wake ?? stop).wait(milliseconds: stop.wait(milliseconds: 0) == .stopped ? 0 : 1000)
                    continue
                }
                if let problem = say(on: output) { report(problem) }
                _ = stop.wait(milliseconds: CallSpeech.pause)
            }
        }

        private func say(on output: CallOutput) -> SourceProblem? {
            switch output {
            case .port(let path, let rate): return AudioPort.play(file, on: path, rate: rate, stop: stop)
            case .device(let device):
                let outcome = ChildProcess.run(
                    configuration.player + [device, file], by: configuration.programs, limit: 120_000, cut: stop)
                guard outcome != .succeeded, outcome != .cut else { return nil }
                return SourceProblem(
                    what: "Nothing is heard in the call: \(configuration.player.first ?? "") on \(device) \(outcome)",
                    advice: "Check the modem's sound device (aplay -L lists them)", retries: true)
            }
        }
    }
}
