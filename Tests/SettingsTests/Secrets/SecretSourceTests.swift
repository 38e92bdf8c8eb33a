import Foundation
import Settings
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct SecretSourceTests {
    /// What loading throws, with the directory of the test written as ROOT.
    private func message(_ source: SecretSource, _ machine: Machine) -> String? {
        do throws(SecretError) { _ = try source.load(environment: machine.environment) } catch {
            return error.description.replacingOccurrences(of: machine.root, with: "ROOT")
        }
        return nil
    }

    @Test(arguments: ["tøken-1", "tøken-1\n", "tøken-1\r\n", "tøken-1\n\n"])
    func `line ends at the end of a secret file are removed`(text: String) throws {
        try withMachine { machine in
            let path = machine.root + "/token"
            for mode in [0o600, 0o400, 0o700] {
                try? FileManager.default.removeItem(atPath: path)
                try machine.write(text, to: path, mode: mode)
                #expect(try SecretSource.file(path).load(environment: [:]) == Secret("tøken-1"))
            }
            try machine.write("renewed", to: path)
            #expect(try SecretSource.file(path).load(environment: [:]).reveal() == "renewed")
        }
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o660, 0o666, 0o777])
    func `a secret file that is accessible to others is rejected`(mode: Int) throws {
        try withMachine { machine in
            try machine.write("s3cret", to: machine.root + "/a token", mode: mode)
            #expect(
                message(.file(machine.root + "/a token"), machine) == "the file \"ROOT/a token\" contains a secret, "
                    + "but is accessible to others (mode 0\(String(mode, radix: 8))); run `chmod 600 'ROOT/a token'`")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `a secret file of another user is rejected`() throws {
        try withMachine { machine in
            let path = machine.root + "/token"
            try machine.write("s3cret", to: path)
            try #require(chown(path, 4711, gid_t.max) == 0)
            #expect(
                message(.file(path), machine)
                    == "the file \"ROOT/token\" with a secret belongs to another user (4711), "
                    + "who can read and change it; run `sudo chown \"$(id -u)\" ROOT/token`")
        }
    }

    @Test func `a missing or irregular secret file is reported`() throws {
        try withMachine { machine in
            let pipe = machine.root + "/pipe", directory = machine.root + "/directory"
            try #require(mkfifo(pipe, 0o600) == 0)
            try #require(mkdir(directory, 0o700) == 0)
            #expect(
                message(.file(machine.root + "/none"), machine)
                    == "the file \"ROOT/none\", which should contain a secret, does not exist; create it with mode 0600"
            )
            #expect(
                message(.file(pipe), machine)
                    == "\"ROOT/pipe\" is not a regular file; put the secret into a regular file with mode 0600")
            #expect(
                message(.file(directory), machine)
                    == "cannot read the file \"ROOT/directory\" with a secret: Is a directory")
        }
    }

    @Test(arguments: [
        ("", "is empty; put the token or password into it, and nothing else"),
        ("\n", "is empty; put the token or password into it, and nothing else"),
        (
            "s3cret\ns3cret",
            "has several lines or invisible characters in it; put only the token or password into it, on one line"
        ),
        (
            "\u{FEFF}s3cret",
            "has several lines or invisible characters in it; put only the token or password into it, on one line"
        ),
        (
            "s3cret\u{7F}",
            "has several lines or invisible characters in it; put only the token or password into it, on one line"
        ),
        (
            "s3cret\0",
            "has several lines or invisible characters in it; put only the token or password into it, on one line"
        ),
        (
            String(repeating: "x", count: 4097),
            "has more than 4 KiB, which is too long for a token or password; put only that into it"
        ),
    ])
    func `an invalid secret is reported without showing it`(text: String, expected: String) throws {
        try withMachine(["CREDENTIALS_DIRECTORY": "ROOT/credentials", "ISTEP_TOKEN": text]) { machine in
            try machine.write(text, to: machine.root + "/token")
            try machine.write(text, to: machine.root + "/credentials/garden", mode: 0o440)
            #expect(message(.file(machine.root + "/token"), machine) == "the file \"ROOT/token\" " + expected)
            #expect(message(.credential("garden"), machine) == "the credential \"garden\" " + expected)
            if !text.isEmpty {
                #expect(
                    message(.environment("ISTEP_TOKEN"), machine) == "the environment variable ISTEP_TOKEN " + expected)
            }
        }
    }

    @Test func `a secret file that is not UTF-8 text is reported`() throws {
        try withMachine { machine in
            try machine.write(Data([0x73, 0xFF]), to: machine.root + "/token")
            #expect(
                message(.file(machine.root + "/token"), machine)
                    == "the file \"ROOT/token\" is not UTF-8 text; write the token or password again")
        }
    }

    @Test func `a secret of 4096 bytes is accepted`() throws {
        let longest = String(repeating: "x", count: 4096)
        #expect(try SecretSource.environment("T").load(environment: ["T": longest]).reveal() == longest)
    }

    @Test(arguments: [[:], ["ISTEP_TOKEN": ""]])
    func `an unset or empty variable for a secret is reported`(environment: [String: String]) throws {
        try withMachine(environment) { machine in
            #expect(
                message(.environment("ISTEP_TOKEN"), machine) == "the environment variable ISTEP_TOKEN, which should "
                    + "contain a secret, is not set; where a service runs istep, set it there")
        }
    }

    @Test func `a group-readable credential is read from the credentials directory`() throws {
        try withMachine(["CREDENTIALS_DIRECTORY": "ROOT/credentials"]) { machine in
            try machine.write("s3cret\n", to: machine.root + "/credentials/garden", mode: 0o440)
            #expect(try SecretSource.credential("garden").load(environment: machine.environment).reveal() == "s3cret")
            #expect(
                message(.credential("pond"), machine)
                    == "the file \"ROOT/credentials/pond\", which should contain a secret, does not exist; create it with mode 0600"
            )
        }
    }

    @Test(arguments: [[:], ["CREDENTIALS_DIRECTORY": ""], ["CREDENTIALS_DIRECTORY": "credentials"]])
    func `a credential requires the credentials directory of systemd`(environment: [String: String]) throws {
        try withMachine(environment) { machine in
            #expect(
                message(.credential("garden"), machine)
                    == "there is no CREDENTIALS_DIRECTORY with the credential \"garden\"; "
                    + "systemd creates it: run istep in a unit with LoadCredential=")
        }
    }

    /// In a child process, which gives up root's privileges: root can read everything.
    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func `a secret file is read with the permissions of the effective user`() async throws {
        let path = NSTemporaryDirectory() + "istep-tests-" + UUID().uuidString
        try Data("s3cret".utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        defer { unlink(path) }
        await #expect(processExitsWith: .success) { [path = path as String] in
            let file = SecretSource.file(path)
            try #require(seteuid(65_534) == 0)
            let error = #expect(throws: SecretError.self) { try file.load(environment: [:]) }
            guard error == .unreadable(path: path, reason: "Permission denied") else { exit(1) }
            try #require(seteuid(0) == 0)
            try #require(chown(path, 65_534, gid_t.max) == 0)
            try #require(seteuid(65_534) == 0)
            guard try file.load(environment: [:]) == Secret("s3cret") else { exit(2) }
        }
    }

    @Test(arguments: ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "8FJ3KD93MDKE72", "SECRETTOKEN123", "0123456789"])
    func `a token in the place of a variable's name is not shown`(token: String) {
        #expect(!"\(SecretError.noVariable(token))".contains(token))
        #expect(!"\(SecretError.empty(.environment(token)))".contains(token))
    }
}
