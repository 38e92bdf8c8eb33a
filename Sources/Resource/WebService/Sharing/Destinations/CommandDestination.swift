internal import Foundation
internal import HTTP
internal import Settings
internal import StepDomain
internal import Subprocess
internal import Support
internal import SystemPackage

/// A user's program that reads a day as JSON from its standard input: for any service that istep has no destination
/// for.
///
/// It is run without a shell, so that nothing in a name is ever a command. The example below explains the program's
/// exit codes.
struct CommandDestination: ConfiguredDestination {
    let context: DestinationContext
    /// The program and its arguments.
    let command: [String]
    /// Names of variables that the program gets besides those of `ProgramEnvironment.always`.
    let variables: [String]
    let isIdempotent: Bool
    let includesSamples: Bool
    let timeout: Duration

    var location: String { command.map { shellQuoted($0) }.joined(separator: " ") }

    var traits: ShareTraits {
        ShareTraits(
            resending: isIdempotent ? .replaces : .repeats, corrects: isIdempotent, acceptsUnfinishedDays: isIdempotent,
            includesSamples: includesSamples, isSequential: true)
    }

    func preview(_ payloads: [SharePayload]) -> String {
        payloads.map { "\(location) <<'END'\n\(document($0))\nEND" }.joined(separator: "\n")
    }

    private func document(_ payload: SharePayload) -> String {
        json(CommandDocument(payload: payload, destination: name, includesSamples: includesSamples))
    }

    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        for payload in payloads { try await run(document(payload)) }
        return payloads.map { _ in ShareReceipt() }
    }

    func problems() -> [String] { failures.map(\.reason) }

    /// Reasons why the program cannot be run.
    private var failures: [ShareFailure] {
        var failures: [ShareFailure] = []
        if access(command[0], X_OK) != 0 {
            failures.append(
                ShareFailure(
                    .misconfigured,
                    "the program \(quoted(command[0])) cannot be run: \(String(cString: strerror(errno)))",
                    advice: "Make it executable, or change `command`."))
        }
        for name in variables where context.environment.variables[name] == nil {
            failures.append(
                ShareFailure(
                    .misconfigured, "the variable \(name), which `environment` lists, is not set",
                    advice: "Set it where istep is started, or remove it from `environment`."))
        }
        return failures
    }

    /// The program is not run: only the user knows what it does.
    func check() async throws(ShareFailure) -> String {
        if let failure = failures.first { throw failure }
        return "the program is there"
    }

    // MARK: Running

    /// Maximum bytes of its standard error that are read, from the end.
    private static let stderrLimit = 16 * 1024

    private func run(_ input: String) async throws(ShareFailure) {
        if let failure = failures.first { throw failure }
        let outcome = await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await launch(input) }
            group.addTask { [timeout] in
                try? await Task.sleep(for: timeout)
                return .outOfTime
            }
            let first = await group.next() ?? .outOfTime
            group.cancelAll()  // ends the program, if it still runs
            return first
        }
        try evaluate(outcome)
    }

    private enum Outcome: Sendable {
        case exited(Int, errorOutput: String)
        case signalled
        case notStarted(String)
        /// It was started, but its result is not known.
        case lost(String)
        case outOfTime
    }

    private func launch(_ input: String) async -> Outcome {
        // Files, not pipes: a program need not read all of its input, and a child process that it leaves behind keeps
        // no pipe open.
        guard let file = tmpfile() else { return .notStarted(String(cString: strerror(errno))) }
        defer { fclose(file) }
        guard let errorOutput = tmpfile() else { return .notStarted(String(cString: strerror(errno))) }
        defer { fclose(errorOutput) }
        guard fputs(input + "\n", file) >= 0, fflush(file) == 0, fseek(file, 0, SEEK_SET) == 0 else {
            return .notStarted(String(cString: strerror(errno)))
        }
        var options = PlatformOptions()
        // The program may first shut down gracefully; then it is killed.
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
        do {
            let result = try await Subprocess.run(
                .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())),
                environment: .custom(
                    ProgramEnvironment.variables(of: context.environment.variables, besides: variables)
                        .reduce(into: [:]) { $0[.init(stringLiteral: $1.key)] = $1.value }),
                platformOptions: options,
                input: .fileDescriptor(.init(rawValue: fileno(file)), closeAfterSpawningProcess: false),
                output: .discarded,
                error: .fileDescriptor(.init(rawValue: fileno(errorOutput)), closeAfterSpawningProcess: false))
            switch result.terminationStatus {
            case .exited(let code): return .exited(Int(code), errorOutput: lastLine(of: errorOutput))
            case .signaled: return .signalled
            }
        } catch let error as SubprocessError where [.spawnFailed, .executableNotFound].contains(error.code) {
            return .notStarted(error.underlyingError.map { "\($0)" } ?? "\(error)")
        } catch {
            return Task.isCancelled ? .outOfTime : .lost("\(error)")
        }
    }

    /// The last line of its standard error, for the user, without the values of `environment`, which a program may
    /// print.
    private func lastLine(of file: UnsafeMutablePointer<FILE>) -> String {
        fseek(file, 0, SEEK_END)
        let start = max(0, ftell(file) - Self.stderrLimit)
        fseek(file, start, SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: Self.stderrLimit)
        let count = fread(&bytes, 1, bytes.count, file)
        // A line whose beginning was not read may begin within a value.
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst(
            start > 0 ? 1 : 0)
        return HTTPResponse.line(of: String(lines.last { !$0.allSatisfy(\.isWhitespace) } ?? ""), hiding: secrets)
    }

    /// The values of `environment`, line by line; without those that are too short for a secret and occur in any text,
    /// such as `1` or `yes`.
    private var secrets: [Secret] {
        variables.compactMap { context.environment.variables[$0] }.flatMap { $0.split(whereSeparator: \.isNewline) }
            .filter { $0.utf8.count >= 4 }.map { Secret(String($0)) }
    }

    /// sysexits(3).
    private func evaluate(_ outcome: Outcome) throws(ShareFailure) {
        let program = quoted(baseName(command[0]))
        switch outcome {
        case .exited(0, _): return
        case .exited(let code, let errorOutput):
            let reason = "\(program) ended with code \(code)" + (errorOutput.isEmpty ? "" : ": \(errorOutput)")
            switch code {
            case 65: throw ShareFailure(.rejected, reason)
            case 75: throw ShareFailure(.busy, reason)
            case 77: throw ShareFailure(.credentials, reason)
            case 78: throw ShareFailure(.misconfigured, reason)
            default: throw ShareFailure(.unanswered, reason)
            }
        case .signalled: throw ShareFailure(.unanswered, "\(program) was ended by a signal")
        case .notStarted(let reason): throw ShareFailure(.unreachable, "\(program) could not be run: \(reason)")
        case .lost(let reason): throw ShareFailure(.unanswered, "how \(program) ended is not known: \(reason)")
        case .outOfTime:
            throw ShareFailure(
                .unanswered, "\(program) did not end within \(timeout.components.seconds) s, or was interrupted",
                advice: "Give it more time with `timeout`.")
        }
    }
}

