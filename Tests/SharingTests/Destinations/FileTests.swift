import Foundation
import StepDomain
import Synchronization
import Testing

@testable import Sharing

@Suite(.timeLimit(.minutes(5))) struct FileTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func file(
        _ name: String, _ keys: String = "", pause: (@Sendable (Duration) async throws -> Void)? = nil
    ) throws -> any ShareDestination {
        try destination("[share.diary]\nkind = \"file\"\npath = \"\(folder.path)/\(name)\"\n\(keys)", pause: pause)
    }

    @Test func `a CSV file has one line for each day`() async throws {
        let diary = try file("steps.csv")
        _ = try await diary.deliver([
            try payload(),
            try payload("2014-04-21", steps: 90) {
                ($0.goal, $0.percentage, $0.distance, $0.completeness) = (nil, nil, nil, .partial)
            },
        ])
        #expect(
            folder.text("steps.csv") == """
                day,user,steps,distance_metres,energy_kilocalories,goal,percentage,completeness,running,corrected
                2014-04-20,anna,8123,5900,240,8000,101.5,complete,false,false
                2014-04-21,anna,90,,240,,,partial,false,false

                """)
    }

    @Test func `what a killed process left beside the file is removed`() async throws {
        // No process has this number (proc(5): at most 2^22), and process 1 always exists.
        let kept = ["steps.csv.istep-1", "steps.csv.istep-x", "other.csv.istep-4194305"]
        for name in kept + ["steps.csv.istep-4194305"] { try folder.write(name, "a part") }
        _ = try await file("steps.csv").deliver([try payload()])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names.filter { $0.contains(".istep-") } == kept.sorted())
        #expect(folder.text("steps.csv")?.contains("8123") == true)
    }

    @Test func `a JSON file has one line for each day`() async throws {
        _ = try await file("steps.jsonl").deliver([try payload()])
        #expect(
            folder.text("steps.jsonl") == """
                {"completeness":"complete","corrected":false,"day":"2014-04-20","distanceMetres":5900,"energyKilocalories":240,\
                "goal":8000,"percentage":101.5,"restDay":false,"running":false,"steps":8123,"user":"anna","version":1}

                """)
    }

    @Test(arguments: ["steps.csv", "steps.json"])
    func `a correction replaces the line of its day`(name: String) async throws {
        let diary = try file(name)
        _ = try await diary.deliver([try payload(), try payload("2014-04-21", steps: 7)])
        let before = try #require(folder.text(name)?.split(separator: "\n"))
        _ = try await diary.deliver([try payload(steps: 9999)])
        let after = try #require(folder.text(name)?.split(separator: "\n"))
        #expect(after.count == before.count)
        #expect(after.count { $0.contains("9999") } == 1)
        #expect(after.last == before.last)
        #expect(try await diary.check() == "2 days in it")
    }

    /// As a program that merges two versions of a file can leave them: a sum would count the day twice.
    @Test(arguments: ["steps.csv", "steps.json"])
    func `a correction replaces all lines of its day`(name: String) async throws {
        let diary = try file(name)
        _ = try await diary.deliver([try payload(), try payload("2014-04-21", steps: 7)])
        let text = try #require(folder.text(name))
        try folder.write(name, text + "my own words\n" + text)
        _ = try await diary.deliver([try payload(steps: 9999)])
        let lines = try #require(folder.text(name)?.split(separator: "\n"))
        #expect(lines.count { $0.contains("2014-04-20") } == 1 && lines.count { $0.contains("9999") } == 1)
        #expect(lines.count { $0.contains("2014-04-21") } == 2 && lines.contains("my own words"), "\(lines)")
    }

    @Test(arguments: ["steps.csv", "steps.json"])
    func `other lines and the file mode stay unchanged`(name: String) async throws {
        try folder.write(name, "# my own words\nnot,a,day\n", mode: 0o640)
        _ = try await file(name).deliver([try payload()])
        #expect(folder.text(name)?.contains("# my own words\nnot,a,day\n") == true)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test(arguments: ["O\"Neil, Anna", "O\"\u{301}Neil, Anna", "=cmd()", "اَلْعَرَبِيَّةُ", "zwei\nZeilen"])
    func `a name with special characters matches its existing line`(user: String) async throws {
        for name in ["steps.csv", "steps.json"] {
            let diary = try file(name)
            for steps in [1, 2] { _ = try await diary.deliver([try payload(steps: steps, user: user)]) }
            #expect(try await diary.check() == "1 day in it", "\(name): \(folder.text(name) ?? "")")
        }
    }

    @Test(arguments: ["steps.csv", "steps.json"])
    func `a file saved by Windows keeps its lines and line ends`(name: String) async throws {
        let diary = try file(name)
        _ = try await diary.deliver([try payload(), try payload("2014-04-21", steps: 7)])
        let text = try #require(folder.text(name))
        try folder.write(name, "\u{feff}" + text.replacing("\n", with: "\r\n"))
        _ = try await diary.deliver([try payload(steps: 9999), try payload("2014-04-22", steps: 3)])
        let lines = try #require(folder.text(name)).unicodeScalars.split(separator: "\n").map(String.init)
        #expect(lines.count == (name == "steps.csv" ? 4 : 3), "\(lines)")
        #expect(lines.allSatisfy { $0.unicodeScalars.last == "\r" })
        // Foundation removes the byte order mark when it reads text.
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name)).starts(with: [0xef, 0xbb, 0xbf]))
        #expect(lines.count { $0.contains("9999") } == 1)
        #expect(try await diary.check() == "3 days in it")
    }

    @Test func `a symbolic link stays a symbolic link`() async throws {
        try folder.write("real.csv", "")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/steps.csv", withDestinationPath: "real.csv")
        _ = try await file("steps.csv").deliver([try payload()])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/steps.csv") == "real.csv")
        #expect(folder.text("real.csv")?.contains("8123") == true)
    }

    @Test func `a link to a file that does not exist yet creates that file`() async throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/steps.csv", withDestinationPath: "later.csv")
        #expect(try file("steps.csv").problems().isEmpty)
        _ = try await file("steps.csv").deliver([try payload()])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/steps.csv") == "later.csv")
        #expect(folder.text("later.csv")?.contains("8123") == true)
    }

    /// To a disk that is not mounted, and to itself.
    @Test(arguments: ["disk/steps.csv", "steps.csv"])
    func `a link that leads nowhere is not replaced`(end: String) async throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/steps.csv", withDestinationPath: end)
        let diary = try file("steps.csv")
        #expect(try await diary.failure(delivering: payload())?.kind == .unreachable)
        #expect(await diary.failureOfCheck()?.kind == .unreachable)
        #expect(diary.problems().count == 1)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/steps.csv") == end)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["steps.csv"])
    }

    @Test func `a directory that is a link without a target is not reached`() async throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/disk", withDestinationPath: "/nowhere/disk")
        for name in ["disk/steps.csv", "disk/sub/steps.csv"] {
            let diary = try file(name)
            let failure = await diary.failure(delivering: try payload())
            #expect(failure?.kind == .unreachable && failure?.advice?.contains("Mount") == true)
            #expect(diary.problems().count == 1)
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/disk") == "/nowhere/disk")
    }

    private func status(_ path: String) throws -> stat {
        var status = stat()
        let result = stat(path, &status)
        try #require(result == 0)
        return status
    }

    @Test(.enabled(if: OtherGroup.id != nil)) func `the file keeps its group`() async throws {
        let path = try folder.write("steps.csv", "", mode: 0o660)
        let group = try #require(OtherGroup.id)
        let result = chown(path, uid_t.max, group)
        try #require(result == 0)
        _ = try await file("steps.csv").deliver([try payload()])
        let status = try status(path)
        #expect(status.st_gid == group && status.st_mode & 0o777 == 0o660)
    }

    /// A file can be given only to a group that the user is in.
    @Test(.enabled(if: geteuid() == 0)) func `the file loses the permissions of a group that it cannot keep`()
        async throws
    {
        let path = try folder.write("steps.csv", "", mode: 0o664)
        let nobody: gid_t = 65_534
        let results = [chown(folder.path, nobody, nobody), chown(path, nobody, 1)]
        try #require(results == [0, 0])
        await #expect(processExitsWith: .success) { [folder = folder.path as String] in
            // In the folder as root directory: a directory above it may be closed to others.
            guard chroot(folder) == 0, chdir("/") == 0, setgroups(0, nil) == 0, setgid(65_534) == 0, setuid(65_534) == 0
            else { exit(1) }
            let path = "/steps.csv"
            try LineFile(path: path).replaceNow { _ in ["day"] }
            var status = stat()
            guard stat(path, &status) == 0, status.st_gid == 65_534, status.st_mode & 0o777 == 0o604 else { exit(2) }
        }
    }

    @Test func `a new file has mode 0600 and its directory is created`() async throws {
        _ = try await file("deep/er/steps.csv").deliver([try payload()])
        let mode =
            try FileManager.default.attributesOfItem(atPath: folder.path + "/deep/er/steps.csv")[.posixPermissions]
            as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/deep/er") == ["steps.csv"])
    }

    @Test func `concurrent deliveries lose no lines`() async throws {
        let diary = try file("steps.csv")
        let start = try #require(Day("2014-01-01"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for back in 0..<40 {
                let one = try payload("\(start.advanced(by: back))")
                group.addTask { _ = try await diary.deliver([one]) }
            }
            try await group.waitForAll()
        }
        #expect(try await diary.check() == "40 days in it")
    }

    @Test func `a folder that another program keeps locked is a temporary failure`() async throws {
        let lock = try FolderLock(folder.path), waiting = Waiting()
        let diary = try file("steps.csv", pause: { waiting.add($0) })
        let failure = try await diary.failure(delivering: payload())
        #expect(failure?.kind == .busy)
        #expect(failure?.reason.hasSuffix("is locked by another program") == true)
        #expect(waiting.total == .seconds(30))
        #expect(folder.text("steps.csv") == nil)
        lock.release()
        #expect(try await diary.failure(delivering: payload()) == nil)
    }

    @Test func `a delivery waits until another program releases the folder`() async throws {
        let lock = try FolderLock(folder.path)
        let diary = try file("steps.csv", pause: { _ in lock.release() })
        _ = try await diary.deliver([try payload()])
        #expect(folder.text("steps.csv")?.contains("8123") == true)
    }

    @Test func `an interrupted wait for the folder is a temporary failure`() async throws {
        let lock = try FolderLock(folder.path)
        let diary = try file("steps.csv", pause: { _ in throw CancellationError() })
        #expect(try await diary.failure(delivering: payload())?.kind == .busy)
        lock.release()
    }

    @Test func `a directory or a binary file is rejected`() async throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/steps.csv", withIntermediateDirectories: false)
        let diary = try file("steps.csv")
        let problem = await failure { _ = try await diary.deliver([try payload()]) }
        #expect(problem?.kind == .misconfigured)
        #expect(problem?.reason.contains("is not a regular file") == true)

        try Data([0xff, 0xfe, 0x00]).write(to: URL(fileURLWithPath: folder.path + "/steps.json"))
        let binary = try file("steps.json")
        #expect(
            await failure { _ = try await binary.deliver([try payload()]) }?.reason.contains("is not UTF-8 text")
                == true)
    }

    @Test func `why the file could not be replaced is reported`() throws {
        let path = folder.path + "/steps.csv"
        try folder.write("steps.csv", "day\n")
        let problem = #expect(throws: ShareFailure.self) {
            try LineFile(path: path).replaceNow { lines in
                // A program puts a folder into the file's place meanwhile.
                unlink(path)
                mkdir(path, 0o700)
                return lines
            }
        }
        #expect(problem?.reason.hasSuffix("cannot be written: Is a directory") == true, "\(problem?.reason ?? "")")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["steps.csv"])
    }

    @Test func `the format follows from the file name or the format key`() throws {
        #expect(throws: (any Error).self) { try file("steps.txt") }
        #expect(try file("steps.txt", "format = \"csv\"").preview([try payload()]).hasPrefix("2014-04-20,anna"))
        #expect(try file("steps.csv", "format = \"json\"").preview([try payload()]).hasPrefix("{"))
    }
}

/// A group that this user can give a file to, other than that of a new file; nil if there is none.
private enum OtherGroup {
    static let id: gid_t? = {
        if geteuid() == 0 { return 1 }
        var groups = [gid_t](repeating: 0, count: 256)
        let count = getgroups(Int32(groups.count), &groups)
        return groups.prefix(max(0, Int(count))).first { $0 != getegid() }
    }()
}

/// The lock of another program on a folder.
private final class FolderLock: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    deinit { close(descriptor) }

    func release() { _ = flock(descriptor, LOCK_UN) }
}

/// How long a destination has waited.
private final class Waiting: Sendable {
    private let waited = Mutex(Duration.zero)

    var total: Duration { waited.withLock { $0 } }
    func add(_ pause: Duration) { waited.withLock { $0 += pause } }
}
