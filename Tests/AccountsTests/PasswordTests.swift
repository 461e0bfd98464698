import Accounts
import Testing

@Suite("Passwords")
struct PasswordTests {
    private let policy = PasswordPolicy()

    private func code(_ typed: String, about: [String] = []) -> FieldError.Code? {
        do { _ = try policy.check(typed, about: about) } catch { return error.code }
        return nil
    }

    /// Nothing that can be guessed, of any length.
    private func random(_ count: Int) -> String {
        String((0..<count).map { "kx9Tq3vWz7Lm\(Unicode.Scalar(0x21 + UInt32($0 * 37 % 90))!)"[$0 * 5 % 13] })
    }

    @Test("ACC-1: 8 characters or more, up to 256, and none cut off")
    func lengths() throws {
        #expect(throws: FieldError(.tooShort, limit: 8)) { try policy.check("vRz8-kq", about: []) }
        #expect(throws: Never.self) { try policy.check("vRz8-kqW", about: []) }
        for count in [64, 100, 256] {
            let long = random(count)
            #expect(try policy.check(long, about: []).bytes == Array(long.utf8))
            #expect(Password(attempt: long)?.bytes == Array(long.utf8))
        }
        #expect(throws: FieldError(.tooLong, limit: 256)) { try policy.check(random(257), about: []) }
        #expect(throws: FieldError(.tooLong, limit: 256)) { try policy.check(String(repeating: "a", count: 1_000_000), about: []) }
        #expect(Password(attempt: random(257)) == nil)
        #expect(Password(attempt: "") == nil)
        #expect(Password(attempt: "x")?.bytes == [0x78], "what is typed to log in is not judged")
    }

    @Test(
        "ACC-1: no kind of character is asked for or refused",
        arguments: [
            "lungofiumetevere", "OCCHIALIDAMIOPE", "8205471936620481", "быстраялисицаЖ12", "浅草寺の雷門から歩いて五分の蕎麦屋", "🐙🌵🪗🛶🧭🪁🦔🥐🎷🧦🪵🫐🚲🧶🪴",
            "  tra le  foglie ", "tab\tnul\0 und Ärger",
        ])
    func anyCharacters(typed: String) throws {
        let password = try policy.check(typed, about: [])
        #expect(password == Password(attempt: typed))
    }

    @Test("ACC-1: the same password typed on another keyboard has the same bytes; other characters stay other ones")
    func normalisation() throws {
        let composed = "perch\u{E9} no, s\u{EC} davvero", decomposed = "perche\u{301} no,\u{A0}si\u{300} davvero"
        #expect(try policy.check(composed, about: []) == policy.check(decomposed, about: []))
        #expect(Password(attempt: decomposed)?.bytes == Array(composed.utf8))
        #expect(Password(attempt: "ﬁ")?.bytes != Password(attempt: "fi")?.bytes)
        #expect(Password(attempt: "Perche") != Password(attempt: "perche"))
        #expect(Password(attempt: "a ") != Password(attempt: "a"))
    }

    @Test(
        "ACC-1: known passwords are refused",
        arguments: [
            "password", "Password1!", "p@ssw0rd123", "iloveyou2", "Juventus1897", "forzanapoli", "letmein!", "trustno1", "monkey12",
            "Ferrari2024", "princess", "15081985", "dragonmonkey", "Francesco90", "superman", "football1", "welcome123", "admin1234",
            "Sunshine1", "starwars",
        ])
    func common(typed: String) { #expect(code(typed) == .passwordCommon) }

    @Test(
        "ACC-1: frequent passwords of breaches are refused, also with digits or signs behind them, and one that only begins so is taken",
        arguments: ["midnight", "Scorpion", "4815162342", "garfield7", "Elephant!2", "blink182!"])
    func frequent(typed: String) {
        #expect(code(typed) == .passwordCommon)
        #expect(code(typed + "-vRz8kq") == nil)
    }

    @Test(
        "ACC-1: long passwords of known words, runs and repetitions are refused too",
        arguments: [
            ("password12345678", .passwordCommon), ("passwordpasswordpassword", .passwordRepeats), ("Francesco1990!!!", .passwordCommon),
            ("iloveyou123456789", .passwordRun), ("aaaaaaaaaaaaaaaaaaaa", .passwordRepeats), ("abababababababababab", .passwordRepeats),
            ("x7Kx7Kx7Kx7Kx7Kx7K", .passwordRepeats), ("1231231231231231", .passwordRepeats), ("               .", .passwordRepeats),
            ("qwertyuiopasdfghjkl", .passwordRun), ("1qaz2wsx3edc4rfv", .passwordRun), ("abcdefghijklmnop", .passwordRun),
            ("9876543210987654", .passwordRun), ("q1w2e3r4t5y6u7i8", .passwordRun), ("abcdefgh12345678", .passwordRun),
        ] as [(String, FieldError.Code)])
    func long(typed: String, expected: FieldError.Code) { #expect(code(typed) == expected) }

    @Test(
        "ACC-1: a password is not made of its owner or of this system",
        arguments: [
            ("mario.rossi1985", .passwordAboutYou), ("MarioRossi-2024!", .passwordAboutYou), ("m4r10.r0ss1!!!!!", .passwordAboutYou),
            ("rossirossi12345", .passwordAboutYou), ("TrackMe2025track", .passwordProduct), ("trackme-data4help", .passwordProduct),
            ("AutomatedSOS-2025", .passwordProduct),
        ] as [(String, FieldError.Code)])
    func about(typed: String, expected: FieldError.Code) {
        #expect(code(typed, about: ["mario.rossi@example.org", "Mario", "Rossi"]) == expected)
    }

    @Test(
        "ACC-1: a guessable piece does no harm beside enough else",
        arguments: ["mario e le 7 zucche blu", "correct-xylofon-gatto-Ruhr", "trackme? vNq8_zzRk2", "vasca 1985 prugna obliqua"])
    func beside(typed: String) { #expect(code(typed, about: ["mario.rossi@example.org", "Mario", "Rossi"]) == nil) }

    @Test("ACC-1: random passwords of 12 characters are taken")
    func randomPasswords() {
        let characters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        for _ in 0..<500 {
            let typed = String((0..<12).map { _ in characters.randomElement()! })
            #expect(code(typed) == nil, "\(typed)")
        }
    }

    @Test("ACC-1: a password cannot be printed")
    func printing() throws {
        let password = try policy.check("vRz8-kqWx2_pLmT", about: [])
        var dumped = ""
        dump(password, to: &dumped)
        for text in ["\(password)", String(reflecting: password), "\([password])", dumped] {
            #expect(!text.contains("vRz8") && !text.contains("118"), "\(text)")
        }
    }
}

extension String {
    fileprivate subscript(_ index: Int) -> Character { self[self.index(startIndex, offsetBy: index)] }
}
