import PageExchange
import StepDomain
import TestSupport
import Testing

@testable import StepPages

/// The report: one self-contained document.
@Suite(.timeLimit(.minutes(5))) struct ReportPageTests {
    /// Three years to 2026-11-18 with a goal of 8,000, every tenth day unknown.
    private func figures(_ count: Int = 1000) throws -> DaySeries {
        let today = PagesFixture.today, plan = SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 8000)
        let days = (0..<count).map { index in
            let day = today.advanced(by: index - count + 1)
            let isUnknown = index % 10 == 5 || index == count - 1
            return DayFigures(
                DaySums(day: day), correction: isUnknown ? nil : StepCorrection(steps: index % 100 * 150), profile: nil,
                plan: plan,
                isInProgress: day == today)
        }
        return DaySeries(user: User(id: 1, name: "anna & <bob>"), today: today, days: days)
    }

    private func report(_ figures: DaySeries, _ period: Period? = nil) -> String {
        let user = figures.user
        let context = PageContext(user: user, users: [user], now: PagesFixture.now, localTime: .berlin, audience: .file)
        let whole = Period((figures.known?.lowerBound ?? figures.today)...figures.today)
        let source = ReportPage.Source(
            name: "<ring>", model: "a ring", readThrough: PagesFixture.now - 60, lastSync: nil)
        return ReportPage(figures, period: period ?? whole, sources: [source], context: context).document.source
    }

    @Test func `every day is there once, and each link leads to a place in the file`() throws {
        let text = report(try figures())
        let ids = text.matches(of: /id="([^"]+)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count, "an id occurs twice")
        #expect(ids.count { $0.hasPrefix("day-") } == 1000)
        let links = text.matches(of: /href="([^"]+)"/).map { String($0.1) }
        #expect(links.count > 1000)
        for link in links where !(link.hasPrefix("#") && (ids + ["content"]).contains(String(link.dropFirst()))) {
            Issue.record("\(link)")
        }
    }

    @Test func `sources of imports are listed beside the pedometers`() throws {
        let context = PageContext(
            user: User(id: 1, name: "anna"), users: [], now: PagesFixture.now, localTime: .berlin, audience: .file)
        let source = ReportPage.Source(
            name: "phone", model: "Gadgetbridge", isImported: true, readThrough: nil, lastSync: PagesFixture.now)
        let figures = try figures(), whole = Period(figures.today...figures.today)
        let text = ReportPage(figures, period: whole, sources: [source], context: context).document.source
        #expect(text.contains("Pedometers and imports") && text.contains("Gadgetbridge, imported "))
        #expect(!text.contains("nothing stored yet"))
    }

    @Test func `nothing is loaded or run, and names stay text`() throws {
        let text = report(try figures())
        for part in ["<script", "<form", "<img", "src=", "http:", "https:", "@import", "style=", "<ring>", "<bob>"] {
            #expect(!text.contains(part), "\(part)")
        }
        #expect(
            text.contains("default-src &#39;none&#39;") && text.contains("anna &amp; &lt;bob&gt;")
                && text.contains("&lt;ring&gt;"))
    }

    /// The first 4096 bytes of the file, in which the title is whole whatever the name of the user is.
    @Test func `a report is recognised by its beginning`() throws {
        var figures = try figures(30)
        figures = DaySeries(
            user: User(id: 1, name: String(repeating: "&\u{301}", count: 64)), today: figures.today, days: figures.days)
        let text = report(figures)
        #expect(text.prefix(4096).contains("<meta name=\"generator\" content=\"istep\">"))
        for text in [text, text.replacing(PageFrame.generator.source, with: "")] {
            #expect(ReportPage.isReport(beginning: String(decoding: Array(text.utf8.prefix(4096)), as: UTF8.self)))
        }
        for other in ["", "x", String(text.dropFirst()), "<!DOCTYPE html>\n<title>Steps of my life</title>"] {
            #expect(!ReportPage.isReport(beginning: other))
        }
    }

    @Test func `unknown days are counted as such and not as zero`() throws {
        let figures = try figures()
        let statistics = figures.statistics(of: Period(figures.today.advanced(by: -999)...figures.today))
        #expect(statistics.unknownDays == 100)
        let text = report(figures)
        #expect(text.contains("100 unknown"))
        // In the table of days; today is the other one.
        #expect(text.matches(of: /<td class="num">unknown<\/td>/).count == 101)
    }

    @Test func `a short span has bars of its days`() throws {
        let text = report(try figures(), Period(PagesFixture.today.advanced(by: -9)...PagesFixture.today))
        #expect(text.matches(of: /id="day-/).count == 10 && text.contains("Days of 9 to 18 November 2026"))
    }

    @Test func `the contents lead to all chapters, and all tables are in one of them`() throws {
        let text = report(try figures())
        let contents = try #require(text.firstMatch(of: /<nav class="contents".*?<\/nav>/)).output
        let links = contents.matches(of: /href="#([^"]+)"/).map { String($0.1) }
        #expect(links == ["whole", "year-2026", "year-2025", "year-2024", "tables", "sources"])
        for id in links { #expect(text.contains("<h2 class=\"chapter\" id=\"\(id)\">"), "\(id)") }
        let beginning = try #require(text.firstRange(of: "id=\"tables\">"))
        #expect(
            !text[..<beginning.lowerBound].contains("<details")
                && text[beginning.upperBound...].contains("Days of 2024"))
    }

    @Test func `a period without known days is reported`() {
        let none = DaySeries(user: User(id: 1, name: "anna"), today: PagesFixture.today, days: [])
        #expect(report(none).contains("Nothing is known of these days."))
    }
}
