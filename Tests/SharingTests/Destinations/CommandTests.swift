import Foundation
import StepDomain
import Testing

@testable import Sharing

@Suite(.timeLimit(.minutes(5))) struct CommandTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// A program that keeps its input, and then goes on as the test says.
    ///
    /// Run by the shell: a file that was just written cannot be run itself as long as a child of another test has it open still.
    private func command(_ script: String, _ keys: String = "", arguments: String = "") throws -> any ShareDestination {
        let program = try folder.write("program", "#!/bin/sh\ncat >> \(folder.path)/input\n\(script)\n", mode: 0o700)
        return try destination("[share.mine]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"\(program)\"\(arguments)]\n\(keys)")
    }

    @Test func aProgramReadsTheDay() async throws {
        _ = try await command("exit 0").deliver([try parcel(isCorrection: true)])
        let input = try #require(folder.text("input")?.data(using: .utf8))
        let document = try #require(try JSONSerialization.jsonObject(with: input) as? [String: Any])
        #expect(document["steps"] as? Int == 8123)
        #expect(document["destination"] as? String == "mine")
        #expect(document["correction"] as? Bool == true)
        #expect(document["pedometers"] == nil)
    }

    @Test func samplesWhereTheyAreWanted() async throws {
        _ = try await command("exit 0", "samples = true").deliver([try parcel()])
        let input = try #require(folder.text("input"))
        #expect(input.contains(#""samples":[{"distanceMetres":5900.4,"seconds":900,"start":"2014-04-20T08:00:00+02:00","steps":8123}]"#), "\(input)")
    }

    @Test(arguments: [
        (65, ShareFailure.Kind.rejected), (75, .busy), (77, .credentials), (78, .misconfigured), (1, .unanswered), (127, .unanswered),
    ])
    func itsExitCodeTellsWhatBecameOfIt(code: Int, kind: ShareFailure.Kind) async throws {
        let mine = try command("echo first >&2; echo 'no such\u{1b}[2J account' >&2; exit \(code)")
        let failure = try #require(await failure { _ = try await mine.deliver([try parcel()]) })
        #expect(failure.kind == kind)
        #expect(failure.reason == "\"sh\" ended with code \(code): no such?[2J account")
    }

    @Test func aSignalIsNoAnswer() async throws {
        let mine = try command("kill -9 $$")
        #expect(await failure { _ = try await mine.deliver([try parcel()]) }?.kind == .unanswered)
    }

    @Test func argumentsAreNoShellsBusiness() async throws {
        let mine = try command("printf '%s' \"$2\" > \(folder.path)/second", arguments: #", "a", "$(touch \#(folder.path)/x); 'b'""#)
        _ = try await mine.deliver([try parcel(user: "'; touch \(folder.path)/x #")])
        #expect(folder.text("second") == "$(touch \(folder.path)/x); 'b'")
        #expect(folder.text("x") == nil)
    }

    @Test func oneThatDoesNotEndIsEnded() async throws {
        let mine = try command("trap 'echo tidy >> \(folder.path)/input; exit 1' TERM; while :; do sleep 0.1; done", "timeout = 1")
        let failure = try #require(await failure { _ = try await mine.deliver([try parcel()]) })
        #expect(failure.kind == .unanswered)
        #expect(failure.reason.contains("did not end within 1 s"))
        #expect(folder.text("input")?.hasSuffix("tidy\n") == true)
    }

    @Test func aChildThatItLeavesBehindKeepsNobodyWaiting() async throws {
        _ = try await command("sleep 50 & echo $! > \(folder.path)/child; exit 0").deliver([try parcel()])
        let child = try #require(folder.text("child").flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
        kill(child, SIGKILL)
    }

    @Test func itNeedNotReadWhatItIsGiven() async throws {
        let mine = try destination("[share.mine]\nkind = \"command\"\ncommand = [\"/bin/true\"]")
        _ = try await mine.deliver([try parcel(user: String(repeating: "a", count: 64))])
    }

    @Test func aProgramThatIsNotThere() async throws {
        let mine = try destination("[share.mine]\nkind = \"command\"\ncommand = [\"\(folder.path)/none\"]")
        #expect(mine.problems() == ["the program \"\(folder.path)/none\" cannot be run: No such file or directory"])
        #expect(await failure { _ = try await mine.deliver([try parcel()]) }?.kind == .misconfigured)
    }

    @Test func onlyWhatIsIdempotentIsGivenAgain() throws {
        #expect(try command("").traits.resending == .repeats)
        #expect(try !command("").traits.corrects)
        #expect(try command("", "idempotent = true").traits.resending == .replaces)
    }
}
