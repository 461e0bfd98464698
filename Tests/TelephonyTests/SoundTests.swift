import Foundation
import Testing

@testable import Telephony

/// What is heard, as samples.
@Suite struct SoundTests {
    /// A tone of so many hertz.
    private func tone(_ hertz: Double, rate: Int, seconds: Double = 1) -> [Int16] {
        (0..<Int(Double(rate) * seconds)).map { Int16(12_000 * sin(2 * .pi * hertz * Double($0) / Double(rate))) }
    }

    private func loudness(_ samples: some Collection<Int16>) -> Double {
        (samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))).squareRoot()
    }

    /// A file as a speech program writes it.
    private func file(_ samples: [Int16], rate: Int) -> [UInt8] {
        var wav = Sound(samples: samples).wav
        wav.replaceSubrange(24..<28, with: [UInt8(rate & 0xff), UInt8(rate >> 8), 0, 0])
        return wav
    }

    @Test("SOS-23: speech of 22,050 samples a second becomes what a telephone carries, as long and as loud as before")
    func resampling() throws {
        let sound = try #require(Sound(wav: file(tone(1000, rate: 22_050), rate: 22_050)))
        #expect(abs(sound.milliseconds - 1000) <= 1)
        let middle = sound.samples[1000..<7000]
        #expect(abs(loudness(middle) - 8485) < 150)
        // Zero crossings: 1,000 Hz stays 1,000 Hz.
        let crossings = zip(middle, middle.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect(abs(crossings - 750) <= 1)
    }

    @Test("SOS-23: what lies above the telephone's band does not come back as noise")
    func aliasing() throws {
        let sound = try #require(Sound(wav: file(tone(6000, rate: 22_050), rate: 22_050)))
        #expect(loudness(sound.samples[500..<7500]) < 85)
    }

    @Test("SOS-23: a file is written as it is read; what is no sound is refused")
    func files() {
        let sound = Sound(samples: [0, 1, -1, 32_767, -32_768])
        #expect(Sound(wav: sound.wav) == sound)
        #expect(sound.wav.count == 54 && Array(sound.wav[40..<44]) == [10, 0, 0, 0])
        var stereo = sound.wav
        stereo[22] = 2
        for wrong in [[], Array("RIFF".utf8), stereo, Array(sound.wav.prefix(43))] { #expect(Sound(wav: wrong) == nil) }
    }

    @Test("SOS-23: the message is said from the start again and again until the call is given up")
    func repeating() {
        let message = Sound(samples: tone(400, rate: 8000, seconds: 2)), between = Sound(samples: tone(800, rate: 8000, seconds: 0.5))
        let whole = Sound.repeating(message, between: between, milliseconds: 20_000)
        #expect(whole.milliseconds == 20_000)
        let starts = [600, 600 + 2000 + 800 + 500 + 800, 600 + 2 * 4100].map { $0 * 8 }
        for start in starts { #expect(Array(whole.samples[start..<start + 16_000]) == message.samples) }
        #expect(whole.samples.prefix(4800).allSatisfy { $0 == 0 })
    }

    @Test("SOS-23: quiet speech is made as loud as a telephone carries")
    func louder() {
        #expect(Sound(samples: [100, -200, 50]).louder.samples == [14_500, -29_000, 7250])
        #expect(Sound(samples: [0, 0]).louder.samples == [0, 0] && Sound(samples: [-32_768]).louder.samples == [-29_000])
    }
}
