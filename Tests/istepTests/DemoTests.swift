import Foundation
import Testing
import TestSupport

/// `istep demo --keep`: a demo that goes on, used and ended as from a shell.
@Suite(.timeLimit(.minutes(15))) struct DemoTests {
    /// A shell of its own; whatever a test does, no demo of it is left.
    func visiting(_ body: (_ istep: Command, _ folder: Folder) async throws -> Void) async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        do { try await body(istep, folder) } catch { Issue.record("\(error)") }
        _ = try await istep("demo", "--end")
    }

    func home(_ folder: Folder) -> String { folder.path + "/istep-demo" }

    /// The process that holds the lock of a demo, and so runs it: the kernel names it to one that asks for the same
    /// lock.
    func process(_ home: String) throws -> Int32 {
        let file = open(home + "/demo.lock", O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        try #require(fcntl(file, F_GETLK, &lock) == 0)
        try #require(lock.l_type != Int16(F_UNLCK), "no process holds the lock")
        return lock.l_pid
    }

    /// Recognised by what they advertise, besides the ring.
    private static let models = [
        "infinitime", "banglejs", "miband", "ycbt", "jring", "moyoung", "lefun", "no1f1", "id115", "crp", "casio",
        "fitpro",
    ]

    /// Whether a process is gone, or has ended and was not waited for by the init of a container. If it was killed, its
    /// first thread may end before the others, which still hold its lock.
    func hasEnded(_ process: Int32) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
        else { return true }
        return text.split(separator: ")").last?.drop { $0 == " " }.first == "Z" && threads.count <= 1
    }

    /// The end of another program's process, and what is behind a folder that does not exist yet, announce themselves
    /// in no way.
    func until(_ isDone: () async throws -> Bool) async throws {
        while try await !isDone() {
            try await letOthersRun()
        }
    }

    @Test func `a kept demo keeps counting, every command runs in it, and nothing is left at its end`() async throws {
        try await visiting { istep, folder in
            let begun = try await istep("demo", "--keep", "--pedometer", "all")
            #expect(begun.status == 0, "\(begun)")
            #expect(begun.output.contains("export ISTEP_DEMO=\(home(folder))"), "\(begun.output)")
            let process = try process(home(folder))

            // The ring has steps that the last sync did not read, once and again.
            for _ in 0..<2 {
                try await until {
                    // A sync of all pedometers would take as long as the one that waits longest for its steps.
                    let synced = try await istep("--demo", "sync", "ring", "--json")
                    try #require(synced.status == 0, "\(synced)")
                    let results = try #require(synced.json["pedometers"] as? [[String: Any]])
                    return (results.first?["steps"] as? Int ?? 0) > 0
                }
            }
            let found = try await istep("--demo", "scan", "--all", "--timeout", "10", "--json")
            let models = Set(
                (found.json["peripherals"] as? [[String: Any]] ?? []).compactMap { $0["model"] as? String })
            #expect(models.isSuperset(of: Self.models + ["colmi"]), "\(found.output)")
            #expect(found.output.contains("Stepper"))

            // By the variable as by the option; with a year of history.
            var inside = istep
            inside.environment["ISTEP_DEMO"] = home(folder)
            let year = try await inside("history", "--from", "-365", "--by", "day", "--csv")
            #expect(year.status == 0 && year.output.split(separator: "\n").count > 350, "\(year.error)")
            #expect(try await inside("show", "yesterday", "--json").json["steps"] as? Int ?? 0 > 0)
            #expect(try await inside("devices").output.contains("ring"))
            #expect(try await inside("doctor", "--no-network").status == 0)
            // HOME is the folder, too.
            let example = try await inside("config", "example", "rest").output
            #expect(
                example.hasPrefix("# in ~/istep-demo/istep/config.toml\n") && !example.contains(".config"), "\(example)"
            )
            let file = try await inside("config", "example", "file").output
            #expect(file.contains("path = \"\(home(folder))/steps.csv\""), "\(file)")
            let today = try await istep("--demo").output
            #expect(today.contains("More: istep --demo sync, istep --demo history, "), "\(today)")
            // An option is for another place than the variable's.
            #expect(try await inside("--demo=\(folder.path)/none", "show").status == 69)
            // Nothing of it is the user's.
            #expect(try await istep("show", "yesterday").status != 0)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))

            let server = try inside.start(["serve", "--port", "0"])
            try await server.until { $0.contains("/open/") }
            let address = try #require(ServedAddress.first(in: server.outputSoFar))
            let visitor = try await PageVisitor.open(address)
            #expect(try await visitor.get("/year").status == 200)
            server.send(SIGTERM)
            #expect(await server.result.status == 0)

            let export = try #require(begun.output.firstMatch(of: /import (\S+Gadgetbridge\.db)/).map { String($0.1) })
            let imported = try await istep("--demo", "import", export, "--dry-run", "--json").json
            #expect(((imported["changes"] as? [Any])?.count ?? 0) > 350, "\(imported)")
            let second = try await istep("demo", "--keep")
            #expect(
                second.status == 0 && second.output.contains("runs already")
                    && second.output.contains("istep --demo sync"), "\(second)")
            #expect(try self.process(home(folder)) == process)

            let last = try inside.start(["serve", "--port", "0"])
            try await last.until { $0.contains("/open/") }
            let ended = try await inside("demo", "--end")
            let left = await last.result
            #expect(left.status == 0 && left.output.contains("The demo has ended, and its pages with it."), "\(left)")
            #expect(
                ended.status == 0 && ended.output.contains("has ended") && ended.output.contains("unset ISTEP_DEMO"),
                "\(ended)")
            #expect(!FileManager.default.fileExists(atPath: home(folder)))
            try await until { hasEnded(process) }
            let again = try await inside("demo", "--end")
            #expect(
                again.status == 0 && again.output.contains("No demo runs") && again.output.contains("unset ISTEP_DEMO"),
                "\(again)")
            #expect(try await !istep("demo", "--end").output.contains("ISTEP_DEMO"))
            let bare = try await inside.run([])
            #expect(bare.status == 69 && bare.error.contains("unset ISTEP_DEMO"), "not the user's own history")
            for words in [["--help"], ["help", "show"], ["--version"]] as [[String]] {
                #expect(try await inside.run(words).status == 0, "\(words)")
            }
            let without = try await inside("show")
            #expect(
                without.status == 69 && without.error.contains("`. To use your own history again: `unset ISTEP_DEMO`"),
                "\(without)")
        }
    }

    @Test func `a demo that was killed is noticed, and its files are removed`() async throws {
        try await visiting { istep, folder in
            try #require(try await istep("demo", "--keep").status == 0)
            let killed = try process(home(folder))
            kill(killed, SIGKILL)
            try await until { hasEnded(killed) }
            let shown = try await istep("--demo", "show", "--json")
            #expect(
                shown.status == 69 && shown.error.contains("has stopped") && shown.output.contains("\"exitCode\""),
                "\(shown)")
            let again = try await istep("demo", "--keep")
            #expect(again.status == 0 && again.output.contains("new steps"), "\(again)")
            let process = try process(home(folder))
            #expect(process != killed)
            kill(process, SIGKILL)
            try await until { hasEnded(process) }
            let ended = try await istep("demo", "--end")
            #expect(ended.status == 0 && ended.output.contains("its files are removed"), "\(ended)")
            #expect(!FileManager.default.fileExists(atPath: home(folder)))
        }
    }

    @Test func `if two processes begin at the same time, only one starts the demo`() async throws {
        try await visiting { istep, folder in
            async let first = istep("demo", "--keep")
            async let second = istep("demo", "--keep")
            let results = try await [first, second]
            // The other one says that it runs, or that it is being started.
            #expect(results.count { $0.output.contains("The demo runs in") } == 1, "\(results)")
            #expect(Set(results.map(\.status)).isSubset(of: [0, 75]), "\(results)")
            #expect(try await istep("--demo", "show").status == 0)
            #expect(try process(home(folder)) > 0)
        }
    }

    @Test func `a demo ends when its folder is removed`() async throws {
        try await visiting { istep, folder in
            try #require(try await istep("demo", "--keep", "--pedometer", "infinitime").status == 0)
            let process = try process(home(folder))
            try FileManager.default.removeItem(atPath: home(folder))
            try await until { hasEnded(process) }
            #expect(!FileManager.default.fileExists(atPath: home(folder)))
        }
    }

    @Test func `a state file without a process is not a running demo, and its files can be removed`() async throws {
        try await visiting { istep, folder in
            try FileManager.default.createDirectory(
                atPath: home(folder), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Data(#"{"bus": "unix:path=/nowhere", "pedometers": ["colmi"]}"#.utf8).write(
                to: URL(fileURLWithPath: home(folder) + "/demo.json"))
            #expect(try await istep("--demo", "show").status == 69)
            #expect(try await istep("demo", "--end").output.contains("its files are removed"))
            #expect(!FileManager.default.fileExists(atPath: home(folder)))
        }
    }

    @Test func `a folder given by the user keeps the demo history, also after a kill`() async throws {
        try await visiting { istep, folder in
            let own = folder.path + "/it's mine"
            try #require(try await istep("demo", "--keep", own).status == 0)
            let shown = try await istep("--demo=" + own, "show", "yesterday")
            #expect(shown.status == 0 && shown.output.contains("Steps"))
            // It is none of the standard place.
            #expect(try await istep("--demo", "show").status == 69)
            let killed = try process(own)
            kill(killed, SIGKILL)
            try await until { hasEnded(killed) }
            let resumed = try await istep("demo", "--keep", own)
            #expect(resumed.status == 0 && !resumed.output.contains("istep add"), "\(resumed)")
            #expect(try await istep("--demo=" + own, "show", "yesterday").output == shown.output)
            let ended = try await istep("--demo=" + own, "demo", "--end")
            #expect(ended.status == 0 && ended.output.contains("has ended"), "\(ended)")
            // All but the commands that show other days, which need the option.
            let day = { (output: String) in output.components(separatedBy: "  Previous:")[0] }
            #expect(
                try await day(istep("show", "yesterday", "--db", own + "/history.sqlite").output) == day(shown.output))
            // A history without a demo is not added to.
            #expect(try await istep("demo", "--keep", own).error.contains("already contains a history"))
        }
    }

    @Test func `wrong uses of the demo are errors`() async throws {
        let istep = Command(folder: try Folder())
        #expect(try await istep("demo", "--keep", "").status == 64)
        #expect(try await istep("demo", "--keep", "--end").status == 64)
        let unknown = try await istep("demo", "--pedometer", "pigeon")
        #expect(unknown.status == 64 && unknown.error.contains("infinitime"))
        let none = try await istep("--demo", "sync")
        #expect(none.status == 69 && none.error.contains("istep demo --keep"))
    }

    @Test(arguments: models + ["generic"])
    func `the walk-through shows each model`(_ model: String) async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep("demo", "--pedometer", model)
        #expect(result.status == 0 && result.output.contains("end of the demo"), "\(result)")
    }
}
