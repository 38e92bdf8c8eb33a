import CRsvg
import Foundation
import StepDomain
import StepViews
import TestSupport
import Testing

@testable import StepPages

/// Pictures of their own, and charts that are saved from a page.
@Suite(.timeLimit(.minutes(5))) struct PictureTests {
    // MARK: The card

    private func card(_ change: (inout DaySummary) -> Void = { _ in }) throws -> String {
        let day = try #require(Day("2014-04-20")), zone = LocalTime.fixed(7200)
        let start = zone.moment(day)
        let hours = (0..<24).map {
            DaySummary.Hour(
                start: start + $0 * 3600, hour: $0, utcOffset: 7200, steps: $0 == 8 ? 5000 : $0 == 18 ? 3123 : 0,
                running: $0 == 18 ? 3000 : 0)
        }
        var summary = DaySummary(
            user: User(id: 1, name: "anna"), day: day, steps: 8123, distance: 5970, distanceSource: .height,
            energy: 215, energySource: .weight,
            goal: 8000, percentage: 101.5375, category: .somewhatActive, hours: hours, completeness: .complete)
        change(&summary)
        return DayCard(DayView(summary, today: day.advanced(by: 3), now: start + 400_000, localTime: zone)).document
            .source
    }

    /// A golden file changes only with the design: look at it before it is replaced (`ISTEP_GOLDEN=write`).
    private func expectGolden(_ picture: String, _ name: String) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden/\(name)")
        if ProcessInfo.processInfo.environment["ISTEP_GOLDEN"] == "write" { try Data(picture.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == picture)
    }

    @Test func `the card equals the golden file`() throws { try expectGolden(try card(), "day.svg") }

    @Test func `a card names a goal, a rest day or neither`() throws {
        let rest = try card { ($0.goal, $0.percentage, $0.isRestDay) = (nil, nil, true) }
        #expect(
            rest.contains("aria-label=\"anna, Sunday 20 April 2014: 8,123 steps; rest day; complete\"")
                && rest.contains(">steps, rest day,"))
        #expect(try card().contains("8,123 steps; goal 102 % of 8,000 steps; complete"))
        let none = try card { ($0.goal, $0.percentage) = (nil, nil) }
        #expect(none.contains("8,123 steps; complete") && !none.contains("; goal "))
    }

    @Test func `the card shows no invalid figure`() throws {
        let wrong = try card { $0.distance = -5 }
        #expect(!wrong.contains(" km") && wrong.contains("8,123"))
        let steps = try card { $0.steps = -1 }
        #expect(!steps.contains(">-1") && steps.contains(">wrong<"))
    }

    @Test func `the hours of a corrected day are marked as counted`() throws {
        let mark = "hours as counted; the total is corrected to 9,000"
        let corrected = try card { ($0.steps, $0.countedSteps, $0.isCorrected) = (9000, 8123, true) }
        #expect(corrected.contains(">\(mark)<") && corrected.contains("entered by hand; \(mark)\""))
        let wrong = try card { ($0.steps, $0.countedSteps, $0.isCorrected) = (-1, 8123, true) }
        #expect(try !card().contains("as counted") && !wrong.contains("corrected to"))
    }

    @Test func `of today, hours that are not over are not unknown`() throws {
        let day = try #require(Day("2014-04-20")), zone = LocalTime.fixed(7200)
        let summary = DaySummary(
            user: User(id: 1, name: "anna"), day: day, steps: nil, distance: nil, energy: nil, goal: nil,
            percentage: nil,
            category: nil, hours: [], completeness: .unknown)
        func stubs(_ today: Day, _ hour: Int) -> Int {
            let view = DayView(
                summary, today: today, now: zone.moment(today, seconds: hour * 3600 + 60), localTime: zone)
            return DayCard(view).document.source.matches(of: /<rect class="f-unknown"/).count
        }
        #expect(stubs(day, 11) == 11 && stubs(day.advanced(by: 1), 11) == 24)
    }

    @Test func `an unknown day is not shown as zero steps`() throws {
        let unknown = try card { day in day = DaySummary(user: day.user, day: day.day) }
        #expect(
            unknown.contains(">unknown<") && unknown.matches(of: /<rect class="f-unknown"/).count == 24
                && !unknown.contains(">0 steps<"))
    }

    @Test func `markup in a user name is escaped in the card`() throws {
        let card = try card { $0.user = User(id: 1, name: "</text><script>x</script>") }
        #expect(!card.contains("<script") && card.contains("&lt;/text&gt;&lt;script&gt;"))
    }

    // MARK: The year

    private func year() throws -> (picture: String, unknown: Int) {
        let first = try #require(Day("2014-01-01")), user = User(id: 1, name: "<anna>")
        let plan = SportPlan(validFrom: first, everyDay: 8000)
        let days = (0..<365).map { index in
            DayFigures(
                DaySums(day: first.advanced(by: index)),
                correction: index % 7 == 3 ? nil : StepCorrection(steps: index * 40), profile: nil,
                plan: plan, isInProgress: false)
        }
        let figures = DaySeries(user: user, today: first.advanced(by: 400), days: days)
        let picture = YearPicture(
            statistics: figures.statistics(of: Period(.year, containing: first)), user: user
        ).document.source
        return (picture, days.count { $0.steps == nil })
    }

    @Test func `a year is a picture with every day, and unknown ones are not pale`() throws {
        let (picture, unknown) = try year()
        #expect(picture.matches(of: /<title>/).count == 366)  // and its own
        #expect(unknown > 50 && picture.matches(of: /class="s-unknown"/).count == unknown)
        #expect(picture.contains("&lt;anna&gt;, 2014") && !picture.contains("<anna>"))
        try expectGolden(picture, "year.svg")
    }

    // MARK: Colours

    /// The colours of a picture as librsvg draws it, most frequent first: six digits each.
    private func colours(_ svg: String, width: Int32, height: Int32) throws -> [String] {
        if let problem = crsvg_load("librsvg-2.so.2") { throw Failure(String(cString: problem)) }
        var bytes: UnsafeMutablePointer<UInt8>?
        var size = 0
        var reason = [CChar](repeating: 0, count: 300)
        let source = Array(svg.utf8)
        guard crsvg_png(source, source.count, width, height, &bytes, &size, &reason, reason.count), let bytes else {
            throw Failure(String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        defer { free(bytes) }
        let process = ChildProcess(), input = Pipe(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", Self.count]
        process.standardInput = input.fileHandleForReading
        process.pipe = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(UnsafeBufferPointer(start: bytes, count: size)))
        try input.fileHandleForWriting.close()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init)
    }

    private struct Failure: Error {
        let words: String
        init(_ words: String) { self.words = words }
    }

    /// Decodes a PNG file of 8 bits a channel with alpha (PNG, 9.2), and counts the colours of its opaque pixels.
    private static let count = """
        import collections, struct, sys, zlib
        data = sys.stdin.buffer.read()
        width, height, place, packed = *struct.unpack(">II", data[16:24]), 8, b""
        while place < len(data):
            length, kind = struct.unpack(">I4s", data[place:place + 8])
            if kind == b"IDAT": packed += data[place + 8:place + 8 + length]
            place += 12 + length
        raw, step = zlib.decompress(packed), 4 * width + 1
        assert len(raw) == step * height
        before, counts = bytearray(4 * width), collections.Counter()
        for row in range(height):
            kind, line = raw[row * step], bytearray(raw[row * step + 1:(row + 1) * step])
            for i in range(len(line)):
                a, b, c = line[i - 4] if i > 3 else 0, before[i], before[i - 4] if i > 3 else 0
                p = a + b - c
                paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
                line[i] = (line[i] + [0, a, b, (a + b) // 2, paeth][kind]) & 255
            for i in range(0, len(line), 4):
                if line[i + 3] == 255: counts[line[i:i + 3].hex()] += 1
            before = line
        print("\\n".join(colour for colour, number in counts.most_common() if number > 20))
        """

    private func hex(_ tones: Tone...) -> Set<String> { Set(tones.map { String($0.light.dropFirst()) }) }

    @Test func `librsvg draws the card, the year and a chart that was saved in their colours`() throws {
        let card = try colours(try card(), width: 480, height: 270)
        #expect(card.first == "ffffff" && hex(.walk, .below, .run, .text).isSubset(of: card), "\(card)")
        let year = try colours(try year().picture, width: 760, height: 196)
        #expect(year.first == "ffffff" && hex(.heat1, .heat2, .heat3, .heat4).isSubset(of: year), "\(year)")
        // As a browser saves a chart of a page: without its style sheet.
        let bars = [(9000, 2000, true), (5000, 0, false)].map { steps, running, isReached in
            BarChart.Bar(label: "Mon", steps: steps, running: running, goal: 8000, isReached: isReached, title: "")
        }
        let chart = BarChart(bars: bars + [BarChart.Bar(label: "Wed", title: "")], summary: "").svg.source
        let whole = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"480\" height=\"270\">\(chart)</svg>"
        let saved = try colours(whole, width: 480, height: 270)
        #expect(
            hex(.walk, .below, .run, .unknown).isSubset(of: saved) && !saved.prefix(1).contains("000000"), "\(saved)")
    }

    @Test func `no picture has variables, patterns or style attributes`() throws {
        for picture in [try card(), try year().picture] {
            for word in ["var(", "url(", "style=", "<pattern"] { #expect(!picture.contains(word), "\(word)") }
            #expect(picture.contains("@media (prefers-color-scheme: dark) {\n.f-card { fill: #151c19; }"))
        }
    }
}
