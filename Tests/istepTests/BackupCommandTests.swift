import Foundation
import TestSupport
import Testing

/// Backup, restore and repair as a user runs them.
@Suite(.timeLimit(.minutes(5))) struct BackupCommandTests {
    private func withHistory(_ body: (Command, Folder, String) async throws -> Void) async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        #expect(try await istep("plan", "8000").status == 0)
        try await body(istep, folder, folder.path + "/data/istep/history.sqlite")
    }

    @Test func `a backup is made, listed and restored`() async throws {
        try await withHistory { istep, folder, history in
            #expect(try await istep("correct", "yesterday", "--steps", "6000").status == 0)
            let made = try await istep("backup", "--json")
            #expect(made.status == 0)
            let backup = try #require(made.json["backup"] as? [String: Any])
            #expect(backup["corrections"] as? Int == 1)
            let path = try #require(backup["path"] as? String)
            #expect(path.hasPrefix(folder.path + "/data/istep/backups/history-"))
            #expect(try await istep("restore").output.contains(path))
            #expect(try await istep("plan", "9000").status == 0)
            #expect(try await istep("correct", "-2", "--steps", "7000").status == 0)
            let asked = try await istep("restore", path)
            #expect(asked.status == 64)
            #expect(
                asked.output.contains("The backup lacks all or part of:\n  By hand     1 day, 2"), "\(asked.output)")
            #expect(asked.output.hasSuffix("\n  Plans       1 plan\n"), "\(asked.output)")
            #expect(asked.error.contains("istep restore --yes \(path)"))
            #expect(try await istep("plan").output.contains("9,000"))
            #expect(try await istep("restore", "--yes", path).status == 0)
            #expect(try await istep("plan").output.contains("8,000"))
            #expect(try await istep("restore", "--yes", history).status == 64, "the history itself")
            #expect(try await istep("backup", history).status == 64)
        }
    }

    @Test func `backups that cannot be listed are not called none`() async throws {
        try await withHistory { istep, folder, _ in
            try Data().write(to: URL(fileURLWithPath: folder.path + "/data/istep/backups"))
            let result = try await istep("restore")
            #expect(result.status == 64 && result.output.isEmpty)
            #expect(result.error.contains("cannot read the directory of backups"), "\(result.error)")
        }
    }

    /// It once ended only after the five seconds in which an interrupted command has to end, and without a message.
    /// A no is the missing yes of a command without a terminal (64).
    @Test(arguments: [("\\x03", 130), ("n\\n", 64), ("\\n", 64), ("\\x04", 64)])
    func `without a yes at the question of restore nothing is replaced`(_ answer: String, _ status: Int) async throws {
        try await withHistory { istep, folder, _ in
            let backup = folder.path + "/b.sqlite"
            #expect(try await istep("backup", backup).status == 0)
            #expect(try await istep("plan", "9000").status == 0)
            let script = """
                import os, pty, signal, sys
                signal.alarm(60)
                child, terminal = pty.fork()
                if child == 0:
                    os.execv(sys.argv[1], sys.argv[1:])
                shown = b""
                while b"[y/N]" not in shown:
                    shown += os.read(terminal, 4096)
                os.write(terminal, b"\(answer)")
                try:
                    while more := os.read(terminal, 4096):
                        shown += more
                except OSError:  # the other end is closed
                    pass
                print(shown.decode())
                print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                """
            let process = ChildProcess()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                ["python3", "-c", script, "/usr/bin/env"] + istep.environment.map { "\($0.key)=\($0.value)" }
                + [try Command.program.path, "restore", backup]
            let result = try await Running(process).result
            #expect(
                result.output.contains("The history was not replaced.") && result.output.contains("status \(status)\n"),
                "\(result)")
            #expect(try await istep("plan").output.contains("9,000"))
        }
    }

    @Test func `a damaged history is not written, and repaired`() async throws {
        try await withHistory { istep, _, history in
            let file = try #require(FileHandle(forUpdatingAtPath: history))
            try file.seek(toOffset: 60)  // the version number
            try file.write(contentsOf: Data([0xFF, 0xFF, 0xFF, 0xFE]))
            try file.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: history))
            for words in [["status"], ["plan", "9000"], ["sync"], ["backup"]] {
                let result = try await istep.run(words)
                #expect(result.status == 65, "\(words)")
                #expect(result.error.contains("istep doctor --repair --db"))
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: history)) == before)
            let repaired = try await istep("doctor", "--repair", "--json")
            #expect(repaired.status == 0)
            let damaged = try #require((repaired.json["repaired"] as? [String: Any])?["damaged"] as? String)
            #expect(try Data(contentsOf: URL(fileURLWithPath: damaged)) == before)
            #expect(try await istep("plan").output.contains("8,000"))
            #expect(try await istep("doctor", "--repair").output.contains("No damage found"))
        }
    }

    @Test func `sums of days that another program has changed are found and corrected`() async throws {
        try await withHistory { istep, _, history in
            #expect(try await istep("correct", "-3", "--steps", "7000").status == 0)
            #expect(try await istep("history", "week").status == 0)
            let script =
                "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('UPDATE day_sum SET walking_steps = 7 WHERE day = "
                + "(SELECT min(day) FROM day_sum)'); c.commit()"
            let process = ChildProcess()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", "-c", script, history]
            try #require(try await Running(process).result.status == 0)
            let found = try await istep("doctor", "--no-radio", "--no-network")
            #expect(found.status != 0 && found.output.contains("the daily sums of 1 day differ"), "\(found)")
            let repaired = try await istep("doctor", "--repair", "--json")
            #expect(repaired.status == 0 && repaired.json["correctedSums"] as? Int == 1, "\(repaired)")
            #expect(try await istep("doctor", "--repair").output.contains("nothing changed"))
            let after = try await istep("doctor", "--no-radio", "--no-network").output
            #expect(after.contains(/is\s+intact/), "\(after)")
        }
    }

    /// Damage that no integrity check of SQLite finds: `show` once failed, and the repair that it advised found
    /// nothing.
    @Test func `a damaged definition is found by every command that writes, and repaired`() async throws {
        try await withHistory { istep, folder, history in
            let backup = folder.path + "/b.sqlite"
            #expect(try await istep("backup", backup).status == 0)
            for path in [history, backup] {
                var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                for name in ["monday INTEGER", "CHECK (monday"] {
                    let range = try #require(bytes.range(of: Data(name.utf8)))
                    let letter = try #require(bytes[range].firstIndex(of: UInt8(ascii: "d")))
                    bytes[letter] ^= 1
                }
                try bytes.write(to: URL(fileURLWithPath: path))
            }
            for words in [["plan"], ["plan", "9000"], ["sync"], ["backup"]] {
                let result = try await istep.run(words)
                #expect(
                    result.status == 65 && result.error.contains("the definition of the table \"plan\""),
                    "\(words): \(result.error)")
            }
            // A command to paste is on a line of its own; in JSON the advice is separate from the message.
            var here = istep
            here.environment["COLUMNS"] = "60"
            let lines = try await here("doctor", "--no-radio", "--no-network").output.split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            for command in ["istep doctor --repair --db \(history)", "istep restore --db \(history)"] {
                #expect(lines.contains { $0.hasSuffix(command) }, "\(lines)")
            }
            let failure = try await istep("plan", "--json").json["error"] as? [String: Any]
            #expect((failure?["advice"] as? String)?.contains("istep doctor --repair --db \(history)") == true)
            #expect((failure?["message"] as? String)?.contains("`") == false)
            let restored = try await istep("restore", "--yes", backup)
            #expect(
                restored.status == 65
                    && restored.error.contains("the backup \"\(backup)\" is damaged: the definition of the table"))
            #expect(try await istep("doctor", "--repair").output.contains("All rows were saved."))
            #expect(try await istep("plan").output.contains("8,000"))
            #expect(try await istep("doctor", "--repair", "--db", backup).status == 0)
            #expect(try await istep("restore", "--yes", backup).status == 0)
        }
    }

    @Test func `an error on a backup names the backup and its exit code`() async throws {
        try await withHistory { istep, folder, history in
            let backup = folder.path + "/b.sqlite"
            #expect(try await istep("backup", backup).status == 0)
            try (try Data(contentsOf: URL(fileURLWithPath: backup))).prefix(30_000).write(
                to: URL(fileURLWithPath: folder.path + "/cut"))
            try #require(mkfifo(folder.path + "/pipe", 0o600) == 0)
            let before = try Data(contentsOf: URL(fileURLWithPath: history))
            for (words, status, message) in [
                (["restore", "--yes", folder.path + "/none"], 64 as Int32, "no such file"),
                (["restore", "--yes", folder.path + "/cut"], 65, "the backup \"\(folder.path)/cut\" is damaged"),
                (["restore", "--yes", folder.path], 64, "cannot open the backup"),
                (["backup", folder.path], 64, "cannot write the backup"),
                (["backup", folder.path + "/usb/istep/x.sqlite"], 64, "Mount its disk"),
                (["backup", folder.path + "/pipe"], 64, "cannot write the backup"),
                (["backup", history + ".lock"], 64, "Choose another name"),
                (["backup", history + "-wal"], 64, "Choose another name"),
            ] {
                let result = try await istep.run(words)
                #expect(result.status == status && result.error.contains(message), "\(words): \(result.error)")
                #expect(
                    !result.error.contains("the history") && !result.error.contains("with --db"),
                    "\(words): \(result.error)")
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: history)) == before)
        }
    }

    @Test func `without a history and a backup, restore does not advise a backup`() async throws {
        let result = try await Command(folder: try Folder())("restore")
        #expect(result.status == 0)
        #expect(result.output.contains("istep add") && !result.output.contains("istep backup"))
    }

    /// With the server, `PostgresRestoreTests`.
    @Test func `what cannot be restored from a destination is reported, and nothing is stored`() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/config/istep", withIntermediateDirectories: true)
        let tables = """
            [share.family]
            kind = "postgres"
            host = "/nowhere"
            database = "health"
            [share.diary]
            kind = "file"
            path = "\(folder.path)/diary.csv"
            """
        try Data(tables.utf8).write(to: URL(fileURLWithPath: folder.path + "/config/istep/config.toml"))
        let istep = Command(folder: folder)
        for (words, status, error) in [
            (["restore", "--machine", "old"], 64, "--machine and --dry-run need --from"),
            (["restore", "backup.sqlite", "--from", "postgres:family"], 64, "cannot be combined"),
            (["restore", "--from", "postgres:other"], 64, "There is no destination 'postgres:other'"),
            (["restore", "--from", "diary"], 64, "diary does not keep what a history is built from"),
            (["restore", "--from", "postgres:family", "--yes"], 75, "/nowhere"),
            (["postgres", "check", "family"], 75, "/nowhere"),
            (["postgres", "check", "family", "--user", "Anna"], 75, "/var/run/postgresql"),
            (["postgres", "check", "diary"], 64, "diary is not of the kind postgres"),
        ] {
            let result = try await istep.run(words)
            #expect(result.status == Int32(status) && result.error.contains(error), "\(words): \(result.error)")
        }
        let history = folder.path + "/data/istep/history.sqlite"
        #expect(!FileManager.default.fileExists(atPath: history))
        // As a restore leaves it that was killed when it had only just created the file.
        try FileManager.default.createDirectory(atPath: folder.path + "/data/istep", withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: history))
        let again = try await istep("restore", "--from", "postgres:family", "--yes")
        #expect(again.status == 75 && again.error.contains("/nowhere"), "\(again.error)")
        try FileManager.default.removeItem(atPath: history)
        #expect(try await istep("plan", "8000").status == 0)
        let result = try await istep("restore", "--from", "postgres:family", "--yes")
        #expect(result.status == 64 && result.error.contains("There is a history with users already"))
    }

    @Test func `an empty file is no history for a reader`() async throws {
        let folder = try Folder()
        let path = folder.path + "/empty"
        try Data().write(to: URL(fileURLWithPath: path))
        for command in ["show", "status", "sync", "backup"] {
            let result = try await Command(folder: folder)(command, "--db", path)
            #expect(result.status == 65, "\(command)")
            #expect(result.error.contains("is an empty file"))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
    }

    @Test func `a missing history with a name of one letter is reported`() async throws {
        let folder = try Folder()
        for words in [["doctor", "--no-radio", "--no-network"], ["status"], ["doctor", "--repair"]] {
            let result = try await Command(folder: folder).run(words + ["--db", "x"])
            #expect(result.status == 69, "\(words): \(result.error)")
        }
    }

    @Test func `a header without a name in the configuration is an error with its line`() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/config/istep", withIntermediateDirectories: true)
        try Data("user = \"anna\"\n[.share.diary]\n".utf8).write(
            to: URL(fileURLWithPath: folder.path + "/config/istep/config.toml"))
        let result = try await Command(folder: folder)("status")
        #expect(result.status == 78)
        #expect(result.error.contains("line 2"))
        #expect(!result.error.contains("toml.hpp"))
    }
}
