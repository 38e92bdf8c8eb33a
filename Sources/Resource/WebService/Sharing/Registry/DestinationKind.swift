internal import Settings
internal import StepDomain

/// A kind of destination: what its `kind` is in the configuration, and how one is made of a table.
public struct DestinationKind: Sendable {
    /// As in `kind = "rest"`.
    public let key: String
    /// What it is, in a few words for people.
    public let title: String
    /// A table as one would write it: it holds as it stands, and each key that is not shown in force stands there as a
    /// comment with its meaning.
    public let example: String
    /// - Returns: nil where the table does not hold; the reader has collected why.
    let make: @Sendable (inout TableReader, DestinationContext) -> (any ShareDestination)?

    init(
        _ key: String, title: String, example: String,
        make: @escaping @Sendable (inout TableReader, DestinationContext) -> (any ShareDestination)?
    ) {
        self.key = key
        self.title = title
        self.example = example
        self.make = make
    }
}
