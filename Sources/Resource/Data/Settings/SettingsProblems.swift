/// Everything that is wrong with a part of the configuration, in order of lines.
public struct SettingsProblems: Error, Hashable, Sendable {
    /// At least one.
    public let errors: [SettingsError]

    /// Nil where nothing is wrong.
    public init?(_ errors: [SettingsError]) {
        if errors.isEmpty { return nil }
        self.errors = errors
    }

    /// The exit code of sysexits.h that a command should end with: that of the first error, as a rule 78 (configuration).
    public var exitCode: Int32 { errors.first?.exitCode ?? 78 }
}

extension SettingsProblems: CustomStringConvertible {
    /// One line for each.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

extension MutableCollection where Element == SettingsError, Self: RandomAccessCollection {
    /// Of one file: what has no line comes last, and what has the same stays as it was.
    mutating func sortByLine() {
        let sorted = enumerated().sorted {
            ($0.element.line ?? .max, $0.offset) < ($1.element.line ?? .max, $1.offset)
        }
        for (index, problem) in zip(indices, sorted) { self[index] = problem.element }
    }
}
