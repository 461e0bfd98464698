import Foundation
import Sensing
import SourceThread
import SystemBus
import TestSupport
import Testing

@testable import Peripherals

@Suite(.timeLimit(.minutes(1))) struct CallOutputTests {
    @Test("SOS-9: words go to the device that the owner has named, else to the port that ModemManager names, else nowhere")
    func choice() {
        let format = BusValue.properties(["encoding": .string("pcm"), "resolution": .string("s16le"), "rate": .uint32(8000)])
        let call: [String: BusValue] = ["AudioPort": .string("ttyUSB2"), "AudioFormat": format]
        #expect(CallOutput(call, device: "plughw:1") == .device("plughw:1"))
        #expect(CallOutput(call, device: nil) == .port("/dev/ttyUSB2", rate: 8000))
        #expect(CallOutput(["AudioPort": .string(""), "AudioFormat": .properties([:])], device: nil) == nil)
        #expect(CallOutput(["AudioPort": .string("../etc/shadow"), "AudioFormat": format], device: nil) == nil)
    }

    @Test("SOS-9: samples reach a modem's port at its rate and at the pace of speech")
    func port() async throws {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("a.wav").path
        #expect(VoiceOutput.write(AlarmTone.wav, to: path))
        let wave = try #require(WaveFile(path))
        #expect(wave.rate == 16_000 && wave.samples.count == 48_000 && wave.samples(at: 8000).count == 24_000)
        #expect(wave.samples(at: 8000).map { abs(Int($0)) }.max() == 26_000)

        // A pseudoterminal: TIOCSPTLCK unlocks it, TIOCGPTN tells its number.
        let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var lock: Int32 = 0, number: UInt32 = 0
        try #require(ioctl(controller, 0x4004_5431, &lock) == 0 && ioctl(controller, 0x8004_5430, &number) == 0)
        let tty = "/dev/pts/\(number)", port = open(tty, O_RDWR | O_NOCTTY)
        defer {
            close(port)
            close(controller)
        }
        let received = Task.detached { [controller] in
            var all: [UInt8] = [], bytes = [UInt8](repeating: 0, count: 4096)
            while all.count < 48_000 {
                let count = read(controller, &bytes, bytes.count)
                guard count > 0 else { break }
                all += bytes.prefix(count)
            }
            return all
        }
        let stop = try #require(StopSignal()), start = Boottime.now()
        #expect(AudioPort.play(path, on: tty, rate: 8000, stop: stop) == nil)
        #expect(Boottime.now() - start >= 2900)
        let samples = wave.samples(at: 8000)
        #expect(await received.value == samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
        stop.stop()
        #expect(AudioPort.play(path, on: tty, rate: 8000, stop: stop) == nil)
        #expect(Boottime.now() - start < 20_000)
    }

    @Test("SOS-18: a port that cannot be opened, and a file that is no sound, are told")
    func failures() throws {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("a.wav").path
        let stop = try #require(StopSignal())
        #expect(AudioPort.play(path, on: "/dev/null", rate: 8000, stop: stop)?.what.contains("words") == true)
        #expect(VoiceOutput.write(AlarmTone.wav, to: path))
        #expect(AudioPort.play(path, on: "/dev/trackme-none", rate: 8000, stop: stop)?.advice.contains("DeviceAllow") == true)
        for cut in [0, 10, 43, 44, 45, 100] { _ = WaveFile(Array(AlarmTone.wav.prefix(cut)))?.samples(at: 8000) }
        var huge = AlarmTone.wav
        huge.replaceSubrange(16..<20, with: [0xFF, 0xFF, 0xFF, 0x7F])
        #expect(WaveFile(huge) == nil)
        #expect(PhoneNumber("+39 333-111.22/22") != nil && PhoneNumber("112")?.isShort == true && PhoneNumber("+112") == nil)
        #expect(PhoneNumber("*#06#") == nil && PhoneNumber("333p12") == nil && PhoneNumber("") == nil && PhoneNumber("٣٣٣") == nil)
        #expect(PhoneNumber("+393331112222").map(\.description) == "…222")
    }
}
