import Foundation
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

/// The pages in a real browser, with a simulated ring behind them.
@Suite(.realServers, .timeLimit(.minutes(5))) struct BrowserTests {
    @Test func `a new user can sync, view past days and share in the browser`() async throws {
        try await visitingPages { home, browser, base in
            // Sync, with the ring's steps of the week behind it.
            try await browser.click("form[action='/sync'] button")
            try await browser.until { $0.hasPrefix("Sync: done") }
            #expect(try await browser.text("main pre").contains("ring: "))
            // The first page has the days of a year, and each leads to its page.
            try await browser.click("link=Overview")
            #expect(try await browser.address == "\(base)/")
            #expect(try await browser.text(".ring .big") == Self.grouped(home.walked(daysAgo: 0)))
            let previous = try #require(
                try await browser.evaluate("Array.from(document.querySelectorAll('.cal a')).at(-2).href.baseVal")
                    as? String)
            try await browser.click(".cal a[href='\(previous)'] rect")
            let yesterday = try await browser.address
            #expect(yesterday == base + previous)
            #expect(try await browser.text(".ring .big") == Self.grouped(home.walked(daysAgo: 1)))
            try await browser.click("a[rel=next]")
            #expect(try await browser.title.contains("today"))
            // A date of the picker.
            let day = String(yesterday.suffix(10))
            _ = try await browser.evaluate("document.querySelector('.pick').open = true")
            _ = try await browser.evaluate("document.getElementById('date').value = '\(day)'")
            try await browser.click("form[action='/go'] button")
            try await browser.until { !$0.contains("today") }
            #expect(try await browser.address == "\(base)/day/\(day)")
            // Share it.
            try await browser.click("form[action='/share'] button")
            try await browser.until { $0.hasPrefix("Share ") && $0.contains(": done") }
            let file = try String(contentsOfFile: home.folder.path + "/steps.csv", encoding: .utf8)
            #expect(file.contains("\(day)") && file.contains("\(home.walked(daysAgo: 1))"), "\(file)")
            try await browser.go("\(base)/day/\(day)")
            #expect(try await browser.source.contains(/sent [A-Z][a-z]{2} [0-9]+ [A-Z][a-z]{2}, [0-9]{2}:[0-9]{2}/))
            // The chart of the week leads to the day.
            try await browser.click("link=Week")
            #expect(try await browser.evaluate("document.querySelectorAll('figure svg a').length") as? Int ?? 0 >= 1)
            try await browser.click("link=Pedometers")
            #expect(try await browser.text("main h2") == "ring")
            await home.expectNothingLeftOpen()
        }
    }

    /// The ring comes into range when the page is there, and the time of the radio is real: the sync goes on meanwhile.
    @Test func `without scripts, the page of a sync loads itself again until it is done`() async throws {
        try await visitingPages(.realistic) { home, browser, base in
            _ = try await browser.protocolCommand("Emulation.setScriptExecutionDisabled", ["value": true])
            try await browser.go("\(base)/day")
            await home.stack.inject(.outOfRange, for: home.ring.address)
            try await browser.click("form[action='/sync'] button")
            #expect(try await browser.title == "Sync – istep")
            #expect(try await browser.address == "\(base)/activity")
            await home.stack.remove(.outOfRange, for: home.ring.address)
            try await browser.until { $0.hasPrefix("Sync: done") }
            #expect(try await browser.text("main pre").contains("ring: "))
            // The rest works as well: a turn of the page, and a form.
            try await browser.click("link=Today")
            try await browser.click("a[rel=prev]")
            try await browser.click("link=Plan")
            try await browser.click("form[action='/plan'] button")
            #expect(try await browser.address == "\(base)/plan?saved=nothing")
        }
    }

    /// The ring comes into range when the page is there, so that the progress after it can only come from events.
    @Test func `with scripts, the progress of a sync is shown as it comes, and then its result`() async throws {
        try await visitingPages { home, browser, _ in
            // Records in the browser what the page shows, and how often it is loaded before the page with the result
            // replaces it.
            let notes = """
                addEventListener("DOMContentLoaded", () => {
                    const line = document.getElementById("activity-line");
                    if (!line) return;
                    const note = (name, text) => sessionStorage.setItem(name, (sessionStorage.getItem(name) ?? "") + text + "\\n");
                    note("loads", "load");
                    new MutationObserver(() => note("lines", line.textContent)).observe(line, { childList: true });
                });
                """
            _ = try await browser.protocolCommand("Page.addScriptToEvaluateOnNewDocument", ["source": notes])
            await home.stack.inject(.outOfRange, for: home.ring.address)
            try await browser.click("form[action='/sync'] button")
            #expect(try await browser.title == "Sync – istep")
            try await browser.until(isTrue: "document.getElementById('activity-line').textContent == 'ring: searching'")
            await home.stack.remove(.outOfRange, for: home.ring.address)
            try await browser.until { $0.hasPrefix("Sync: done") }
            #expect(try await browser.text("main pre").contains("ring: "))
            let lines = try #require(try await browser.evaluate("sessionStorage.getItem('lines')") as? String).split(
                separator: "\n")
            #expect(lines.contains("ring: connected") && lines.contains { $0.hasPrefix("ring: reading, ") }, "\(lines)")
            #expect(try await browser.evaluate("sessionStorage.getItem('loads')") as? String == "load\n")
            await home.expectNothingLeftOpen()
        }
    }

    @Test func `arrow keys lead to the day, week, month and year before and after`() async throws {
        try await visitingPages { home, browser, base in
            // A day of an earlier year, whatever the date is.
            let entered = try await home.istep("correct", "-400", "--steps", "5000")
            try #require(entered.status == 0, "\(entered.error)")
            for page in ["day", "week", "month", "year"] {
                try await browser.go("\(base)/\(page)")
                let heading = try await browser.text("h1")
                let previous = try #require(try await browser.evaluate(Self.link("prev")) as? String, "\(page)")
                try await browser.turn(by: .left)
                #expect(try await browser.address == previous)
                let next = try #require(try await browser.evaluate(Self.link("next")) as? String, "\(page)")
                try await browser.turn(by: .right)
                #expect(try await browser.address == next && next != previous)
                #expect(try await browser.text("h1") == heading)
            }
        }
    }

    @Test func `on paper there are figures, charts and tables, and no controls`() async throws {
        try await visitingPages { _, browser, base in
            try await browser.click("form[action='/sync'] button")
            try await browser.until { $0.hasPrefix("Sync: done") }
            let controls = "Array.from(document.querySelectorAll('button, input, select, form, nav, .skip'))"
            let shown = "\(controls).filter(e => e.checkVisibility()).map(e => e.outerHTML).join()"
            for page in ["", "day"] {
                try await browser.go("\(base)/\(page)")
                #expect(try await browser.evaluate(shown) as? String != "")
                #expect(try await browser.print().starts(with: Data("%PDF-".utf8)))
                // What is folded up on the screen is printed.
                #expect(try await browser.evaluate("document.querySelectorAll('details').length") as? Int ?? 0 > 0)
                #expect(
                    try await browser.evaluate("document.querySelectorAll('details:not([open])').length") as? Int == 0)
                // Paper is white, also where the screen is dark.
                _ = try await browser.protocolCommand(
                    "Emulation.setEmulatedMedia",
                    ["media": "print", "features": [["name": "prefers-color-scheme", "value": "dark"]]])
                let left = try await browser.evaluate(shown) as? String
                #expect(left == "", "\(page)")
                let content =
                    "Array.from(document.querySelectorAll('h1, .stats, figure svg, table')).every(e => e.checkVisibility())"
                #expect(try await browser.evaluate(content) as? Bool == true)
                #expect(
                    try await browser.evaluate("getComputedStyle(document.body).backgroundColor") as? String
                        == "rgb(255, 255, 255)")
                #expect(
                    try await browser.evaluate("getComputedStyle(document.body).color") as? String == "rgb(0, 0, 0)")
                _ = try await browser.protocolCommand("Emulation.setEmulatedMedia", ["media": ""])
            }
        }
    }

    @Test func `the pictures of a day and of a year have their colours`() async throws {
        try await visitingPages { _, browser, base in
            try await browser.click("form[action='/sync'] button")
            try await browser.until { $0.hasPrefix("Sync: done") }
            for picture in ["day.svg", "year.svg"] {
                try await browser.go("\(base)/\(picture)")
                // Without the style sheet it would be black.
                let ground = "getComputedStyle(document.querySelector('.f-card')).fill"
                #expect(try await browser.evaluate(ground) as? String == "rgb(255, 255, 255)", "\(picture)")
            }
            try await browser.go(base)
        }
    }

    @Test func `a wrong value is shown again with the error at its field`() async throws {
        try await visitingPages { _, browser, base in
            try await browser.click("link=Plan")
            #expect(try await browser.evaluate("document.getElementById('monday').value") as? String == "8000")
            try await browser.type("many", into: "#monday")
            try await browser.click("form[action='/plan'] button")
            #expect(try await browser.text("#monday-error").contains("from 0 to 200,000"))
            #expect(try await browser.evaluate("document.getElementById('monday').value") as? String == "many")
            try await browser.type("9500", into: "#monday")
            try await browser.click("form[action='/plan'] button")
            #expect(try await browser.address == "\(base)/plan?saved=goals")
            #expect(try await browser.text("[role=status]") == "The goals are saved.")
            #expect(try await browser.evaluate("document.getElementById('monday').value") as? String == "9500")
        }
    }

    @Test func `all pages work on dark and narrow screens and with screen readers, and are valid HTML`() async throws {
        try await visitingPages { _, browser, base in
            try await browser.click("form[action='/sync'] button")
            try await browser.until { $0.hasPrefix("Sync: done") }
            for page in ["", "day", "week", "month", "year", "share", "devices", "devices/add", "plan", "activity"] {
                try await browser.go("\(base)/\(page)")
                // The first stop of the tab key is the link to the content, and the focus is visible.
                try await browser.press(.tab)
                #expect(try await browser.evaluate("document.activeElement.className") as? String == "skip", "\(page)")
                #expect(
                    try await browser.evaluate("document.activeElement.getBoundingClientRect().left >= 0") as? Bool
                        == true)
                #expect(
                    try await browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") as? String
                        == "solid")
                let source = try await browser.source
                #expect(!source.contains("onload=") && !source.contains("style="), "\(page)")
                let complaints = try Tidy.complaints("<!DOCTYPE html>" + source)
                #expect(complaints.isEmpty, "\(page): \(complaints.prefix(5))")
                // Every control and every picture has a name.
                let nodes = try await browser.accessibleNodes()
                let nameless = nodes.filter {
                    ["button", "link", "textbox", "combobox", "image", "img", "Date", "spinbutton", "progressbar"]
                        .contains($0.role)
                        && $0.name.isEmpty
                }
                #expect(
                    nameless.isEmpty && nodes.contains { $0.role == "button" && $0.name == "Sync" },
                    "\(page): \(nameless)")
                // A chart has its table beside it.
                let charts = try await browser.evaluate(
                    "Array.from(document.querySelectorAll('figure')).every(f => f.querySelector('details table tbody tr'))"
                )
                #expect(charts as? Bool == true, "\(page)")
                _ = try await browser.protocolCommand(
                    "Emulation.setDeviceMetricsOverride",
                    ["width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true])
                let width = try await browser.evaluate("document.documentElement.scrollWidth") as? Int ?? 0
                #expect(width <= 360, "\(page) is \(width) wide")
                _ = try await browser.protocolCommand("Emulation.clearDeviceMetricsOverride")
            }
            let ground = "getComputedStyle(document.body).backgroundColor"
            #expect(try await browser.evaluate(ground) as? String == "rgb(244, 246, 244)")
            _ = try await browser.protocolCommand(
                "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": "dark"]]])
            #expect(try await browser.evaluate(ground) as? String == "rgb(13, 19, 17)")
            #expect(
                try await browser.evaluate("getComputedStyle(document.body).color") as? String == "rgb(233, 239, 236)")
        }
    }

    /// The address that a link of this relation leads to, in JavaScript.
    private static func link(_ relation: String) -> String { "document.querySelector('a[rel=\(relation)]').href" }

    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        return digits.count <= 3 ? digits : digits.dropLast(3) + "," + digits.suffix(3)
    }
}
