import AgentKit
import ArgumentParser

struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say in words how the result of a recording differs from the expected one.",
        discussion: "Both are files as `replay --result` or `decode` write them.")

    @Argument(help: "The expected result.")
    var expected: String

    @Argument(help: "The result to look at.")
    var result: String

    func run() throws { try compare(expected: expected, result: result, say: say) }
}
