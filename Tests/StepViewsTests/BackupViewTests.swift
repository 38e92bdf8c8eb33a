import StepDomain
import StepViews
import Testing

@Suite(.timeLimit(.minutes(5))) struct BackupViewTests {
    private func holdings(corrections: Int = 0, pedometers: [String] = []) -> HistoryContents {
        HistoryContents(
            path: "/home/anna/backup.sqlite", version: 8, size: 131_072, people: ["anna"], pedometers: pedometers,
            samples: 1440, syncs: 1, corrections: corrections, firstDay: Day("2014-04-19"), lastDay: Day("2014-04-20"))
    }

    @Test func `the content of a backup is shown in two columns`() {
        #expect(
            BackupView(holdings(corrections: 2)).lines(TextStyle()) == [
                "Backup, read back and verified: /home/anna/backup.sqlite",
                "  Users       anna",
                "  Pedometers  none",
                "  Days read   2014-04-19 to 2014-04-20",
                "  Samples     1,440, of 1 sync",
                "  By hand     2 days",
                "  File        131 kB, schema 8",
            ])
    }

    @Test func `before a restore, what would be lost is shown`() {
        func lines(_ lost: HistoryLosses?) -> [String] {
            let lines = RestoreView(holdings(), history: "/h", isDone: false, old: nil, lost: lost).lines(TextStyle())
            return Array(lines.drop { $0 != "Would replace: /h" })
        }
        let (first, last) = (Day(daysSince1970: 16_180), Day(daysSince1970: 16_184))
        #expect(
            lines(
                HistoryLosses(
                    people: ["ben"], pedometers: ["ring\u{1b}", "watch"], days: [first, last], corrections: [first],
                    plans: 2)) == [
                    "Would replace: /h",
                    "The backup lacks all or part of:",
                    "  Users       ben",
                    "  Pedometers  ring\u{fffd}, watch",
                    "  Days read   2 days, 2014-04-20 to 2014-04-24",
                    "  By hand     1 day, 2014-04-20",
                    "  Plans       2 plans",
                ])
        #expect(lines(HistoryLosses())[1].hasPrefix("The backup has all users, pedometers"))
        #expect(lines(nil)[1].contains("damaged or cannot be read"))
        let done = RestoreView(holdings(), history: "/h", isDone: true, old: nil).lines(TextStyle())
        #expect(done.last == "Restored to: /h")
    }

    /// The days that would be sent again are not in the outbox before the next sync.
    @Test func `a restore after which days may be sent again says how to prevent it`() {
        func text(_ isUncertain: Bool) -> String {
            RestoreView(holdings(), history: "/h", isDone: true, old: "/h.old", isSharingUncertain: isUncertain)
                .lines(TextStyle()).joined(separator: " ").split(separator: " ").joined(separator: " ")
        }
        #expect(
            text(true).contains("may send such days again") && text(true).contains("set `since` of each destination"))
        #expect(!text(false).contains("again"))
        // The record of a damaged history cannot be read, and the history cannot be restored.
        #expect(text(false).contains("To undo the restore: istep restore /h.old") && !text(true).contains("undo"))
    }

    @Test func `a long list is continued in its column`() {
        let names = ["ring of the left hand", "ring of the right hand", "watch"]
        let lines = BackupView(holdings(pedometers: names)).lines(TextStyle(width: 40))
        #expect(
            lines.contains("  Pedometers  ring of the left hand,")
                && lines.contains("              ring of the right hand,"))
    }
}
