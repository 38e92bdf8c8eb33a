import StepDatabase
import Testing

@Suite struct HistoryErrorTests {
    @Test(arguments: [
        (HistoryError.locked(path: "/h"), 75 as Int32, "try again"),
        (.readOnly(path: "/h", reason: "Permission denied"), 77, "writable"),
        (.closedLog(path: "/h", file: "/h-wal", reason: "Permission denied"), 77, "sudo chown --reference=/h /h-wal"),
        (.damaged(path: "/h", reason: "malformed"), 65, "sqlite3 /h .recover"),
        (.foreign(path: "/h"), 65, "--db"),
        (.newerVersion(path: "/h", found: 3, supported: 2), 65, "newer istep"),
        (.noSpace(path: "/h"), 75, "nothing was lost"),
        (.inputOutput(path: "/h", reason: "disk I/O error"), 74, "sound disk"),
        (.nameTaken("ring"), 64, "--name"),
        (.addressTaken("30:34:42:00:00:01", name: "ring"), 64, "istep forget"),
        (.missing(path: "/h"), 1, "istep add"),
    ])
    func itSaysWhatToDo(error: HistoryError, exit: Int32, advice: String) {
        #expect(error.category.rawValue == exit)
        #expect(error.description.contains(advice), "\(error)")
    }

    @Test func hostilePathsReachNoTerminalAndNoShell() {
        let error = HistoryError.damaged(path: "/tmp/\u{1B}[2J; rm -rf ~ 'x'", reason: "malformed")
        #expect(error.description.unicodeScalars.allSatisfy { $0.value >= 32 })
        #expect(error.description.contains(#""/tmp/\u{1b}[2J; rm -rf ~ 'x'""#))
        #expect(error.description.contains(#"sqlite3 '/tmp/?[2J; rm -rf ~ '\''x'\''' .recover"#))
    }
}
