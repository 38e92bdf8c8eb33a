import PageExchange
import StepDomain
import StepServices
import TestSupport
import Testing

@testable import StepPages

/// What the forms do that are answered at once.
@Suite(.timeLimit(.minutes(5))) struct LocalFormsTests {
    @Test func `a wrong value is returned with the reason at its field, and nothing is stored`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let response = await fixture.post(
            "/plan", RequestGuardTests.plan.replacing("tuesday=8000", with: "tuesday=8%2C5<k>"))
        #expect(response.status == 422)
        #expect(
            response.text.contains(
                "value=\"8,5&lt;k&gt;\" autocomplete=\"off\" aria-invalid=\"true\" aria-describedby=\"tuesday-error\" autofocus=\"autofocus\""
            ))
        #expect(response.text.contains("id=\"tuesday-error\">Enter a whole number from 0 to 200,000; 0 is a rest day."))
        #expect(response.text.contains("name=\"monday\" value=\"8000\""))
        #expect(try fixture.history.plans(of: 1).isEmpty)
        let profile = await fixture.post("/profile", "height=1.78&weight=72%2C5&sex=male&birth=2031-01-01")
        #expect(
            profile.status == 422 && profile.text.contains("50 to 250 cm")
                && profile.text.contains("Enter a date in the past"))
        #expect(profile.text.contains("value=\"72,5\"") && fixture.history.profiles(of: 1).isEmpty)
    }

    @Test(arguments: [
        ("/plan", RequestGuardTests.plan), ("/profile", "height=178&sex=male"),
        ("/correction", "day=2026-11-17&steps=5000"),
    ])
    func `the first form creates the history`(_ target: String, _ values: String) async throws {
        var fixture = PagesFixture()
        fixture.isEmpty = true
        let pages = fixture.pages
        #expect(await fixture.post(target, values, to: pages).status == 303)
        #expect(await pages.respond(to: PagesFixture.request("GET", "/plan")).text.contains("Plan and profile"))
        let user = try #require(fixture.history.users().first)
        #expect(user.name == "anna")
        switch target {
        case "/plan": #expect(try fixture.history.plans(of: user.id).count == 1)
        case "/profile": #expect(fixture.history.profiles(of: user.id).first?.height == 1.78)
        default: #expect(try fixture.history.dayData(of: user, on: try #require(Day("2026-11-17"))).correction != nil)
        }
    }

    @Test(arguments: [
        "/sync", "/share", "/outbox/retry", "/outbox/drop", "/notices/dismiss", "/devices/rename", "/devices/forget",
        "/correction/remove", "/plan/remove", "/profile/remove",
    ])
    func `a form that needs a history is refused before there is one, and says what to do`(_ target: String) async {
        var fixture = PagesFixture()
        fixture.isEmpty = true
        let response = await fixture.post(target, "from=1970-01-01")
        #expect(response.status == 409 && response.text.contains("Nothing was done: there is no history yet"))
        #expect(response.text.contains("istep add") && fixture.history.pedometers().isEmpty)
    }

    @Test func `right values are saved`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let response = await fixture.post(
            "/profile", "height=178&weight=72%2C5&sex=male&birth=1980-04-20&step=&valid-from=2026-11-01")
        #expect(response.status == 303 && response.header("Location") == "/plan?saved=profile")
        let profile = try #require(fixture.history.profiles(of: 1).first)
        #expect(profile.height == 1.78 && profile.weight == 72.5 && profile.sex == .male && profile.stepLength == nil)
        #expect(profile.validFrom == Day("2026-11-01"))
        #expect(await fixture.get("/plan?saved=profile").text.contains("The profile is saved."))
        #expect(!(await fixture.get("/plan?saved=%3Cb%3E").text.contains("<b>")))
    }

    @Test(arguments: ["/plan", "/profile"]) func `a plan or profile cannot be valid from a date before 1970`(
        _ target: String
    ) async throws {
        let fixture = try PagesFixture.ofAnna()
        let values = target == "/plan" ? RequestGuardTests.plan : "height=178"
        #expect(await fixture.post(target, values).status == 303)
        let refused = await fixture.post(target, values + "&valid-from=0001-01-01")
        #expect(
            refused.status == 422 && refused.text.contains("Enter a date from Thu 1 Jan 1970 on."),
            "\(refused.text.suffix(900))")
        #expect(await fixture.post(target, values + "&valid-from=1970-01-01").status == 303)
        #expect(try fixture.history.plans(of: 1).count + fixture.history.profiles(of: 1).count == 1)
        // Earlier versions of istep stored both.
        if target == "/plan" {
            fixture.history.setPlan(SportPlan(validFrom: Period.calendar.lowerBound, everyDay: 5000), of: 1)
        }
        #expect(await fixture.get("/plan").text.matches(of: />the beginning</).count == 1)
    }

    @Test func `a form without a required field is reported as incomplete`() async throws {
        let fixture = try PagesFixture.ofAnna()
        for (target, form) in [
            ("/share", ""), ("/share", "destination=garden"), ("/outbox/drop", "day=2026-11-17"),
            ("/notices/dismiss", "notice=x"),
        ] {
            let response = await fixture.post(target, form)
            #expect(
                response.status == 400 && response.text.contains("<h1>The form is incomplete</h1>"), "\(target) \(form)"
            )
        }
    }

    @Test func `dropping a day that was sent meanwhile is a conflict`() async throws {
        var fixture = try PagesFixture.ofAnna()
        fixture.destinations = [ScriptedDestination("garden")]
        let day = PagesFixture.today.advanced(by: -1)
        let gone = await fixture.post("/outbox/drop", "destination=garden&day=\(day)")
        #expect(gone.status == 409 && gone.text.contains("The outbox has changed"), "\(gone.text.suffix(900))")
        try fixture.history.record([
            ShareEntry(user: 1, day: day, destination: "garden", state: .sent, changedAt: PagesFixture.now)
        ])
        #expect(await fixture.post("/outbox/drop", "destination=garden&day=\(day)").status == 409)
    }

    @Test func `a notice is dismissed`() async throws {
        let fixture = try PagesFixture.ofAnna()
        _ = fixture.history.update(
            active: [Notice(.machine, since: PagesFixture.now - 9, .nightsFailed(nights: 2, reason: "no adapter"))],
            withdrawn: [],
            at: PagesFixture.now)
        #expect(await fixture.get("/day").text.contains("Bluetooth on this machine has not worked"))
        let id = try #require(fixture.history.standingNotices().first?.id)
        #expect(await fixture.post("/notices/dismiss", "notice=\(id)").status == 303)
        #expect(fixture.history.standingNotices().first?.isNew == false)
        #expect(!(await fixture.get("/day").text.contains("has not worked")))
    }
}
