import Testing

/// Words on the command line that do not hold: exit code 64 and an error that says what to write instead.
@Suite struct UsageTests {
    @Test(arguments: [
        ["show", "2014-02-30"], ["show", "someday"], ["show", "2014-4-20"], ["plan", "-5"], ["plan", "ten"],
        ["plan", "--on", "sunnyday=3"], ["profile", "--height", "1.78"], ["profile", "--weight", "abc"],
        ["profile", "--birth", "2014-13-01"], ["sync", "--days", "0"], ["scan", "--timeout", "0"],
        ["scan", "--service", "xyz"], ["add", "--model", "nonsense"], ["add", "--model", "colmi", "--format", "u16le"],
        ["add", "C0:DE:00:00:00:01", "--model", "generic", "--service", "180d"], ["frobnicate"],
    ])
    func wrongWords(_ words: [String]) async throws {
        let folder = try Folder()
        let result = try await Command(folder: folder).run(words)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(!result.error.isEmpty)
    }

    @Test func theVersionIsToldAndHelpNamesEveryCommand() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let version = try await istep("--version")
        #expect(version.output == "0.1.0\n")
        let help = try await istep("--help")
        #expect(help.status == 0)
        for command in ["scan", "add", "devices", "forget", "sync", "show", "profile", "plan", "status", "demo"] {
            #expect(help.output.contains("\n  \(command) "))
        }
    }
}
