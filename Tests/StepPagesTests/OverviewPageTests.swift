import PageExchange
import StepDomain
import StepViews
import TestSupport
import Testing

@testable import StepPages

/// The first page.
@Suite(.timeLimit(.minutes(5))) struct OverviewPageTests {
    private func fixture() throws -> PagesFixture {
        let fixture = PagesFixture()
        _ = try fixture.walk(fixture.history.addUser(named: "anna"), steps: [nil, 9000, 4000, 100])
        return fixture
    }

    /// `--check` without `--list` is an error.
    @Test func `the page of destinations names the command that checks one`() async throws {
        #expect(try await fixture().get("/share").text.contains("istep share --list --check --with NAME"))
    }

    @Test func `the first page shows today, the pedometers and a year whose days lead to their pages`() async throws {
        let fixture = try fixture()
        fixture.history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 8000), of: 1)
        let (status, text) = await fixture.get("/")
        #expect(status == 200 && text.contains("<title>Overview – istep</title>"))
        #expect(
            text.contains("aria-label=\"100 steps so far, 1 % of 8,000\"")
                && text.contains("<dt>To the goal</dt><dd class=\"value\">7,900 "))
        // The pedometer was last read half a minute ago.
        #expect(
            text.contains("<bdi>ring</bdi></strong><span class=\"muted small\">model colmi, synced just now</span>"),
            "\(text.prefix(6000))")
        #expect(text.contains("Synced </span>just now</span>") && text.matches(of: />Sync<\/button>/).count == 1)
        // From the first known day on.
        let days = text.matches(of: /<a href="\/day\/([0-9-]+)" tabindex="-1"><rect.*?<title>([^<]+)</)
        #expect(days.map { String($0.1) } == ["2026-11-16", "2026-11-17", "2026-11-18"])
        #expect(days.first.map { String($0.2) } == "Mon 16 Nov: 9,000 steps, 113 % of 8,000, 9,000 run")
        // The last seven days have a slot each, of which three are known.
        let week = try #require(text.firstMatch(of: /<figure class="card o-week">.*?<\/figure>/)).output
        #expect(
            week.matches(of: /<(a|g) class="col"/).count == 7
                && week.matches(of: /class="f-(below|run)" fill="[^"]+" x="[0-9.]+%"/).count == 3)
        // The same total of the week, the month and the year as on their pages.
        for link in ["/week/2026-11-16", "/month/2026-11", "/year/2026"] {
            let row = try Regex(
                "<a href=\"\(link)\">[^<]+</a></th>(<td[^>]*>[^<]*(<span[^>]*>[^<]*</span>)?</td>){3}<td[^>]*>13,100</td>"
            )
            #expect(text.contains(row), "\(link)")
            #expect(await fixture.get(link).text.contains("<dt>Total</dt><dd class=\"value\">13,100</dd>"), "\(link)")
        }
    }

    /// As many columns as a calendar of a year has, whatever weekday it is and begins with.
    @Test(arguments: [0, 1, 2, 3, 4, 5, 6]) func `the year of the first page is this week and the 52 before it`(
        _ daysAgo: Int
    ) throws {
        let today = PagesFixture.today.advanced(by: -daysAgo), user = User(id: 1, name: "anna")
        let now = LocalTime.berlin.moment(today, seconds: 43_200)
        let days = (0..<400).map { index in
            DayFigures(
                DaySums(day: today.advanced(by: index - 399)), correction: StepCorrection(steps: index), profile: nil,
                plan: nil,
                isInProgress: index == 399)
        }
        for weekStart in [Weekday.monday, .sunday] {
            let context = PageContext(
                user: user, users: [user], now: now, localTime: .berlin, weekStart: weekStart,
                audience: .local(formKey: "k"))
            let page = OverviewPage(
                view: DayView(DaySummary(user: user, day: today), today: today, now: now, localTime: .berlin),
                figures: DaySeries(user: user, today: today, days: days), pedometers: [], notices: [], activity: .idle,
                context: context)
            let halves = page.document.source.matches(of: /<svg class="half.*?<\/svg>/).map { half in
                half.output.matches(of: /tabindex="-1"><rect [^>]*? x="([0-9.]+)"/).map { String($0.1) }
            }
            #expect(halves.count == 2 && halves.reduce(0) { $0 + Set($1).count } == 53, "\(weekStart)")
            #expect(halves.reduce(0) { $0 + $1.count } > 364)
            // Nothing of a week can be compared on its first day.
            let isFirst = today.weekday == weekStart
            #expect(page.document.source.contains("its first day is not over") == isFirst, "\(weekStart)")
        }
    }

    @Test func `before the first sync, the first page shows how to begin`() async throws {
        let fixture = PagesFixture()
        _ = fixture.history.addUser(named: "anna")
        let text = await fixture.get("/").text
        #expect(
            text.contains("istep add ADDRESS") && text.contains("Nothing is known yet.")
                && !text.contains("<svg class=\"ring\""))
    }

    /// They had the 20 attempts since, and said that it was never synced.
    @Test func `a pedometer that was synced before many failures was not never synced`() async throws {
        let fixture = try fixture()
        for minute in 1...25 {
            let sync = try fixture.history.beginSync(of: 1, at: PagesFixture.now - 30 + minute)
            try fixture.history.endSync(
                sync, at: PagesFixture.now - 30 + minute, outcome: .failed, battery: nil, failure: "not in range",
                cause: nil)
        }
        let text = await fixture.get("/devices").text
        #expect(!text.contains("never synced") && text.contains("Synced </span>just now<"), "\(text)")
        #expect(text.contains("<dt>Battery</dt><dd>80 %") && text.contains("<dt>Last sync</dt><dd>just now"), "\(text)")
    }

    @Test func `commands on pages are about the history that they show`() async throws {
        var fixture = PagesFixture()
        _ = fixture.history.addUser(named: "anna")
        fixture.demo = "--demo"
        #expect(await fixture.get("/devices").text.contains("istep --demo scan"))
    }

    /// The counted hours were compared with the usual ones, beside the steps that were entered.
    @Test func `a corrected day is not compared by its hours`() async throws {
        let fixture = PagesFixture()
        let steps = Array(repeating: 9000, count: 60) + [100]
        let anna = fixture.history.addUser(named: "anna")
        _ = try fixture.walk(anna, steps: steps)
        #expect(await fixture.get("/").text.contains("<dt>Usual Wednesday</dt>"))
        fixture.history.setCorrection(
            StepCorrection(steps: 10_000), of: anna.id, on: PagesFixture.today, at: PagesFixture.now)
        #expect(!(await fixture.get("/").text.contains("<dt>Usual Wednesday</dt>")))
    }

    @Test func `while a sync is running, the first page leads to its progress`() async throws {
        let fixture = try fixture()
        let pedometer = try #require(fixture.history.pedometers().first)
        fixture.reader.script(pedometer.id, .progress(.searching), .hang)
        let pages = fixture.pages
        _ = await fixture.post("/sync", "", to: pages)
        for await _ in fixture.reader.hanging { break }
        let text = await pages.respond(to: PagesFixture.request("GET", "/")).text
        #expect(
            text.contains("Sync: ring: searching</strong>") && text.contains("<a href=\"/activity\">See the progress"),
            "\(text.prefix(6000))")
        #expect(
            !text.contains(">Sync</button>") && text.contains("<a class=\"button\" href=\"/activity\">Running…</a>"))
    }
}
