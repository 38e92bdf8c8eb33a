import StepDomain
import TestSupport
import Testing

/// Decimal numbers, records over midnight and the time of watches: no step is lost or made.
@Suite(.timeLimit(.minutes(5))) struct WholeStepsTests {
    private let midnight = LocalTime.berlin.at("2014-04-20", 0)

    private func collector() -> ForeignCollector {
        ForeignCollector(
            ForeignOptions(
                localTime: .berlin, zone: .named("Europe/Berlin"), historyVersion: .max,
                now: LocalTime.berlin.at("2015-01-01", 12)))
    }

    private func samples(_ track: ForeignTrack?) -> [StepSample] {
        (track?.parts ?? []).flatMap { PackedDay($0.content, of: $0.day)?.samples ?? [] }
    }

    private func totals(_ track: ForeignTrack?) -> [Day: Int] {
        samples(track).reduce(into: [:]) { $0[$1.day, default: 0] += $1.steps }
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `the parts of a record add up to it`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let collector = collector()
            let track = try collector.track(.init(identity: "a", name: "a"), repetition: .added)
            let start = midnight + Int.random(in: 0..<86_400, using: &generator)
            let length = Int.random(in: 1...170_000, using: &generator)
            let steps = Int.random(in: 1...min(20, length), using: &generator)
            try collector.add(splitting: Double(steps), from: start, length: length, to: track)
            #expect(samples(collector.finish().tracks.first).reduce(0) { $0 + $1.steps } == steps)
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `a day has the sum of its shares, rounded`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let collector = collector(), track = try collector.track(.init(identity: "a", name: "a"), repetition: .added)
        var exact: [Int: Double] = [:]
        for day in 0..<5 {
            let begin = midnight + day * 86_400
            for hour in 0..<20 {
                let steps =
                    Bool.random(using: &generator)
                    ? Double(Int.random(in: 0...50, using: &generator)) : Double.random(in: 0...50, using: &generator)
                try collector.add(splitting: steps, from: begin + 3600 + hour * 1800, length: 1800, to: track)
                exact[day, default: 0] += steps
            }
            // From 23:00 to 1:00, 2:00 or 3:00; the last one ends at midnight.
            let after = day == 4 ? 0 : Int.random(in: 1...3, using: &generator)
            let steps = Double(Int.random(in: 0...50, using: &generator))
            if after <= 1 {
                try collector.add(
                    splitting: steps, from: begin + 23 * 3600, length: 3600 * (1 + after), to: track)
                exact[day, default: 0] += steps / Double(1 + after)
                exact[day + 1, default: 0] += steps * Double(after) / Double(1 + after)
            }
        }
        let found = totals(collector.finish().tracks.first)
        for day in 0..<5 {
            let wanted = exact[day, default: 0], got = found[Day(daysSince1970: 16_180 + day)] ?? 0
            #expect(abs(Double(got) - wanted) <= 0.5 + 1e-6, "day \(day): \(got) of \(wanted)")
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `what a phone has beside a watch is its exact share, and takes nothing of the watch's time`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let collector = collector()
        let watch = try collector.track(.init(identity: "w", name: "w"), repetition: .added, kind: .watch)
        let phone = try collector.track(.init(identity: "p", name: "p"), repetition: .added, kind: .phone)
        var (worn, exact, counted): ([TimeSpan], Double, Int) = ([], 0, 0)
        var start = midnight + 36_000
        for _ in 0..<30 {
            start = start + Int.random(in: 1...60, using: &generator)
            let length = Int.random(in: 2...60, using: &generator)
            let steps = Int.random(in: 1...length, using: &generator)
            try collector.add(splitting: Double(steps), from: start, length: length, to: watch)
            worn.append(TimeSpan(start, start + length))
            counted += steps
            start = start + length
        }
        start = midnight + 36_000
        let known = Coverage(worn)
        for _ in 0..<30 {
            start = start + Int.random(in: 1...60, using: &generator)
            // Cut short by whole seconds: more steps than they have room for.
            let length = Int.random(in: 2...60, using: &generator)
            let isFast = Int.random(in: 0..<5, using: &generator) == 0
            let steps = isFast ? length * 5 + 3 : Int.random(in: 1...(2 * length), using: &generator)
            try collector.add(splitting: Double(steps), from: start, length: length, to: phone)
            let free = length - known.seconds(of: TimeSpan(start, start + length))
            exact += Double(steps * free) / Double(length)
            start = start + length + (isFast ? length : 0)
        }
        #expect(collector.preferWatches())
        let tracks = collector.finish().tracks
        #expect(tracks.first?.steps == counted)
        let rest = samples(tracks.first { $0.source.identity == "p" })
        #expect(rest.reduce(0) { $0 + $1.steps } == Int(exact.rounded()), "of \(exact)")
        for sample in rest { #expect(known.seconds(of: sample.span) == 0, "\(sample)") }
    }

    @Test func `three seconds with eighteen steps just before the watch is worn keep all of them`() throws {
        let collector = collector(), noon = midnight + 43_200
        let watch = try collector.track(.init(identity: "w", name: "w"), repetition: .added, kind: .watch)
        let phone = try collector.track(.init(identity: "p", name: "p"), repetition: .added, kind: .phone)
        try collector.add(splitting: 60, from: noon, length: 60, to: watch)
        try collector.add(splitting: 10, from: noon - 600, length: 60, to: phone)
        try collector.add(splitting: 18, from: noon - 3, length: 3, to: phone)
        #expect(collector.preferWatches())
        let rest = samples(collector.finish().tracks.first { $0.source.identity == "p" })
        #expect(rest.map(\.steps) == [13, 15] && rest.map(\.length) == [60, 3])
    }
}