extension DestinationKind {
    static let command = DestinationKind(
        key: "command", title: "a program of your own, which reads the day as JSON",
        specificExample: """
            [share.mine]
            kind = "command"
            command = ["/usr/local/bin/my-share", "--quietly"]     # a program and its arguments; no shell
            # It reads one JSON object from standard input. Exit code 0: done. 75: try again later. 65: never retry this day.
            # 77: credentials rejected, pause until you act. 78: wrong configuration. Any other: it may have been done.
            # idempotent = true   # the program replaces a day that it gets again. It then gets a day again when figures change
            #                     # or after it failed. Otherwise it gets each day once, when the day is over.
            # samples = true      # also the samples of the day
            # timeout = 60        # seconds
            # environment = ["MY_TOKEN"]   # variables that the program gets besides PATH, HOME, SHELL, USER, LOGNAME, LANG,
            #                     # LANGUAGE, LC_*, TZ, TMPDIR, DBUS_SESSION_BUS_ADDRESS and those of the XDG directories. It
            #                     # gets no others: the tokens of other destinations may be among them.
            """
    ) { reader, context in
        let expected = "a list: the path of a program, which starts with /, and its arguments"
        reader.require("command", expected)
        let command = reader.texts("command", expected)
        let isIdempotent = reader.flag("idempotent") ?? false
        let includesSamples = reader.flag("samples") ?? false
        let timeout = reader.integer("timeout", in: 1...3600, "a number of seconds") ?? 60
        let variables = reader.variables()
        guard let command else { return nil }
        guard let program = command.first, program.hasPrefix("/") else {
            reader.refuse("command", expected: expected)
            return nil
        }
        return CommandDestination(
            context: context, command: command, variables: variables, isIdempotent: isIdempotent,
            includesSamples: includesSamples, timeout: .seconds(timeout))
    }
}

extension TableReader {
    /// The key `environment`: names as POSIX has them (XBD, section 3.216, "Name").
    fileprivate mutating func variables() -> [String] {
        let expected =
            "a list of names of variables, such as [\"MY_TOKEN\"]: letters, digits and _, the first no digit; no values"
        let names = texts("environment", expected) ?? []
        guard names.allSatisfy({ $0.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil }) else {
            // What is not a name may be an assignment with a secret in it.
            refuse("environment", expected: expected, isPrivate: true)
            return []
        }
        return names
    }
}

/// What the program reads: the day's document, and the keys that identify it.
private struct CommandDocument: Encodable {
    let payload: SharePayload
    let destination: String
    let includesSamples: Bool

    private enum Key: String, CodingKey { case destination, key, correction }

    func encode(to encoder: any Encoder) throws {
        try SharedDayDocument(day: payload.day, includesSamples: includesSamples).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(destination, forKey: .destination)
        try container.encode(payload.key, forKey: .key)
        try container.encode(payload.isConfirmed, forKey: .correction)
    }
}

/// The environment of a program that istep runs.
///
/// istep's own environment can hold secrets: those that `token_env` or `password_env` of any destination names, the
/// directory of systemd's credentials (`$CREDENTIALS_DIRECTORY`), a proxy's password (`https_proxy`), and anything else
/// in the user's session. So a program gets only a fixed list of names, none of which is meant for a secret, and the
/// names that the user lists.
enum ProgramEnvironment {
    static let always: Set<String> = [
        // Where programs and the user's files are, and who the user is (POSIX, XBD 8.3).
        "PATH", "HOME", "SHELL", "USER", "LOGNAME", "TMPDIR",
        // Language and time zone. Names of categories: locale(7) of Linux.
        "LANG", "LANGUAGE", "TZ", "LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION",
        "LC_MEASUREMENT",
        "LC_MESSAGES", "LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME",
        // Where the user's settings, data and sockets are (XDG Base Directory Specification 0.8), and the session bus,
        // for a program that shows something on the desktop. A process of the same user can find both without these.
        "XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
        "XDG_STATE_HOME",
        "DBUS_SESSION_BUS_ADDRESS",
    ]

    /// - Parameters:
    ///   - environment: istep's own.
    ///   - names: what the user lists; a variable that is not set is left out.
    static func variables(of environment: [String: String], besides names: [String]) -> [String: String] {
        environment.filter { always.contains($0.key) || names.contains($0.key) }
    }
}
