import PageExchange
import StepDomain
import StepServices
import TestSupport
import Testing

@testable import StepPages

/// What the addresses show.
@Suite(.timeLimit(.minutes(5))) struct LocalPagesTests {
    @Test func `without a history the pages explain the first steps`() async {
        var fixture = PagesFixture()
        fixture.isEmpty = true
        for target in ["/", "/day", "/year/2020", "/share", "/plan"] {
            let (status, text) = await fixture.get(target)
            #expect(status == 200 && text.contains("istep scan") && text.contains("istep add"), "\(target)")
        }
        // A program does not take the page for numbers.
        for target in ["/day.json", "/month.csv", "/year/2020.svg", "/range.json?from=2026-11-01&to=2026-11-02"] {
            #expect(await fixture.get(target).status == 404, "\(target)")
        }
    }

    @Test(arguments: [
        "/day", "/day/2026-11-17", "/week", "/month/2026-11", "/year/2026", "/range?from=2026-11-01&to=2026-11-18",
    ])
    func `every view has the numbers, in a table and for programs`(_ target: String) async throws {
        let fixture = try PagesFixture.ofAnna()
        let (status, text) = await fixture.get(target)
        #expect(status == 200 && text.contains("<tbody") && text.contains("<svg"), "\(target)")
        let parts = target.split(separator: "?", maxSplits: 1)
        let query = parts.count > 1 ? "?\(parts[1])" : ""
        let json = await fixture.get("\(parts[0]).json\(query)"), csv = await fixture.get("\(parts[0]).csv\(query)")
        #expect(json.status == 200 && json.text.hasPrefix("{"), "\(json)")
        #expect(csv.status == 200 && csv.text.hasPrefix("day,"), "\(csv)")
    }

    @Test func `previous and next lead through the known days and not beyond`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let day = await fixture.get("/day/2026-11-17").text
        #expect(
            day.contains("href=\"/day/2026-11-16\" rel=\"prev\"")
                && day.contains("href=\"/day/2026-11-18\" rel=\"next\""), "\(day)")
        #expect(!(await fixture.get("/day/2026-11-18").text.contains("rel=\"next\"")))
        #expect(!(await fixture.get("/day/2026-11-16").text.contains("rel=\"prev\"")), "nothing is known before")
        #expect(await fixture.get("/month/2026-10").text.contains("href=\"/month/2026-11\" rel=\"next\""))
    }

    @Test func `the date picker leads to the page of the date`() async throws {
        let fixture = try PagesFixture.ofAnna()
        for (unit, link) in [
            ("day", "/day/2026-11-05"), ("week", "/week/2026-11-02"), ("month", "/month/2026-11"),
            ("year", "/year/2026"),
        ] {
            let response = await fixture.pages.respond(
                to: PagesFixture.request("GET", "/go?unit=\(unit)&date=2026-11-05"))
            #expect(response.status == 303 && response.header("Location") == link)
        }
    }

    @Test func `an unknown day is not shown as zero steps`() async throws {
        let fixture = try PagesFixture.ofAnna([9000, nil, 4000, 100])
        let (_, week) = await fixture.get("/week")
        #expect(week.contains("\"Tue 17 Nov: 4,000 steps\"") && week.contains("\"Mon 16 Nov: unknown\""))
        #expect(week.contains("0 partial, 1 unknown") && week.contains("class=\"f-unknown\""))
        #expect(await fixture.get("/day/2026-11-16").text.contains("aria-label=\"unknown steps, no goal\""))
    }

    @Test(arguments: [
        ("/day/2026-11-19", 404, "Thu 19 Nov has not begun; today is Wed 18 Nov"),
        ("/day/2026-02-30", 404, "is not a day"),
        ("/month/2026-13", 404, "is not a month"), ("/year/last", 404, "is not a year"),
        ("/day/../../etc/passwd", 404, "nothing at this address"),
        ("/range?from=2026-11-10&to=2026-11-01", 400, "ends (Sun 1 Nov) before it begins (Tue 10 Nov)"),
        ("/range?from=x", 400, "are needed"),
        ("/range?from=2027-01-01&to=2027-01-02", 404, "has not begun"),
        ("/go?unit=century&date=2026-11-01", 404, "nothing at this address"),
        ("/day?user=nobody", 404, "no user &#39;nobody&#39;"), ("/nowhere", 404, "nothing at this address"),
        ("/day/1/2/3", 404, "nothing at this address"),
    ]) func `the error for a wrong address shows what is wrong`(_ target: String, _ status: Int, _ words: String)
        async throws
    {
        let answer = await (try PagesFixture.ofAnna()).get(target)
        #expect(answer.status == status && answer.text.contains(words), "\(answer.text.suffix(900))")
    }

    @Test(arguments: [
        "/day/%zz", "/day/%ff", "/day/%-0", "/day/%+1", "/%", "/day?x=%+1", "//evil.example", "day",
        "/day?" + String(repeating: "a=1&", count: 65),
    ])
    func `an invalid request target gets status 400 or 404`(_ target: String) async throws {
        let response = await (try PagesFixture.ofAnna()).pages.respond(to: PagesFixture.request("GET", target))
        #expect([400, 404].contains(response.status), "\(target): \(response.status)")
    }

    // MARK: Energy

    /// A day of which the pedometer reports so many kilocalories; it is a Sunday.
    private func burn(_ energy: Double, in fixture: PagesFixture) throws -> Day {
        let localTime = LocalTime.berlin, day = PagesFixture.today.advanced(by: -3)
        let pedometer = try #require(fixture.history.pedometers().first)
        let sync = try fixture.history.beginSync(of: pedometer.id, at: PagesFixture.now - 20)
        let start = localTime.moment(day, seconds: 8 * 3600)
        let sample = StepSample(
            start: start, length: 3600, steps: 5000, energy: energy, utcOffset: localTime.utcOffset(start))
        _ = try fixture.history.merge(
            SampleBatch(samples: [sample], coverage: [localTime.span(of: day)]), sync: sync, localTime: localTime)
        return day
    }

    @Test func `kilocalories have the same groups of digits everywhere`() async throws {
        let fixture = try PagesFixture.ofAnna(), day = try burn(1234.4, in: fixture)
        for (target, words) in [
            ("/day/\(day)", "1,234 <small>kcal"), ("/day/\(day).svg", "1,234 kcal"),
            // Whether a pedometer counts above rest is not known.
            ("/week/\(day.advanced(by: -6))", "1,234 kcal<small>by the pedometer<"),
            ("/week/\(day.advanced(by: -6))", "data-label=\"kcal\">1,234</td>"),
        ] {
            let (status, text) = await fixture.get(target)
            #expect(status == 200 && text.contains(words), "\(target): \(text.suffix(900))")
        }
    }

    @Test func `kilocalories that no person uses are not shown`() async throws {
        let fixture = try PagesFixture.ofAnna(), day = try burn(1e19, in: fixture)
        for target in ["/week/\(day.advanced(by: -6))", "/month", "/year"] {
            let (status, text) = await fixture.get(target)
            #expect(status == 200 && text.contains("? kcal"), "\(target)")
        }
        #expect(await fixture.get("/day/\(day)").text.contains("energy: wrong: "))
    }

    // MARK: Names

    @Test func `blanks within a value are kept, and those at its ends are not`() async throws {
        let fields = try #require(FormFields("user=+Anna++B+&empty=++"))
        #expect(fields["user"] == "Anna  B" && fields["empty"] == nil && fields["other"] == nil)
        let fixture = PagesFixture()
        _ = try fixture.walk(fixture.history.addUser(named: "Anna  B"), steps: [4000, 100])
        let (status, text) = await fixture.get("/day?user=Anna++B")
        #expect(status == 200 && text.contains("aria-label=\"100 steps so far,"), "\(text.suffix(900))")
    }

    @Test func `markup in names stays text on every page`() async throws {
        let evil = "<img src=x onerror=alert(1)>\"'&"
        var fixture = PagesFixture()
        let user = fixture.history.addUser(named: evil)
        fixture.destinations = [ScriptedDestination("<b>garden</b>")]
        let pedometer = try fixture.walk(user, steps: [9000, 4000, 100], named: "<svg/onload=x>")
        _ = fixture.history.addUser(named: "</title><script>")
        let sync = try fixture.history.beginSync(of: pedometer.id, at: PagesFixture.now - 20)
        try fixture.history.endSync(
            sync, at: PagesFixture.now - 10, outcome: .failed, battery: nil, failure: "<script>server()</script>",
            cause: .other)
        let day = PagesFixture.today.advanced(by: -1)
        try fixture.history.record([
            ShareEntry(
                user: user.id, day: day, destination: "<b>garden</b>", state: .rejected,
                lastError: "<script>no</script>",
                changedAt: PagesFixture.now - 5)
        ])
        fixture.history.setCorrection(
            StepCorrection(steps: 5, reason: "<i>tired</i>"), of: user.id, on: day, at: PagesFixture.now)
        _ = fixture.history.update(
            active: [
                Notice(
                    .destination("<u>x</u>"), name: "<u>x</u>", since: PagesFixture.now - 9,
                    .destinationStopped(reason: "<em>bad</em>"))
            ],
            withdrawn: [], at: PagesFixture.now)
        let query = "?user=" + "%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E%22%27%26"
        for path in [
            "/", "/day", "/day/\(day)", "/week", "/month", "/year", "/share", "/devices", "/plan", "/activity",
            "/devices/add", "/range",
        ] {
            let (status, text) = await fixture.get(
                path == "/range" ? "/range\(query)&from=2026-11-01&to=2026-11-18" : path + query)
            #expect(status == 200, "\(path)")
            for element in ["<img", "<script>", "<b>", "<i>", "<u>", "<em>", "<svg/"] {
                #expect(!text.contains(element), "\(path) has \(element)")
            }
        }
        #expect(await fixture.get("/share\(query)").text.contains("&lt;b&gt;garden&lt;/b&gt;"))
        #expect(await fixture.get("/devices\(query)").text.contains("&lt;script&gt;server()&lt;/script&gt;"))
    }

    // MARK: Days

    @Test func `a day shows which syncs its figures came from, and when it was corrected`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let user = fixture.history.users()[0], day = PagesFixture.today.advanced(by: -1)
        fixture.history.setCorrection(StepCorrection(steps: 5), of: user.id, on: day, at: PagesFixture.now - 60)
        let page = await fixture.get("/day/\(day)").text
        #expect(page.contains("The steps were entered by hand on Wed 18 Nov, 11:59"))
        #expect(
            page.contains("The syncs that read these figures")
                && page.contains("<th scope=\"row\">Wed 18 Nov, 11:59</th>"))
        // Its hours are not those of the total.
        #expect(page.contains("<h2>Steps by hour, as counted; the total is corrected to 5</h2>"))
        #expect(await fixture.get("/day/\(day.advanced(by: -1))").text.contains("<h2>Steps by hour</h2>"))
    }

    @Test func `when a pedometer reported its total, and when the day was deleted, is written as on all pages`()
        async throws
    {
        let fixture = try PagesFixture.ofAnna()
        let user = fixture.history.users()[0], day = PagesFixture.today.advanced(by: -1)
        let pedometer = try #require(fixture.history.pedometers().first)
        let sync = try fixture.history.beginSync(of: pedometer.id, at: PagesFixture.now - 20)
        let total = DeviceTotal(day: day, at: PagesFixture.now - 20, total: 5000, slots: 4000)
        _ = try fixture.history.merge(SampleBatch(deviceTotal: total), sync: sync, localTime: .berlin)
        let counted = await fixture.get("/day/\(day)").text
        #expect(counted.contains("ring itself reported 5,000 steps on Wed 18 Nov, 11:59, 1,000 more"))
        fixture.history.delete(day, of: user.id)
        #expect(await fixture.get("/day/\(day)").text.contains("Deleted or moved on Thu 1 Jan 1970: syncs and imports"))
    }

    @Test func `several people can be chosen, and their days do not mix`() async throws {
        let fixture = try PagesFixture.ofAnna()
        _ = try fixture.walk(
            fixture.history.addUser(named: "bob"), steps: [333], named: "band", address: "C0:DE:52:02:A1:B3")
        let anna = await fixture.get("/day?user=anna").text, bob = await fixture.get("/day?user=bob").text
        #expect(anna.contains(">100</text>") && !anna.contains(">333</text>"))
        #expect(
            bob.contains(">333</text>")
                && bob.contains("<a href=\"/day/2026-11-18?user=bob\" aria-current=\"true\"><bdi>bob</bdi>"))
        // The same day of the other user, and other pages of the same one.
        #expect(
            bob.contains("<a href=\"/day/2026-11-18?user=anna\"><bdi>anna</bdi>")
                && bob.contains("href=\"/week/2026-11-16?user=bob\""))
        // It was this week.
        let range = await fixture.get("/range?from=2026-11-15&to=2026-11-18").text
        #expect(
            range.contains("href=\"/range?from=2026-11-15&amp;to=2026-11-18&amp;user=bob\""), "\(range.prefix(3000))")
    }

    @Test func `an error page is of the user whose page was requested`() async throws {
        let fixture = try PagesFixture.ofAnna()
        _ = try fixture.walk(
            fixture.history.addUser(named: "bob"), steps: [333], named: "band", address: "C0:DE:52:02:A1:B3")
        let page = await fixture.get("/day/2027-01-01?user=bob")
        #expect(page.status == 404 && page.text.contains("href=\"/day?user=bob\""), "\(page.text.suffix(900))")
        #expect(page.text.contains("aria-label=\"User: bob\""))
        let form = await fixture.post("/share", "user=bob")
        #expect(form.status == 400 && form.text.contains("href=\"/week?user=bob\""))
    }

    @Test func `hours of today that have not begun are not zero`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let page = await fixture.get("/day/2026-11-18").text
        func row(_ hour: Int, _ words: String) -> String {
            "<th scope=\"row\">\(hour):00</th><td class=\"num\">\(words)</td>"
        }
        #expect(
            page.contains(row(8, "100")) && page.contains(row(9, "0")) && page.contains(row(12, "not over"))
                && page.contains(row(13, "not begun")))
        #expect(page.contains(#">13:00<tspan class="minor">: not begun</tspan></text>"#))
        #expect(page.contains(">9:00: 0 steps</text>"))
        // Nothing is drawn for either.
        #expect(page.matches(of: /class="f-(walk|unknown)" fill="[^"]+" x="[0-9.]+%"/).count == 1)
    }

    @Test func `the two hours of one name are distinguished`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let localTime = LocalTime.berlin, day = try #require(Day("2026-10-25"))
        let pedometer = try #require(fixture.history.pedometers().first)
        let sync = try fixture.history.beginSync(of: pedometer.id, at: PagesFixture.now - 20)
        _ = try fixture.history.merge(
            SampleBatch(coverage: [localTime.span(of: day)]), sync: sync, localTime: localTime)
        let page = await fixture.get("/day/\(day)").text
        #expect(
            page.contains("<th scope=\"row\">2:00 (first)</th>")
                && page.contains("<th scope=\"row\">2:00 (second)</th>"))
        #expect(page.contains("<th scope=\"row\">3:00</th>"))
    }

    @Test func `the longest streak is that of the whole history, and why the last one ended is shown`() async throws {
        let fixture = try PagesFixture.ofAnna([9000, 9000, 9000, nil, 9000, 100])
        fixture.history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 8000), of: 1)
        // The longest lies in the week before.
        let week = await fixture.get("/week").text
        #expect(
            week.contains("<dt>Longest streak</dt><dd>3 days<small>13 Nov to 15 Nov, of all days"),
            "\(week.prefix(9000))")
        #expect(week.contains("<dt>Streak now</dt><dd>1 day<small>since Tue 17 Nov"))
        let ended = try PagesFixture.ofAnna([9000, 9000, nil, 100])
        ended.history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 8000), of: 1)
        let year = await ended.get("/year").text
        #expect(
            year.contains(
                "<dd>none<small>the last, of 2 days, ended Tue 17 Nov: not known whether the goal was reached"))
    }

    @Test func `a sync that was made while the clock was ahead is no error of its days`() async throws {
        let fixture = try PagesFixture.ofAnna(), pedometer = try #require(fixture.history.pedometers().first)
        let ahead = try fixture.history.beginSync(of: pedometer.id, at: PagesFixture.now + 2 * 86_400)
        try fixture.history.endSync(
            ahead, at: PagesFixture.now + 2 * 86_400 + 9, outcome: .complete, battery: 80, failure: nil, cause: nil)
        for page in ["/", "/day/2026-11-17", "/day/2026-11-17.json"] {
            let (status, text) = await fixture.get(page)
            #expect(status == 200 && !text.contains("in the future"), "\(page)")
        }
    }

    @Test func `an interrupted sync is not shown as a failure`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let pedometer = try #require(fixture.history.pedometers().first)
        let sync = try fixture.history.beginSync(of: pedometer.id, at: PagesFixture.now - 20)
        try fixture.history.endSync(
            sync, at: PagesFixture.now - 10, outcome: .failed, battery: nil, failure: "interrupted", cause: .interrupted
        )
        let devices = await fixture.get("/devices").text, overview = await fixture.get("/").text
        #expect(devices.contains("An attempt was interrupted just now") && !devices.contains("failed"))
        #expect(overview.contains("; an attempt was interrupted just now") && !overview.contains("failed"))
    }

    @Test func `running is orange in the day`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let pedometer = try #require(fixture.history.pedometers().first), day = PagesFixture.today.advanced(by: -1)
        let sync = try fixture.history.beginSync(of: pedometer.id, at: PagesFixture.now - 20)
        let start = LocalTime.berlin.moment(day, seconds: 12 * 3600)
        let run = StepSample(start: start, length: 600, steps: 1500, utcOffset: LocalTime.berlin.utcOffset(start))
        _ = try fixture.history.merge(SampleBatch(samples: [run]), sync: sync, localTime: .berlin)
        let page = await fixture.get("/day/\(day)").text
        #expect(
            page.contains("<dt>Running</dt><dd class=\"value\">1,500 <small>steps</small></dd><dd>27 % of the day</dd>")
        )
        #expect(page.matches(of: /class="f-run" fill="#dd6a12" x="[0-9.]+%"/).count == 1)
        #expect(page.contains(">12:00: 1,500 steps<tspan class=\"minor\">, 1,500 run</tspan></text>"))
        #expect(
            await fixture.get("/day/\(day).svg").text.matches(of: /class="f-run" fill="#dd6a12" x="[0-9.]+%"/).count
                == 1)
    }
}
