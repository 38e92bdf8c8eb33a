import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct BackupTests {
    private func backups(_ count: Int = 4, at moment: Timestamp = noon) -> AutomaticBackups {
        AutomaticBackups(BackupSchedule(count: count), now: { moment }, localTime: .fixed(0))
    }

    @Test func `a backup is a private file with the committed content, also during a write transaction`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10), slot(15, 20))
            let copy = history.path + ".copy"
            // During an open transaction of a sync, the committed content is copied.
            let other = try DatabaseQueue(path: history.path)
            try other.writeWithoutTransaction { database in
                try database.execute(sql: "BEGIN IMMEDIATE; DELETE FROM sample")
                let contents = try StepDatabase.backUp(history.path, to: copy)
                #expect(contents.samples == 2 && contents.people == ["Ada"] && contents.pedometers == ["ring"])
                #expect(
                    contents.firstDay == day && contents.lastDay == day && contents.version == Schema.current.version)
                #expect(contents.path == copy)
                try database.execute(sql: "ROLLBACK")
            }
        }
    }

    @Test func `nothing is left beside a backup, and its mode is 0600`() throws {
        try withFixture { history in
            let directory = (history.path as NSString).deletingLastPathComponent + "/backups/monthly"
            _ = try StepDatabase.backUp(history.path, to: directory + "/b.sqlite")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["b.sqlite"])
            #expect(try mode(of: directory + "/b.sqlite") == 0o600)
            #expect(try mode(of: directory) == 0o700)
        }
    }

    /// Where a disk is not mounted, the backup would be on the disk of the history.
    @Test func `only directories below the default one are created`() throws {
        try withFixture { history in
            let directory = (history.path as NSString).deletingLastPathComponent
            for folder in ["/usb", "/usb/istep", "/backups-of-mine"].map({ directory + $0 }) {
                let target = folder + "/b.sqlite"
                expect(.of(.target, .noDirectory(path: target, directory: folder))) {
                    try StepDatabase.backUp(history.path, to: target)
                }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(!names.contains("usb") && !names.contains("backups-of-mine"))
        }
    }

    @Test func `only a backup of istep is replaced`() throws {
        try withFixture { history in
            let copy = history.path + ".copy"
            _ = try StepDatabase.backUp(history.path, to: copy)
            try history.merge(slot(0, 10))
            #expect(try StepDatabase.backUp(history.path, to: copy).samples == 1)
            // A history in use, another program's file, and the history itself are not replaced.
            try Data("precious".utf8).write(to: URL(fileURLWithPath: copy))
            expect(.occupied(path: copy)) { try StepDatabase.backUp(history.path, to: copy) }
            #expect(try String(contentsOfFile: copy, encoding: .utf8) == "precious")
            expect(.occupied(path: history.path)) { try StepDatabase.backUp(history.path, to: history.path) }
            let second = try StepDatabase(path: history.path + ".second")
            expect(.occupied(path: second.path)) { try StepDatabase.backUp(history.path, to: second.path) }
        }
    }

    @Test func `no backup is made of a damaged history, and the damage is recorded`() throws {
        try withFixture { history in
            for minute in 0..<500 { try history.merge(slot(minute, 1, length: 60)) }
            try history.database.close()
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: history.path))
            try file.seek(toOffset: try file.seekToEnd() - 6000)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 3000))
            try file.close()
            guard case .damaged = historyError({ try backups().make(of: history.path) }) else {
                Issue.record("a backup was made")
                return
            }
            #expect(try AutomaticBackups.list(of: history.path).isEmpty)
            guard case .damaged = historyError({ try StepDatabase(path: history.path) }) else {
                Issue.record("opened for writing")
                return
            }
        }
    }

    @Test func `automatic backups beyond the limit are deleted`() throws {
        try withFixture { history in
            let kept = try StepDatabase.backUp(
                history.path, to: try backups().backupPath(for: history.path, .user)
            )
            .path
            for week in 0..<6 { try backups(2, at: noon + week * 7 * 86_400).make(of: history.path) }
            let names = try AutomaticBackups.list(of: history.path)
            #expect(names.filter(\.isAutomatic).map(\.day) == [day.advanced(by: 35), day.advanced(by: 28)])
            #expect(names.contains { !$0.isAutomatic })
            #expect(FileManager.default.fileExists(atPath: kept))
        }
    }

    @Test func `a history is copied before it is migrated`() throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let old = Schema(migrations: Array(Schema.current.migrations.prefix(1)))
            try StepDatabase(path: path, for: .writing, busyTimeout: 1, schema: old).close()
            _ = try StepDatabase(path: path, for: .reading, backups: backups())
            let name = try #require(try AutomaticBackups.list(of: path).first)
            #expect(name.isAutomatic)
            let copy = try AutomaticBackups.directory(of: path) + "/" + name.file
            #expect(try StepDatabase.contents(of: copy).version == 1)
            // With a count of 0, no backup is made.
            let other = directory + "/other.sqlite"
            try StepDatabase(path: other, for: .writing, busyTimeout: 1, schema: old).close()
            _ = try StepDatabase(path: other, backups: backups(0))
            #expect(try AutomaticBackups.list(of: other).isEmpty)
        }
    }

    @Test(arguments: [".lock", ".share.lock", ".check", ".check.4999999", "-wal", "-shm", "-journal"])
    func `a backup is refused under the name of a lock, log or check record`(suffix: String) throws {
        try withFixture { history in
            for copy in [history.path + suffix, history.path + ".copy" + suffix]
            where !FileManager.default.fileExists(atPath: copy) {
                expect(.reserved(path: copy)) { try StepDatabase.backUp(history.path, to: copy) }
                #expect(!FileManager.default.fileExists(atPath: copy))
            }
            // It ended the process.
            #expect(AbandonedFiles.target(ofCopy: ".new-7") == nil && AbandonedFiles.target(ofCopy: ".a.new-7") == "a")
            expect(.reserved(path: "/tmp/.a.new-7")) { try StepDatabase.backUp(history.path, to: "/tmp/.a.new-7") }
            #expect(HistoryError.reserved(path: "/x").category == .usage)
        }
    }

    @Test(arguments: ["-wal", "-journal"])
    func `a backup is refused if a log or journal exists at its place`(suffix: String) throws {
        try withFixture { history in
            let copy = history.path + ".copy"
            try Data("log".utf8).write(to: URL(fileURLWithPath: copy + suffix))
            expect(.occupied(path: copy + suffix)) { try StepDatabase.backUp(history.path, to: copy) }
        }
    }

    // MARK: Files of killed processes

    @Test func `copies that killed processes have left are removed by the next backup, and nothing else`() async throws
    {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let path = history.path, copy = directory + "/to/copy.sqlite"
            for folder in ["/to", "/backups"] { try StepDatabase.createDirectory(directory + folder) }
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, copy = copy as String] in
                _ = try DatabaseCopy(for: copy, ofHistory: path)
                kill(getpid(), SIGKILL)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: directory + "/to")
            #expect(left.count == 1 && left[0].hasPrefix(".copy.sqlite.new-"))
            // Process 1 is running: its number now belongs to another process.
            let abandoned = [
                "/.history.sqlite.new-1", "/.history.sqlite.new-1-wal",
                "/backups/.history-2014-04-20T120000.sqlite.new-1",
                "/backups/.history-2014-04-20T120000.auto.sqlite.new-2", "/history.sqlite.check.4999999",
            ]
            let kept = [
                "/.other.sqlite.new-1", "/.history.sqlite.new-", "/.history.sqlite.new-x", "/history.sqlite.new-1",
                "/history.sqlite.check.1",
                "/backups/.other-2014-04-20T120000.sqlite.new-1", "/to/.history.sqlite.old-1", "/.history.sqlite.new-3",
            ]
            for name in abandoned + kept { try Data("x".utf8).write(to: URL(fileURLWithPath: directory + name)) }
            // A file that another process is writing.
            let locked = open(directory + "/.history.sqlite.new-3", O_RDWR)
            try #require(flock(locked, LOCK_EX) == 0)
            defer { close(locked) }
            _ = try StepDatabase.backUp(path, to: copy)
            for name in abandoned { #expect(!FileManager.default.fileExists(atPath: directory + name), "\(name)") }
            for name in kept { #expect(FileManager.default.fileExists(atPath: directory + name), "\(name)") }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory + "/to").sorted() == [
                    ".history.sqlite.old-1", "copy.sqlite",
                ])
        }
    }

    // MARK: Errors

    @Test func `an error on a backup or its place names that file, and no copy under another name`() throws {
        try withFixture { history in
            let directory = (history.path as NSString).deletingLastPathComponent
            try #require(mkfifo(directory + "/pipe", 0o600) == 0)
            try #require(symlink("nothing", directory + "/dangling") == 0)
            for (name, reason) in [
                ("/pipe", "it is not a regular file"),
                ("/dangling", "it is a symbolic link to a file that does not exist"),
                ("/.", "it is a directory"),
            ] {
                let error = HistoryError.cannotOpen(path: directory + name, reason: reason)
                expect(.of(.target, error)) { try StepDatabase.backUp(history.path, to: directory + name) }
                expect(.of(.backup, error)) { try StepDatabase.contents(of: directory + name) }
                #expect(HistoryError.of(.target, error).category == .usage)
            }
            try Data().write(to: URL(fileURLWithPath: directory + "/file"))
            let below = directory + "/file/x.sqlite"
            expect(.of(.target, .cannotOpen(path: below, reason: "Not a directory"))) {
                try StepDatabase.backUp(history.path, to: below)
            }
        }
    }

    @Test func `a backup place without write permission is reported with its given path`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try history.database.close()
            let path = history.path, copy = directory + "/closed/b.sqlite"
            try StepDatabase.createDirectory(directory + "/closed")
            for folder in [directory, directory + "/closed"] { chmod(folder, 0o555) }
            chmod(path, 0o644)
            await #expect(processExitsWith: .success) { [path = path as String, copy = copy as String] in
                if geteuid() == 0 { try #require(setuid(65_534) == 0) }
                guard
                    historyError({ try StepDatabase.backUp(path, to: copy) })
                        == .of(.target, .readOnly(path: copy, reason: "Permission denied"))
                else { exit(1) }
            }
            chmod(directory, 0o755)
        }
    }

    @Test func `backups that cannot be listed are an error and not none`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let path = history.path, folder = try AutomaticBackups.directory(of: path)
            #expect(try AutomaticBackups.list(of: path).isEmpty)
            #expect(try backups().isDue(for: path))
            try Data().write(to: URL(fileURLWithPath: folder))
            expect(.of(.directory, .cannotOpen(path: folder, reason: "Not a directory"))) {
                try AutomaticBackups.list(of: path)
            }
            try FileManager.default.removeItem(atPath: folder)
            _ = try backups().make(of: path)
            try history.database.close()
            for file in [directory, path] { chmod(file, 0o755) }
            chmod(folder, 0)
            await #expect(processExitsWith: .success) { [path = path as String, folder = folder as String] in
                if geteuid() == 0 { try #require(setuid(65_534) == 0) }
                let error = HistoryError.of(.directory, .readOnly(path: folder, reason: "Permission denied"))
                let backups = AutomaticBackups(BackupSchedule(count: 4), now: { noon }, localTime: .fixed(0))
                guard historyError({ try AutomaticBackups.list(of: path) }) == error,
                    historyError({ try backups.isDue(for: path) }) == error, error.category == .permission,
                    error.description.hasPrefix("cannot read the directory of backups \"\(folder)\": Permission")
                else { exit(1) }
                let none = AutomaticBackups(BackupSchedule(count: 0), now: { noon }, localTime: .fixed(0))
                guard try none.isDue(for: path) == false else { exit(1) }
            }
            chmod(folder, 0o700)
        }
    }

    // MARK: Restoring

    @Test func `a restore keeps the previous history, with the content of its log`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            let backup = history.path + ".copy"
            _ = try StepDatabase.backUp(history.path, to: backup)
            try history.merge(slot(15, 20))
            let replaced = try StepDatabase.restore(backup, to: history.path, at: noon, .fixed(0))
            #expect(try StepDatabase.contents(of: history.path).samples == 1)
            // The connection that was open belongs to the old file, and writes to neither file.
            expect(.replaced(path: history.path)) { try history.merge(slot(30, 30)) }
            try history.database.close()
            #expect(
                try StepDatabase(path: history.path).dayData(of: history.user, on: day).tracks.first?.samples == [
                    slot(0, 10)
                ])
            #expect(
                replaced.path?.hasSuffix("/history-replaced-2014-04-20T120000.sqlite") == true
                    && !replaced.isSharingUncertain)
            #expect(try StepDatabase.contents(of: try #require(replaced.path)).samples == 2)
            #expect(try mode(of: history.path) == 0o600)
        }
    }

    @Test func `a file that is no sound backup is not restored`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            let directory = (history.path as NSString).deletingLastPathComponent
            let empty = directory + "/empty", text = directory + "/text"
            try Data().write(to: URL(fileURLWithPath: empty))
            try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: text))
            expect(.of(.backup, .empty(path: empty))) {
                try StepDatabase.restore(empty, to: history.path, at: noon, .fixed(0))
            }
            expect(.of(.backup, .missing(path: directory + "/none"))) {
                try StepDatabase.restore(directory + "/none", to: history.path, at: noon, .fixed(0))
            }
            guard
                case .of(.backup, .damaged) = historyError({
                    try StepDatabase.restore(text, to: history.path, at: noon, .fixed(0))
                })
            else {
                Issue.record("restored")
                return
            }
            #expect(try history.samples() == [slot(0, 10)])
        }
    }

    @Test func `a backup of an older version is restored and then migrated`() throws {
        try withDirectory { directory in
            let old = Schema(migrations: Array(Schema.current.migrations.prefix(2)))
            let backup = directory + "/old.sqlite", path = directory + "/new/history.sqlite"
            try StepDatabase(path: backup, for: .writing, busyTimeout: 1, schema: old).close()
            #expect(try StepDatabase.restore(backup, to: path, at: noon, .fixed(0)) == ReplacedHistory())
            #expect(try StepDatabase.contents(of: path).version == 2)
            #expect(try StepDatabase(path: path).users().isEmpty)
        }
    }
}
