import StepDomain
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ForeignCollectorTests {
    private func collector(skipping: Bool = false, now: String = "2015-01-01") -> ForeignCollector {
        ForeignCollector(
            ForeignOptions(
                localTime: .berlin, zone: .named("Europe/Berlin"), leavesOutImpossible: skipping,
                historyVersion: .max, now: LocalTime.berlin.at(now, 12)))
    }

    private func samples(_ track: ForeignTrack?) -> [StepSample] {
        (track?.parts ?? []).flatMap { PackedDay($0.content, of: $0.day)?.samples ?? [] }
    }

    @Test(arguments: [("2014-03-30", 23), ("2014-04-20", 24), ("2014-10-26", 25)])
    func `the total of a day is a sample of all of its hours`(day: String, hours: Int) throws {
        let collector = collector()
        let day = try #require(Day(day))
        try collector.add(total: 8000, of: day, to: collector.track(.init(identity: "a", name: "a")))
        let track = try #require(collector.finish().tracks.first)
        #expect(samples(track).map(\.length) == [hours * 3600])
        #expect(samples(track).map(\.day) == [day] && track.days.map(\.day) == [day] && track.steps == 8000)
    }

    /// A day of UTC has parts of two local days.
    @Test func `samples of a local day are in the day of UTC in which they begin`() throws {
        let collector = collector()
        let track = try collector.track(.init(identity: "a", name: "a"))
        for hour in [0, 1, 12, 23] {
            try collector.add(100, from: LocalTime.berlin.at("2014-04-20", hour), length: 60, to: track)
        }
        let found = try #require(collector.finish().tracks.first)
        #expect(found.parts.map(\.day.description) == ["2014-04-19", "2014-04-20"])
        #expect(samples(found).count == 4 && found.days.map(\.day.description) == ["2014-04-20"])
    }

    /// The source that reaches further counts: it must not reach into a time that has not come.
    @Test func `what reaches past tomorrow is refused, or cut`() throws {
        let collector = collector(now: "2014-04-20"), now = LocalTime.berlin.at("2014-04-20", 12)
        let track = try collector.track(.init(identity: "a", name: "a"), accounting: .named)
        #expect(throws: ImportError.self) { try collector.add(100, from: now - 3600, length: 30 * 86_400, to: track) }
        try collector.cover(TimeSpan(now - 3600, now + 90 * 86_400), track)
        try collector.cover(CoveredSpan(TimeSpan(now - 60, now + 90 * 86_400), utcOffset: 3600), track)
        #expect(collector.finish().tracks.first?.until == now + 86_400)
    }

    @Test func `what nobody can have made is an error, or left out and counted`() throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        let wrong: [(Timestamp, Int)] = [
            (Timestamp(0), 10), (noon + 86_400 * 3650, 10), (noon, 1_000_000_000), (noon, 700), (noon, -5),
        ]
        for (start, steps) in wrong {
            #expect(throws: ImportError.self, "\(start) \(steps)") {
                let collector = collector()
                try collector.add(steps, from: start, length: 60, to: collector.track(.init(identity: "a", name: "a")))
            }
        }
        let lenient = collector(skipping: true)
        let track = try lenient.track(.init(identity: "a", name: "a"))
        for (start, steps) in wrong { try lenient.add(steps, from: start, length: 60, to: track) }
        try lenient.add(50, from: noon, length: 60, to: track)
        let (tracks, notes) = lenient.finish()
        #expect(tracks.first?.steps == 50)
        guard case .leftOut(5, _)? = notes.first else {
            Issue.record("\(notes)")
            return
        }
    }

    @Test func `a record of more than two days has no day for its steps, and is left out`() throws {
        // Summer time ends.
        let start = LocalTime.berlin.at("2012-10-27", 0), twoDays = LocalTime.berlin.at("2012-10-29", 0) - start
        func read(_ length: Int, longest: Int? = nil, splitting: Bool) throws -> (steps: Int, notes: [ForeignNote]) {
            let collector = collector()
            if let longest { collector.longestRecord = longest }
            let track = try collector.track(.init(identity: "a", name: "a"))
            if splitting {
                try collector.add(splitting: 300, from: start, length: length, to: track)
            } else {
                try collector.add(300, from: start, length: length, to: track)
            }
            let (tracks, notes) = collector.finish()
            return (tracks.reduce(0) { $0 + $1.steps }, notes)
        }
        #expect(twoDays == 49 * 3600)
        let note = ForeignNote.leftOut(1, "of more than 2 days, such as 300 steps from 2012-10-26T22:00:00+00:00")
        for splitting in [false, true] {
            let found = try read(twoDays, splitting: splitting)
            #expect(found.steps == 300 && found.notes.isEmpty)
            for length in [twoDays + 1, 60 * 86_400, 400 * 86_400] {
                let found = try read(length, splitting: splitting)
                #expect(found.steps == 0 && found.notes == [note], "\(found)")
            }
            #expect(try read(5 * 86_400, longest: 366 * 86_400, splitting: splitting).steps == 300)
        }
    }

    @Test func `records of one moment get the time that their steps need`() throws {
        let collector = collector()
        let track = try collector.track(.init(identity: "a", name: "a"))
        try collector.add(1000, from: LocalTime.berlin.at("2014-04-20", 12), length: 0, to: track)
        #expect(samples(collector.finish().tracks.first).map(\.length) == [200])
    }

    @Test func `records of one source that overlap keep all steps and count no second twice`() throws {
        let noon = LocalTime.berlin.at("2014-04-20", 12)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let collector = collector()
            let track = try collector.track(.init(identity: "a", name: "a"), repetition: .added)
            var all = 0
            for _ in 0..<20 {
                let length = Int.random(in: 1...900, using: &generator),
                    steps = Int.random(in: 1...(2 * length), using: &generator)
                try collector.add(
                    steps, from: noon + Int.random(in: 0...3600, using: &generator), length: length, to: track)
                all += steps
            }
            let found = samples(collector.finish().tracks.first)
            #expect(found.reduce(0) { $0 + $1.steps } == all)
            for (one, next) in zip(found, found.dropFirst()) { #expect(one.span.end <= next.start) }
        }
    }

    @Test func `a repeated record counts once unless it is a part`() throws {
        for (repetition, steps) in [(ForeignCollector.Repetition.greatest, 60), (.added, 100)] {
            let collector = collector()
            let track = try collector.track(.init(identity: "a", name: "a"), repetition: repetition)
            for steps in [40, 60] {
                try collector.add(steps, from: LocalTime.berlin.at("2014-04-20", 12), length: 60, to: track)
            }
            #expect(collector.finish().tracks.first?.steps == steps)
        }
    }

    @Test func `a record that is repeated inside of a longer one counts once`() throws {
        let collector = collector(), noon = LocalTime.berlin.at("2014-04-20", 12)
        let track = try collector.track(.init(identity: "a", name: "a"), repetition: .greatest)
        try collector.add(100, from: noon, length: 3600, to: track)
        for _ in 0..<2 { try collector.add(50, from: noon + 600, length: 60, to: track) }
        #expect(collector.finish().tracks.first?.steps == 150)
    }

    @Test func `memory is bounded`() throws {
        let collector = collector()
        let track = try collector.track(.init(identity: "a", name: "a"))
        #expect(throws: ImportError.tooMuch("more steps than one person can have recorded in decades")) {
            for number in 0..<20_000_000 {
                try collector.add(1, from: Timestamp(1_000_000_000 + number % 400_000_000), length: 1, to: track)
            }
        }
    }

    @Test func `a source that names no coverage accounts for the days from its first to its last record`() throws {
        let collector = collector()
        let track = try collector.track(.init(identity: "a", name: "a"))
        for day in ["2014-04-20", "2014-04-21"] {
            try collector.add(10, from: LocalTime.berlin.at(day, 12), length: 60, to: track)
        }
        let found = try #require(collector.finish().tracks.first)
        let spans = found.parts.flatMap { PackedDay($0.content, of: $0.day)?.coverage.map(\.span) ?? [] }
        #expect(
            Coverage(spans).spans == [
                TimeSpan(LocalTime.berlin.at("2014-04-20", 12), LocalTime.berlin.at("2014-04-21", 12) + 60)
            ])
    }

    /// Of a day that two files share, the later one took away what the earlier one had before its own first record.
    @Test func `parts of an export that meet on a day say together what it has`() throws {
        func part(_ hours: [Int]) throws -> PackedDay {
            let collector = collector()
            let track = try collector.track(.init(identity: "a", name: "a"))
            for hour in hours {
                try collector.add(hour, from: LocalTime.berlin.at("2014-04-20", hour), length: 600, to: track)
            }
            let part = try #require(collector.finish().tracks.first?.parts.first)
            return try #require(PackedDay(part.content, of: part.day))
        }
        let (early, late) = (try part([8, 18]), try part([18, 20]))
        for order in [[early, late], [late, early]] {
            #expect(order.overlaid(on: try #require(Day("2014-04-20"))).samples.map(\.steps) == [8, 18, 20])
        }
    }
}
