/// Why a command cannot do what it is asked for, where no part of istep below it has failed.
struct CommandFailure: Error {
    /// Tells whose move it is: `usage` where the command line asks for something that cannot be, `temporary` for later, and so on.
    var status: ExitStatus
    var message: String
    /// What to do instead.
    var advice: String?

    init(_ status: ExitStatus, _ message: String, advice: String? = nil) {
        self.status = status
        self.message = message
        self.advice = advice
    }
}
