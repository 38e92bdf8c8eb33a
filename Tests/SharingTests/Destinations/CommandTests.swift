import Foundation
import StepDomain
import Testing

@testable import Sharing

@Suite(.timeLimit(.minutes(5))) struct CommandTests {
    private let folder: Folder

    /// istep's own environment, with secrets of other destinations and of the session.
    private static let environment = [
        "PATH": "/usr/bin:/bin", "HOME": "/home/anna", "LANG": "de_DE.UTF-8", "LC_TIME": "C.UTF-8",
        "TZ": "Europe/Berlin",
        "XDG_RUNTIME_DIR": "/run/user/1000", "DIARY_TOKEN": "s3cret", "MY_TOKEN": "mine", "MY_EMPTY": "",
        "LC_TOKEN": "s3cret",
        "XDG_TOKEN": "s3cret", "CREDENTIALS_DIRECTORY": "/run/credentials/s3cret",
        "https_proxy": "http://a:s3cret@proxy:3128",
        "SSH_AUTH_SOCK": "/tmp/s3cret", "LD_PRELOAD": "",
    ]

    /// The environment that the program got, by name.
    private func environment(_ keys: String = "") async throws -> [String: String] {
        // Read from /proc, because a shell adds variables, such as PWD.
        let mine = try command(
            "tr '\\0' '\\n' < /proc/$$/environ > \(folder.path)/environment", keys, environment: Self.environment)
        _ = try await mine.deliver([try payload()])
        let lines = try #require(folder.text("environment")).split(separator: "\n")
        return Dictionary(
            lines.map { line in
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), String(parts[1]))
            }
        ) { $1 }
    }

    @Test func `a program gets no secret that it is not meant to have`() async throws {
        #expect(
            try await environment() == [
                "PATH": "/usr/bin:/bin", "HOME": "/home/anna", "LANG": "de_DE.UTF-8", "LC_TIME": "C.UTF-8",
                "TZ": "Europe/Berlin",
                "XDG_RUNTIME_DIR": "/run/user/1000",
            ])
    }

    @Test func `a program gets the variables that its table lists`() async throws {
        let found = try await environment(#"environment = ["MY_TOKEN", "MY_EMPTY", "CREDENTIALS_DIRECTORY"]"#)
        #expect(
            found["MY_TOKEN"] == "mine" && found["MY_EMPTY"] == ""
                && found["CREDENTIALS_DIRECTORY"] == "/run/credentials/s3cret")
        #expect(found["DIARY_TOKEN"] == nil && found["https_proxy"] == nil)
    }

    @Test func `a variable that is listed and not set keeps the program from being run`() async throws {
        let mine = try command("exit 0", #"environment = ["MY_OTHER"]"#)
        #expect(mine.problems() == ["the variable MY_OTHER, which `environment` lists, is not set"])
        let failure = try #require(await failure { _ = try await mine.deliver([try payload()]) })
        #expect(failure.kind == .misconfigured && failure.advice?.contains("where istep is started") == true)
        #expect(folder.text("input") == nil)
    }

    @Test(arguments: [#"["MY_TOKEN=s3cret"]"#, #"["1A"]"#, #"["A-B"]"#, #"["Ä"]"#, "[7]", "true"])
    func `a value that is no list of names is refused and not printed`(value: String) throws {
        let problems = Fixture.problems(
            "[share.mine]\nkind = \"command\"\ncommand = [\"/bin/true\"]\nenvironment = \(value)")
        #expect(problems.count == 1)
        #expect(
            problems.first?.contains("names of variables") == true && problems.first?.contains("s3cret") == false,
            "\(problems)")
    }

    init() throws { folder = try Folder() }

    /// A program that stores its input, and then runs the test's script.
    ///
    /// The shell runs it: a file that was just written cannot be executed while a child of another test still has it
    /// open.
    private func command(
        _ script: String, _ keys: String = "", arguments: String = "",
        environment: [String: String] = ["PATH": "/usr/bin:/bin"]
    ) throws -> any ShareDestination {
        let program = try folder.write("program", "#!/bin/sh\ncat >> \(folder.path)/input\n\(script)\n", mode: 0o700)
        return try destination(
            "[share.mine]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"\(program)\"\(arguments)]\n\(keys)",
            environment: environment)
    }

    @Test func `a program reads the day as JSON from standard input`() async throws {
        _ = try await command("exit 0").deliver([try payload(isConfirmed: true)])
        let input = try #require(folder.text("input")?.data(using: .utf8))
        let document = try #require(try JSONSerialization.jsonObject(with: input) as? [String: Any])
        #expect(document["steps"] as? Int == 8123)
        #expect(document["destination"] as? String == "mine")
        #expect(document["correction"] as? Bool == true)
        #expect(document["pedometers"] == nil)
    }

    @Test func `the input contains samples if the table requests them`() async throws {
        _ = try await command("exit 0", "samples = true").deliver([try payload()])
        let input = try #require(folder.text("input"))
        #expect(
            input.contains(
                #""samples":[{"distanceMetres":5900.4,"seconds":900,"start":"2014-04-20T08:00:00+02:00","steps":8123}]"#
            ), "\(input)")
    }

    @Test(arguments: [
        (65, ShareFailure.Kind.rejected), (75, .busy), (77, .credentials), (78, .misconfigured), (1, .unanswered),
        (127, .unanswered),
    ])
    func `the exit code of the program determines the kind of failure`(code: Int, kind: ShareFailure.Kind) async throws
    {
        let mine = try command("echo first >&2; echo 'no such\u{1b}[2J account' >&2; exit \(code)")
        let failure = try #require(await failure { _ = try await mine.deliver([try payload()]) })
        #expect(failure.kind == kind)
        #expect(failure.reason == "\"sh\" ended with code \(code): no such?[2J account")
    }

    /// Wherever the line is cut: at 200 characters, or because only the end of a long output is read.
    @Test func `the values of listed variables are not shown`() async throws {
        let environment = [
            "PATH": "/usr/bin:/bin", "MY_TOKEN": "t0ps3cret-t0ps3cret", "MY_KEY": "first\nk3ylines\n", "MY_FLAG": "1",
        ]
        let line = String(repeating: "x", count: 190)
        for script in [
            "echo \(line) $MY_TOKEN >&2", "echo \"1 $MY_KEY\" >&2",
            "printf '%s' $MY_TOKEN >&2; head -c 16374 /dev/zero | tr '\\0' x >&2; echo >&2",
        ] {
            let mine = try command(
                script + "; exit 65", #"environment = ["MY_TOKEN", "MY_KEY", "MY_FLAG"]"#, environment: environment)
            let reason = await failure { _ = try await mine.deliver([try payload()]) }?.reason ?? ""
            #expect(reason.hasPrefix("\"sh\" ended with code 65"), "\(reason)")
            #expect(!reason.contains("t0p") && !reason.contains("k3y"), "\(reason)")
        }
        let mine = try command(
            "echo 1 of $MY_TOKEN >&2; exit 65", #"environment = ["MY_TOKEN", "MY_FLAG"]"#, environment: environment)
        #expect(
            await failure { _ = try await mine.deliver([try payload()]) }?.reason
                == "\"sh\" ended with code 65: 1 of \(TestSecret.bullets)")
    }

    @Test func `a program ended by a signal leaves the result unknown`() async throws {
        let mine = try command("kill -9 $$")
        #expect(await failure { _ = try await mine.deliver([try payload()]) }?.kind == .unanswered)
    }

    @Test func `arguments are not interpreted by a shell`() async throws {
        let mine = try command(
            "printf '%s' \"$2\" > \(folder.path)/second", arguments: #", "a", "$(touch \#(folder.path)/x); 'b'""#)
        _ = try await mine.deliver([try payload(user: "'; touch \(folder.path)/x #")])
        #expect(folder.text("second") == "$(touch \(folder.path)/x); 'b'")
        #expect(folder.text("x") == nil)
    }

    @Test func `a program that exceeds its timeout is terminated`() async throws {
        let mine = try command(
            "trap 'echo tidy >> \(folder.path)/input; exit 1' TERM; while :; do sleep 0.1; done", "timeout = 5")
        let failure = try #require(await failure { _ = try await mine.deliver([try payload()]) })
        #expect(failure.kind == .unanswered)
        #expect(failure.reason.contains("did not end within 5 s"))
        #expect(folder.text("input")?.hasSuffix("tidy\n") == true)
    }

    @Test func `a background child of the program does not delay the delivery`() async throws {
        _ = try await command("sleep 50 & echo $! > \(folder.path)/child; exit 0").deliver([try payload()])
        let child = try #require(
            folder.text("child").flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
        kill(child, SIGKILL)
    }

    @Test func `a program may ignore its input`() async throws {
        let mine = try destination("[share.mine]\nkind = \"command\"\ncommand = [\"/bin/true\"]")
        _ = try await mine.deliver([try payload(user: String(repeating: "a", count: 64))])
    }

    @Test func `a missing program is reported as a configuration problem`() async throws {
        let mine = try destination("[share.mine]\nkind = \"command\"\ncommand = [\"\(folder.path)/none\"]")
        #expect(mine.problems() == ["the program \"\(folder.path)/none\" cannot be run: No such file or directory"])
        #expect(await failure { _ = try await mine.deliver([try payload()]) }?.kind == .misconfigured)
    }

    @Test func `a day is sent again only to an idempotent program`() throws {
        #expect(try command("").traits.resending == .repeats)
        #expect(try !command("").traits.corrects)
        #expect(try command("", "idempotent = true").traits.resending == .replaces)
        #expect(try command("", "idempotent = true").traits.isSequential, "its copies would write one file at once")
    }
}
