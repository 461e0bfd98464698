import Foundation
import Languages
import Sensing
import Synchronization
import TestSupport
import Testing

@testable import Peripherals

@Suite(.timeLimit(.minutes(1))) struct SirenTests {
    private let words = Voice.Prompt("Ada needs help", language: .english)

    @Test("SOS-9: the alarm grows louder to its full loudness, says its words between tones, and never ends")
    func course() {
        var queue = VoiceQueue()
        _ = queue.setAlarm(true, words: words)
        let jobs = (0..<40).map { _ in queue.next() }
        #expect(jobs.prefix(4) == [.alarm(percent: 40), .words(words), .alarm(percent: 55), .words(words)])
        #expect(jobs.suffix(2) == [.alarm(percent: 100), .words(words)] && !jobs.contains(nil))
        // Other words change nothing about its loudness.
        _ = queue.setAlarm(true, words: nil)
        #expect([queue.next(), queue.next()] == [.alarm(percent: 100), .alarm(percent: 100)])
        #expect(queue.setAlarm(false).cutsCurrent && queue.next() == nil)
        #expect(AlarmTone.wav(percent: 100) == AlarmTone.wav && AlarmTone.wav(percent: 40).count == AlarmTone.wav.count)
    }

    @Test("EDGE-13, SOS-9: the alarm of one person is not silenced by the end of another's, and has its own words again")
    func two() {
        var queue = VoiceQueue()
        let other = Voice.Prompt("Bruno needs help", language: .english)
        _ = queue.setAlarm(true, by: 1, words: words)
        _ = queue.setAlarm(true, by: 2, words: other)
        #expect((0..<2).map { _ in queue.next() } == [.alarm(percent: 40), .words(other)])
        #expect(!queue.setAlarm(false, by: 2).cutsCurrent)
        #expect((0..<2).map { _ in queue.next() } == [.alarm(percent: 55), .words(words)])
        // One who had none.
        #expect(!queue.setAlarm(false, by: 3).cutsCurrent && queue.next() != nil)
        #expect(queue.setAlarm(false, by: 1).cutsCurrent && queue.next() == nil)
    }

    @Test("SOS-9: without a program that speaks, or with one that hangs, the tone goes on alone and is told to be heard")
    func alone() async throws {
        let directory = try TemporaryDirectory()
        for speaker in [["trackme-no-such-speaker"], ["sh", "-c", "sleep 600", "sh"]] {
            var configuration = Voice.Configuration()
            configuration.speaker = speaker
            configuration.limit = 1500
            configuration.players = [["cp", "-t", directory.url.path]]
            let (stream, feed) = AsyncStream.makeStream(of: SourceProblem?.self)
            let voice = Voice(configuration: configuration)
            voice.alarm(true, saying: words) { feed.yield($0) }
            var heard = 0
            for await problem in stream {
                #expect(problem == nil)
                heard += 1
                if heard == 8 { break }
            }
            #expect(voice.problems.count == 1)
            voice.stop()
        }
    }

    @Test("SOS-18: an alarm that nobody can hear is told each time")
    func unheard() async throws {
        var configuration = Voice.Configuration()
        (configuration.players, configuration.retryDelay) = ([["false"]], 10)
        let (stream, feed) = AsyncStream.makeStream(of: SourceProblem?.self)
        let voice = Voice(configuration: configuration)
        voice.alarm(true) { feed.yield($0) }
        var problems = stream.makeAsyncIterator()
        for _ in 0..<3 { #expect(await problems.next()??.what.hasPrefix("Nothing can be heard") == true) }
        voice.stop()
    }
}
