/// How much a document may hold: what a server sends is small, or no answer to what it was asked.
struct XMLLimits: Hashable, Sendable {
    var bytes = 1024 * 1024
    var depth = 64
    var elements = 20_000
    /// Of one element.
    var attributes = 64
    /// Declared where they are in force at the same time.
    var prefixes = 64
}
