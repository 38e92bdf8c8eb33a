/// Something wrong with the configuration, and its place.
public struct ConfigurationProblem: Hashable, Sendable {
    public var finding: ConfigurationFinding
    public var place: ConfigurationPlace

    public init(_ finding: ConfigurationFinding, at place: ConfigurationPlace) {
        self.finding = finding
        self.place = place
    }
}

/// What a check of the configuration has found.
public enum ConfigurationFinding: Hashable, Sendable {
    case recipients(RecipientProblem)
    /// In the words of what reads the file or the value, such as a destination of its program; commands stand between
    /// backticks.
    case reported(String)
}

/// Where something stands in the configuration.
public struct ConfigurationPlace: Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        /// The setting `user`.
        case user
        case destination(String)
        case scheduledImport(String)
    }

    /// Nil if the finding itself names its place.
    public var subject: Subject?
    public var file: String?
    public var line: Int?

    public init(_ subject: Subject?, file: String? = nil, line: Int? = nil) {
        self.subject = subject
        self.file = file
        self.line = line
    }
}

/// A destination as it is configured, with the places of its keys.
public struct WrittenDestination: Sendable {
    public var destination: any ShareDestination
    /// What is wrong with secrets that it names: files that cannot be read, variables that are not set.
    public var secretProblems: [ConfigurationProblem]
    /// The place of the users whose days go there.
    public var users: ConfigurationPlace
    /// The place of the program or the path that it uses.
    public var commandOrPath: ConfigurationPlace

    public init(
        _ destination: any ShareDestination, secretProblems: [ConfigurationProblem] = [], users: ConfigurationPlace,
        commandOrPath: ConfigurationPlace
    ) {
        self.destination = destination
        self.secretProblems = secretProblems
        self.users = users
        self.commandOrPath = commandOrPath
    }
}

/// The configuration as it is written, whether it is correct or not.
public struct WrittenConfiguration: Sendable {
    /// Paths of the files that were read, in the order in which they replace one another.
    public var files: [String]
    /// What is wrong with the files and the tables in them.
    public var problems: [ConfigurationProblem]
    /// The destinations whose tables are correct and enabled.
    public var destinations: [WrittenDestination]
    /// The users of the history; empty if there is none.
    public var users: [User]
    /// The users that it names outside destinations.
    public var userNames: [(name: String, place: ConfigurationPlace)]

    public init(
        files: [String], problems: [ConfigurationProblem], destinations: [WrittenDestination], users: [User],
        userNames: [(name: String, place: ConfigurationPlace)] = []
    ) {
        self.files = files
        self.problems = problems
        self.destinations = destinations
        self.users = users
        self.userNames = userNames
    }
}

/// Reads the configuration: what the settings must do for a check of them.
public protocol ConfigurationSource: Sendable {
    /// Secrets are read to check that they are readable; they are not kept.
    func read() -> WrittenConfiguration
}
