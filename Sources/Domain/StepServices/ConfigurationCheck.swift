public import StepDomain

/// Finds everything that is wrong with the configuration and with what it names, in the order of files and lines.
public struct ConfigurationCheck: Sendable {
    private let source: any ConfigurationSource

    public init(_ source: any ConfigurationSource) { self.source = source }

    public struct Report: Sendable, Hashable {
        /// The configuration files that were read.
        public var files: [String]
        /// Names of the destinations that can be used.
        public var destinations: [String]
        public var problems: [ConfigurationProblem]
    }

    public func run() -> Report {
        let written = source.read()
        let problems =
            written.problems + Self.unknownUsers(in: written)
            + written.destinations.flatMap { Self.problems(with: $0, written.users) }
        return Report(
            files: written.files, destinations: written.destinations.map(\.destination.name),
            problems: Self.inOrder(problems, of: written.files))
    }

    private static func unknownUsers(in written: WrittenConfiguration) -> [ConfigurationProblem] {
        let known = written.users.map(\.name)
        // Without a history there is no user yet.
        return known.isEmpty
            ? []
            : written.userNames.filter { named in
                !known.contains { $0.lowercased() == named.name.lowercased() }
            }.map { ConfigurationProblem(.recipients(.unknownUser($0.name, known: known)), at: $0.place) }
    }

    private static func problems(with configured: WrittenDestination, _ users: [User]) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        // Without a history there is no user yet whose days could be shared.
        if !users.isEmpty, let clash = RecipientProblem(configured.destination, users: users) {
            problems.append(ConfigurationProblem(.recipients(clash), at: configured.users))
        }
        problems += configured.secretProblems
        // A destination reports its unreadable secrets too; the remaining problems concern a program or a path.
        let known = Set(configured.secretProblems.map(\.finding))
        let reported = configured.destination.problems().map(ConfigurationFinding.reported)
        return problems
            + reported.filter { !known.contains($0) }.map { ConfigurationProblem($0, at: configured.commandOrPath) }
    }

    /// Sorts the problems by file in the order of reading, then by line. Problems without a place come last.
    private static func inOrder(_ problems: [ConfigurationProblem], of files: [String]) -> [ConfigurationProblem] {
        // A file with a syntax error was not read: it follows the files that were, in the order of the problems.
        var order = files
        for file in problems.compactMap(\.place.file) where !order.contains(file) { order.append(file) }
        func key(_ number: Int) -> [Int] {
            let place = problems[number].place
            return [place.file.flatMap(order.firstIndex) ?? .max, place.line ?? .max, number]
        }
        return problems.indices.map(key).sorted { $0.lexicographicallyPrecedes($1) }.map { problems[$0[2]] }
    }
}
