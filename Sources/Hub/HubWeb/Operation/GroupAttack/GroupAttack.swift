import Accounts
import Groups
import HubServices
import Vitals

/// The attacks of docs/groups.md, over HTTP. Each knows the mechanism, the released noise and everybody but the targets.
struct GroupAttack {
    /// The outcome of one.
    struct Outcome {
        let name: String
        /// nil for what counts answers instead of guessing.
        var scores: AttackScores?
        let note: String
        let isHeld: Bool

        init(_ name: String, _ scores: AttackScores, note: String = "", isHeld: Bool = true) {
            (self.name, self.scores, self.note) = (name, scores, note)
            self.isHeld = isHeld && scores.isBounded
        }

        init(_ name: String, note: String, isHeld: Bool) { (self.name, self.note, self.isHeld) = (name, note, isHeld) }
    }

    let people: GroupAttackPeople
    let known: Double
    let budget: GroupBudget
    let windows: Int
    let client: GroupAttackClient, other: GroupAttackClient
    /// Sends the made-up people's data once more, after their windows are closed; returns how many windows that opened.
    let lateData: @Sendable () throws -> Int

    private static let reads = 5, doorQuestions = 40

    func run() async throws -> [Outcome] {
        try await series() + [paraphrases(), tracker()] + refusals() + [secondDoor(), late()]
    }

    private func question(_ cell: GroupCell, regions: [RegionCode]? = nil) -> GroupAttackClient.Question {
        .init(
            kinds: people.kinds.map(\.name), sexes: [cell.sex.word],
            ages: GroupAttackClient.Question.Ages(from: cell.band.from, through: cell.band.through),
            regions: (regions ?? [cell.region]).map(\.text))
    }

    /// What one window of a town's cell costs, over all kinds.
    private var cost: Double {
        people.kinds.compactMap { budget.variance(of: $0, at: .municipality) }.reduce(0) { $0 + 1 / (2 * $1.value) }
    }

    /// The logarithm of the likelihood ratio of "there" and "not there" in one window.
    /// - Parameter less: counts of others that are in it, by kind.
    private func ratio(_ window: GroupAttackClient.Window, less: [String: Double] = [:]) throws -> Double {
        try window.results.reduce(0) { sum, result in
            guard let kind = DataKind(name: result.kind), let variance = budget.variance(of: kind, at: .municipality),
                result.status == "released", result.histogram.count == GroupBins.count
            else { throw GroupAttackProblem("A cell that must be released was refused: \(result.kind).") }
            let noisy = result.histogram[GroupAttackPeople.bin].count - (less[result.kind] ?? 0)
            return sum + (2 * (noisy - known) - 1) / (2 * variance.value)
        }
    }

    private func read(_ question: GroupAttackClient.Question, past: Int = 1, by client: GroupAttackClient? = nil) async throws
        -> [GroupAttackClient.Window]
    {
        let answer = try await (client ?? self.client).ask(question, past: past)
        guard answer.status == 201 else { throw GroupAttackProblem("The hub answered \(answer.status) to a question that it must answer.") }
        return try answer.windows()
    }

    /// The best test that there is, over the newest window and over all.
    private func series() async throws -> [Outcome] {
        var one = AttackScores(rho: cost), all = AttackScores(rho: cost * Double(windows))
        for target in people.targets {
            let found = try await read(question(target.cell), past: windows)
            guard found.count == windows else { throw GroupAttackProblem("\(found.count) windows were answered instead of \(windows).") }
            let ratios = try found.map { try ratio($0) }
            one.note(ratios[0], isThere: target.isThere)
            all.note(ratios.reduce(0, +), isThere: target.isThere)
        }
        return [Outcome("likelihood ratio, one window", one), Outcome("likelihood ratio, all windows", all)]
    }

