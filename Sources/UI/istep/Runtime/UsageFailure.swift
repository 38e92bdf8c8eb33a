/// The command line asks for something that cannot be: exit code 64.
struct UsageFailure: Error {
    var message: String
    /// What to do instead.
    var advice: String?

    init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }
}

/// What is asked for is not permitted: exit code 77.
struct NotPermitted: Error {
    var message: String
    var advice: String?

    init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }
}

/// What is asked for cannot be done at this moment, and may be later: exit code 75.
struct NotNow: Error {
    var message: String
    var advice: String?

    init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }
}

/// The configuration does not hold for what is asked: exit code 78.
struct WrongConfiguration: Error {
    var message: String
    var advice: String?

    init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }
}
