import PageExchange
import StepDomain
import TestSupport
import Testing

@testable import StepPages

/// Only what the user changes in a form is stored.
@Suite(.timeLimit(.minutes(5))) struct PlanFormTests {
    private var fixture = PagesFixture()
    private let user: User

    init() throws {
        user = fixture.history.addUser(named: "anna")
        _ = try fixture.walk(user, steps: [9000, 100])
    }

    private func profile(on day: String) throws -> Profile? {
        fixture.history.profiles(of: user.id).effective(on: try #require(Day(day)))
    }

    private func plan(on day: String) throws -> SportPlan? {
        try fixture.history.plans(of: user.id).effective(on: try #require(Day(day)))
    }

    /// What a browser sends of a form, by the name of the field: hidden fields, too.
    private func fields(of form: String, in page: String) throws -> [String: String] {
        let start = try #require(page.firstRange(of: "action=\"/\(form)\"")), rest = page[start.upperBound...]
        let text = rest.prefix(upTo: rest.firstRange(of: "</form>")?.lowerBound ?? rest.endIndex)
        var fields: [String: String] = [:]
        for input in text.matches(of: /<input[^>]* name="([^"]+)" value="([^"]*)"/) {
            fields[String(input.1)] = String(input.2)
        }
        for select in text.matches(of: /<select[^>]* name="([^"]+)">(.*?)<\/select>/) {
            fields[String(select.1)] = select.2.firstMatch(of: /value="([^"]*)" selected/).map { String($0.1) }
        }
        fields["key"] = nil
        return fields
    }

    /// Sends a form of a page with these values changed.
    private func send(_ form: String, of page: String? = nil, _ changes: [String: String]) async throws
        -> ServedResponse
    {
        let shown: String
        if let page { shown = page } else { shown = await fixture.get("/plan").text }
        let values = try fields(of: form, in: shown).merging(changes) { $1 }
        return await fixture.post("/\(form)", values.map { "\($0)=\($1)" }.sorted().joined(separator: "&"))
    }

    private func expectSaved(_ what: String, _ response: ServedResponse) {
        #expect(
            response.status == 303 && response.header("Location") == "/plan?saved=\(what)",
            "\(response.text.suffix(900))")
    }

    // MARK: Profile

    /// Lighter until 2026, with a height that the form shows rounded.
    private func keepProfiles() throws {
        let beginning = Day(daysSince1970: 0), later = try #require(Day("2026-01-01"))
        fixture.history.setProfile(Profile(validFrom: beginning, height: 1.7825, weight: 60, sex: .female), of: user.id)
        fixture.history.setProfile(Profile(validFrom: later, height: 1.7825, weight: 72.55, sex: .female), of: user.id)
    }

    @Test func `a value that is saved as of a past day does not take the others of today with it`() async throws {
        try keepProfiles()
        expectSaved("profile", try await send("profile", ["birth": "1980-04-20", "valid-from": "2020-01-01"]))
        let past = try #require(try profile(on: "2020-06-01"))
        #expect(
            past.weight == 60 && past.height == 1.7825 && past.sex == .female && past.birthDate == Day("1980-04-20"))
        #expect(try profile(on: "2019-12-31")?.birthDate == nil)
        #expect(try profile(on: "2026-11-18")?.weight == 72.55)
    }

    @Test func `a value that was not changed keeps all its digits`() async throws {
        try keepProfiles()
        #expect(await fixture.get("/plan").text.contains("name=\"height\" value=\"178.3\""), "it is shown rounded")
        expectSaved("profile", try await send("profile", ["weight": "71,5"]))
        let today = try #require(try profile(on: "2026-11-18"))
        #expect(today.weight == 71.5 && today.height == 1.7825 && today.stepLength == nil)
    }

    @Test func `a page that was opened before another change does not undo it`() async throws {
        try keepProfiles()
        let page = await fixture.get("/plan").text
        expectSaved("profile", try await send("profile", ["weight": "80"]))
        expectSaved("profile", try await send("profile", of: page, ["step": "74"]))
        let today = try #require(try profile(on: "2026-11-18"))
        #expect(today.weight == 80 && today.stepLength == 0.74)
    }

    @Test func `a form without a change stores nothing and says so`() async throws {
        try keepProfiles()
        expectSaved("nothing", try await send("profile", ["valid-from": "2020-01-01"]))
        expectSaved("nothing", try await send("profile", ["height": "", "sex": "female"]))
        #expect(fixture.history.profiles(of: user.id).count == 2)
        #expect(await fixture.get("/plan?saved=nothing").text.contains("No value was changed, so nothing was saved."))
    }

    @Test func `after an error, the form still knows what it has shown`() async throws {
        try keepProfiles()
        let wrong = try await send("profile", ["weight": "many", "valid-from": "2020-01-01"])
        #expect(wrong.status == 422 && wrong.text.contains("name=\"was-weight\" value=\"72.6\""))
        expectSaved("profile", try await send("profile", of: wrong.text, ["weight": "61"]))
        let past = try #require(try profile(on: "2020-06-01"))
        #expect(past.weight == 61 && past.height == 1.7825)
    }

    @Test func `the sex is stored only where it was chosen`() async throws {
        expectSaved("profile", try await send("profile", ["height": "178"]))
        #expect(try profile(on: "2026-11-18")?.sex == .unspecified)
        expectSaved("profile", try await send("profile", ["sex": "male"]))
        #expect(try profile(on: "2026-11-18")?.sex == .male && profile(on: "2026-11-18")?.height == 1.78)
        #expect(try await send("profile", ["sex": "other"]).status == 422)
    }

    /// Otherwise those days would have half a profile.
    @Test func `before the first profile all values of the form are saved`() async throws {
        let birth = try #require(Day("1980-04-20")), first = try #require(Day("2026-05-01"))
        let only = Profile(
            validFrom: first, height: 1.7825, weight: 72, sex: .female, birthDate: birth, stepLength: 0.7426)
        fixture.history.setProfile(only, of: user.id)
        expectSaved("profile", try await send("profile", ["weight": "70", "valid-from": "2026-01-01"]))
        let past = try #require(try profile(on: "2026-02-01"))
        #expect(past.weight == 70 && past.height == 1.7825 && past.sex == .female)
        #expect(past.birthDate == birth && past.stepLength == 0.7426)
        #expect(try profile(on: "2026-05-01") == only)
    }

    @Test func `an empty form of a user without a profile stores nothing`() async throws {
        expectSaved("nothing", try await send("profile", [:]))
        #expect(fixture.history.profiles(of: user.id).isEmpty)
    }

    // MARK: Removal

    /// The first days that the buttons of a page remove.
    private func removable(_ what: String) async -> [String] {
        let text = await fixture.get("/plan").text
        return text.matches(of: /action="\/(plan|profile)\/remove".*?name="from" value="([^"]*)"/).filter {
            $0.1 == what
        }.map { String($0.2) }
    }

    @Test func `a plan and a profile are removed, and their days have the one before`() async throws {
        try keepProfiles()
        fixture.history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 5000), of: user.id)
        fixture.history.setPlan(SportPlan(validFrom: try #require(Day("2026-01-01")), everyDay: 8000), of: user.id)
        for what in ["plan", "profile"] {
            #expect(await removable(what) == ["2026-01-01", "1970-01-01"])
            let response = await fixture.post("/\(what)/remove", "from=2026-01-01")
            let word = what == "plan" ? "goals-removed" : "profile-removed"
            expectSaved(word, response)
            #expect(await fixture.get("/plan?saved=\(word)").text.contains("is removed."))
            #expect(await removable(what) == ["1970-01-01"])
            // As when the page was loaded before.
            #expect(await fixture.post("/\(what)/remove", "from=2026-01-01").status == 409)
            for wrong in ["", "from=", "from=beginning"] {
                #expect(await fixture.post("/\(what)/remove", wrong).status == 400, "\(wrong)")
            }
        }
        #expect(try plan(on: "2026-11-18")?.goals.first == 5000 && profile(on: "2026-11-18")?.weight == 60)
        expectSaved("goals-removed", await fixture.post("/plan/remove", "from=1970-01-01"))
        expectSaved("profile-removed", await fixture.post("/profile/remove", "from=1970-01-01"))
        #expect(try fixture.history.plans(of: user.id).isEmpty && fixture.history.profiles(of: user.id).isEmpty)
    }

    @Test func `an entry of another user is not removed`() async throws {
        fixture.history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 5000), of: user.id)
        let bob = fixture.history.addUser(named: "bob")
        #expect(await fixture.post("/plan/remove", "from=1970-01-01&user=bob").status == 409)
        #expect(try fixture.history.plans(of: user.id).count == 1 && fixture.history.plans(of: bob.id).isEmpty)
    }

    @Test mutating func `a profile is shown and typed in the reader's units`() async throws {
        fixture.units = .imperial
        expectSaved("profile", try await send("profile", ["height": "5' 10%22", "weight": "160", "step": "29.5"]))
        let stored = try #require(try profile(on: "2026-11-18"))
        #expect(abs((stored.height ?? 0) - 1.778) < 1e-9 && abs((stored.stepLength ?? 0) - 0.7493) < 1e-9)
        let page = await fixture.get("/plan").text
        #expect(page.contains("value=\"5 ft 10 in\"") && page.contains("value=\"160 lb\""), "\(page)")
        // What was not changed is not rounded.
        expectSaved("profile", try await send("profile", ["sex": "female"]))
        #expect(try profile(on: "2026-11-18")?.height == stored.height)
        let wrong = try await send("profile", ["height": "178"])
        #expect(wrong.status == 422 && wrong.text.contains("1 ft 8 in to 8 ft 2 in."), "\(wrong.text)")
        let day = await fixture.get("/day/\(PagesFixture.today.advanced(by: -1))").text
        #expect(day.contains("<small>mi</small>") || day.contains(" mi"), "\(day)")
        #expect(!day.contains(" km") && !day.contains(">km<"))
    }

    // MARK: Plan

    @Test func `a goal that is saved as of a past day leaves the other goals of that time`() async throws {
        fixture.history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 5000), of: user.id)
        fixture.history.setPlan(SportPlan(validFrom: try #require(Day("2026-01-01")), everyDay: 8000), of: user.id)
        expectSaved("goals", try await send("plan", ["sunday": "0", "valid-from": "2020-01-01"]))
        #expect(try plan(on: "2020-06-01")?.goals == [5000, 5000, 5000, 5000, 5000, 5000, 0])
        #expect(try plan(on: "2026-11-18")?.goals == Array(repeating: 8000, count: 7))
        expectSaved("nothing", try await send("plan", ["valid-from": "2021-01-01"]))
        #expect(try fixture.history.plans(of: user.id).count == 3)
    }

    @Test func `a rest day can be typed as the table of plans shows it`() async throws {
        fixture.history.setPlan(SportPlan(validFrom: Validity.beginning, everyDay: 8000), of: user.id)
        expectSaved("goals", try await send("plan", ["sunday": "Rest"]))
        let saved = try #require(try fixture.history.plans(of: user.id).max { $0.validFrom < $1.validFrom })
        #expect(saved[.sunday] == 0 && saved[.monday] == 8000)
    }

    @Test func `goals can be saved from the beginning, and later plans stay`() async throws {
        fixture.history.setPlan(SportPlan(validFrom: try #require(Day("2026-01-01")), everyDay: 8000), of: user.id)
        // Of a first plan, "from the beginning" is what a browser sends beside a date.
        expectSaved(
            "goals", try await send("plan", ["sunday": "1", "valid": "beginning", "valid-from": "2020-01-01"]))
        #expect(try plan(on: "2020-01-01")?[.sunday] == 1 && plan(on: "2019-12-31") == nil)
        expectSaved("goals", try await send("plan", ["sunday": "0", "valid": "beginning"]))
        #expect(try plan(on: "1999-06-01")?.goals == [8000, 8000, 8000, 8000, 8000, 8000, 0])
        #expect(try plan(on: "2026-11-18")?.goals == Array(repeating: 8000, count: 7))
        expectSaved("profile", try await send("profile", ["height": "178", "valid": "beginning"]))
        #expect(try profile(on: "1999-06-01")?.height == 1.78)
    }

    @Test func `a first plan holds from the day that was chosen`() async throws {
        let goals = Dictionary(uniqueKeysWithValues: Weekday.allCases.map { ($0.name, "8000") })
        expectSaved("goals", try await send("plan", goals.merging(["valid": "today"]) { $1 }))
        let saved = try #require(try fixture.history.plans(of: user.id).first)
        #expect(saved.validFrom != Validity.beginning && saved.validFrom == PagesFixture.today)
    }

    /// Goals that are not given would be rest days.
    @Test func `before the first plan all goals of the form are saved`() async throws {
        fixture.history.setPlan(SportPlan(validFrom: try #require(Day("2026-01-01")), everyDay: 8000), of: user.id)
        expectSaved("goals", try await send("plan", ["sunday": "0", "valid-from": "2020-01-01"]))
        #expect(try plan(on: "2020-06-01")?.goals == [8000, 8000, 8000, 8000, 8000, 8000, 0])
    }
}
