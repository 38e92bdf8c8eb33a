import Foundation
import StepDomain
import TestSupport
import Testing

/// What a person sees of the pages, measured in a browser: nothing is cut, nothing overlaps, and all can be read.
@Suite(.realServers, .timeLimit(.minutes(10))) struct LayoutBrowserTests {
    private static let pages = [
        "", "day", "day/-", "week", "month", "year", "range/-", "share", "devices", "devices/add", "plan", "activity",
        "nowhere",
    ]

    @Test
    func `at every width and in both schemes, nothing is cut, nothing overlaps, and contrasts are those of WCAG AA`()
        async throws
    {
        try await visitingPages { home, browser, base in
            // The widest numbers on all days of more than a year; the unknown days among them fall on each weekday, so
            // that what is measured does not depend on the date of the run. A day by hand, and a day that waits.
            try await importWideDays(home)
            let entered = try await home.istep("correct", "-3", "--steps", "9000")
            try #require(entered.status == 0, "\(entered.error)")
            try await browser.click("form[action='/sync'] button")
            try await browser.until { $0.hasPrefix("Sync: done") }
            try await browser.go(base)
            let last =
                try await browser.evaluate(
                    "Array.from(document.querySelectorAll('.cal a')).at(-1).href.baseVal.slice(-10)") as? String
            let today = try #require(last.flatMap { Day($0) })
            for page in Self.pages {
                let address =
                    page == "day/-"
                    ? "day/\(today.advanced(by: -1))"
                    : page == "range/-" ? "range?from=\(today.advanced(by: -44))&to=\(today)" : page
                try await browser.go("\(base)/\(address)")
                try await measure(browser, page)
            }
            try await setWidth(320, browser)
            for page in ["week"] + (1...9).map({ "week/\(today.advanced(by: -7 * $0))" }) {
                try await browser.go("\(base)/\(page)")
                let found = try await browser.evaluate(Self.layout) as? [String] ?? ["no answer"]
                #expect(found.isEmpty, "\(page) at 320 px: \(found.prefix(8))")
            }
            // Names of months and numbers of days, wherever the first day lies between them.
            for width in [1280, 320] {
                try await setWidth(width, browser)
                for first in 34...64 {
                    try await browser.go("\(base)/range?from=\(today.advanced(by: -first))&to=\(today)")
                    let found = try await browser.evaluate(Self.layout) as? [String] ?? ["no answer"]
                    #expect(found.isEmpty, "a range of \(first + 1) days at \(width) px: \(found.prefix(8))")
                }
            }
            let report = home.folder.path + "/report.html"
            #expect(try await home.istep("report", "-o", report).status == 0)
            try await browser.go("file://\(report)")
            try await measure(browser, "report")
            // On A4, less its margins: tables stay tables, and no chart is divided between two pages.
            _ = try await browser.protocolCommand("Emulation.setEmulatedMedia", ["media": "print"])
            _ = try await browser.protocolCommand(
                "Emulation.setDeviceMetricsOverride",
                ["width": 703, "height": 1000, "deviceScaleFactor": 1, "mobile": false])
            let cut = try await browser.evaluate(Self.layout) as? [String] ?? ["no answer"]
            #expect(cut.isEmpty, "\(cut.prefix(8))")
            let isWhole =
                "Array.from(document.querySelectorAll('figure')).every(e => getComputedStyle(e).breakInside == 'avoid')"
            let areTables =
                "Array.from(document.querySelectorAll('tr')).every(e => getComputedStyle(e).display == 'table-row')"
            #expect(try await browser.evaluate("\(isWhole) && \(areTables)") as? Bool == true)
            #expect(try await browser.print().starts(with: Data("%PDF-".utf8)))
            try await browser.go(base)
        }
    }

    /// Five digits on each day of 420, but for each ninth.
    private func importWideDays(_ home: Household) async throws {
        let shown = try await home.istep("show", "--json").json["day"] as? String
        let today = try #require(shown.flatMap { Day($0) })
        let rows = (1...420).filter { $0 % 9 != 4 }.map { "\(today.advanced(by: -$0)),\(20_000 + $0)" }
        let file = home.folder.path + "/wide.csv"
        try (["Date,Steps"] + rows).joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let imported = try await home.istep("import", file, "--yes")
        try #require(imported.status == 0, "\(imported.error)")
    }

    private func setWidth(_ width: Int, _ browser: Browser) async throws {
        _ = try await browser.protocolCommand(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600])
    }

    private func measure(_ browser: Browser, _ page: String) async throws {
        for width in [320, 390, 1280, 1920] {
            try await setWidth(width, browser)
            let found = try await browser.evaluate(Self.layout) as? [String] ?? ["no answer"]
            #expect(found.isEmpty, "\(page) at \(width) px: \(found.prefix(8))")
        }
        for scheme in ["light", "dark"] {
            _ = try await browser.protocolCommand(
                "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]])
            let found = try await browser.evaluate(Self.contrasts) as? [String] ?? ["no answer"]
            #expect(found.isEmpty, "\(page), \(scheme): \(found.prefix(8))")
        }
    }

    /// Drawings that take the width of their card must not grow with it.
    @Test func `the pages of a first day are laid out like those of later ones`() async throws {
        try await visitingPages { home, browser, base in
            #expect(try await home.istep("correct", "today", "--steps", "4321").status == 0)
            for page in ["", "day", "week", "month", "year"] {
                try await browser.go("\(base)/\(page)")
                try await measure(browser, "\(page) of a first day")
                let large = """
                    Array.from(document.querySelectorAll('main .cal text, main .streak text, main .chart text'))
                        .map(text => text.getBoundingClientRect().height).filter(height => height > 24)
                    """
                let found = try await browser.evaluate(large) as? [Any]
                #expect(found?.isEmpty == true, "\(page): \(String(describing: found))")
            }
        }
    }

    @Test func `what a button opens is within the screen of a phone`() async throws {
        try await visitingPages { home, browser, base in
            for words in [["profile", "--height", "178"], ["plan", "9000", "--from", "2026-01-01"]] {
                #expect(try await home.istep.run(words).status == 0)
            }
            _ = try await browser.protocolCommand(
                "Emulation.setDeviceMetricsOverride",
                ["width": 320, "height": 700, "deviceScaleFactor": 1, "mobile": true])
            let outside = """
                Array.from(document.querySelectorAll('details.menu')).map(part => {
                    part.open = true;
                    const box = part.querySelector(':scope > div').getBoundingClientRect();
                    part.open = false;
                    return box.width > 0 && box.left >= 0 && box.right <= innerWidth ? 0 : box.left + ' to ' + box.right;
                })
                """
            for (page, fewest) in [("plan", 3), ("day", 1), ("year", 1), ("share", 0)] {
                try await browser.go("\(base)/\(page)")
                let found = try await browser.evaluate(outside) as? [Any] ?? ["no answer"]
                #expect(found.count >= fewest && found.allSatisfy { $0 as? Int == 0 }, "\(page): \(found)")
            }
        }
    }

    /// On a phone, the first chart of a page does not begin below the screen.
    @Test func `on a phone, the date controls are lower than 120 px`() async throws {
        try await visitingPages { _, browser, base in
            _ = try await browser.protocolCommand(
                "Emulation.setDeviceMetricsOverride",
                ["width": 320, "height": 700, "deviceScaleFactor": 1, "mobile": true])
            for page in ["day", "week", "month", "year"] {
                try await browser.go("\(base)/\(page)")
                let height =
                    try await browser.evaluate("document.querySelector('.datebar').getBoundingClientRect().height")
                    as? Double
                #expect(height ?? 1000 < 120, "\(page): \(height ?? -1)")
            }
        }
    }

    /// Names of elements that are cut, stick out of the page or of their card, or overlap.
    private static let layout = """
        (() => {
            const found = [], shown = e => e.checkVisibility({ checkOpacity: true }) && !e.closest(".vh, .skip, .sprite, .tip");
            const name = e => e.tagName + "." + (e.getAttribute("class") ?? "") + " " + (e.textContent ?? "").trim().slice(0, 30);
            const box = e => e.getBoundingClientRect();
            const width = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth > width) found.push("the page is " + document.documentElement.scrollWidth + " wide");
            for (const e of document.querySelectorAll("body *")) {
                if (!shown(e) || e.closest(".scroll") && !e.matches(".scroll")) continue;
                const r = box(e);
                if (r.width && (r.left < -0.5 || r.right > width + 0.5)) found.push("outside: " + name(e));
                const style = getComputedStyle(e);
                if (!(e instanceof SVGElement) && style.overflowX == "hidden" && e.scrollWidth > e.clientWidth + 1) found.push("cut: " + name(e));
                const card = e.closest(".card");
                if (card && e != card && !e.closest(".menu") && r.width && (r.right > box(card).right + 0.5 || r.left < box(card).left - 0.5))
                    found.push("sticks out: " + name(e));
            }
            const overlap = (all, slack) => {
                const boxes = all.filter(shown).map(e => [e, box(e)]).filter(([, r]) => r.width && r.height);
                for (let i = 0; i < boxes.length; i++)
                    for (let j = i + 1; j < boxes.length; j++) {
                        const [a, b] = [boxes[i][1], boxes[j][1]];
                        if (a.left < b.right - slack && b.left < a.right - slack && a.top < b.bottom - slack && b.top < a.bottom - slack)
                            found.push("overlap: " + name(boxes[i][0]) + " and " + name(boxes[j][0]));
                    }
            };
            for (const part of document.querySelectorAll(".grid, .site > div, .tools, .datebar, .turn, .stats, .pages, .hero, figcaption"))
                overlap(Array.from(part.children).filter(e => getComputedStyle(e).position != "fixed"), 0.5);
            for (const chart of document.querySelectorAll(".chart > svg, .cal > svg, .ring, .streak"))
                overlap(Array.from(chart.querySelectorAll("text")), 2);
            return found;
        })()
        """

    /// Texts with less than 4.5 (large ones 3), and marks of charts with less than 3, to what is behind them (WCAG 2.1,
    /// 1.4.3, 1.4.11).
    private static let contrasts = """
        (() => {
            const found = new Set();
            const parse = c => (c.match(/[0-9.]+/g) ?? []).map(Number);
            const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
            const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
            const ground = e => {
                for (let at = e; at; at = at.parentElement) {
                    const c = parse(getComputedStyle(at).backgroundColor);
                    if (c.length == 3 || c[3] == 1) return c;
                }
                return [255, 255, 255];
            };
            const shown = e => e.checkVisibility({ checkOpacity: true }) && !e.closest(".vh, .skip, .sprite, [aria-disabled]");
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const e = walker.currentNode.parentElement;
                if (!walker.currentNode.data.trim() || !shown(e) || e.closest("title, desc, noscript, script, style, .tip")) continue;
                const style = getComputedStyle(e), isDrawing = e instanceof SVGElement;
                const size = parseFloat(style.fontSize), isLarge = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
                const colour = parse(isDrawing ? style.fill : style.color);
                const ratio = contrast(colour, ground(isDrawing ? e.ownerSVGElement.closest("div, section, figure, li, a, span, main") : e));
                if (ratio < (isLarge ? 3 : 4.5)) found.add(ratio.toFixed(2) + ": " + walker.currentNode.data.trim().slice(0, 40));
            }
            for (const e of document.querySelectorAll(".chart .f-walk, .chart .f-below, .chart .f-run, .chart .f-unknown, .chart .s-border")) {
                if (e.getAttribute("opacity") || e.tagName == "text" || !e.checkVisibility({ checkOpacity: true })) continue;
                const style = getComputedStyle(e), colour = parse(e.matches("line") ? style.stroke : style.fill);
                const ratio = contrast(colour, ground(e.closest("div")));
                if (ratio < 3) found.add(ratio.toFixed(2) + ": " + e.getAttribute("class"));
            }
            return Array.from(found);
        })()
        """
}
