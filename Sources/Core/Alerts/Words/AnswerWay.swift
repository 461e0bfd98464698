/// How whoever gets a message says that they will help, or of a test that it arrived.
public enum AnswerWay: Sendable, Hashable {
    /// By the key 1, during a call.
    case key
    /// By the word OK, to the number that the text came from.
    case reply
    /// On the page with this address.
    case page(String)
}
