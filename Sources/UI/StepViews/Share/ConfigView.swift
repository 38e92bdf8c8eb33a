/// What `istep config check` has found.
public struct ConfigView: View {
    let files: [String]
    let destinations: [String]
    let problems: [String]

    /// - Parameters:
    ///   - files: that were read.
    ///   - destinations: names of those that hold.
    ///   - problems: in words, each naming file and line where it can.
    public init(files: [String], destinations: [String], problems: [String]) {
        self.files = files
        self.destinations = destinations
        self.problems = problems
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        if files.isEmpty { page.line("There is no configuration file, and none is needed.") }
        for file in files { page.path("Read:", file, ink: .faint) }
        for problem in problems { page.paragraph(Printable(problem, limit: 600).description, ink: .bad, hanging: 2) }
        if problems.isEmpty, !files.isEmpty {
            page.line(InkedText("All of it holds.", .good))
            if !destinations.isEmpty { page.paragraph("Days are shared with: \(destinations.joined(separator: ", "))", hanging: 2) }
        }
        return page.lines
    }

    /// `istep config check --json`.
    public struct Document: Codable, Sendable {
        public var version = 1
        public var files: [String]
        public var destinations: [String]
        public var problems: [String]
    }

    public var document: Document { Document(files: files, destinations: destinations, problems: problems) }
}
