import Foundation
import HTTP
import StepDomain
import TestSupport
import Testing

@testable import Sharing

/// Influx on Debian's servers: what is written is read back with their own queries.
@Suite(.realServers, .timeLimit(.minutes(5))) struct RealInfluxTests {
    private let name = "Zoë, \"the=walker\" O\\Neill 👣"

    @Test func `InfluxDB stores days and samples`() async throws {
        let influx = try await RealInflux.start()
        let destination = try destination(influx.url)
        let day = SharedDay.easter(of: User(id: 1, name: name), tracks: [.track("ring, left", steps: 812, 0, 40)])
        _ = try await destination.deliver([SharePayload(day), SharePayload(.easter(later: 1))])

        let days = try await influx.query(
            "SELECT * FROM steps_day WHERE \"user\" = '\(name.replacing("\\", with: "\\\\"))'")
        #expect(
            days == [
                [
                    "time": .number(1_397_995_200), "user": .text(name), "steps": .number(8123),
                    "distance_m": .number(5432),
                    "energy_kcal": .number(232), "goal": .number(10_000), "percentage": .number(81.2),
                    "complete": .flag(true),
                ]
            ])
        let samples = try await influx.query("SELECT * FROM steps")
        #expect(samples.map { $0["steps"] } == [.number(812), .number(0), .number(40)])
        #expect(samples.map { $0["time"] } == [.number(1_397_980_800), .number(1_397_981_700), .number(1_397_982_600)])
        #expect(
            samples.allSatisfy {
                $0["pedometer"] == .text("ring, left") && $0["user"] == .text(name) && $0["seconds"] == .number(900)
            })
        #expect(try await influx.query("SELECT count(steps) FROM steps_day").first?["count"] == .number(2))
    }

    @Test func `days sent by two machines are stored once in InfluxDB`() async throws {
        let influx = try await RealInflux.start()
        let early = SharedDay.easter(steps: 100, completeness: .partial, tracks: [.track("ring", steps: 60, 40)])
        let late = SharedDay.easter(steps: 130, tracks: [.track("ring", steps: 60, 50, 20)])
        for day in [early, late, late] { _ = try await destination(influx.url).deliver([SharePayload(day)]) }
        #expect(try await influx.query("SELECT sum(steps) FROM steps").first?["sum"] == .number(130))
        #expect(try await influx.query("SELECT sum(steps) FROM steps_day").first?["sum"] == .number(130))
    }

    @Test func `errors of InfluxDB are reported with the reason`() async throws {
        let influx = try await RealInflux.start()
        #expect(try await destination(influx.url).check().contains("1.6"))
        let reader = try destination(influx.url, user: "guest", password: "guest")
        let stranger = try destination(influx.url, user: "guest", password: "wrong")
        for (destination, kind, words) in [
            (reader, ShareFailure.Kind.credentials, "not authorized to write"),
            (stranger, .credentials, "authorization failed"),
            (try self.destination(influx.url, database: "wealth"), .misconfigured, "database not found"),
        ] {
            for failure in [
                await #expect(throws: ShareFailure.self) { try await destination.check() },
                await #expect(throws: ShareFailure.self) { try await destination.deliver([SharePayload(.easter())]) },
            ] {
                #expect(failure?.kind == kind)
                #expect(failure?.reason.contains(words) == true)
            }
        }
        #expect(try await influx.query("SELECT * FROM steps_day") == [])
    }

    @Test func `a point that InfluxDB cannot store is rejected with its message`() async throws {
        let influx = try await RealInflux.start()
        // A field that has another type on the server.
        let first = try destination(influx.url, prefix: "a_")
        _ = try await first.deliver([SharePayload(.easter())])
        _ = try await influx.query("SELECT percentage AS steps INTO b_steps_day FROM a_steps_day")
        let failure = await #expect(throws: ShareFailure.self) {
            try await destination(influx.url, prefix: "b_").deliver([SharePayload(.easter())])
        }
        #expect(failure?.kind == .rejected)
        #expect(failure?.reason.contains("field type conflict") == true)
    }

    @Test func `VictoriaMetrics stores days and samples`() async throws {
        let metrics = try await RealVictoriaMetrics.start()
        let destination = try Fixture.destination(
            "[share.m]\nkind = 'influx'\nurl = '\(metrics.url)'\ndatabase = 'health'\n")
        // Debian's package does not state its version.
        let words = try await destination.check()
        #expect(
            words.hasPrefix(
                "VictoriaMetrics, which does not show its version, accepts points for \"health\"; -retentionPeriod=100y "
                    + "-dedup.minScrapeInterval=1ms; a day is sent when it is over, and cannot be corrected"),
            "\(words)")
        let day = SharedDay.easter(of: User(id: 1, name: name), tracks: [.track("ring", steps: 60, 0, 20)])
        for _ in 0..<3 { _ = try await destination.deliver([SharePayload(day)]) }

        let series = try await metrics.series()
        #expect(series[["__name__": "steps_day_steps", "db": "health", "user": name]] == [1_397_995_200: 8123])
        #expect(series[["__name__": "steps_day_percentage", "db": "health", "user": name]] == [1_397_995_200: 81.2])
        #expect(series[["__name__": "steps_day_complete", "db": "health", "user": name]] == [1_397_995_200: 1])
        #expect(
            series[["__name__": "steps_steps", "db": "health", "user": name, "pedometer": "ring"]]
                == [1_397_980_800: 60, 1_397_981_700: 0, 1_397_982_600: 20])
    }

    // MARK: Dashboards

    @Test func `each query of the dashboard for InfluxDB gives rows`() async throws {
        let influx = try await RealInflux.start()
        let day = SharedDay.easter(tracks: [.track("ring", steps: 812, 0, 40)])
        _ = try await destination(influx.url).deliver([SharePayload(day)])
        let queries = try Dashboard.read("influx").queries
        #expect(queries.count > 5)
        for (title, query) in queries {
            let filled = query.replacing("$timeFilter", with: "time >= '2014-04-20' AND time < '2014-04-21'")
                .replacing("$__interval", with: "1h").replacing("${user:regex}", with: "(Anna|Bob)")
            #expect(!filled.contains("${") && !filled.contains("$_"), "\(title)")
            #expect(try await !influx.query(filled).isEmpty, "\(title): \(filled)")
        }
    }

    @Test func `each query of the dashboard for VictoriaMetrics gives rows`() async throws {
        let metrics = try await RealVictoriaMetrics.start()
        let destination = try Fixture.destination(
            "[share.m]\nkind = 'influx'\nurl = '\(metrics.url)'\ndatabase = 'health'\n")
        _ = try await destination.deliver([SharePayload(.easter(tracks: [.track("ring", steps: 812, 0, 40)]))])
        _ = try await metrics.series()
        struct Answer: Decodable {
            struct Result: Decodable { var metric: [String: String] }
            struct Results: Decodable { var result: [Result] }
            var data: Results
        }
        let queries = try Dashboard.read("victoriametrics").queries.filter { $0.title != "user" }
        #expect(queries.count > 4)
        for (title, query) in queries {
            let filled = query.replacing("$user", with: "Anna|Bob").replacing("$__interval", with: "1h")
                .replacing("$__range", with: "30d")
            #expect(!filled.contains("$"), "\(title)")
            let url = try WebAddress(metrics.url).appending(path: ["api", "v1", "query_range"]).appending(query: [
                ("query", filled), ("start", "2014-04-20T00:00:00Z"), ("end", "2014-04-21T12:00:00Z"), ("step", "1h"),
            ])
            let text = try await CurlTransport(userAgent: "istep/test").send(HTTPRequest(method: "GET", url: url)).text
            let rows = try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).data.result
            #expect(rows.map { $0.metric["user"] } == ["Anna"], "\(title): \(text)")
        }
    }

    @Test func `only earlier points at midnight UTC are moved in InfluxDB`() async throws {
        let influx = try await RealInflux.start()
        // Points as they were written before, and points of another user, another household and another day.
        let user = InfluxPoint.tag(name)
        try await influx.write(
            """
            steps_day,user=\(user) steps=8123i 1397952000
            steps_day,user=Anna,household=seaside steps=1i 1397952000
            steps_day,user=Anna,household=other steps=2i 1397952000
            steps_day,user=Bert,household=seaside steps=3i 1397952000
            steps_day,user=Anna,household=seaside steps=4i 1398038400
            """)
        func old(_ day: SharedDay) -> SharePayload {
            SharePayload(day: day, key: "k", isConfirmed: true, isMoved: true)
        }
        // Twice: if the process is killed midway, the points are moved again.
        for _ in 0..<2 {
            let receipts = try await destination(influx.url, more: "tags = { household = 'seaside' }").deliver([
                old(.easter())
            ])
            #expect(receipts.map(\.remoteID) == ["1397995200"])
            _ = try await destination(influx.url).deliver([old(.easter(of: User(id: 1, name: name)))])
        }
        let points = try await influx.query("SELECT steps, \"user\", household FROM steps_day")
        let found = points.map {
            "\($0["time"] ?? .null) \($0["user"] ?? .null) \($0["household"] ?? .null) \($0["steps"] ?? .null)"
        }
        #expect(
            found.sorted() == [
                #"number(1397952000.0) text("Anna") text("other") number(2.0)"#,
                #"number(1397952000.0) text("Bert") text("seaside") number(3.0)"#,
                #"number(1397995200.0) text("Anna") text("seaside") number(8123.0)"#,
                "number(1397995200.0) \(JSONValue.text(name)) null number(8123.0)",
                #"number(1398038400.0) text("Anna") text("seaside") number(4.0)"#,
            ])
    }

    @Test func `a point that VictoriaMetrics cannot remove keeps its time and is not duplicated`() async throws {
        let metrics = try await RealVictoriaMetrics.start()
        let destination = try Fixture.destination(
            "[share.m]\nkind = 'influx'\nurl = '\(metrics.url)'\ndatabase = 'health'\n")
        try await metrics.write("steps_day,user=Anna steps=8123i 1397952000", database: "health")
        let first = try await destination.deliver([
            SharePayload(day: .easter(), key: "k", isConfirmed: true, isMoved: true)
        ])
        #expect(first.map(\.remoteID) == ["1397952000"])
        let grown = SharedDay.easter(steps: 9000)
        #expect(try await destination.deliver([SharePayload(grown).corrected(to: grown, first.first)]) == first)
        let series = try await metrics.series()
        let steps = try #require(series[["__name__": "steps_day_steps", "db": "health", "user": "Anna"]])
        #expect(Array(steps.keys) == [1_397_952_000])
    }

    /// It would show either of two values.
    @Test func `a day that VictoriaMetrics has is not written with other figures`() async throws {
        let metrics = try await RealVictoriaMetrics.start()
        let destination = try Fixture.destination(
            "[share.m]\nkind = 'influx'\nurl = '\(metrics.url)'\ndatabase = 'health'\n")
        #expect(try await destination.currentTraits().acceptsUnfinishedDays == false)
        let user = User(id: 1, name: name)
        func day(_ steps: Int) -> SharedDay {
            .easter(of: user, steps: steps, tracks: [.track("ring, left", steps: steps - 20, 20)])
        }
        let first = try await destination.deliver([SharePayload(day(8123)), SharePayload(.easter(later: 1))])
        #expect(first.map(\.isFixed) == [false, false])
        // What is written is found after a second, and later on a busy machine.
        let carried = InfluxPoint.carried(name)
        while try await metrics.rawValues(of: "steps_day_steps", user: carried) != [8123] { try await letOthersRun() }
        for steps in [9000, 20, 8123] {
            let receipts = try await destination.deliver([
                SharePayload(day(steps)).corrected(to: day(steps), first.first)
            ])
            #expect(receipts == [ShareReceipt(remoteID: "1397995200", isFixed: steps != 8123)], "\(steps)")
            // Of another machine, or of a ledger that has forgotten it.
            #expect(try await destination.deliver([SharePayload(day(steps))]) == receipts)
        }
        #expect(try await metrics.rawValues(of: "steps_day_steps", user: carried) == [8123])
    }

    @Test func `the point of today moves in InfluxDB from its last sample to its lasting time`() async throws {
        let influx = try await RealInflux.start()
        let time = TestTime(Timestamp(1_397_984_500))
        let destination = try destination(influx.url, now: { time.now })
        let quiet = SharedDay.easter(
            of: User(id: 2, name: "Ben"), isInProgress: true, tracks: [.track("clip", steps: 5)])
        var receipt: ShareReceipt?
        for (steps, at) in [([60], 1_397_980_800), ([60, 50], 1_397_981_700), ([60, 50, 20], 1_397_982_600)] {
            var ring = SharedDay.Track.track("ring", steps: 60, 50, 20)
            ring.samples.removeLast(3 - steps.count)
            let day = SharedDay.easter(
                of: User(id: 1, name: name), steps: steps.reduce(0, +), isInProgress: true, tracks: [ring])
            let payload = SharePayload(day: day, key: "k", remoteID: receipt?.remoteID, isConfirmed: receipt != nil)
            receipt = try await destination.deliver([payload, SharePayload(quiet)]).first
            #expect(receipt?.remoteID == "\(at)")
            let points = try await influx.query("SELECT steps FROM steps_day WHERE \"user\" =~ /Zo/")
            #expect(points == [["time": .number(Double(at)), "steps": .number(Double(steps.reduce(0, +)))]])
        }
        time.pass(86_400)
        let over = SharedDay.easter(
            of: User(id: 1, name: name), steps: 200, tracks: [.track("ring", steps: 60, 50, 90)])
        #expect(
            try await destination.deliver([SharePayload(over).corrected(to: over, receipt)]).map(\.remoteID) == [
                "1397995200"
            ])
        #expect(
            try await influx.query("SELECT steps FROM steps_day WHERE \"user\" =~ /Zo/").map { $0["time"] } == [
                .number(1_397_995_200)
            ])
        #expect(try await influx.query("SELECT steps FROM steps_day WHERE \"user\" = 'Ben'").count == 1)
        #expect(try await influx.query("SELECT sum(steps) FROM steps").first?["sum"] == .number(205))
    }

    @Test(arguments: [
        ([], "older than a month"), (["-retentionPeriod=100y"], "twice"),
        (["-dedup.minScrapeInterval=1ms"], "older than a month"),
    ]) func `a check finds the flags that VictoriaMetrics lacks`(flags: [String], words: String) async throws {
        let metrics = try await RealVictoriaMetrics.start(flags)
        let destination = try Fixture.destination(
            "[share.m]\nkind = 'influx'\nurl = '\(metrics.url)'\ndatabase = 'health'\n")
        let failure = await #expect(throws: ShareFailure.self) { try await destination.check() }
        #expect(failure?.kind == .misconfigured)
        #expect(failure?.reason.contains(words) == true, "\(failure?.reason ?? "")")
        #expect(failure?.advice?.contains("-retentionPeriod=100y -dedup.minScrapeInterval=1ms") == true)
    }

    @Test func `a year of days arrives in batches`() async throws {
        let influx = try await RealInflux.start()
        let destination = try destination(influx.url)
        let days = (0..<366).map { SharedDay.easter(steps: 1000 + $0, later: $0) }
        for start in stride(from: 0, to: days.count, by: destination.traits.batch) {
            _ = try await destination.deliver(days[start...].prefix(destination.traits.batch).map { SharePayload($0) })
        }
        let sum = try await influx.query("SELECT count(steps), sum(steps) FROM steps_day").first
        #expect(sum?["count"] == .number(366) && sum?["sum"] == .number(Double(days.map(\.steps).reduce(0, +))))
    }

    private func destination(
        _ url: String, database: String = "health", user: String = "anna", password: String = "anna's word",
        prefix: String = "",
        more: String = "", now: @escaping @Sendable () -> Timestamp = { Timestamp(1_398_024_000) }
    ) throws -> any ShareDestination {
        try Fixture.destination(
            """
            [share.metrics]
            kind = "influx"
            url = "\(url)"
            database = "\(database)"
            username = "\(user)"
            password_env = "PASSWORD"
            prefix = "\(prefix)"
            \(more)
            """,
            environment: ["PASSWORD": password], now: now)
    }
}
