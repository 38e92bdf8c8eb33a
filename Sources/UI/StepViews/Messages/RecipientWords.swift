internal import StepDomain

/// What is wrong with the choice of users whose days go to a destination, and what to do about it.
enum RecipientWords {
    /// The predicate of a sentence about the destination, without a full stop.
    static func problem(_ problem: RecipientProblem) -> String {
        switch problem {
        case .unknownUser(let name, let known):
            "names the user \(name), who is not in the history; known users: \(known.joined(separator: ", "))"
        case .nobody: "has no recipients: its `users` are empty"
        case .several(let known):
            "has one place for the days of one user, and would get those of several: \(known.joined(separator: ", "))"
        }
    }

    static func advice(_ problem: RecipientProblem) -> Advice {
        switch problem {
        case .unknownUser, .nobody: "Set the users whose days are sent, such as users = [\"NAME\"]."
        case .several:
            """
            Set one user, such as users = ["NAME"]. For each other user, add another [share.NAME] table. A destination of the kind rest, \
            mqtt or home-assistant accepts the days of several users if its url, topic or entity contains {user}.
            """
        }
    }
}
