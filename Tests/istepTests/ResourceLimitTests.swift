import Foundation
import StepViews
import Testing

/// Limits of threads, files and memory (setrlimit(2)) under which Swift's runtime would hang, or end by a signal.
@Suite(.timeLimit(.minutes(5))) struct ResourceLimitTests {
    /// Runs the program by util-linux's prlimit.
    private func run(_ limit: String, _ arguments: [String] = ["--version"], by launcher: String = "") async throws
        -> Command.Result
    {
        let command = try Command(folder: Folder())
        return try await command.start(arguments, by: "\(launcher) prlimit \(limit) --").result
    }

    /// A user without other processes. The limit of processes does not hold for root, so a test that runs as root
    /// becomes another user, who can still read the program wherever it is.
    private static let ordinaryUser =
        geteuid() == 0
        ? "setpriv --reuid=\(1_000_000_000 + getpid()) --regid=65534 --clear-groups --inh-caps=-all,+dac_read_search --ambient-caps=+dac_read_search"
        : ""

    @Test(arguments: [1, 2, 3, 4]) func `too few threads give exit code 71`(_ limit: Int) async throws {
        let result = try await run("--nproc=\(limit)", by: Self.ordinaryUser)
        #expect(result.status == 71, "\(result.error)")
        #expect(result.error.contains("the limit is \(limit) processes") && result.error.contains("ulimit -u"))
    }

    @Test(arguments: [4, 6, 8, 16]) func `too few files give exit code 71`(_ limit: Int) async throws {
        let result = try await run("--nofile=\(limit)")
        #expect(result.status == 71, "\(result.error)")
        #expect(result.error.contains("the limit is \(limit) open files") && result.error.contains("ulimit -n"))
    }

    /// The lowest limit that is accepted is enough.
    @Test func `a command runs with few files`() async throws {
        let command = try Command(folder: Folder())
        for arguments in [["plan", "8000"], ["show"], ["backup"]] {
            let result = try await command.start(arguments, by: "prlimit --nofile=36 --").result
            #expect(result.status == 0, "\(result.error)")
        }
    }

    /// With very little, the dynamic loader fails before the program begins: by its message and 127, or by a signal.
    @Test func `no limit of memory makes a command hang`() async throws {
        var ends: Set<Int32> = []
        for mebibytes in stride(from: 20, through: 420, by: 20) {
            let result = try await run("--as=\(mebibytes << 20)")
            ends.insert(result.status)
            guard result.status == 71 else { continue }
            #expect(result.error.contains("the limit is \(mebibytes << 10) KiB") && result.error.contains("ulimit -v"))
        }
        #expect(ends.contains(71) && ends.contains(0), "\(ends)")
        #expect(ends.isSubset(of: [0, 71, 127, 128 + SIGSEGV, 128 + SIGBUS]), "\(ends)")
    }

    @Test func `a document says so, too`() async throws {
        let result = try await run("--nofile=8", ["show", "--json"])
        let failure = result.json["error"] as? [String: Any]
        #expect(
            result.status == 71 && failure?["category"] as? String == "resources" && failure?["exitCode"] as? Int == 71)
    }
}
