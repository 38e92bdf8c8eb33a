import Foundation
import StepDatabase
import StepDomain
import StepViews
import Testing
import WebTestSupport

@testable import istep

/// Faults in the user's files and settings rather than the radio: the history, the configuration, destinations, the
/// command line.
extension DoctorTests {
    // MARK: The history

    @Test func `a history readable by others is reported with a fix`() async throws {
        try await live { home in
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: history(home))
            let report = try await doctor(home, "--no-radio")
            #expect(report.status == 0)
            #expect(report["permissions"]?.fix == "chmod 600 \(history(home))")
        }
    }

    /// A lock that root created earlier keeps the owner out, and root can detect this.
    @Test(.enabled(if: geteuid() == 0, "only root looks after others"))
    func `a lock file that the history owner cannot open is a fault`()
        async throws
    {
        try await live { home in
            #expect(try await doctor(home, "--no-radio").severities("permissions") == ["fine"])
            try #require(chown(history(home), 4711, 4711) == 0)
            let report = try await doctor(home, "--no-radio")
            #expect(report.status == 77, "\(report)")
            #expect(report["permissions"]?.fix == "sudo chown --reference=\(history(home)) \(history(home)).lock")
        }
    }

    @Test func `the doctor leaves no files next to the history`() async throws {
        try await live { home in
            let folder = (history(home) as NSString).deletingLastPathComponent
            for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".lock") {
                try FileManager.default.removeItem(atPath: folder + "/" + file)
            }
            #expect(try await doctor(home).severities("pedometer") == ["fine"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["history.sqlite"])
        }
    }

    @Test func `a damaged history is a fault and other checks continue`() async throws {
        try await live { home in
            let file = try #require(FileHandle(forUpdatingAtPath: history(home)))
            let size = try file.seekToEnd()
            try file.seek(toOffset: 4096)
            try file.write(contentsOf: Data(repeating: 0x5a, count: Int(size) - 4096))
            try file.close()
            let report = try await doctor(home)
            #expect(report.status == 65)
            #expect(report.severities("history").allSatisfy { $0 == "fault" })
            #expect(report.severities("power") == ["fine"], "the other checks run nevertheless")
            #expect(!report.text.contains("no pedometer has been added"), "who knows")
        }
    }

    @Test func `a file that is not a history is a fault`() async throws {
        try await live { home in
            try Data("precious".utf8).write(to: URL(fileURLWithPath: home.folder.path + "/mine.txt"))
            let report = try await doctor(home, "--db", home.folder.path + "/mine.txt", "--no-radio")
            #expect(report.status == 65)
            #expect(report.severities("history") == ["fault"])
        }
    }

    // MARK: The configuration

    @Test func `an invalid configuration is reported and other checks continue`() async throws {
        try await live { home in
            try home.folder.configure("timeout = \"long\"\ncolour = 3\n[share.garden]\nkind = \"nonsense\"\n")
            let report = try await doctor(home)
            #expect(report.status == 78)
            #expect(report.severities("configuration") == ["fault", "fault", "fault"], "\(report)")
            #expect(report.severities("pedometer") == ["fine"], "the other checks run nevertheless")
        }
    }

    @Test func `a configuration writable by others is a warning`() async throws {
        try await live { home in
            try home.folder.configure("timeout = 5\n")
            let path = home.folder.path + "/config/istep/config.toml"
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
            let report = try await doctor(home, "--no-radio")
            #expect(report.severities("configuration") == ["warning"])
        }
    }

    // MARK: Destinations

    private func withServer(
        _ answer: @escaping @Sendable (ReceivedRequest) -> Answer, _ body: (Household, String) async throws -> Void
    ) async throws {
        let server = try LoopbackServer.start(answer)
        defer { server.stop() }
        try await live { home in try await body(home, server.url) }
    }

    private func token(_ home: Household, mode: Int = 0o600) throws {
        let path = home.folder.path + "/token"
        try Data("secret-token\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func garden(_ url: String) -> String {
        "[share.garden]\nkind = \"home-assistant\"\nurl = \"\(url)\"\ninsecure = true\nstatistics = false\ntoken_file = \"FOLDER/token\"\n"
    }

    @Test func `a destination that refuses the token gives exit code 77`() async throws {
        try await withServer({ _ in .reply(status: 401) }) { home, url in
            try token(home)
            try home.folder.configure(garden(url))
            let report = try await doctor(home, "--no-radio")
            #expect(report.status == 77, "\(report)")
            #expect(report["destination"]?.subject == "garden")
            #expect(
                report["destination"]?.message.contains("(credentials: the file \"\(home.folder.path)/token\")") == true
            )
            #expect(report["destination"]?.category == "permission")
            #expect(!report.text.contains("secret-token"))
        }
    }

    @Test func `a destination that is down gives exit code 75`() async throws {
        let port = try UnansweredPort.refusing()
        try await live { home in
            try token(home)
            try home.folder.configure(garden(port.url))
            let report = try await doctor(home, "--no-radio")
            #expect(report.status == 75, "\(report)")
            #expect(report["destination"]?.category == "temporary")
        }
    }

    @Test func `a destination that answers is reported as fine`() async throws {
        try await withServer({ request in
            request.method == "GET"
                ? .json(#"{"message":"API running."}"#) : .json(#"{"message":"Invalid JSON specified."}"#, status: 400)
        }) { home, url in
            try token(home)
            try home.folder.configure(garden(url))
            #expect(try await doctor(home, "--no-radio").severities("destination") == ["fine"])
        }
    }

    @Test func `a token readable by others gives exit code 78`() async throws {
        try await withServer({ _ in .json("{}") }) { home, url in
            try token(home, mode: 0o644)
            try home.folder.configure(garden(url))
            let report = try await doctor(home, "--no-radio")
            #expect(report.status == 78)
            #expect(report["destination"]?.message.contains("chmod 600") == true)
        }
    }

    /// Only the service receives what systemd gives it: no other program can check it.
    @Test func `a destination with a service credential is skipped`() async throws {
        try await live { home in
            try home.folder.configure(
                """
                [share.garden]
                kind = "rest"
                url = "https://127.0.0.1:1/"
                token_credential = "istep_garden"
                """)
            let report = try await doctor(home)
            #expect(report.status == 0, "\(report)")
            #expect(report.severities("destination") == ["skipped"])
        }
    }

    // MARK: Other cases

    @Test func `an invalid option value gives exit code 64`() async throws {
        try await live { home in
            for slip in [["--user", "nobody"], ["--timeout", "0"], ["--adapter", "a b"]] {
                let result = try await home.istep.run(["doctor", "--no-radio"] + slip)
                #expect(result.status == 64, "\(slip): \(result.status) \(result.output)")
            }
        }
    }

    @Test func `the help lists the exit codes`() async throws {
        let help = try await Command(folder: try Folder())("doctor", "--help").output
        let codes = try #require(
            help.split(separator: "\n\n").first { $0.hasPrefix("Exit code 0") || $0.contains("\nExit code 0") }
        )
        .split { !$0.isNumber }.compactMap { Int32($0) }
        for category in FailureCategory.allCases where category != .usage {
            #expect(codes.contains(category.exitCode), "\(category)")
        }
    }

    @Test func `a directory is rejected as a history`() async throws {
        let folder = try Folder()
        let result = try await Command(folder: folder)("doctor", "--json", "--no-radio", "--db", folder.path)
        let report = Report(result)
        #expect(report.severities("history") == ["fault"])
        #expect(report["history"]?.message.contains("directory") == true)
        #expect(!result.output.contains("chmod"), "that would close the directory")
    }

    @Test func `network checks are skipped on request`() async throws {
        try await withServer({ _ in .reply(status: 401) }) { home, url in
            try token(home)
            try home.folder.configure(garden(url))
            let report = try await doctor(home, "--no-radio", "--no-network")
            #expect(report.status == 0)
            #expect(report.severities("destination") == ["skipped"])
        }
    }
}
