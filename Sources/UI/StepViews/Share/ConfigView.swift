package import StepDomain
internal import Support

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
        var page = TextPage(style)
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
    public static let keys: [JSONKey<ConfigView>] = [
        .version,
        .init("files", .list(.text), "Paths of the files that were read.") { $0.files },
        .init("destinations", .list(.text), "Names of the destinations that are correct.") { $0.destinations },
        .init("problems", .list(.text), "What is wrong, with file and line.") { $0.problems },
    ]
}

extension ConfigurationProblem {
    /// In words, with its place; commands stand between backticks.
    package var text: String {
        let words =
            switch finding {
            case .recipients(let problem): RecipientWords.problem(problem)
            case .reported(let reason): reason
            }
        let text: String
        switch place.subject {
        case .user: text = "`user` \(words)"
        case .destination(let name): text = "[share.\(name)]: \(words)"
        case .scheduledImport(let name): text = "[import.\(name)]: \(words)"
        case nil: return words
        }
        guard let file = place.file else { return text }
        return "\(quoted(file))\(place.line.map { ", line \($0)" } ?? ""): \(text)"
    }
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
    ///   - home: the folder that `~` stands for; nil for the user's own.
    public init(kind: String, example: String, file: String = ExampleView.standardFile, home: String? = nil) {
        self.kind = kind
        self.file = Printable(file, limit: 2 * file.unicodeScalars.count).description
        // A path in the configuration is absolute. One that TOML writes with escapes is not shown.
        let isPlain =
            self.file == file && !file.contains { $0 == "\"" || $0 == "\\" }
            && (file.hasPrefix("/") || file.hasPrefix("~/"))
        let folder = isPlain ? file.lastIndex(of: "/").map { file[...$0] } : nil
        let placed = folder.map { example.replacing("~/.config/istep/", with: $0) } ?? example
        self.example = isPlain ? home.map { placed.replacing("\"~/", with: "\"\($0)/") } ?? placed : placed
    }

    /// In a form that can be copied: nothing is wrapped.
    public func lines(_ style: TextStyle) -> [String] {
        ["# in \(file)"] + example.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// `istep config example --json`.
    public static let keys: [JSONKey<ExampleView>] = [
        .version,
        .init("kind", .text, "The key of the kind, such as rest.") { $0.kind },
        .init("example", .text, "A table of the configuration in TOML, with every key explained.") { $0.example },
    ]
}

/// The available kinds of destinations.
public struct KindsView: View {
    public struct Kind: Described {
        var key: String
        var title: String

        public init(key: String, title: String) {
            self.key = key
            self.title = title
        }

        public static let keys: [JSONKey<Kind>] = [
            .init("key", .text, "As the configuration has it.") { $0.key },
            .init("title", .text, "For people.") { $0.title },
        ]
    }

    let kinds: [Kind]

    public init(_ kinds: [Kind]) { self.kinds = kinds }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
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
    public static let keys: [JSONKey<KindsView>] = [
        .version, .list("kinds", "The kinds of destinations.") { $0.kinds },
    ]
}

extension JSONDocument {
    public static let config = JSONDocument(
        "config", "The configuration's files and all that is wrong with them.",
        ConfigView.self)
    public static let kinds = JSONDocument(
        "kinds", "The kinds of destinations.",
        KindsView.self)
    public static let example = JSONDocument(
        "example", "An example configuration.",
        ExampleView.self)
}
