import PageExchange
import StepDomain
import TestSupport
import Testing

@testable import StepPages

/// What screen readers and keyboards need, in the markup of every page. `BrowserTests` of the program compare the
/// accessibility tree.
@Suite(.timeLimit(.minutes(5))) struct AccessibilityTests {
    /// Two users, a pedometer whose last sync has failed, a day that was corrected and waits for a destination, a
    /// notice.
    private func fixture() throws -> PagesFixture {
        var fixture = PagesFixture()
        fixture.destinations = [ScriptedDestination("garden")]
        let user = fixture.history.addUser(named: "anna"), day = PagesFixture.today.advanced(by: -1)
        let pedometer = try fixture.walk(user, steps: [9000, nil, 4000, 100])
        _ = fixture.history.addUser(named: "bob")
        let sync = try fixture.history.beginSync(of: pedometer.id, at: PagesFixture.now - 20)
        try fixture.history.endSync(
            sync, at: PagesFixture.now - 10, outcome: .failed, battery: nil, failure: "no answer", cause: .other)
        fixture.history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 8000), of: user.id)
        fixture.history.setCorrection(StepCorrection(steps: 5000), of: user.id, on: day, at: PagesFixture.now - 5)
        try fixture.history.record([
            ShareEntry(user: user.id, day: day, destination: "garden", changedAt: PagesFixture.now - 5)
        ])
        _ = fixture.history.update(
            active: [Notice(.machine, since: PagesFixture.now - 9, .nightsFailed(nights: 2, reason: "no adapter"))],
            withdrawn: [],
            at: PagesFixture.now)
        return fixture
    }

    private static let paths = [
        "/", "/day", "/day/2026-11-17", "/week", "/month", "/year", "/range?from=2026-11-15&to=2026-11-18", "/share",
        "/devices", "/devices/add", "/devices/forget?pedometer=C0:DE:52:02:A1:B2", "/plan",
        "/activity", "/nowhere",
    ]

    private func page(_ path: String) async throws -> String { await (try fixture()).get(path).text }

    private func tags(_ name: String, in text: String) throws -> [String] {
        text.matches(of: try Regex("<\(name)( [^>]*)?>")).map { String(text[$0.range]) }
    }

    private func value(_ attribute: String, of tag: String) throws -> String? {
        try Regex(" \(attribute)=\"([^\"]*)\"", as: (Substring, Substring).self).firstMatch(in: tag).map {
            String($0.output.1)
        }
    }

    @Test(arguments: paths) func `every field has a label, and every button words`(_ path: String) async throws {
        let text = try await page(path)
        let labels = try tags("label", in: text).map { try value("for", of: $0) }
        let fields = try (tags("input", in: text) + tags("select", in: text)).filter {
            try value("type", of: $0) != "hidden"
        }
        // The choice of the user is on every page.
        #expect(text.contains("aria-label=\"User: anna\"") && text.contains(/href="[^"]*user=bob"[^>]*><bdi>bob/))
        for field in fields {
            let id = try #require(try value("id", of: field), "\(field)")
            #expect(labels.count { $0 == id } == 1, "\(field)")
        }
        let worded = text.matches(of: /<button[^>]*>[^<]+<\/button>/).count
        #expect(try tags("button", in: text).count == worded)
        for progress in try tags("progress", in: text) { #expect(try value("aria-label", of: progress) != nil) }
    }

    @Test(arguments: paths) func `every table has a caption, and every column and row a heading`(_ path: String)
        async throws
    {
        let text = try await page(path)
        #expect(try tags("table", in: text).count == text.matches(of: /<table[^>]*><caption class="vh">[^<]+/).count)
        for heading in try tags("th", in: text) {
            let scope = try value("scope", of: heading)
            #expect(scope == "col" || scope == "row", "\(heading)")
        }
        #expect(!text.contains(/<th[^>]*><\/th>/))
    }

    @Test(arguments: paths) func `charts have a name and a table, and other pictures are hidden`(_ path: String)
        async throws
    {
        let text = try await page(path)
        for picture in try tags("svg", in: text) {
            let (role, name) = (try value("role", of: picture), try value("aria-label", of: picture) ?? "")
            let isHidden = try value("aria-hidden", of: picture) == "true"
            // Drawings within a drawing have its name.
            let isPart =
                role == nil && name.isEmpty && (picture.contains(" height=") || picture.contains("preserveAspectRatio"))
            #expect(isHidden || isPart || ["img", "group"].contains(role) && !name.isEmpty, "\(picture)")
        }
        for figure in text.split(separator: /<figure[^>]*>/).dropFirst() {
            let content = figure.prefix(upTo: figure.firstRange(of: "</figure>")?.lowerBound ?? figure.endIndex)
            for part in [#/<details class="numbers">/#, #/<tbody[^>]*><tr/#] {
                #expect(content.contains(part), "\(content.prefix(300))")
            }
        }
    }

    @Test(arguments: paths) func `the page has its language, title, heading, landmarks and link to the content`(
        _ path: String
    ) async throws {
        let text = try await page(path)
        #expect(text.contains("<html lang=\"en\">") && text.contains(/<title>[^<]+ – istep<\/title>/))
        for name in ["h1", "main", "footer"] { #expect(try tags(name, in: text).count == 1, "\(name)") }
        for region in try tags("nav", in: text) { #expect(try value("aria-label", of: region) != nil) }
        // The first link of the page leads to an element of it.
        #expect(try tags("a", in: text).first == "<a class=\"skip\" href=\"#content\">")
        #expect(try tags("main", in: text) == ["<main id=\"content\">"])
        let ids = text.matches(of: /\sid="([^"]+)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count, "\(ids)")
    }

    /// The colours are compared in `MarkupTests`.
    @Test func `the focus is visible on everything that can have it`() {
        let sheet = StyleSheet.pages.source
        #expect(sheet.contains("\n:focus-visible { outline: 3px solid var(--accent);"))
        // Columns of charts have a border of their own instead, since an outline does not fit them.
        #expect(
            sheet.matches(of: /outline: (none|0)/).count == 1
                && sheet.contains(".col:focus-visible .hit { stroke: var(--accent);"))
    }

    @Test func `the style sheet stays short`() {
        #expect(StyleSheet.pages.source.split(separator: "\n", omittingEmptySubsequences: false).count < 400)
    }
}
