import Settings
import Testing

@Suite(.timeLimit(.minutes(5))) struct SecretKeyTests {
    private func read(_ keys: String, isRequired: Bool = true) throws -> (source: SecretSource?, message: String?) {
        var reader = try reader("[share.garden]\n" + keys)
        let source = reader.secret("token", isRequired: isRequired)
        do throws(SettingsProblems) { try reader.finish() } catch { return (source, error.description) }
        return (source, nil)
    }

    @Test(
        arguments: [
            ("token_file = '/etc/istep/token'", .file("/etc/istep/token")),
            ("token_file = '~/token'", .file("/home/ada/token")),
            ("token_env = 'GARDEN_TOKEN_2'", .environment("GARDEN_TOKEN_2")), ("token_env = '_'", .environment("_")),
            ("token_credential = 'garden.token'", .credential("garden.token")),
        ] as [(String, SecretSource)])
    func `a secret comes from a file, a variable or a credential`(keys: String, expected: SecretSource) throws {
        let (source, message) = try read(keys)
        #expect(source == expected)
        #expect(message == nil)
    }

    @Test(arguments: [
        (
            "token = 's3cret'",
            "line 2: `share.garden.token` must not be in the configuration file; put it into a file "
                + "of its own with mode 0600, and name that file by `token_file`"
        ),
        (
            "token = 12345",
            "line 2: `share.garden.token` must not be in the configuration file; put it into a file "
                + "of its own with mode 0600, and name that file by `token_file`"
        ),
        (
            "\ntoken_file = '/a'\ntoken = 's3cret'",
            "line 4: `share.garden.token` must not be in the configuration file; put it into a file "
                + "of its own with mode 0600, and name that file by `token_file`"
        ),
        (
            "token_env = 'A'\ntoken_file = '/a'",
            "line 3: [share.garden] has `token_file` and `token_env`; use only one of them"
        ),
        (
            "token_env = 'A'\ntoken_file = '/a'\ntoken_credential = 's3cret'",
            "line 4: [share.garden] has `token_file`, `token_env` and `token_credential`; use only one of them"
        ),
        (
            "",
            "line 1: [share.garden] lacks `token_file`, which has to be the path of a file with mode 0600 "
                + "that contains only the token; or use `token_env` or `token_credential`"
        ),
        (
            "token_file = 's3cret'",
            "line 2: `share.garden.token_file` has to be a file with only the token in it, a path that starts with / or ~/"
        ),
        (
            "token_file = 3",
            "line 2: `share.garden.token_file` has to be a text: a file with only the token in it, "
                + "a path that starts with / or ~/, not a number"
        ),
        (
            "token_credential = '../s3cret'",
            "line 2: `share.garden.token_credential` has to be the name of a file in $CREDENTIALS_DIRECTORY"
        ),
        (
            "token_credential = '..'",
            "line 2: `share.garden.token_credential` has to be the name of a file in $CREDENTIALS_DIRECTORY"
        ),
        (
            "tokenfile = 's3cret'\ntoken_env = 'A'",
            "line 2: unknown key \"tokenfile\" in [share.garden]; did you mean `token_file`?"
        ),
        (
            "Token = 's3cret'\ntoken_env = 'A'",
            "line 2: unknown key \"Token\" in [share.garden]; did you mean `token_env`?"
        ),
    ])
    func `an invalid secret key is reported without the secret`(keys: String, expected: String) throws {
        let (_, message) = try read(keys)
        #expect(message == "\"c.toml\", " + expected)
        #expect(message?.contains("s3cret") == false)
    }

    @Test(arguments: ["ghp_s3cret", "s3cret", "A-B", "2A", "Ä", "A=B", ""])
    func `a secret variable must have a valid name in capitals`(name: String) throws {
        let (source, message) = try read("token_env = '\(name)'")
        #expect(source == nil)
        #expect(
            message
                == "\"c.toml\", line 2: `share.garden.token_env` has to be the name of an environment variable, in capitals, such as ISTEP_TOKEN"
        )
    }

    @Test func `an optional secret that is absent is nil`() throws {
        let (source, message) = try read("", isRequired: false)
        #expect(source == nil && message == nil)
        #expect(try read("token = 's3cret'", isRequired: false).message != nil)
    }

    @Test func `later errors about a secret key do not show its value`() throws {
        var reader = try reader("[share.garden]\ntoken_file = '/s3cret'\ntoken = 's3cret'")
        let source = reader.secret("token", isRequired: true)
        #expect(source == nil)
        reader.refuse("token", expected: "something else")
        reader.refuse("token_file", expected: "something else")
        let error = #expect(throws: SettingsProblems.self) { try reader.finish() }
        #expect(error?.description.contains("s3cret") == false)
    }
}
