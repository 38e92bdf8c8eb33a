import Foundation
import StepDomain
import Testing

@testable import StepDatabase

/// A file or directory of root's would lock out the owner of the history.
@Suite(.timeLimit(.minutes(5)), .enabled(if: geteuid() == 0, "only root makes files for others")) struct OwnerTests {
    private let owner: uid_t = 65_534

    private let backups = AutomaticBackups(BackupSchedule(count: 4), now: { noon }, localTime: .fixed(0))

    /// The owners of a file, or of a directory and all that is in it, by their paths below it.
    private func owners(_ path: String) throws -> [String: uid_t] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path) + [""]
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                var status = stat()
                try #require(lstat(path + "/" + name, &status) == 0)
                return (name, status.st_uid)
            })
    }

    @Test func `what root creates for a history belongs to its owner, who can go on`() async throws {
        try await withDirectory { directory in
            try #require(chown(directory, owner, owner) == 0)
            let path = directory + "/a/b/history.sqlite"
            let history = try StepDatabase(path: path)
            _ = try history.addUser(named: "Ada")
            #expect(try owners(directory).count > 4, "with the log")
            try history.close()
            try backups.make(of: path)
            _ = try StepDatabase.backUp(path, to: directory + "/a/b/backups/monthly/b.sqlite")
            let folder = try AutomaticBackups.directory(of: path)
            let backup = folder + "/" + (try #require(try AutomaticBackups.list(of: path).first).file)
            _ = try StepDatabase.restore(backup, to: path, at: noon, .fixed(0))
            _ = try StepDatabase.restore(backup, to: directory + "/c/history.sqlite", at: noon, .fixed(0))
            try await HistoryLock(path: directory + "/d/history.sqlite").holdExclusively(as: .restore) {}
            let all = try owners(directory)
            #expect(all.values.allSatisfy { $0 == owner }, "\(all)")
            #expect(all.count >= 14, "\(all)")
            await #expect(processExitsWith: .success) { [path = path as String] in
                try #require(setuid(65_534) == 0)
                let backups = AutomaticBackups(BackupSchedule(count: 1), now: { noon + 60 }, localTime: .fixed(0))
                _ = try StepDatabase(path: path).addUser(named: "Ben")
                try backups.make(of: path)
                guard try AutomaticBackups.list(of: path).count == 1 else { exit(1) }
            }
        }
    }

    @Test func `the owner of a history in a directory of another user gets the directory of backups`() throws {
        try withFixture { history in
            try history.database.close()
            try #require(chown(history.path, owner, owner) == 0)
            try backups.make(of: history.path)
            let all = try owners(try AutomaticBackups.directory(of: history.path))
            #expect(all.count == 2 && all.values.allSatisfy { $0 == owner }, "\(all)")
        }
    }

    @Test func `a backup that root makes elsewhere stays root's`() throws {
        try withFixture { history in
            try history.database.close()
            let directory = (history.path as NSString).deletingLastPathComponent, copy = directory + "/copy.sqlite"
            for file in [directory, history.path] { try #require(chown(file, owner, owner) == 0) }
            _ = try StepDatabase.backUp(history.path, to: copy)
            #expect(try owners(directory)["copy.sqlite"] == 0)
        }
    }

    @Test func `where the owner has made a link to a directory of root's, all stays root's`() throws {
        try withDirectory { directory in
            let history = try Fixture(directory + "/own")
            try history.database.close()
            let foreign = directory + "/foreign"
            try #require(mkdir(foreign, 0o700) == 0 && symlink(foreign, directory + "/own/backups") == 0)
            for file in [directory + "/own", history.path] { try #require(chown(file, owner, owner) == 0) }
            try backups.make(of: history.path)
            _ = try StepDatabase.backUp(history.path, to: directory + "/own/backups/monthly/b.sqlite")
            let all = try owners(foreign)
            #expect(all.count == 4 && all.values.allSatisfy { $0 == 0 }, "\(all)")
        }
    }

    /// `NAME.check.PID`: what the owner has put there would be emptied, and given to the owner.
    @Test func `a check record is a new file`() throws {
        try withFixture { history in
            let other = history.path + ".other"
            try Data("other".utf8).write(to: URL(fileURLWithPath: other))
            try #require(link(other, CheckRecord.path(ofDatabase: history.path) + ".\(getpid())") == 0)
            try #require(chown(history.path, owner, owner) == 0)
            let record = CheckRecord(of: history.path, at: noon, complaints: [])
            #expect(record?.store(ofDatabase: history.path) == true)
            #expect(try String(contentsOfFile: other, encoding: .utf8) == "other")
            let directory = (history.path as NSString).deletingLastPathComponent
            #expect(try owners(directory)["history.sqlite.other"] == 0)
            #expect(try owners(directory)["history.sqlite.check"] == owner)
        }
    }
}
