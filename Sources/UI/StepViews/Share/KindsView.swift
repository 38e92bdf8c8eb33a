/// The kinds of destinations that there are.
public struct KindsView: View {
    public struct Kind: Codable, Sendable {
        public var key: String
        public var title: String

        public init(key: String, title: String) {
            self.key = key
            self.title = title
        }
    }

    let kinds: [Kind]

    public init(_ kinds: [Kind]) { self.kinds = kinds }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        let width = kinds.map { Columns.of($0.key) }.max() ?? 0
        for kind in kinds { page.line(InkedText(Columns.pad(kind.key, width), .strong) + InkedText("  \(kind.title)")) }
        page.blank()
        page.line("How each is set up: istep config example KIND")
        return page.lines
    }

    /// `istep config kinds --json`.
    public struct Document: Codable, Sendable {
        public var version = 1
        public var kinds: [Kind]
    }

    public var document: Document { Document(kinds: kinds) }
}
