/// Something wrong with the configuration, and its place.
public struct ConfigurationProblem: Hashable, Sendable {
    /// The message with the place of the problem; commands stand between backticks.
    public var text: String
    public var file: String?
    public var line: Int?

    public init(_ text: String, file: String? = nil, line: Int? = nil) {
        self.text = text
        self.file = file
        self.line = line
    }
}

/// What a check has found wrong with the value of a key.
public enum ConfigurationFinding: Hashable, Sendable {
    case recipients(RecipientProblem)
    /// In the words of what reads the value, such as a destination of its program.
    case reported(String)
}

/// A destination as it is configured, with the places of its keys.
public struct WrittenDestination: Sendable {
    public var destination: any ShareDestination
    /// What is wrong with secrets that it names: files that cannot be read, variables that are not set.
    public var secretProblems: [(reason: String, problem: ConfigurationProblem)]
    /// A problem with the value of one of its keys, at the place of that key.
    public var problem: @Sendable (_ finding: ConfigurationFinding, _ key: Key) -> ConfigurationProblem

    /// The keys that a problem can concern.
    public enum Key: Hashable, Sendable {
        /// The users whose days go there.
        case users
        /// The program or the path that it uses.
        case commandOrPath
    }

    public init(
        _ destination: any ShareDestination, secretProblems: [(reason: String, problem: ConfigurationProblem)] = [],
        problem: @escaping @Sendable (_ finding: ConfigurationFinding, _ key: Key) -> ConfigurationProblem
    ) {
        self.destination = destination
        self.secretProblems = secretProblems
        self.problem = problem
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
    /// The users that it names outside destinations, each with a problem at the place of the name.
    public var userNames: [(name: String, problem: @Sendable (_ finding: ConfigurationFinding) -> ConfigurationProblem)]

    public init(
        files: [String], problems: [ConfigurationProblem], destinations: [WrittenDestination], users: [User],
        userNames: [(name: String, problem: @Sendable (_ finding: ConfigurationFinding) -> ConfigurationProblem)] = []
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
