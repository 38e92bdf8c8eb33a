import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct NoticeWordsTests {
    private func words(
        _ content: Notice.Content, _ subject: Notice.Subject = .pedometer(1), household: Bool = false, daysAgo: Int = 4
    ) -> NoticeWords {
        let name =
            switch subject {
            case .machine: ""
            case .pedometer: "ring"
            case .user: "anna"
            case .destination(let name): name
            }
        return NoticeWords(
            Notice(subject, name: name, since: Sample.now - daysAgo * 86_400, content), isHousehold: household,
            now: Sample.now,
            localTime: Sample.localTime)
    }

    @Test func `notices of pedometers have a headline and a detail`() {
        let failed = words(.nightsFailed(nights: 3, reason: "no answer"))
        #expect(failed.headline == "ring: could not be read for 3 nights")
        #expect(failed.detail == "Last attempt: no answer. Run: istep doctor")
        let away = words(.notSeen(lastRead: Sample.synced - 4 * 86_400))
        #expect(away.headline == "ring: not in range for 4 days")
        #expect(away.detail == "Last read 2014-04-17 07:30. Charge it, and bring it near this machine.")
        #expect(words(.notSeen(lastRead: nil)).headline == "ring: not in range since it was added")
        #expect(words(.batteryLow(percent: 9)).headline == "ring: battery at 9 %")
        #expect(words(.noticed(.clockWasOff(seconds: -7200))).headline == "ring: its clock was wrong")
        #expect(words(.noticed(.clockWasOff(seconds: -7200))).detail.contains("by 2 hours (it was behind)"))
        // It may have restarted, or refused a day, without a step.
        #expect(words(.noticed(.counterRestarted)).headline == "ring: steps may be lost")
        #expect(words(.noticed(.tooOld([]))).headline == "ring: steps may be lost")
    }

    @Test func `a page writes the days of a notice as all other dates`() {
        func detail(_ content: Notice.Content) -> String {
            NoticeWords(
                Notice(.pedometer(1), name: "ring", since: Sample.now, content), isHousehold: false, now: Sample.now,
                localTime: Sample.localTime, form: .short
            ).detail
        }
        let gap = DayGap(Sample.day, .refused), end = Sample.day.advanced(by: 1)
        #expect(detail(.daysMissing([gap])) == "Sun 20 Apr (refused). Requested again at the next sync.")
        #expect(words(.daysMissing([gap])).detail == "2014-04-20 (refused). Requested again at the next sync.")
        #expect(detail(.noticed(.lost(from: Sample.day, through: end))).contains("the steps of 20 Apr to 21 Apr. Sync"))
        #expect(detail(.noticed(.dayNotClosed(Sample.day))).contains("Steps taken on Sun 20 Apr after"))
        #expect(detail(.noticed(.tooOld([Sample.day, end]))).hasPrefix("Sun 20 Apr and Mon 21 Apr: never"))
    }

    @Test func `the notice of interrupted nights does not call them failed`() {
        #expect(
            words(.nightsFailed(nights: 6, reason: "interrupted")).detail
                == "Last attempt: interrupted. Run: istep doctor")
    }

    /// Only the nights of the last syncs are counted.
    @Test func `long failures are shown with their start date`() {
        let failed = Notice.Content.nightsFailed(nights: 7, reason: "no answer")
        #expect(words(failed, daysAgo: 7).headline == "ring: could not be read for 7 nights")
        #expect(words(failed, daysAgo: 30).headline == "ring: could not be read since 2014-03-22")
        #expect(
            words(failed, .machine, daysAgo: 30).headline == "Bluetooth on this machine has not worked since 2014-03-22"
        )
    }

    @Test func `a Bluetooth failure of the machine is shown with its reason`() {
        let broken = words(.nightsFailed(nights: 2, reason: "the Bluetooth adapter hci0 is switched off"), .machine)
        #expect(broken.headline == "Bluetooth on this machine has not worked for 2 nights")
        #expect(broken.detail.hasPrefix("Last attempt: the Bluetooth adapter hci0 is switched off. "))
    }

    @Test func `notices of destinations include the reason and the next command`() {
        let garden = Notice.Subject.destination("garden")
        let rejected = Notice.Content.shareRejected(user: "ben", day: Sample.day, reason: "422 No.")
        #expect(words(rejected, garden).headline == "garden: 2014-04-20 was rejected")
        #expect(words(rejected, garden, household: true).headline == "garden: 2014-04-20 of ben was rejected")
        #expect(words(rejected, garden).detail == "Reason: 422 No. See: istep outbox garden")
        let withheld = words(.shareWithheld(user: "ben", day: Sample.day), garden)
        #expect(withheld.headline == "garden: 2014-04-20 was withheld")
        #expect(withheld.detail.hasPrefix("Reason: more steps than anyone takes in a day"))
        #expect(
            words(.shareInDoubt(user: "ben", day: Sample.day, reason: "lost"), garden).detail.contains(
                "If it has: istep outbox drop garden 2014-04-20"))
        #expect(
            words(.destinationStopped(reason: "401"), garden).detail
                == "Reason: 401. Renew the credentials or their rights, then: istep outbox retry garden")
        #expect(
            words(.shareWaiting(days: 2, reason: "no route"), garden).headline
                == "garden: 2 days have been waiting to be shared for 4 days")
        #expect(words(.shareWaiting(days: 1, reason: nil), garden).detail == "")
        // Such as those of a user whom the destination does not accept.
        #expect(
            words(.shareWaiting(days: 1, reason: nil), garden, daysAgo: 0).headline
                == "garden: 1 day waits to be shared")
    }

    @Test func `a reached goal is shown with its day and steps`() {
        func goal(daysAgo: Int, household: Bool = false) -> String {
            let day = Sample.localTime.day(of: Sample.now).advanced(by: -daysAgo)
            return words(.goalReached(day: day, steps: 8123, goal: 8000), .user(1), household: household).headline
        }
        #expect(goal(daysAgo: 0) == "Goal reached today: 8,123 of 8,000 steps")
        #expect(goal(daysAgo: 1) == "Goal reached yesterday: 8,123 of 8,000 steps")
        #expect(goal(daysAgo: 2, household: true) == "anna: goal reached on 2014-04-19: 8,123 of 8,000 steps")
    }

    @Test func `external text is shortened and contains no control characters`() {
        let hostile = "\u{1b}[2J\u{202e}x\n" + String(repeating: "y", count: 999)
        for content in [Notice.Content.nightsFailed(nights: 3, reason: hostile), .destinationStopped(reason: hostile)] {
            let text = words(content, .destination(hostile)).headline + words(content, .destination(hostile)).detail
            #expect(
                text.unicodeScalars.allSatisfy {
                    $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
                })
            // The reason is cut, the name in the command is not.
            #expect(text.count < 600 + 1200)
        }
    }

    // MARK: The status

    private func status(_ notices: StoredNotice...) -> StatusView {
        StatusView(
            [.init(today: Sample.summary(Sample.day.advanced(by: 1), steps: [7: 812]), pedometers: [])],
            models: Sample.models,
            notices: notices,
            database: "/h", now: Sample.now, localTime: Sample.localTime)
    }

    private let battery = Notice(.pedometer(1), name: "ring", user: 1, since: Sample.synced, .batteryLow(percent: 9))
    private let goal = Notice(
        .user(1), name: "anna", user: 1, since: Sample.now, .goalReached(day: Sample.day, steps: 8801, goal: 8000))

    @Test func `new notices are shown first`() {
        let seen = StoredNotice(id: 1, notice: battery, storedAt: Sample.synced, seenAt: Sample.synced)
        let new = StoredNotice(id: 2, notice: goal, storedAt: Sample.now)
        #expect(
            status(seen, new).lines(Sample.plain).prefix(4) == [
                "New: Goal reached yesterday: 8,801 of 8,000 steps", "ring: battery at 9 %", "  Charge it soon.",
                "anna: 812 steps today, 10 % of 8,000",
            ])
        #expect(status().text().hasPrefix("anna: "))
    }

    @Test func `long notices are wrapped to the width`() {
        let long = Notice(
            .pedometer(1), name: "ring", since: Sample.now,
            .nightsFailed(nights: 3, reason: String(repeating: "word ", count: 50)))
        let lines = status(StoredNotice(id: 1, notice: long, storedAt: Sample.now)).lines(TextStyle(width: 60))
        #expect(lines.allSatisfy { $0.count <= 60 })
        #expect(lines[0] == "New: ring: could not be read for 3 nights")
    }

    @Test func `the status document contains the notices`() throws {
        let notices = try ReadDocument(
            status(
                StoredNotice(id: 1, notice: battery, storedAt: Sample.synced, seenAt: Sample.synced),
                StoredNotice(
                    id: 2, notice: Notice(.machine, since: Sample.now, .nightsFailed(nights: 2, reason: "off")),
                    storedAt: Sample.now))
        ).notices.list
        #expect(notices.map(\.kind) == ["nightsFailed", "batteryLow"])
        #expect(notices.map(\.isNew) == [true, false])
        #expect(notices.map(\.subject) == [.null, "ring"])
        #expect(notices.map(\.since) == ["2014-04-21T10:30:00+02:00", "2014-04-21T07:30:00+02:00"])
        #expect(notices.allSatisfy { $0.isLasting == true && $0.detail != .null })
    }
}
