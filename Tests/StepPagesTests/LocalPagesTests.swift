import StepDomain
import StepServices
import TestSupport
import Testing

@testable import StepPages

/// What the addresses show and what the forms do.
@Suite(.timeLimit(.minutes(5))) struct LocalPagesTests {
    private func lab(_ steps: [Int?] = [nil, 9000, 4000, 100]) throws -> PagesLab {
        let lab = PagesLab()
        _ = try lab.walk(lab.history.addUser(named: "anna"), steps: steps)
        return lab
    }

    @Test func `without a history there are the first steps`() async {
        var lab = PagesLab()
        lab.isEmpty = true
        for target in ["/", "/day", "/year/2020", "/share", "/plan"] {
            let (status, text) = await lab.get(target)
            #expect(status == 200 && text.contains("istep scan") && text.contains("istep add"), "\(target)")
        }
    }

    @Test(arguments: ["/day", "/day/2026-11-17", "/week", "/month/2026-11", "/year/2026", "/range?from=2026-11-01&to=2026-11-18"])
    func `every view has the numbers, in a table and for programs`(_ target: String) async throws {
        let lab = try lab()
        let (status, text) = await lab.get(target)
        #expect(status == 200 && text.contains("<table>") && text.contains("<svg"), "\(target)")
        let parts = target.split(separator: "?", maxSplits: 1)
        let query = parts.count > 1 ? "?\(parts[1])" : ""
        let json = await lab.get("\(parts[0]).json\(query)"), csv = await lab.get("\(parts[0]).csv\(query)")
        #expect(json.status == 200 && json.text.hasPrefix("{"), "\(json)")
        #expect(csv.status == 200 && csv.text.hasPrefix("day,"), "\(csv)")
    }

    @Test func `previous and next lead through the known days and not beyond`() async throws {
        let lab = try lab()
        let day = await lab.get("/day/2026-11-17").text
        #expect(day.contains("href=\"/day/2026-11-16\" rel=\"prev\"") && day.contains("href=\"/day/2026-11-18\" rel=\"next\""))
        #expect(!(await lab.get("/day/2026-11-18").text.contains("rel=\"next\"")))
        #expect(!(await lab.get("/day/2026-11-16").text.contains("rel=\"prev\"")), "nothing is known before")
        #expect(await lab.get("/month/2026-10").text.contains("href=\"/month/2026-11\" rel=\"next\""))
    }

    @Test func `the date picker leads to the page of the date`() async throws {
        let lab = try lab()
        for (unit, link) in [("day", "/day/2026-11-05"), ("week", "/week/2026-11-02"), ("month", "/month/2026-11"), ("year", "/year/2026")] {
            let response = await lab.pages.respond(to: PagesLab.request("GET", "/go?unit=\(unit)&date=2026-11-05"))
            #expect(response.status == 303 && response.header("Location") == link)
        }
    }

    @Test func `an unknown day is no zero`() async throws {
        let lab = try lab([9000, nil, 4000, 100])
        let (_, week) = await lab.get("/week")
        #expect(week.contains("Tuesday 17 November 2026: 4,000 steps") && week.contains("Monday 16 November 2026: nothing known"))
        #expect(week.contains("partial 0, unknown 1"))
        #expect(await lab.get("/day/2026-11-16").text.contains("<strong>unknown</strong>"))
    }

    @Test(arguments: [
        ("/day/2026-11-19", 404, "2026-11-19 has not begun; today is 2026-11-18"), ("/day/2026-02-30", 404, "is not a day"),
        ("/month/2026-13", 404, "is not a month"), ("/year/last", 404, "is not a year"),
        ("/day/../../etc/passwd", 404, "nothing at this address"),
        ("/range?from=2026-11-10&to=2026-11-01", 400, "ends (2026-11-01) before it begins (2026-11-10)"), ("/range?from=x", 400, "are needed"),
        ("/range?from=2027-01-01&to=2027-01-02", 404, "has not begun"), ("/go?unit=century&date=2026-11-01", 404, "nothing at this address"),
        ("/day?user=nobody", 404, "no person &#39;nobody&#39;"), ("/nowhere", 404, "nothing at this address"),
        ("/day/1/2/3", 404, "nothing at this address"),
    ]) func `the error for a wrong address shows what is wrong`(_ target: String, _ status: Int, _ words: String) async throws {
        let answer = await (try lab()).get(target)
        #expect(answer.status == status && answer.text.contains(words), "\(answer.text.suffix(900))")
    }

    @Test(arguments: ["/day/%zz", "/day/%ff", "/%", "/day?x=%+1", "//evil.example", "day", "/day?" + String(repeating: "a=1&", count: 65)])
    func `what cannot be read is refused or nothing`(_ target: String) async throws {
        let response = await (try lab()).pages.respond(to: PagesLab.request("GET", target))
        #expect([400, 404].contains(response.status), "\(target): \(response.status)")
    }

    // MARK: Names

    @Test func `markup in names stays text on every page`() async throws {
        let evil = "<img src=x onerror=alert(1)>\"'&"
        var lab = PagesLab()
        let user = lab.history.addUser(named: evil)
        lab.destinations = [ScriptedDestination("<b>garden</b>")]
        let pedometer = try lab.walk(user, steps: [9000, 4000, 100], named: "<svg/onload=x>")
        _ = lab.history.addUser(named: "</title><script>")
        let sync = try lab.history.beginSync(of: pedometer.id, at: PagesLab.now - 20)
        try lab.history.endSync(sync, at: PagesLab.now - 10, outcome: .failed, battery: nil, failure: "<script>server()</script>", cause: .other)
        let day = PagesLab.today.advanced(by: -1)
        try lab.history.record([
            ShareEntry(
                user: user.id, day: day, destination: "<b>garden</b>", state: .rejected, lastError: "<script>no</script>",
                changedAt: PagesLab.now - 5)
        ])
        lab.history.setCorrection(StepCorrection(steps: 5, reason: "<i>tired</i>"), of: user.id, on: day, at: PagesLab.now)
        _ = lab.history.keep(
            [Notice(.destination("<u>x</u>"), name: "<u>x</u>", since: PagesLab.now - 9, .destinationStopped(reason: "<em>bad</em>"))],
            withdrawn: [], at: PagesLab.now)
        let query = "?user=" + "%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E%22%27%26"
        for path in ["/", "/day", "/day/\(day)", "/week", "/month", "/year", "/share", "/devices", "/plan", "/activity", "/range"] {
            let (status, text) = await lab.get(path == "/range" ? "/range\(query)&from=2026-11-01&to=2026-11-18" : path + query)
            #expect(status == 200, "\(path)")
            for element in ["<img", "<script>", "<b>", "<i>", "<u>", "<em>", "<svg/"] {
                #expect(!text.contains(element), "\(path) has \(element)")
            }
        }
        #expect(await lab.get("/share\(query)").text.contains("&lt;b&gt;garden&lt;/b&gt;"))
        #expect(await lab.get("/devices\(query)").text.contains("&lt;script&gt;server()&lt;/script&gt;"))
    }

    @Test func `a day shows which syncs its figures came from, and when it was corrected`() async throws {
        let lab = try lab()
        let user = lab.history.users()[0], day = PagesLab.today.advanced(by: -1)
        lab.history.setCorrection(StepCorrection(steps: 5), of: user.id, on: day, at: PagesLab.now - 60)
        let page = await lab.get("/day/\(day)").text
        #expect(page.contains("The steps were entered by hand on 20"))
        #expect(page.contains("The syncs that read these figures") && page.contains("<th scope=\"row\">20"))
    }

    @Test func `several people can be chosen, and their days do not mix`() async throws {
        let lab = try lab()
        _ = try lab.walk(lab.history.addUser(named: "bob"), steps: [333], named: "band", address: "C0:DE:52:02:A1:B3")
        let anna = await lab.get("/day?user=anna").text, bob = await lab.get("/day?user=bob").text
        #expect(anna.contains("<strong>100</strong>") && !anna.contains("<strong>333</strong>"))
        #expect(bob.contains("<strong>333</strong>") && bob.contains("<option value=\"bob\" selected=\"selected\">"))
        #expect(bob.contains("href=\"/week?user=bob\""))
    }

    // MARK: Forms

    @Test func `a wrong value comes back with the reason beside it, and changes nothing`() async throws {
        let lab = try lab()
        let response = await lab.post("/plan", GateTests.plan.replacing("tuesday=8000", with: "tuesday=8%2C5<k>"))
        #expect(response.status == 422)
        #expect(response.text.contains("value=\"8,5&lt;k&gt;\" autocomplete=\"off\" aria-invalid=\"true\" aria-describedby=\"tuesday-error\""))
        #expect(response.text.contains("id=\"tuesday-error\">Enter a whole number from 0 to 200,000; 0 is a rest day."))
        #expect(response.text.contains("name=\"monday\" value=\"8000\""))
        #expect(try lab.history.plans(of: 1).isEmpty)
        let profile = await lab.post("/profile", "height=1.78&weight=72%2C5&sex=male&birth=2031-01-01")
        #expect(profile.status == 422 && profile.text.contains("50 to 250 cm") && profile.text.contains("Enter a date in the past"))
        #expect(profile.text.contains("value=\"72,5\"") && lab.history.profiles(of: 1).isEmpty)
    }

    @Test func `right values are saved`() async throws {
        let lab = try lab()
        let response = await lab.post("/profile", "height=178&weight=72%2C5&sex=male&birth=1980-04-20&step=&valid-from=2026-11-01")
        #expect(response.status == 303 && response.header("Location") == "/plan?saved=profile")
        let profile = try #require(lab.history.profiles(of: 1).first)
        #expect(profile.height == 1.78 && profile.weight == 72.5 && profile.sex == .male && profile.stepLength == nil)
        #expect(profile.validFrom == Day("2026-11-01"))
        #expect(await lab.get("/plan?saved=profile").text.contains("The profile is saved."))
        #expect(!(await lab.get("/plan?saved=%3Cb%3E").text.contains("<b>")))
    }

    @Test(arguments: ["/plan", "/profile"]) func `nothing is valid from before the beginning`(_ target: String) async throws {
        let lab = try lab()
        let values = target == "/plan" ? GateTests.plan : "height=178"
        #expect(await lab.post(target, values).status == 303)
        let refused = await lab.post(target, values + "&valid-from=0001-01-01")
        #expect(refused.status == 422 && refused.text.contains("Enter a date from 1970-01-01 on"), "\(refused.text.suffix(900))")
        #expect(await lab.post(target, values + "&valid-from=1970-01-01").status == 303)
        #expect(try lab.history.plans(of: 1).count + lab.history.profiles(of: 1).count == 1)
        // Earlier versions of istep stored both.
        if target == "/plan" { lab.history.setPlan(SportPlan(validFrom: Period.calendar.lowerBound, everyDay: 5000), of: 1) }
        #expect(await lab.get("/plan").text.matches(of: /the beginning/).count == (target == "/plan" ? 1 : 0))
    }

    @Test func `a form without a field is incomplete, and says so`() async throws {
        let lab = try lab()
        for (target, form) in [
            ("/share", ""), ("/share", "destination=garden"), ("/outbox/drop", "day=2026-11-17"), ("/notices/dismiss", "notice=x"),
        ] {
            let response = await lab.post(target, form)
            #expect(response.status == 400 && response.text.contains("<h1>The form is incomplete</h1>"), "\(target) \(form)")
        }
    }

    @Test func `dropping a day that was sent meanwhile is a conflict`() async throws {
        var lab = try lab()
        lab.destinations = [ScriptedDestination("garden")]
        let day = PagesLab.today.advanced(by: -1)
        let gone = await lab.post("/outbox/drop", "destination=garden&day=\(day)")
        #expect(gone.status == 409 && gone.text.contains("The outbox has changed"), "\(gone.text.suffix(900))")
        try lab.history.record([ShareEntry(user: 1, day: day, destination: "garden", state: .sent, changedAt: PagesLab.now)])
        #expect(await lab.post("/outbox/drop", "destination=garden&day=\(day)").status == 409)
    }

    @Test func `an error page is of the person whose page was asked for`() async throws {
        let lab = try lab()
        _ = try lab.walk(lab.history.addUser(named: "bob"), steps: [333], named: "band", address: "C0:DE:52:02:A1:B3")
        let page = await lab.get("/day/2027-01-01?user=bob")
        #expect(page.status == 404 && page.text.contains("href=\"/day?user=bob\""), "\(page.text.suffix(900))")
        #expect(page.text.contains("<option value=\"bob\" selected=\"selected\">"))
        let form = await lab.post("/share", "user=bob")
        #expect(form.status == 400 && form.text.contains("href=\"/week?user=bob\""))
    }

    @Test func `hours of today that have not begun are not zero`() async throws {
        let lab = try lab()
        let page = await lab.get("/day/2026-11-18").text
        #expect(page.contains("<th scope=\"row\">8:00</th><td>100</td>") && page.contains("<th scope=\"row\">9:00</th><td>0</td>"))
        #expect(page.contains("<th scope=\"row\">13:00</th><td>not begun</td>") && page.contains("<title>13:00: not begun</title>"))
    }

    @Test func `the two hours of one name are distinguished`() async throws {
        let lab = try lab()
        let place = LocalTime.berlin, day = try #require(Day("2026-10-25"))
        let pedometer = try #require(lab.history.pedometers().first)
        let sync = try lab.history.beginSync(of: pedometer.id, at: PagesLab.now - 20)
        _ = try lab.history.merge(SampleBatch(coverage: [place.span(of: day)]), sync: sync, place: place)
        let page = await lab.get("/day/\(day)").text
        #expect(page.contains("<th scope=\"row\">2:00 (first)</th>") && page.contains("<th scope=\"row\">2:00 (second)</th>"))
        #expect(page.contains("<th scope=\"row\">3:00</th>"))
    }

    @Test func `the longest streak is that of the whole history, and why the last one ended is shown`() async throws {
        let lab = try lab([9000, 9000, 9000, nil, 9000, 100])
        lab.history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 8000), of: 1)
        // The longest lies in the week before.
        let week = await lab.get("/week").text
        #expect(week.contains("<span>Longest streak</span> <strong>3 days</strong>"), "\(week.prefix(4000))")
        #expect(week.contains("<span>Streak now</span> <strong>1 day</strong>"))
        let ended = try self.lab([9000, 9000, nil, 100])
        ended.history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 8000), of: 1)
        let year = await ended.get("/year").text
        #expect(year.contains("<strong>none</strong>") && year.contains("nothing shows that the goal of 2026-11-17 was met"))
    }

    @Test func `a notice is dismissed`() async throws {
        let lab = try lab()
        _ = lab.history.keep(
            [Notice(.machine, since: PagesLab.now - 9, .nightsFailed(nights: 2, reason: "no adapter"))], withdrawn: [], at: PagesLab.now)
        #expect(await lab.get("/day").text.contains("Bluetooth on this machine has not worked"))
        let id = try #require(lab.history.standingNotices().first?.id)
        #expect(await lab.post("/notices/dismiss", "notice=\(id)").status == 303)
        #expect(lab.history.standingNotices().first?.isNew == false)
        #expect(!(await lab.get("/day").text.contains("has not worked")))
    }

    // MARK: Sync and share

    /// Returns once nothing runs any longer.
    private func finish(_ pages: LocalPages) async { for await _ in pages.activity.events() {} }

    @Test func `a sync shows its progress and its result`() async throws {
        let lab = try lab()
        let pedometer = try #require(lab.history.pedometers().first)
        lab.reader.script(pedometer.id, .progress(.connecting), .finish(ReadReport(battery: 55)))
        let pages = lab.pages
        let begun = await lab.post("/sync", "", to: pages)
        #expect(begun.status == 303 && begun.header("Location") == "/activity")
        await finish(pages)
        let page = await pages.respond(to: PagesLab.request("GET", "/activity")).text
        #expect(page.contains("Sync: done") && page.contains("ring: no steps, battery 55 %"), "\(page)")
    }

    @Test func `while one runs, another is refused, and its page refreshes itself`() async throws {
        let lab = try lab()
        let pedometer = try #require(lab.history.pedometers().first)
        lab.reader.script(pedometer.id, .progress(.searching), .hang)
        let pages = lab.pages
        _ = await lab.post("/sync", "", to: pages)
        for await _ in lab.reader.hanging { break }
        let page = await pages.respond(to: PagesLab.request("GET", "/activity")).text
        #expect(page.contains("<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>") && page.contains("/istep.js"))
        #expect(page.contains("id=\"activity-line\"") && page.contains("ring: searching"))
        #expect(await lab.post("/sync", "", to: pages).status == 409)
        var events: [String] = []
        for await event in pages.activity.events() {
            events.append(event)
            break
        }
        #expect(events == ["data: ring: searching\n\n"])
    }

    @Test func `a day is shared, retried and dropped`() async throws {
        let garden = ScriptedDestination("garden")
        var lab = try lab()
        lab.destinations = [garden]
        let pages = lab.pages
        let day = PagesLab.today.advanced(by: -1)
        garden.script(.fail(ShareFailure(.rejected, "too many <steps>")))
        #expect(await lab.post("/share", "destination=garden&day=\(day)", to: pages).status == 303)
        await finish(pages)
        let failed = await pages.respond(to: PagesLab.request("GET", "/activity")).text
        #expect(failed.contains("finished with errors") && failed.contains("too many &lt;steps&gt;"), "\(failed)")
        #expect(await lab.get("/share").text.contains("rejected, 1 attempt: too many &lt;steps&gt;"))
        _ = await lab.post("/outbox/retry", "destination=garden&day=\(day)", to: pages)
        await finish(pages)
        #expect(garden.steps(day) == 4000)
        #expect(await lab.get("/day/\(day)").text.contains("sent 2026-11-18 12:00"))
        try lab.history.record([ShareEntry(user: 1, day: day.advanced(by: -1), destination: "garden", changedAt: PagesLab.now)])
        #expect(await lab.post("/outbox/drop", "destination=garden&day=\(day.advanced(by: -1))", to: pages).status == 303)
        #expect(lab.history.entries(for: "garden", in: [.pending]).isEmpty)
        #expect(await lab.post("/share", "destination=garden&day=2027-01-01", to: pages).status == 400)
    }
}
