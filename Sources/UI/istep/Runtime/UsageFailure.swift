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
