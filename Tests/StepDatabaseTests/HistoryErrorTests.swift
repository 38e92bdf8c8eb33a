import Foundation
import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct HistoryErrorTests {
    @Test(arguments: [
        (HistoryError.locked(path: "/h"), FailureCategory.temporary, "try again"),
        (.readOnly(path: "/h", reason: "Permission denied"), .permission, "writable"),
        (
            .closedLog(path: "/h", file: "/h-wal", reason: "Permission denied"), .permission,
            "sudo chown --reference=/h /h-wal"
        ),
        (.damaged(path: "/h", reason: "malformed"), .data, "istep doctor --repair --db /h"),
        (.foreign(path: "/h"), .data, "--db"),
        (.newerVersion(path: "/h", found: 3, supported: 2), .data, "newer istep"),
        (.noSpace(path: "/h"), .temporary, "nothing was lost"),
        (.inputOutput(path: "/h", reason: "disk I/O error"), .unforeseen, "another disk"),
        (
            .unsupported(path: "/h", MissingSupport(feature: .recordLocks, fileSystem: "nfs4")), .configuration,
            "the file system (nfs4) has no record locks (fcntl); keep the history on a local disk"
        ),
        (.nameTaken("ring"), .usage, "--name"),
        (.addressTaken("30:34:42:00:00:01", name: "ring"), .usage, "istep forget"),
        (.missing(path: "/h"), .unavailable, "istep add"),
    ])
    func `each error has a category and advice`(error: HistoryError, category: FailureCategory, advice: String) {
        #expect(error.category == category)
        #expect(error.description.contains(advice), "\(error)")
    }

    /// The advice for a history would make a user repair or replace the backup.
    @Test(arguments: [
        (HistoryError.missing(path: "/b"), FailureCategory.usage, "no such file"),
        (.cannotOpen(path: "/b", reason: "it is a directory"), .usage, "name the file of a backup"),
        (.damaged(path: "/b", reason: "malformed"), .data, "`cp /b copy.sqlite`"),
        (.empty(path: "/b"), .data, "not a backup"),
        (.foreign(path: "/b"), .data, "not a backup of istep"),
        (.newerVersion(path: "/b", found: 9, supported: 5), .data, "newer istep"),
        (.readOnly(path: "/b", reason: "Permission denied"), .permission, "restore the copy"),
        (.closedLog(path: "/b", file: "/b-wal", reason: "Permission denied"), .permission, "restore the copy"),
        (.locked(path: "/b"), .temporary, "fuser /b"),
        (.noSpace(path: "/b"), .temporary, "another disk"),
        (.inputOutput(path: "/b", reason: "disk I/O error"), .unforeseen, "another backup"),
        (.failed(path: "/b", reason: "x"), .unforeseen, "report"),
    ])
    func `the message of an error on a backup does not name the history`(
        error: HistoryError, category: FailureCategory, advice: String
    ) {
        let error = HistoryError.of(.backup, error)
        #expect(error.category == category)
        #expect(error.description.contains(advice) && error.description.contains("\"/b"), "\(error)")
        #expect(!error.description.contains("the history"), "\(error)")
        #expect(!error.description.contains("--db /b") && !error.description.contains("with --db"), "\(error)")
    }

    @Test(arguments: [
        (HistoryError.cannotOpen(path: "/b", reason: "it is a directory"), FailureCategory.usage, "name another file"),
        (.readOnly(path: "/b", reason: "Permission denied"), .permission, "make its directory writable"),
        (.readOnly(path: "/b", reason: HistoryError.readOnlyFileSystem), .permission, "file system is read-only"),
        (.noSpace(path: "/b"), .temporary, "another disk"),
        (.inputOutput(path: "/b", reason: "disk I/O error"), .unforeseen, "another disk"),
        (.locked(path: "/b"), .temporary, "another file"),
        (.failed(path: "/b", reason: "x"), .unforeseen, "report"),
    ])
    func `an error on the place of a backup says what to do about that`(
        error: HistoryError, category: FailureCategory, advice: String
    ) {
        let error = HistoryError.of(.target, error)
        #expect(error.category == category)
        #expect(error.description.contains(advice) && error.description.contains("the backup \"/b\""), "\(error)")
        #expect(!error.description.contains("--db"), "\(error)")
    }

    @Test func `the error for a read-only file system gives no advice about owners`() {
        let history = HistoryError.readOnly(path: "/h", reason: HistoryError.readOnlyFileSystem).description
        let lock = HistoryLockError(errno: EROFS, path: "/h.lock")
        #expect(history.contains("is read-only") && !history.contains("owner"))
        #expect(
            lock.description.contains("is read-only") && !lock.description.contains("chown")
                && lock.category == .permission)
        let missing = HistoryLockError(errno: EACCES, path: "/nowhere/h.lock")
        #expect(missing.description.contains("ls -ld /nowhere") && !missing.description.contains("chown"))
    }

    @Test func `a repair that failed does not advise a repair`() {
        let error = HistoryError.irreparable(path: "/h", reason: "nothing in it can be read")
        #expect(error.category == .data)
        #expect(!error.description.contains("--repair") && error.description.contains("istep restore --db /h"))
    }

    /// A view puts each command on a line of its own: it would be separated from parentheses around it.
    @Test(arguments: [
        HistoryError.locked(path: "/h"), .of(.backup, .locked(path: "/b")),
        .of(.backup, .damaged(path: "/b", reason: "malformed")),
        .of(.backup, .newerVersion(path: "/b", found: 9, supported: 5)),
        .of(.backup, .cannotOpen(path: "/b", reason: "it is a directory")),
        .of(.backup, .inputOutput(path: "/b", reason: "disk I/O error")),
    ])
    func `no command stands in parentheses`(error: HistoryError) {
        #expect(error.description.contains("`") && !error.description.contains("(`"), "\(error)")
    }

    @Test func `the commands of an error on a lock do not stand in parentheses`() {
        for error in [
            HistoryLockError.readOnly(path: "/x/h.lock", reason: "x"), .cannotCreate(path: "/x/h.lock", reason: "x"),
        ] {
            #expect(error.description.contains("`ls -ld /x") && !error.description.contains("(`"), "\(error)")
        }
    }

    @Test func `a hostile path is escaped in messages and quoted in commands`() {
        let error = HistoryError.damaged(path: "/tmp/\u{1B}[2J; rm -rf ~ 'x'", reason: "malformed")
        #expect(error.description.unicodeScalars.allSatisfy { $0.value >= 32 })
        #expect(error.description.contains(#""/tmp/\u{1b}[2J; rm -rf ~ 'x'""#))
        #expect(error.description.contains(#"istep doctor --repair --db $'/tmp/\033[2J; rm -rf ~ \'x\''`"#))
    }

    @Test func `the file system of a directory is that of the nearest mount`() {
        let mounts = """
            22 28 0:21 / / rw,relatime shared:7 - ext4 /dev/sda1 rw
            40 22 0:50 / /mnt rw - tmpfs tmpfs rw
            41 40 0:51 / /mnt/my\\040steps rw,noatime shared:2 master:1 - nfs4 server:/steps rw
            42 41 0:52 / /mnt/my\\040steps rw - fuse.sshfs me@server:/steps rw
            """
        #expect(FileSystemSupport.name(of: "/home/anna", in: mounts) == "ext4")
        #expect(FileSystemSupport.name(of: "/mnt/mysteps", in: mounts) == "tmpfs")
        #expect(FileSystemSupport.name(of: "/mnt/my steps/anna", in: mounts) == "fuse.sshfs")
        #expect(FileSystemSupport.name(of: "/", in: "no mounts") == nil)
    }
}
