import StepDomain
import Testing

/// Influx as Debian's servers have it: what is written is read back by their own queries.
@Suite(.timeLimit(.minutes(5))) struct RealInfluxTests {
    private let name = "Zoë, \"the=walker\" O\\Neill 👣"

    @Test func influxDBHoldsDaysAndSamples() async throws {
        let influx = try await RealInflux.start()
        let destination = try destination(influx.url)
        let day = SharedDay.easter(of: User(id: 1, name: name), tracks: [.track("ring, left", steps: 812, 0, 40)])
        _ = try await destination.deliver([ShareParcel(day), ShareParcel(.easter(later: 1))])

        let days = try await influx.query("SELECT * FROM steps_day WHERE \"user\" = '\(name.replacing("\\", with: "\\\\"))'")
        #expect(days == [[
            "time": .number(1_397_952_000), "user": .text(name), "steps": .number(8123), "distance_m": .number(5432),
            "energy_kcal": .number(232), "goal": .number(10_000), "percentage": .number(81.2), "complete": .flag(true),
        ]])
        let samples = try await influx.query("SELECT * FROM steps")
        #expect(samples.map { $0["steps"] } == [.number(812), .number(0), .number(40)])
        #expect(samples.map { $0["time"] } == [.number(1_397_980_800), .number(1_397_981_700), .number(1_397_982_600)])
        #expect(samples.allSatisfy { $0["pedometer"] == .text("ring, left") && $0["user"] == .text(name) && $0["seconds"] == .number(900) })
        #expect(try await influx.query("SELECT count(steps) FROM steps_day").first?["count"] == .number(2))
    }

    @Test func whatTwoMachinesSendToInfluxDBIsThereOnce() async throws {
        let influx = try await RealInflux.start()
        let early = SharedDay.easter(steps: 100, completeness: .partial, tracks: [.track("ring", steps: 60, 40)])
        let late = SharedDay.easter(steps: 130, tracks: [.track("ring", steps: 60, 50, 20)])
        for day in [early, late, late] { _ = try await destination(influx.url).deliver([ShareParcel(day)]) }
        #expect(try await influx.query("SELECT sum(steps) FROM steps").first?["sum"] == .number(130))
        #expect(try await influx.query("SELECT sum(steps) FROM steps_day").first?["sum"] == .number(130))
    }

    @Test func influxDBTellsWhatIsWrong() async throws {
        let influx = try await RealInflux.start()
        #expect(try await destination(influx.url).check().contains("1.6"))
        let reader = try destination(influx.url, user: "guest", password: "guest")
        let stranger = try destination(influx.url, user: "guest", password: "wrong")
        for (destination, kind, words) in [
            (reader, ShareFailure.Kind.credentials, "not authorized to write"), (stranger, .credentials, "authorization failed"),
            (try self.destination(influx.url, database: "wealth"), .misconfigured, "database not found"),
        ] {
            for failure in [
                await #expect(throws: ShareFailure.self) { try await destination.check() },
                await #expect(throws: ShareFailure.self) { try await destination.deliver([ShareParcel(.easter())]) },
            ] {
                #expect(failure?.kind == kind)
                #expect(failure?.reason.contains(words) == true)
            }
        }
        #expect(try await influx.query("SELECT * FROM steps_day") == [])
    }

    @Test func whatInfluxDBCannotStoreIsRejectedWithItsWords() async throws {
        let influx = try await RealInflux.start()
        // A field that has another type there.
        let first = try destination(influx.url, prefix: "a_")
        _ = try await first.deliver([ShareParcel(.easter())])
        _ = try await influx.query("SELECT percentage AS steps INTO b_steps_day FROM a_steps_day")
        let failure = await #expect(throws: ShareFailure.self) {
            try await destination(influx.url, prefix: "b_").deliver([ShareParcel(.easter())])
        }
        #expect(failure?.kind == .rejected)
        #expect(failure?.reason.contains("field type conflict") == true)
    }

    @Test func victoriaMetricsHoldsDaysAndSamples() async throws {
        let metrics = try await RealVictoriaMetrics.start()
        let destination = try Fixture.destination("[share.m]\nkind = 'influx'\nurl = '\(metrics.url)'\ndatabase = 'health'\n")
        #expect(try await destination.check().contains("takes points"))
        let day = SharedDay.easter(of: User(id: 1, name: name), tracks: [.track("ring", steps: 60, 0, 20)])
        for _ in 0..<3 { _ = try await destination.deliver([ShareParcel(day)]) }

        let series = try await metrics.series()
        #expect(series[["__name__": "steps_day_steps", "db": "health", "user": name]] == [1_397_952_000: 8123])
        #expect(series[["__name__": "steps_day_percentage", "db": "health", "user": name]] == [1_397_952_000: 81.2])
        #expect(series[["__name__": "steps_day_complete", "db": "health", "user": name]] == [1_397_952_000: 1])
        #expect(series[["__name__": "steps_steps", "db": "health", "user": name, "pedometer": "ring"]]
            == [1_397_980_800: 60, 1_397_981_700: 0, 1_397_982_600: 20])
    }

    @Test func aYearOfDaysArrivesInBatches() async throws {
        let influx = try await RealInflux.start()
        let destination = try destination(influx.url)
        let days = (0..<366).map { SharedDay.easter(steps: 1000 + $0, later: $0) }
        for start in stride(from: 0, to: days.count, by: destination.traits.batch) {
            _ = try await destination.deliver(days[start...].prefix(destination.traits.batch).map { ShareParcel($0) })
        }
        let sum = try await influx.query("SELECT count(steps), sum(steps) FROM steps_day").first
        #expect(sum?["count"] == .number(366) && sum?["sum"] == .number(Double(days.map(\.steps).reduce(0, +))))
    }

    private func destination(
        _ url: String, database: String = "health", user: String = "anna", password: String = "anna's word", prefix: String = ""
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
            """,
            environment: ["PASSWORD": password])
    }
}
