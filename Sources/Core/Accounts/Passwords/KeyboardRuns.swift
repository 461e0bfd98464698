/// Neighbours: in the alphabet, among the digits, along the rows and columns of keyboards of the United States, Italy, Germany and France.
enum KeyboardRuns {
    private static let lines = [
        "abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "qwertyuiopè+", "asdfghjklòàù",
        "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn", "!@#$%^&*()", "!\"£$%&/()=",
        "1qaz2wsx3edc4rfv5tgb6yhn7ujm", "qazwsxedcrfvtgbyhnujmikolp", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0", "qaywsxedcrfv",
    ]

    /// For each line and its reverse: what follows what.
    private static let successors: [[Unicode.Scalar: [Unicode.Scalar]]] = lines.flatMap { line in
        let forth = Array(line.unicodeScalars)
        return [forth, forth.reversed()].map { line in
            Dictionary(zip(line, line.dropFirst().map { [$0] }), uniquingKeysWith: +)
        }
    }

    /// The number of scalars from the first one on that follow each other on one line, in one direction.
    static func length(in text: ArraySlice<Unicode.Scalar>) -> Int {
        successors.map { successors in
            zip(text, text.dropFirst()).prefix { successors[$0]?.contains($1) == true }.count + 1
        }.max() ?? 0
    }
}
