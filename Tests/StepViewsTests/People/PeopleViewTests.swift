import Foundation
import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct PeopleViewTests {
    private let anna = User(id: 1, name: "anna")
    private let beginning = Day(daysSince1970: 0)

    // MARK: Profile

    @Test func `profiles are listed with the newest first`() {
        let profiles = [
            Profile(validFrom: beginning, height: 1.78, weight: 72.5, sex: .female, birthDate: Day("1980-01-02")),
            Profile(validFrom: Sample.day, stepLength: 0.74),
        ]
        #expect(
            ProfileView(user: anna, profiles: profiles).text() == """
                anna
                  from 2014-04-20: step 74 cm, measured, running step 116.2 cm, scaled by it
                  from the beginning: height 178 cm, weight 72.5 kg, female, born 1980-01-02,
                    step 73.5 cm, by height, running step 115.7 cm, by height
                """)
        // It is stored, and it is used.
        let running = Profile(validFrom: Sample.day, sex: .male, runningStepLength: 1.3)
        #expect(
            ProfileView(user: anna, profiles: [running]).text().hasSuffix(
                "male, step 83 cm, scaled by the running step, running step\n    130 cm, measured"),
            "\(ProfileView(user: anna, profiles: [running]).text())")
        #expect(ProfileView(user: anna, profiles: []).text().contains("istep profile --height"))
        #expect(ProfileView(user: anna, profiles: [Profile(validFrom: Sample.day)]).text().hasSuffix("nothing set"))
    }

    @Test func `the profile document has null for unknown values`() throws {
        let profile = Profile(validFrom: Sample.day, height: 1.78, sex: .female)
        let document = try ReadDocument(ProfileView(user: anna, profiles: [profile]))
        let entry = document.profiles[0]
        #expect(document.version == 1 && document.user == "anna")
        #expect(entry.validFrom == "2014-04-20" && entry.heightMetres == 1.78 && entry.sex == "female")
        #expect(entry.weightKilograms == .null && entry.birthDate == .null && entry.stepLengthMetres == .null)
    }

    // MARK: Plan

    @Test(arguments: [
        (Array(repeating: 8000, count: 7), "every day 8,000"), ([], "every day rest"),
        ([8000, 8000, 8000, 8000, 8000, 12_000, 0], "Mon-Fri 8,000, Sat 12,000, Sun rest"),
        ([1, 2, 1, 2, 1, 2, 1], "Mon 1, Tue 2, Wed 1, Thu 2, Fri 1, Sat 2, Sun 1"),
    ])
    func `a plan is described by weekday`(goals: [Int], words: String) {
        let plan = SportPlan(validFrom: Sample.day, goals: goals)
        #expect(PlanView(user: anna, plans: [plan]).text() == "anna\n  from 2014-04-20: \(words)")
    }

    @Test func `plans are listed with the newest first`() {
        let plans = [SportPlan(validFrom: beginning, everyDay: 6000), SportPlan(validFrom: Sample.day, everyDay: 8000)]
        #expect(
            PlanView(user: anna, plans: plans).lines(Sample.plain)
                == ["anna", "  from 2014-04-20: every day 8,000", "  from the beginning: every day 6,000"])
        #expect(PlanView(user: anna, plans: []).text().contains("istep plan 8000"))
    }

    @Test func `the plan document contains a goal for each weekday`() throws {
        let plan = SportPlan(validFrom: Sample.day, goals: [1, 2, 3, 4, 5, 6, 0])
        let document = try ReadDocument(PlanView(user: anna, plans: [plan]))
        #expect(document.version == 1)
        let goals = document.plans[0].goals
        #expect(goals.monday == 1 && goals.tuesday == 2 && goals.wednesday == 3 && goals.thursday == 4)
        #expect(goals.friday == 5 && goals.saturday == 6 && goals.sunday == 0)
    }

    // MARK: Status

    private func status(_ today: DaySummary, _ syncs: SyncRecord...) -> StatusView {
        StatusView(
            [
                .init(
                    today: today,
                    pedometers: [.init(pedometer: Sample.pedometer(), recent: RecentSyncs(syncs: syncs))])
            ], models: Sample.models,
            database: "/home/anna/history.sqlite", now: Sample.now, localTime: Sample.localTime)
    }

    private var today: DaySummary { Sample.summary(Sample.day.advanced(by: 1), steps: [7: 812]) }

    @Test func `the status shows today's steps and the last syncs`() {
        let failed = Sample.sync(.failed, at: Sample.now - 900, battery: nil, failure: "not found")
        #expect(
            status(today, failed, failed, Sample.sync()).text() == """
                anna: 812 steps today, 10 % of 8,000
                  ██████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░│
                  ring: synced 2 hours ago, 2014-04-21 07:30, battery 81 %
                    2 attempts failed, the last 14 minutes ago: not found
                History: /home/anna/history.sqlite
                """)
    }

    @Test func `the document of the status has the titles of the models`() throws {
        let device = try ReadDocument(status(today, Sample.sync())).users[0].pedometers[0]
        #expect(device.model == "colmi" && device.modelTitle == "a smart ring")
    }

    @Test func `the status names destinations for which days wait, and why`() throws {
        let view = StatusView(
            [.init(today: today, pedometers: [])], models: Sample.models,
            backlogs: [
                .init(destination: "diary", days: 5, oldest: Sample.day, reason: "no connection\u{1b}[2J"),
                .init(destination: "server", days: 1, oldest: Sample.day, reason: nil),
            ], database: "/h", now: Sample.now, localTime: Sample.localTime)
        let text = view.text()
        #expect(
            text.contains(
                "diary: 5 days wait to be shared, the oldest is \(Sample.day): no connection\u{fffd}[2J\n  istep outbox list diary\n"
            ),
            "\(text)")
        #expect(text.contains("server: 1 day waits to be shared, the oldest is \(Sample.day)\n"), "\(text)")
        #expect(try ReadDocument(view).backlogs.list.map(\.days) == [5, 1])
    }

    @Test func `the reason of a destination that a notice names stands there only`() {
        let notice = Notice(
            .destination("diary"), name: "diary", since: Sample.now, .destinationStopped(reason: "401 Unauthorized"))
        let text = StatusView(
            [.init(today: today, pedometers: [])], models: Sample.models,
            notices: [StoredNotice(id: 1, notice: notice, storedAt: Sample.now)],
            backlogs: [.init(destination: "diary", days: 5, oldest: Sample.day, reason: "401 Unauthorized")],
            database: "/h", now: Sample.now, localTime: Sample.localTime
        ).text()
        #expect(text.components(separatedBy: "401 Unauthorized").count == 2, "\(text)")
        #expect(text.contains("diary: 5 days wait to be shared, the oldest is \(Sample.day)\n"), "\(text)")
    }

    @Test func `the status describes missing, unknown and wrong data`() {
        #expect(status(today).text().contains("  ring: never synced\n    istep sync\n"))
        #expect(status(today, Sample.sync(.failed)).text().contains("  ring: no sync has succeeded lately"))
        let running = Sample.sync(.running, at: Sample.now - 300)
        #expect(
            status(today, running, Sample.sync()).text().contains("    a sync began 5 minutes ago and has not ended\n"))
        let unknown = DaySummary(user: anna, day: today.day)
        #expect(status(unknown).text().hasPrefix("anna: no data for today yet\n"))
        var wrong = today
        wrong.steps = -1
        #expect(status(wrong).text().hasPrefix("anna: today's figures are invalid: steps: -1 is negative\n"))
        let nobody = StatusView([], models: Sample.models, database: "x", now: Sample.now, localTime: Sample.localTime)
        #expect(nobody.text().contains("istep scan"))
    }

    /// Ctrl-C and a machine that is switched off say nothing about the pedometer.
    @Test func `an interrupted sync is neither a success nor a failure`() throws {
        var interrupted = Sample.sync(.failed, at: Sample.now - 900, failure: "interrupted")
        interrupted.cause = .interrupted
        let failed = Sample.sync(.failed, at: Sample.now - 3600, failure: "not found"), killed = Sample.sync(.running)
        func shown(_ syncs: SyncRecord...) throws -> (text: String, failures: ReadDocument) {
            let view = StatusView(
                [
                    .init(
                        today: today,
                        pedometers: [.init(pedometer: Sample.pedometer(), recent: RecentSyncs(syncs: syncs))])
                ], models: Sample.models,
                database: "/h",
                now: Sample.now, localTime: Sample.localTime)
            return (view.text(), try ReadDocument(view).users[0].pedometers[0].failuresSince)
        }
        let one = try shown(interrupted, Sample.sync())
        #expect(
            one.text.contains("\n    an attempt was interrupted 14 minutes ago\n") && one.failures == 0, "\(one.text)")
        let two = try shown(interrupted, killed, Sample.sync())
        #expect(
            two.text.contains("\n    2 attempts were interrupted, the last 14 minutes ago\n") && two.failures == 0,
            "\(two.text)")
        #expect(!one.text.contains("failed") && !two.text.contains("failed"))
        // It does not hide a failure.
        let mixed = try shown(interrupted, failed, Sample.sync())
        #expect(
            mixed.text.contains("\n    an attempt failed 59 minutes ago: not found\n") && mixed.failures == 1,
            "\(mixed.text)")
        // One before the last complete sync is past.
        #expect(try !shown(Sample.sync(), interrupted).text.contains("interrupted"))
    }

    @Test func `the status document contains users and their pedometers`() throws {
        let document = try ReadDocument(
            status(today, Sample.sync(.failed, battery: nil, failure: "not found"), Sample.sync()))
        let person = document.users[0], device = document.users[0].pedometers[0]
        #expect(document.version == 1 && document.database == "/home/anna/history.sqlite")
        #expect(person.today.steps == 812 && person.today.user == "anna")
        #expect(device.battery == 81 && device.failuresSince == 1)
        #expect(device.lastSync.outcome == "failed" && device.lastComplete.outcome == "complete")
    }
}
