/// The text of an error: what failed, and what to do about it.
struct ErrorWords {
    /// Without a full stop.
    let problem: String
    /// Also without a full stop; commands are in backticks.
    let advice: String?

    init(_ problem: String, _ advice: String? = nil) {
        self.problem = problem
        self.advice = advice
    }

    func advising(_ advice: String) -> ErrorWords { ErrorWords(problem, advice) }

    var line: String { advice.map { "\(problem); \($0)" } ?? problem }

    /// For a report that shows the two separately: the advice as a sentence.
    var reported: (problem: String, advice: String?) {
        guard let advice else { return (problem, nil) }
        // A path that contains backticks must not become a command to paste.
        guard Self.hasOnlyOwnCommands(advice) else { return (line, nil) }
        let period = advice.hasSuffix("`") || advice.hasSuffix(".") ? "" : "."
        return (problem, advice.prefix(1).uppercased() + advice.dropFirst() + period)
    }

    private static func hasOnlyOwnCommands(_ markup: String) -> Bool {
        let pieces = markup.split(separator: "`", omittingEmptySubsequences: false)
        let commands = pieces.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        return pieces.count % 2 == 1
            && commands.allSatisfy { command in
                ["istep ", "sudo ", "fuser ", "ls ", "cp ", "dmesg"].contains { command.hasPrefix($0) }
            }
    }
}
