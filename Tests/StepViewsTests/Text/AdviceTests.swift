import Foundation
import TestSupport
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct AdviceTests {
    private func commands(_ advice: Advice) -> [String] { advice.commands.map { $0.text() } }

    @Test func `an advice literal keeps its commands as separate parts`() {
        let advice: Advice = "Make it yours: \(command: "chmod 600", "/home/anna/my history") Then sync \("ring")."
        #expect(advice.description == "Make it yours: chmod 600 '/home/anna/my history' Then sync ring.")
        #expect(commands(advice) == ["chmod 600 '/home/anna/my history'"])
        #expect(commands("Again: \(advice)") == commands(advice))
        let plain: Advice = "Charge it."
        #expect(plain.parts.count == 1 && plain.commands.isEmpty)
    }

    @Test(arguments: [
        (
            "Lift it with `rfkill unblock bluetooth`.", ["rfkill unblock bluetooth"],
            "Lift it with rfkill unblock bluetooth."
        ),
        ("Set `url` anew.", [], "Set `url` anew."), ("`a b`, then `c d`", ["a b", "c d"], "a b, then c d"),
        ("no ` end at all", [], "no ` end at all"),
        ("`a b` and ` end", ["a b"], "a b and ` end"), ("", [], ""),
    ])
    func `words between backticks are a command`(_ markup: String, _ expected: [String], _ text: String) {
        let advice = Advice(markup: markup)
        #expect(commands(advice) == expected)
        #expect(advice.description == text)
    }

    /// A log, a notification and a document have all of an advice on one line.
    @Test func `a mark stands between a command and the next words on one line`() {
        #expect(
            Advice.withheld(at: "garden").description
                == "To correct one: istep correct DAY --steps NUMBER. To send one as it is: istep outbox retry garden DAY"
        )
        #expect(
            Advice.whetherItArrived(Sample.day, "garden").description.hasSuffix(
                "If it has: istep outbox drop garden 2014-04-20. If it has not: istep outbox retry garden 2014-04-20"))
        var page = TextPage(TextStyle())
        page.advice(.withheld(at: "garden"))
        #expect(
            page.lines == [
                "To correct one:", "  istep correct DAY --steps NUMBER", "To send one as it is:",
                "  istep outbox retry garden DAY",
            ])
    }

    @Test func `an error names one command or none`() {
        #expect(
            Advice(commandOf: "it is damaged; save it with `sqlite3 '/a b' .recover`")?.description
                == "sqlite3 '/a b' .recover")
        #expect(Advice(commandOf: "unknown key; did you mean `path`?") == nil)
        #expect(Advice(commandOf: "run `chmod 600 '/a`b'`") == nil, "a path with a backtick")
        #expect(Advice(commandOf: "nothing") == nil)
    }

    @Test func `a word is quoted only where it has to be`() {
        func quoted(_ word: String, isASCII: Bool = false) -> String {
            ShellCommand("x", [word]).text(isASCII: isASCII)
        }
        #expect(quoted("/home/anna/h.sqlite") == "x /home/anna/h.sqlite")
        #expect(quoted("--reference=/a") == "x --reference=/a")
        #expect(quoted("") == "x ''")
        #expect(quoted("o'hara") == #"x 'o'\''hara'"#)
        #expect(quoted("café") == "x 'café'")
        #expect(quoted("café", isASCII: true) == #"x $'caf\303\251'"#)
        #expect(quoted("a\n\u{1b}[2J") == #"x $'a\012\033[2J'"#)
        #expect(quoted("a\u{202e}'\\b") == #"x $'a\342\200\256\'\\b'"#)
    }

    /// Whatever the name of a pedometer, a path or a destination is: the shell reads it unchanged, and the terminal
    /// shows it only as text.
    @Test func `a shell reads every word of a command unchanged`() throws {
        var generator = SeededGenerator(seed: 16)
        let letters = Array(
            "ab/ '\"\\$`!*?~#;&|<>()[]{}\n\t\r\u{1b}\u{7}\u{7f}=%^-é腕\u{301}\u{202e}\u{200d}\u{3164}\u{a0}🚶"
                .unicodeScalars)
        let words = (0..<400).map { _ in
            String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...12, using: &generator)).map { _ in letters.randomElement(using: &generator)!
                    }))
        }
        for isASCII in [false, true] {
            let command = ShellCommand(#"printf '%s\0'"#, words).text(isASCII: isASCII)
            #expect(!command.unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) })
            #expect(!isASCII || command.utf8.allSatisfy { $0 < 128 })
            let shell = ChildProcess()
            shell.executableURL = URL(fileURLWithPath: "/bin/bash")
            shell.arguments = ["-c", command]
            let output = Pipe()
            shell.pipe = output
            try shell.run()
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            shell.waitUntilExit()
            let read = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
                String(decoding: $0, as: UTF8.self)
            }
            #expect(read.map { Array($0.utf8) } == words.map { Array($0.utf8) })
        }
    }
}
