import StepDomain
import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(5))) struct RetentionTests {
    @Test(arguments: [
        ("2 years", 732), ("1 year", 366), ("18 months", 558), ("6 weeks", 42), ("90 days", 90), ("1 day", 1),
        ("90  DAYS", 90),
    ])
    func `an age in words is a number of days`(text: String, days: Int) {
        #expect(Age(text)?.days == days)
    }

    @Test func `the age "forever" has no limit in days`() {
        #expect(Age("forever")?.days == .some(nil))
    }

    @Test(arguments: [
        "", "2", "years", "-2 years", "0 days", "2.5 years", "2 years 3 days", "101 years", "99999999999999999999 days",
        "two years",
    ])
    func `text that is not an age is rejected`(text: String) {
        #expect(Age(text) == nil)
    }

    @Test func `the limits for backups and frames are read from the configuration`() throws {
        try withMachine { machine in
            #expect(try machine.load().backups == Sourced(4, .standard))
            #expect(try machine.load().frames == Sourced(732, .standard))
            try machine.write("backups = 0\nframes = \"forever\"\n", to: machine.userConfig)
            #expect(try machine.load().backups == Sourced(0, .file(machine.userConfig, line: 1)))
            #expect(try machine.load().frames == Sourced(nil, .file(machine.userConfig, line: 2)))
        }
    }

    @Test(arguments: [("backups = 4.5", "4.5"), ("timeout = -5", "-5")])
    func `a number out of range is shown as it was written`(line: String, number: String) throws {
        try withMachine { machine in
            try machine.write(line + "\n", to: machine.userConfig)
            let error = #expect(throws: SettingsError.self) { try machine.load() }
            #expect(
                error?.description.contains("is \"\(number)\"; it has to be a number") == true,
                "\(error?.description ?? "")")
        }
    }

    @Test(arguments: [
        "backups = -1", "backups = 101", "backups = \"four\"", "backups = 2.5", "frames = 2", "frames = \"long\"",
    ])
    func `a wrong number or age is an error with its line`(text: String) throws {
        try withMachine { machine in
            try machine.write("\n" + text, to: machine.userConfig)
            let error = machine.error()
            #expect(error?.category == .configuration)
            #expect(error?.line == 2)
        }
    }
}
