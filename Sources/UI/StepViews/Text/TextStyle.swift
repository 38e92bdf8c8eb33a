/// How a terminal wants its text.
public struct TextStyle: Hashable, Sendable {
    /// Columns. Views use at most 80 of them: a longer line reads badly.
    public private(set) var width: Int
    /// Whether colour may be used.
    public var colour: Bool
    /// Whether the characters of bars can be shown; else everything is ASCII.
    public var unicode: Bool

    /// - Parameter width: below 40 counts as 40, above 80 as 80.
    public init(width: Int = 80, colour: Bool = false, unicode: Bool = true) {
        self.width = min(max(width, 40), 80)
        self.colour = colour
        self.unicode = unicode
    }
}