    /// The same question in other words: ages within the band, a circle around the town, another organisation, once more.
    private func paraphrases() async throws -> Outcome {
        var scores = AttackScores(rho: cost), differing = 0
        let towns = Dictionary(uniqueKeysWithValues: people.towns.map { ($0.code, $0) })
        for target in people.targets {
            let first = question(target.cell), band = target.cell.band
            var narrow = first, drawn = first
            narrow.ages = GroupAttackClient.Question.Ages(from: band.from + 1, through: band.through.map { $0 - 1 })
            if let centre = towns[target.cell.region]?.centre {
                drawn.regions = nil
                drawn.area = GroupAttackClient.Question.Area(
                    circle: .init(latitude: centre.latitude, longitude: centre.longitude, radius: 100))
            }
            var ratios: [Double] = []
            for (words, client) in [(first, client), (first, client), (narrow, client), (drawn, client), (first, other)] {
                guard let window = try await read(words, by: client).first else { continue }
                ratios.append(try ratio(window))
            }
            if Set(ratios).count > 1 { differing += 1 }
            scores.note(ratios.reduce(0, +) / Double(max(1, ratios.count)), isThere: target.isThere)
        }
        return Outcome("one question in five ways", scores, note: "\(differing) answers differ", isHeld: differing == 0)
    }

    /// The difference between two groups, of which one holds the target.
    private func tracker() async throws -> Outcome {
        var scores = AttackScores(rho: cost)
        let towns = people.towns.map(\.code)
        for target in people.targets {
            guard let place = towns.firstIndex(of: target.cell.region) else { continue }
            let beside = towns[(place + 1) % towns.count]
            let both = try await read(question(target.cell, regions: [target.cell.region, beside]))
            let without = try await read(question(target.cell, regions: [beside]))
            let less = Dictionary(
                without.flatMap(\.results).map { ($0.kind, $0.histogram.dropFirst(GroupAttackPeople.bin).first?.count ?? 0) }
            ) { $1 }
            guard let window = both.first else { continue }
            scores.note(try ratio(window, less: less), isThere: target.isThere)
        }
        return Outcome("tracker: two groups that differ by the target's", scores)
    }

    /// 999 others with the target, or without: whether anything of a refusal tells which.
    private func refusals() async throws -> [Outcome] {
        var lengths: [Double] = [], times: [Double] = [], released = 0
        for target in people.few {
            var length = 0.0, fastest = Double.infinity
            for _ in 0..<Self.reads {
                let answer = try await client.ask(question(target.cell))
                released += try answer.windows().flatMap(\.results).count { $0.status != "refused" }
                (length, fastest) = (Double(answer.bytes.count), min(fastest, answer.took))
            }
            lengths.append(length)
            times.append(fastest)
        }
        func outcome(_ name: String, _ values: [Double]) -> Outcome {
            let middle = values.sorted()[values.count / 2]
            var scores = AttackScores()
            for (target, value) in zip(people.few, values) { scores.note(value - middle, isThere: target.isThere) }
            return Outcome(name, scores, note: "\(released) released", isHeld: released == 0)
        }
        return [outcome("refusals by their length", lengths), outcome("refusals by their time", times)]
    }

    /// More questions with ranges than two organisations may have answered.
    private func secondDoor() async throws -> Outcome {
        var answered = 0
        for number in 0..<Self.doorQuestions {
            let kind = people.kinds[number % people.kinds.count], bins = GroupBins(kind)
            var asked = GroupAttackClient.Question(kinds: [kind.name], sexes: [CellSex.female.word])
            let from = bins?.lowest(of: 1 + number / people.kinds.count) ?? 0
            asked.ranges = [GroupAttackClient.Question.Range(kind: kind.name, from: from)]
            let answer = try await (number % 2 == 0 ? client : other).ask(asked)
            guard answer.status == 201 else { continue }
            answered += try answer.windows().flatMap(\.results).count { $0.status == "released" }
        }
        let most = min(budget.questionsPerYear, 2 * budget.questionsPerOrganisation)
        return Outcome(
            "\(Self.doorQuestions) questions with ranges, two organisations", note: "\(answered) answered, \(most) at most",
            isHeld: answered <= most && answered > 0)
    }

    /// Data for windows that are closed.
    private func late() async throws -> Outcome {
        guard let target = people.targets.first else { throw GroupAttackProblem("There are no targets.") }
        let before = try await read(question(target.cell), past: windows).map { try ratio($0) }, opened = try lateData()
        let after = try await read(question(target.cell), past: windows).map { try ratio($0) }
        let differing = zip(before, after).count { $0 != $1 }
        return Outcome(
            "data after the close", note: "\(opened) windows closed anew, \(differing) answers differ",
            isHeld: opened == 0 && differing == 0)
    }
}
