internal import Foundation
internal import Quoting
internal import Settings
internal import StepDomain
internal import Subprocess
internal import SystemPackage

/// A program of the user's, which gets a day as JSON on its standard input: whatever istep has no destination for can be reached by it.
///
/// No shell stands in between, so that nothing in a name is ever a command. What the program's exit code means is in the example below.
struct CommandDestination: ConfiguredDestination {
    let context: DestinationContext
    /// The program and its arguments.
    let command: [String]
    let isIdempotent: Bool
    let wantsSamples: Bool
    let timeout: Duration

    var place: String { command.map(shellQuoted).joined(separator: " ") }

    var traits: ShareTraits {
        ShareTraits(
            resending: isIdempotent ? .replaces : .repeats, corrects: isIdempotent, takesUnfinishedDays: isIdempotent,
            wantsSamples: wantsSamples)
    }

    func preview(_ parcels: [ShareParcel]) -> String {
        parcels.map { "\(place) <<'END'\n\(document($0))\nEND" }.joined(separator: "\n")
    }

    private func document(_ parcel: ShareParcel) -> String {
        json(CommandDocument(parcel: parcel, destination: name, withSamples: wantsSamples))
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        for parcel in parcels { try await run(document(parcel)) }
        return parcels.map { _ in ShareReceipt() }
    }

    func problems() -> [String] {
        access(command[0], X_OK) == 0 ? [] : ["the program \(quoted(command[0])) cannot be run: \(String(cString: strerror(errno)))"]
    }

    /// The program is not run: what it does, nobody but the user knows.
    func check() async throws(ShareFailure) -> String {
        if let problem = problems().first { throw ShareFailure(.misconfigured, problem, advice: "Make it executable, or set `command` anew.") }
        return "the program is there"
    }

    // MARK: Running

    /// Bytes of its words that are looked at.
    private static let mostWords = 16 * 1024

    private func run(_ input: String) async throws(ShareFailure) {
        if let problem = problems().first { throw ShareFailure(.misconfigured, problem, advice: "Make it executable, or set `command` anew.") }
        let outcome = await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await launch(input) }
            group.addTask { [timeout] in
                try? await Task.sleep(for: timeout)
                return .outOfTime
            }
            let first = await group.next() ?? .outOfTime
            group.cancelAll()   // ends the program, if it still runs
            return first
        }
        try judge(outcome)
    }

    private enum Outcome: Sendable {
        case exited(Int, words: String)
        case signalled
        case notStarted(String)
        /// It was started, and what became of it is not known.
        case lost(String)
        case outOfTime
    }

    private func launch(_ input: String) async -> Outcome {
        // Files and not pipes: a program need not read all of its input, and one that leaves a child behind keeps no end open.
        guard let file = tmpfile(), let words = tmpfile() else { return .notStarted(String(cString: strerror(errno))) }
        defer {
            fclose(file)
            fclose(words)
        }
        guard fputs(input + "\n", file) >= 0, fflush(file) == 0, fseek(file, 0, SEEK_SET) == 0 else {
            return .notStarted(String(cString: strerror(errno)))
        }
        var options = PlatformOptions()
        // First a chance to put things away, then the end.
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
        do {
            let result = try await Subprocess.run(
                .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())),
                environment: .custom(context.surroundings.environment.reduce(into: [:]) { $0[.init(stringLiteral: $1.key)] = $1.value }),
                platformOptions: options, input: .fileDescriptor(.init(rawValue: fileno(file)), closeAfterSpawningProcess: false),
                output: .discarded, error: .fileDescriptor(.init(rawValue: fileno(words)), closeAfterSpawningProcess: false))
            switch result.terminationStatus {
            case .exited(let code): return .exited(Int(code), words: Self.lastLine(of: words))
            case .signaled: return .signalled
            }
        } catch let error as SubprocessError where [.spawnFailed, .executableNotFound].contains(error.code) {
            return .notStarted(error.underlyingError.map { "\($0)" } ?? "\(error)")
        } catch {
            return Task.isCancelled ? .outOfTime : .lost("\(error)")
        }
    }

    /// What it said last, for a user.
    private static func lastLine(of file: UnsafeMutablePointer<FILE>) -> String {
        fseek(file, 0, SEEK_END)
        fseek(file, max(0, ftell(file) - mostWords), SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: mostWords)
        let count = fread(&bytes, 1, bytes.count, file)
        let line = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isNewline)
            .last { !$0.allSatisfy(\.isWhitespace) } ?? ""
        return String(String.UnicodeScalarView(line.unicodeScalars.prefix(200).map { $0.isUnfitForTerminals ? "?" : $0 }))
    }

    /// sysexits(3).
    private func judge(_ outcome: Outcome) throws(ShareFailure) {
        let program = quoted((command[0] as NSString).lastPathComponent)
        switch outcome {
        case .exited(0, _): return
        case .exited(let code, let words):
            let said = "\(program) ended with code \(code)" + (words.isEmpty ? "" : ": \(words)")
            switch code {
            case 65: throw ShareFailure(.rejected, said)
            case 75: throw ShareFailure(.busy, said)
            case 77: throw ShareFailure(.credentials, said)
            case 78: throw ShareFailure(.misconfigured, said)
            default: throw ShareFailure(.unanswered, said)
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
        "command", title: "a program of yours, which gets the day as JSON",
        example: """
            [share.mine]
            kind = "command"
            command = ["/usr/local/bin/my-share", "--quietly"]     # a program and its arguments; no shell
            # It reads one JSON object from standard input. Exit code 0: done. 75: try again later. 65: this day never.
            # 77: nothing until you act. 78: it is set up wrongly. Any other: it may have been done.
            # idempotent = true   # the same day given again replaces the first: it is given again when figures change
            #                     # or the program failed midway; without, a day is given once, when it is over
            # samples = true      # with the slots behind the day's figures
            # timeout = 60        # seconds
            """
    ) { reader, context in
        let expected = "a list: the path of a program, which starts with /, and its arguments"
        reader.require("command", expected)
        let command = reader.texts("command", expected)
        let isIdempotent = reader.flag("idempotent") ?? false
        let wantsSamples = reader.flag("samples") ?? false
        let timeout = reader.integer("timeout", in: 1...3600, "a number of seconds") ?? 60
        guard let command else { return nil }
        guard let program = command.first, program.hasPrefix("/") else {
            reader.refuse("command", expected: expected)
            return nil
        }
        return CommandDestination(
            context: context, command: command, isIdempotent: isIdempotent,
            wantsSamples: wantsSamples, timeout: .seconds(timeout))
    }
}

/// What the program reads: the day's document, and what it needs to recognise it by.
private struct CommandDocument: Encodable {
    let parcel: ShareParcel
    let destination: String
    let withSamples: Bool

    private enum Key: String, CodingKey { case destination, key, correction }

    func encode(to encoder: any Encoder) throws {
        try DayDocument(day: parcel.day, hasSamples: withSamples).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(destination, forKey: .destination)
        try container.encode(parcel.key, forKey: .key)
        try container.encode(parcel.isCorrection, forKey: .correction)
    }
}
