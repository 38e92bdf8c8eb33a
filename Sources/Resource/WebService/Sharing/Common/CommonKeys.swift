internal import Settings
internal import StepDomain

extension ShareTerms {
    /// The keys that every destination accepts.
    init(_ reader: inout TableReader) {
        self.init(
            users: reader.texts("users", "the names of the users whose days are sent"),
            since: reader.date("since").flatMap(Day.init),
            acceptsUnfinishedDays: reader.flag("unfinished"))
    }
}

extension TableReader {
    /// The certificates that a server's is verified by; nil for the system's.
    mutating func authorities() -> String? { path("ca_file", "the path of a file of certificates (PEM)") }
}
