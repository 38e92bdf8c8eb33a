import Foundation
import SimulatedBlueZ
import Testing
import TestSupport

/// `istep browse` in a real terminal: tmux.
@Suite(.timeLimit(.minutes(5))) struct BrowseTests {
    /// A window of tmux with a shell that runs the program and reports its end.
    private final class Window: Sendable {
        private let socket: String
        private let folder: Folder
        private let environment: [String: String]

        init(_ istep: Command, _ folder: Folder, columns: Int = 100, lines: Int = 30) async throws {
            self.folder = folder
            // The path of a socket is limited to 107 bytes.
            socket = NSTemporaryDirectory() + "istep-\(UUID().uuidString.prefix(8))"
            environment = istep.environment.merging(["TERM": "xterm-256color", "SHELL": "/bin/sh"]) { $1 }
            let script = folder.path + "/script"
            try Data(
                """
                stty -a >'\(folder.path)/before'
                sh -c 'echo $$ >"\(folder.path)/pid"; exec "\(try Command.program.path)" browse --timeout 30'
                echo "status $?"
                stty -a >'\(folder.path)/after'
                echo over
                exec cat
                """.utf8
            ).write(to: URL(fileURLWithPath: script))
            try await tmux(
                "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(lines)", "sh '\(script)'")
        }

        @discardableResult
        func tmux(_ words: String...) async throws -> String {
            let process = ChildProcess()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["tmux", "-S", socket] + words
            process.environment = environment
            return try await Running(process).result.output
        }

        func press(_ keys: String...) async throws { for key in keys { try await tmux("send-keys", key) } }

        func screen() async throws -> String { try await tmux("capture-pane", "-p") }

        /// The screen, once it has the text. The time limit of the suite ends a wait that is in vain.
        @discardableResult
        func until(_ text: String) async throws -> String {
            while true {
                let shown = try await screen()
                if shown.contains(text) { return shown }
                try Task.checkCancellation()
            }
        }

        var process: Int32 {
            get throws {
                let text = try String(contentsOfFile: folder.path + "/pid", encoding: .utf8)
                return try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            }
        }

        /// The state of the process by /proc, such as `T` for stopped; nil where it is gone.
        func state() throws -> Character? {
            let text = try? String(contentsOfFile: "/proc/\(try process)/stat", encoding: .utf8)
            return text?.split(separator: ")").last?.drop { $0 == " " }.first
        }

        /// Whether the settings of the terminal are those from before the program.
        func isAsBefore() throws -> Bool {
            try String(contentsOfFile: folder.path + "/before", encoding: .utf8)
                == String(contentsOfFile: folder.path + "/after", encoding: .utf8)
        }

        func close() async {
            _ = try? await tmux("kill-server")
            unlink(socket)
        }
    }

    private func withWindow(_ istep: Command, _ folder: Folder, _ body: (Window) async throws -> Void) async throws {
        let window = try await Window(istep, folder)
        do { try await body(window) } catch {
            // This task is cancelled when its time is over.
            let shown = try? await Task.detached { try await window.screen() }.value
            await Task.detached { await window.close() }.value
            Issue.record("\(error): \(shown ?? "")")
            return
        }
        await window.close()
    }

    @Test func `days are browsed and synced, and the terminal is left as it was`() async throws {
        try await Household.live { home in
            _ = try await home.istep("plan", "8000")
            _ = try await home.istep("add", home.ring.address, "--timeout", "120", "--name", "ring")
            try await withWindow(home.istep, home.folder) { window in
                try await window.until("· today")
                let written = home.folder.path + "/written"
                try await window.tmux("pipe-pane", "cat >'\(written)'")
                try await window.press("s")
                try await window.until("new steps")
                let today = try #require(try await home.istep("show", "--json").json["day"] as? String)
                let shown = try await window.screen()
                #expect(shown.contains("Steps per hour of the day") && shown.contains("so far"))
                try await window.press("Left")
                let yesterday = try await home.istep("show", "yesterday")
                let title = try #require(yesterday.output.split(separator: "\n").first)
                try await window.until(String(title))
                try await window.press("w")
                try await window.until("Week")
                // What another process changes is shown with the next key.
                _ = try await home.istep("correct", "yesterday", "--steps", "4321")
                try await window.press("w")
                try await window.until("4,321")
                _ = try await home.istep("correct", "yesterday", "--remove")
                try await window.press("y")
                try await window.until("12,500")
                try await window.tmux("resize-window", "-x", "10", "-y", "12")
                try await window.until("Too small")
                try await window.tmux("resize-window", "-x", "100", "-y", "30")
                try await window.press("g")
                try await window.until("Day: _")
                try await window.press("never", "Enter")
                try await window.until("'never': unknown format; write it like 2014-04-20, yesterday")
                try await window.press("d", "g", today, "Enter")
                try await window.until("· today")
                try await window.press("?")
                try await window.until("scroll")
                try await window.press("Escape", "S")
                try await window.until("The outbox is empty.")
                try await window.press("q")
                try await window.until("over")
                #expect(try await window.screen().contains("status 0"))
                #expect(try window.isAsBefore())
                // On xterm and the Linux console, erasing after a line as wide as the terminal takes its last digit
                // away.
                let lines = try String(contentsOfFile: written, encoding: .utf8).replacing("\r\n", with: "\n")
                    .replacing("\u{1b}[H", with: "\n")
                #expect(lines.contains("\n\u{1b}[K") && !lines.contains(/[^\n]\u{1b}\[[KJ]/))
            }
            await home.expectNothingLeftOpen()
        }
    }

    @Test func `a day of a week is opened, and another user is shown`() async throws {
        try await Household.live { home in
            try await home.addRing()
            try await home.addWatch("--user", "ben")
            #expect(try await home.istep("correct", "today", "--steps", "7000", "--user", "ben").status == 0)
            try await withWindow(home.istep, home.folder) { window in
                try await window.until("· today")
                try await window.press("u")
                try await window.until("Now the days of ben.")
                try await window.until("7,000")
                try await window.press("w")
                try await window.until("> ")
                #expect(try await window.screen().contains("Total"))
                try await window.press("Enter")
                try await window.until("· today")
                try await window.press("m", "Home")
                try await window.until("> ")
                try await window.press("u")
                try await window.until("Now the days of anna.")
                try await window.press("q")
                try await window.until("over")
            }
        }
    }

    /// The folder of the destination is missing at first: a file is in its place.
    @Test func `days are sent to a destination, retried and dropped`() async throws {
        let folder = try Folder()
        let istep = try await corrected(folder)
        #expect(try await istep("correct", "yesterday", "--steps", "6000").status == 0)
        let configuration = folder.path + "/config/istep", garden = folder.path + "/garden"
        try FileManager.default.createDirectory(atPath: configuration, withIntermediateDirectories: true)
        try Data("[share.garden]\nkind = \"file\"\npath = \"\(garden)/steps.csv\"\n".utf8).write(
            to: URL(fileURLWithPath: configuration + "/config.toml"))
        try Data().write(to: URL(fileURLWithPath: garden))
        try await withWindow(istep, folder) { window in
            try await window.until("7,000")
            try await window.press("S")
            try await window.until("The outbox is empty.")
            try await window.press("Enter")
            try await window.until("> 20")
            // Keys that would begin something are left out until this ends.
            try await window.until("1 day waits")
            try FileManager.default.removeItem(atPath: garden)
            try FileManager.default.createDirectory(atPath: garden, withIntermediateDirectories: false)
            try await window.press("r")
            try await window.until("1 day sent")
            try await window.until("The outbox is empty.")
            #expect(try String(contentsOfFile: garden + "/steps.csv", encoding: .utf8).contains("7000"))
            try FileManager.default.removeItem(atPath: garden)
            try Data().write(to: URL(fileURLWithPath: garden))
            try await window.press("Escape", "Left")
            try await window.until("6,000")
            try await window.press("S", "Enter")
            try await window.until("> 20")
            try await window.until("1 day waits")
            try await window.press("x")
            try await window.until("x again")
            try await window.press("x")
            try await window.until("dropped from the outbox of garden")
            try await window.until("The outbox is empty.")
            try await window.press("q")
            try await window.until("over")
        }
        #expect(try await istep("outbox").output == "The outbox is empty.\n")
    }

    @Test func `a notice about a rejected day lasts until the day is dropped`() async throws {
        let folder = try Folder()
        let istep = try await corrected(folder)
        let configuration = folder.path + "/config/istep"
        try FileManager.default.createDirectory(atPath: configuration, withIntermediateDirectories: true)
        try Data(
            "[share.garden]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \"exit 65\"]\nidempotent = true\n".utf8
        ).write(
            to: URL(fileURLWithPath: configuration + "/config.toml"))
        func isNoticed() async throws -> Bool { try await istep("status", "--json").output.contains("shareRejected") }
        try await withWindow(istep, folder) { window in
            try await window.until("7,000")
            try await window.press("S")
            try await window.until("The outbox is empty.")
            try await window.press("Enter")
            try await window.until("1 day rejected")
            #expect(try await isNoticed())
            try await window.press("x")
            try await window.until("x again")
            try await window.press("x")
            try await window.until("dropped from the outbox of garden")
            #expect(try await !isNoticed())
            try await window.press("q")
            try await window.until("over")
        }
    }

    private func corrected(_ folder: Folder) async throws -> Command {
        let istep = Command(folder: folder)
        try #require(try await istep("correct", "today", "--steps", "7000").status == 0)
        return istep
    }

    @Test(arguments: [(SIGTERM, 143), (SIGINT, 130), (SIGHUP, 129)])
    func `a signal ends istep browse and leaves the terminal as it was`(signal: Int32, status: Int) async throws {
        let folder = try Folder()
        try await withWindow(try await corrected(folder), folder) { window in
            try await window.until("7,000")
            kill(try window.process, signal)
            try await window.until("over")
            #expect(try await window.screen().contains("status \(status)"))
            #expect(try window.isAsBefore())
        }
    }

    @Test func `istep browse can be stopped and continued`() async throws {
        let folder = try Folder()
        try await withWindow(try await corrected(folder), folder) { window in
            try await window.until("7,000")
            for stop in [
                { kill(try window.process, SIGTSTP) },
                {
                    try await window.press("C-z"); return 0
                },
            ] as [() async throws -> Int32] {
                _ = try await stop()
                // Neither a process that is stopped nor tmux announces a change.
                while try window.state() != "T" { try await letOthersRun() }
                // The alternate screen was left.
                while try await window.screen().contains("7,000") { try await letOthersRun() }
                kill(try window.process, SIGCONT)
                try await window.until("7,000")
            }
            try await window.press("q")
            try await window.until("over")
            #expect(try window.isAsBefore())
        }
    }

    @Test func `istep browse ends when its terminal is lost`() async throws {
        let folder = try Folder()
        try await withWindow(try await corrected(folder), folder) { window in
            try await window.until("7,000")
            let process = try window.process
            await window.close()
            while kill(process, 0) == 0, try window.state() != "Z" { try await letOthersRun() }
        }
    }

    @Test func `without a terminal istep browse prints what to use instead`() async throws {
        let istep = Command(folder: try Folder())
        let result = try await istep("browse")
        #expect(
            result.status == 64 && result.error.contains("needs a terminal") && result.error.contains("istep history"))
        #expect(try await istep("browse", "--json").status == 64)
    }
}
