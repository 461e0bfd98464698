/// The part of a password that somebody has to guess who tries known words, runs and repetitions first. A piece of that kind counts as two
/// characters, whatever its length; what then remains must be as long as the shortest password of all.
struct GuessablePassword {
    private enum Piece: CaseIterable {
        case aboutYou, product, common, run, repetition
    }

    private static let pieceWorth = 2
    private static let differentMinimum = 5
    private static let products = ["trackme", "data4help", "automatedsos", "track4run"].map(Folded.init)

    private let text: Folded
    private let about: [Folded]
    /// In characters, with two for each piece.
    private(set) var worth = 0
    private var covered: [Piece: Int] = [:]

    /// - Parameter text: at most ``Password/maximum`` scalars.
    init(_ text: String, about: [String]) {
        self.text = Folded(text)
        self.about = about.flatMap(Self.words).map(Folded.init)
        var index = 0
        while index < self.text.count {
            if let (piece, length) = longest(at: index) {
                covered[piece, default: 0] += length
                worth += Self.pieceWorth
                index += length
            } else {
                worth += 1
                index += 1
            }
        }
    }

    /// nil for a password that can be taken; otherwise what most of it is made of.
    var weakness: FieldError.Code? {
        if Set(text.plain).count < Self.differentMinimum { return .passwordRepeats }
        guard worth < PasswordPolicy.minimum else { return FrequentPasswords.contains(text) ? .passwordCommon : nil }
        let most = Piece.allCases.max { covered[$0, default: 0] < covered[$1, default: 0] }
        return switch most {
        case .aboutYou: .passwordAboutYou
        case .product: .passwordProduct
        case .run: .passwordRun
        case .repetition: .passwordRepeats
        case .common, nil: .passwordCommon
        }
    }

    private func longest(at index: Int) -> (Piece, Int)? {
        var best: (Piece, Int)?
        for piece in Piece.allCases {
            let length = length(of: piece, at: index)
            if length > best?.1 ?? Self.pieceWorth { best = (piece, length) }
        }
        return best
    }

    private func length(of piece: Piece, at index: Int) -> Int {
        switch piece {
        case .aboutYou: about.map { text.match($0, at: index) }.max() ?? 0
        case .product: Self.products.map { text.match($0, at: index) }.max() ?? 0
        case .common: max(CommonPasswords.match(in: text, at: index), yearLength(at: index))
        case .run: KeyboardRuns.length(in: text.plain[index...])
        case .repetition: repeatedLength(at: index)
        }
    }

    /// Four digits from 1900 to 2099: most are years, of birth above all.
    private func yearLength(at index: Int) -> Int {
        let digits = text.plain[index...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return 0 }
        return digits.starts(with: ["1", "9"]) || digits.starts(with: ["2", "0"]) ? 4 : 0
    }

    /// Of the longest piece from here that has stood before.
    private func repeatedLength(at index: Int) -> Int {
        let plain = text.plain
        var best = 0
        for start in 0..<index where plain[start] == plain[index] {
            var length = 1
            while index + length < plain.count, plain[start + length] == plain[index + length] { length += 1 }
            best = max(best, length)
        }
        return best
    }

    /// A text as a whole, and its words. An e-mail address is known by what stands before the @.
    private static func words(_ text: String) -> [String] {
        let local = String(text.prefix { $0 != "@" })
        let parts = local.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return ([local] + parts + [parts.joined()]).filter { $0.unicodeScalars.count > pieceWorth }
    }
}

/// A text in small letters, and the same with letters in place of the digits and signs that look like them.
struct Folded {
    let plain: [Unicode.Scalar]
    let letters: [Unicode.Scalar]

    private static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = [
        "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i", "€": "e",
    ]

    init(_ text: String) {
        plain = Array(text.lowercased().unicodeScalars)
        letters = plain.map { Self.lookalikes[$0] ?? $0 }
    }

    var count: Int { plain.count }

    /// The length of `word` if it stands here, in one form or the other; otherwise 0.
    func match(_ word: Folded, at index: Int) -> Int { letters[index...].starts(with: word.letters) ? word.count : 0 }
}
