public import StepDomain

/// How text is formatted for a terminal.
public struct TextStyle: Hashable, Sendable {
    /// Columns. Views of text use at most 80 of them: a longer line reads badly.
    public private(set) var width: Int
    /// Columns of the terminal, up to 200, for charts.
    private let wholeWidth: Int
    /// Columns of the terminal, which may be fewer than a view needs.
    let columns: Int
    /// Whether colour may be used.
    public var colour: Bool
    /// Whether the characters of bars can be shown; else everything is ASCII.
    public var unicode: Bool
    /// What commands in advice need.
    public var commands: CommandOptions
    /// The units of distances, heights and weights.
    public var units = UnitSystem.metric

    /// Columns that views need.
    static let narrowest = 40

    /// - Parameter width: below 40 counts as 40, above 80 as 80.
    public init(
        width: Int = 80, colour: Bool = false, unicode: Bool = true, commands: CommandOptions = CommandOptions()
    ) {
        self.width = min(max(width, Self.narrowest), 80)
        wholeWidth = min(max(width, Self.narrowest), 200)
        columns = max(width, 1)
        self.colour = colour
        self.unicode = unicode
        self.commands = commands
    }

    /// A command as it is shown.
    func text(of command: ShellCommand) -> String { command.with(commands).text(isASCII: !unicode) }

    /// The same with all columns of the terminal, up to 200: for charts, which gain by width.
    public var wide: TextStyle {
        var style = self
        style.width = wholeWidth
        return style
    }
}
