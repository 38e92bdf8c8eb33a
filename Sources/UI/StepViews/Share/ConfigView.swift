internal import StepDomain

/// What `istep config check` has found.
public struct ConfigView: View {
    let files: [String]
    let destinations: [String]
    let problems: [String]

    /// - Parameters:
    ///   - files: that were read.
    ///   - destinations: names of those that are valid.
    ///   - problems: in words, each naming file and line where it can.
    public init(files: [String], destinations: [String], problems: [String]) {
        self.files = files
        self.destinations = destinations
        self.problems = problems
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        if files.isEmpty, problems.isEmpty { page.paragraph("There is no configuration file, and none is needed.") }
        for file in files { page.path("Read:", file, emphasis: .faint) }
        for problem in problems { page.advice(Advice(markup: problem), emphasis: .bad) }
        if problems.isEmpty, !files.isEmpty {
            page.paragraph("No problems found.", emphasis: .good)
            if !destinations.isEmpty {
                page.paragraph("Days are shared with: \(destinations.joined(separator: ", "))", hanging: 2)
            }
        }
        return page.lines
    }

    /// `istep config check --json`.
    public struct Document: JSONDocument {
        public var version = 1
        public var files: [String]
        public var destinations: [String]
        public var problems: [String]

        public static let schema = JSONSchema.object([
            .version, .init("files", .list(.text), "Paths of the files that were read."),
            .init("destinations", .list(.text), "Names of the destinations that are correct."),
            .init("problems", .list(.text), "What is wrong, with file and line."),
        ])
    }

    public var document: Document { Document(files: files, destinations: destinations, problems: problems) }
}

/// An example configuration of a kind of destination.
public struct ExampleView: View {
    let kind: String
    let example: String
    let file: String

    /// The file that the examples are written for.
    public static let standardFile = "~/.config/istep/config.toml"

    /// - Parameters:
    ///   - example: a table of the configuration, in TOML.
    ///   - file: the configuration file that it belongs in. The files of secrets that the example names are beside it.
    public init(kind: String, example: String, file: String = ExampleView.standardFile) {
        self.kind = kind
        self.file = Printable(file, limit: 2 * file.unicodeScalars.count).description
        // A path in the configuration is absolute. One that TOML writes with escapes is not shown.
        let isPlain =
            self.file == file && !file.contains { $0 == "\"" || $0 == "\\" }
            && (file.hasPrefix("/") || file.hasPrefix("~/"))
        let folder = isPlain ? file.lastIndex(of: "/").map { file[...$0] } : nil
        self.example = folder.map { example.replacing("~/.config/istep/", with: $0) } ?? example
    }

    /// In a form that can be copied: nothing is wrapped.
    public func lines(_ style: TextStyle) -> [String] {
        ["# in \(file)"] + example.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// `istep config example --json`.
    public struct Document: JSONDocument {
        public var version = 1
        public var kind: String
        public var example: String

        public static let schema = JSONSchema.object([
            .version, .init("kind", .text, "The key of the kind, such as rest."),
            .init("example", .text, "A table of the configuration in TOML, with every key explained."),
        ])
    }

    public var document: Document { Document(kind: kind, example: example) }
}

/// The available kinds of destinations.
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
        for kind in kinds {
            page.wrap(
                StyledText(Columns.pad(kind.key, width), .strong) + StyledText("  \(kind.title)"), hanging: width + 2)
        }
        page.blank()
        page.advice("How each is set up: \(command: "istep config example KIND")")
        return page.lines
    }

    /// `istep config kinds --json`.
    public struct Document: JSONDocument {
        public var version = 1
        public var kinds: [Kind]

        public static let schema = JSONSchema.object([
            .version,
            .init(
                "kinds",
                .list(
                    .object([.init("key", .text, "As the configuration has it."), .init("title", .text, "For people.")])
                ),
                "The kinds of destinations."),
        ])
    }

    public var document: Document { Document(kinds: kinds) }
}
