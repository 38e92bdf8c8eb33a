import Foundation
import HTTP
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct InfluxTests {
    private func destination(
        _ keys: String, _ transport: ScriptedTransport = ScriptedTransport()
    ) throws -> any ShareDestination {
        try Fixture.destination(
            "[share.m]\nkind = 'influx'\nurl = 'https://example.org'\n\(keys)", transport: { transport })
    }

    private func lines(_ keys: String, _ day: SharedDay) throws -> [Substring] {
        try destination("database = 'health'\n\(keys)").preview([SharePayload(day)]).split(separator: "\n\n")[1].split(
            separator: "\n")
    }

    /// A server keeps the fields that a point does not have.
    @Test func `all fields of a deleted day are replaced`() throws {
        let line = try #require(try lines("", .deleted).first)
        for field in ["steps=0i", "distance_m=0i", "energy_kcal=0i", "percentage=0.0", "complete=false"] {
            #expect(line.split { " ,".contains($0) }.contains(Substring(field)), "\(line)")
        }
    }

    @Test func `a request to version 1 names the database and retention policy`() throws {
        let keys = "database = 'my health'\nretention_policy = 'for ever'\nusername = 'anna'\npassword_file = '/p'"
        #expect(
            try destination(keys).preview([SharePayload(.easter())]) == """
                POST /write?db=my%20health&rp=for%20ever&precision=s HTTP/1.1
                Host: example.org
                Accept: */*
                Accept-Encoding: identity
                Content-Type: text/plain; charset=utf-8
                Authorization: Basic •••••
                Content-Length: 118

                steps_day,user=Anna steps=8123i,distance_m=5432i,energy_kcal=232i,goal=10000i,percentage=81.2,complete=true 1397995200
                """)
    }

    @Test func `a request to version 2 names the organization and bucket`() throws {
        let preview = try destination("bucket = 'b'\norg = 'my home'\ntoken_file = '/t'").preview([
            SharePayload(.easter())
        ])
        #expect(
            preview.hasPrefix(
                """
                POST /api/v2/write?org=my%20home&bucket=b&precision=s HTTP/1.1
                Host: example.org
                Accept: */*
                Accept-Encoding: identity
                Content-Type: text/plain; charset=utf-8
                Authorization: Token •••••

                """))
    }

    @Test func `each sample is a separate point`() throws {
        let day = SharedDay.easter(
            steps: 17, metres: nil, kilocalories: nil, goal: nil, completeness: .partial,
            tracks: [.track("my ring", steps: 17)])
        #expect(
            try lines("tags = { place = 'a, b=c' }\nprefix = 'home_'", day) == [
                #"home_steps_day,place=a\,\ b\=c,user=Anna steps=17i,goal=0i,complete=false 1397995200"#,
                #"home_steps,pedometer=my\ ring,place=a\,\ b\=c,user=Anna steps=17i,seconds=900i,distance_m=12.75 1397980800"#,
            ])
        #expect(try lines("samples = false", day).count == 1)
        #expect(try destination("database = 'h'\nsamples = false").traits.includesSamples == false)
    }

    /// All offsets that there are, by the quarter of an hour.
    @Test func `the point of a day lies in that day by local clocks and by UTC`() throws {
        for offset in stride(from: -12 * 3600, through: 14 * 3600, by: 900) {
            let day = try #require(SharedDay(SharedDay.easter().summary, utcOffset: offset))
            let seconds = try #require(try lines("", day).first?.split(separator: " ").last.flatMap { Int($0) })
            #expect(Day(of: Timestamp(seconds), utcOffset: offset) == day.day, "\(offset)")
            #expect(Day(of: Timestamp(seconds), utcOffset: 0) == day.day, "\(offset)")
        }
    }

    @Test func `the point of a day stays where it was put first`() async throws {
        let day = try #require(SharedDay(SharedDay.easter().summary, utcOffset: 13 * 3600))
        let transport = ScriptedTransport(.reply(204), .reply(204))
        let destination = try destination("database = 'h'", transport)
        let receipts = try await destination.deliver([SharePayload(day)])
        #expect(receipts == [ShareReceipt(remoteID: "1397984400")])
        // An earlier sample turns up, from another place.
        let later = SharedDay.easter(steps: 9000)
        #expect(try await destination.deliver([SharePayload(later).corrected(to: later, receipts.first)]) == receipts)
        #expect(transport.requests.last?.preview.hasSuffix("1397984400") == true)
    }

    @Test(arguments: [
        "", "abc", "0", "99999999999999999999", "-9223372036854775808", "9223372036854775807", "1398168001",
    ])
    func `a stored remote ID that is not a time within the day is ignored`(id: String) throws {
        let payload = SharePayload(day: .easter(), key: "k", remoteID: id, isConfirmed: true)
        #expect(try destination("database = 'h'").preview([payload]).hasSuffix(" 1397995200"))
    }

    // MARK: Days that were sent to 00:00 UTC

    private func old(_ day: SharedDay, isMoved: Bool = true) -> SharePayload {
        SharePayload(day: day, key: "k", isConfirmed: true, isMoved: isMoved)
    }

    @Test func `version 1 removes old points with one request`() async throws {
        let done = #"{"results":[{"statement_id":0},{"statement_id":1}]}"#
        let transport = ScriptedTransport(.reply(200, done), .reply(204))
        let keys = "database = 'my health'\ntags = { place = \"the 'sea'\\\\side\" }\nprefix = 'a_'"
        let destination = try destination(keys, transport)
        let payloads = [old(.easter()), old(.easter(later: 1)), SharePayload(.easter(later: 2))]
        #expect(try await destination.deliver(payloads).map(\.remoteID) == ["1397995200", "1398081600", "1398168000"])
        #expect(transport.requests.map(\.preview).joined(separator: "\n\n") == (try destination.preview(payloads)))
        let statements = transport.requests[0].preview.split(separator: "q=").last?.replacing("+", with: " ")
            .removingPercentEncoding
        #expect(
            statements
                == [1_397_952_000, 1_398_038_400].map {
                    #"DELETE FROM "a_steps_day" WHERE "place" = 'the \'sea\'\\side' AND "user" = 'Anna' AND time = \#($0)s"#
                }.joined(separator: "; "))
        #expect(transport.requests[0].preview.hasPrefix("POST /query?db=my%20health HTTP/1.1\n"))
        #expect(
            transport.requests[1].preview.split(separator: "\n").filter { $0.hasPrefix("a_steps_day") }.map {
                $0.suffix(10)
            }
                == ["1397995200", "1398081600", "1398168000"])
    }

    /// A quote with a combining mark after it is one character in Swift.
    @Test func `a quote in a name does not end the text of a statement, whatever follows it`() async throws {
        let user = User(id: 1, name: "A'\u{301} OR 'x' \"\u{301}")
        let first = ScriptedTransport(.reply(404), .reply(204)), second = ScriptedTransport(.reply(204), .reply(204))
        _ = try await destination("database = 'h'", first).deliver([old(.easter(of: user))])
        let statement = first.requests[0].preview.split(separator: "q=").last?.replacing("+", with: " ")
            .removingPercentEncoding
        let conditions = "\"user\" = 'A\\'\u{301} OR \\'x\\' \"\u{301}' AND time = 1397952000s"
        #expect(statement == "DELETE FROM \"steps_day\" WHERE \(conditions)")
        _ = try await destination("bucket = 'b'\norg = 'o'\ntoken_env = '\(TestSecret.variable)'", second).deliver([
            old(.easter(of: user))
        ])
        let body = try #require(second.requests[0].preview.split(separator: "\n\n").last?.data(using: .utf8))
        let predicate = try JSONDecoder().decode([String: String].self, from: body)["predicate"] ?? ""
        #expect(predicate == "_measurement=\"steps_day\" AND user=\"A'\u{301} OR 'x' \\\"\u{301}\"")
    }

    @Test func `version 2 removes old points one by one`() async throws {
        let transport = ScriptedTransport(.reply(204), .reply(204), .reply(204))
        let destination = try destination(
            "bucket = 'b'\norg = 'my home'\ntoken_env = '\(TestSecret.variable)'", transport)
        let days = [SharedDay.easter(of: User(id: 1, name: #"A "b" \c"#)), .easter(later: 1)]
        #expect(try await destination.deliver(days.map { old($0) }).map(\.remoteID) == ["1397995200", "1398081600"])
        let preview = transport.requests[0].preview
        #expect(preview.hasPrefix("POST /api/v2/delete?org=my%20home&bucket=b HTTP/1.1\n"))
        let body = try #require(preview.split(separator: "\n\n").last?.data(using: .utf8))
        #expect(
            try JSONDecoder().decode([String: String].self, from: body) == [
                "predicate": #"_measurement="steps_day" AND user="A \"b\" \\c""#, "start": "2014-04-20T00:00:00+00:00",
                "stop": "2014-04-20T00:00:01+00:00",
            ])
        #expect(transport.requests[1].preview.contains("2014-04-21T00:00:00"))
    }

    /// As VictoriaMetrics answers any query, and a proxy that lets nothing but writing pass.
    @Test(arguments: [
        (
            200,
            #"{"results":[{"statement_id":0,"series":[{"name":"databases","columns":["name"],"values":[["_internal"]]}]}]}"#
        ),
        (200, #"{"results":[{"statement_id":0,"error":"not executed"}]}"#), (200, "{}"), (204, ""), (200, "<html>"),
        (200, #"{"results":[{"statement_id":0},{"statement_id":1}]}"#), (400, "no"), (404, "no"), (405, "no"),
    ]) func `an old point that cannot be removed keeps its time and is not duplicated`(status: Int, body: String)
        async throws
    {
        let transport = ScriptedTransport(.reply(status, body))
        #expect(
            try await destination("database = 'h'", transport).deliver([old(.easter())]).map(\.remoteID) == [
                "1397952000"
            ])
        #expect(transport.requests.count == 1)

        let again = ScriptedTransport(.reply(status, body), .reply(204))
        let payloads = [old(.easter(steps: 9000), isMoved: false), SharePayload(.easter(later: 1))]
        let grown = try await destination("database = 'h'", again).deliver(payloads)
        #expect(grown.map(\.remoteID) == ["1397952000", "1398081600"])
        #expect(again.requests.last?.preview.contains("steps=9000i") == true)
        #expect(again.requests.last?.preview.contains(" 1397952000\n") == true)
    }

    @Test(arguments: [401, 403])
    func `if removing a point is refused, the point is written at its old time`(status: Int) async throws {
        let may = ScriptedTransport(.reply(status, "no"), .reply(204))
        #expect(
            try await destination("database = 'h'", may).deliver([old(.easter())]).map(\.remoteID) == ["1397952000"])
        #expect(may.requests.last?.preview.hasSuffix(" 1397952000") == true)

        let stranger = ScriptedTransport(.reply(status, "no"), .reply(status, "no"))
        let failure = try await destination("database = 'h'", stranger).failure(delivering: old(.easter()))
        #expect(failure?.kind == .credentials)
    }

    @Test(arguments: [(500, ShareFailure.Kind.unanswered), (503, .busy), (302, .unreachable)])
    func `a server that cannot remove a point for now is asked again later`(status: Int, kind: ShareFailure.Kind)
        async throws
    {
        let transport = ScriptedTransport(.reply(status, "later"))
        let failure = try await destination("database = 'h'", transport).failure(delivering: old(.easter()))
        #expect(failure?.kind == kind)
        #expect(transport.requests.count == 1)
    }

    // MARK: VictoriaMetrics

    @Test(arguments: [
        (#"flag{name="retentionPeriod", value="1", is_set="false"} 1"#, "0s", "older than a month"),
        (#"flag{name="retentionPeriod",value="100y",is_set="true"} 1"#, "0s", "twice"),
        (#"flag{name="retentionPeriod", value="1"} 1"#, "1ms", "older than a month"),
        (#"flag{name="retentionPeriod", value="100y", is_set="true"} 1"#, "5m0s", "only one sample per 5m0s"),
    ]) func `a flag of VictoriaMetrics that is missing is named`(retention: String, interval: String, words: String)
        async throws
    {
        let metrics =
            "# x\n\(retention)\nflag{name=\"dedup.minScrapeInterval\", value=\"\(interval)\", is_set=\"true\"} 1\n"
        let failure = await #expect(throws: ShareFailure.self) { try await check(metrics) }
        #expect(failure?.kind == .misconfigured)
        #expect(failure?.reason.contains(words) == true, "\(failure?.reason ?? "")")
        #expect(failure?.advice == "Start it with -retentionPeriod=100y -dedup.minScrapeInterval=1ms.")
    }

    @Test(arguments: [
        (200, "vm_rows 1\n"), (401, "who?"), (404, ""), (200, #"flag{name="retentionPeriod", value="\"} 1"#),
    ])
    func `where VictoriaMetrics does not show its flags, the required ones are reported`(status: Int, body: String)
        async throws
    {
        let words = try await check(body, status)
        #expect(
            words.contains("; it does not show its flags: it needs -retentionPeriod=100y -dedup.minScrapeInterval=1ms;")
        )
    }

    @Test func `flags are shown without control characters`() async throws {
        let metrics = ["retentionPeriod", "dedup.minScrapeInterval"].map {
            "flag{name=\"\($0)\", value=\"\u{1b}[2J\", is_set=\"true\"} 1"
        }
        #expect(
            try await check(metrics.joined(separator: "\n")).contains(
                "; -retentionPeriod=?[2J -dedup.minScrapeInterval=?[2J;"))
    }

    @Test func `flags are asked for beside the path for data`() async throws {
        let transport = ScriptedTransport(vm, .reply(404), vm, .reply(404))
        for url in ["https://example.org/vm/influx", "https://example.org/vm"] {
            let destination = try Fixture.destination(
                "[share.m]\nkind = 'influx'\nurl = '\(url)'\ndatabase = 'h'", transport: { transport })
            _ = try await destination.check()
        }
        let asked = transport.requests.filter { $0.method == "GET" }.map(\.url.path)
        #expect(asked == ["/vm/metrics", "/vm/metrics"])
    }

    private let vm = Result<HTTPResponse, TransportError>.success(
        HTTPResponse(status: 204, headers: [("X-Server-Hostname", "vm")]))

    private func check(_ metrics: String, _ status: Int = 200) async throws -> String {
        try await destination("database = 'h'", ScriptedTransport(vm, .reply(status, metrics))).check()
    }

    @Test func `a day in progress is marked as not complete`() throws {
        let text = try destination("database = 'health'").preview([SharePayload(.easter(isInProgress: true))])
        #expect(text.contains("complete=false") && !text.contains("complete=true"))
    }

    @Test(arguments: [
        (#"a b,c=d"#, #"a\ b\,c\=d"#), (#"a"b'c"#, #"a"b'c"#), (#"a\b"#, #"a\b"#), (#"a\"#, "a\u{29F5}"),
        (#"a\,b"#, "a\u{29F5}\\,b"),
        (#"a\\b"#, "a\u{29F5}\\b"), ("a\nb\r\nc", #"a\ b\ \ c"#), ("\\\n", "\u{29F5}\\ "), ("Zoë 👣", #"Zoë\ 👣"#),
        ("#x", "#x"),
    ]) func `a user name is escaped as a single tag`(_ name: String, _ tag: String) throws {
        let line = try lines("", .easter(of: User(id: 1, name: name))).first
        #expect(line?.hasPrefix("steps_day,user=\(tag) steps=8123i,") == true, "\(line ?? "")")
    }

    @Test func `a request contains 5000 points at most`() async throws {
        let samples = (0..<1440).map {
            StepSample(start: Timestamp(1_397_952_000 + $0 * 60), length: 60, steps: 9, utcOffset: 0)
        }
        let days = (0..<8).map { SharedDay.easter(later: $0, tracks: [.init(pedometer: "ring", samples: samples)]) }
        let transport = ScriptedTransport(.reply(204), .reply(204), .reply(204))
        let destination = try destination("database = 'h'", transport)
        let preview = try destination.preview(days.map { SharePayload($0) })
        let receipts = try await destination.deliver(days.map { SharePayload($0) })
        #expect(receipts.count == 8 && transport.requests.count == 3)
        #expect(transport.requests.map(\.preview).joined(separator: "\n\n") == preview)
        for request in transport.requests {
            #expect(request.preview.split(separator: "\n").count { $0.hasPrefix("steps") } <= 5000)
        }
    }

    @Test func `a failure after the first request leaves the result unknown`() async throws {
        let samples = (0..<6000).map {
            StepSample(start: Timestamp(1_397_952_000 + $0), length: 1, steps: 1, utcOffset: 0)
        }
        let day = SharedDay.easter(tracks: [.init(pedometer: "ring", samples: samples)])
        for (first, kind) in [(true, ShareFailure.Kind.unreachable), (false, .unanswered)] {
            let gone = TransportError.notSent(reason: "gone")
            let transport = first ? ScriptedTransport(.failure(gone)) : ScriptedTransport(.reply(204), .failure(gone))
            let failure = await #expect(throws: ShareFailure.self) {
                try await destination("database = 'h'", transport).deliver([SharePayload(day)])
            }
            #expect(failure?.kind == kind && failure?.reason == "gone")
        }
        let failure = await #expect(throws: ShareFailure.self) {
            try await destination("database = 'h'", ScriptedTransport(.reply(204), .reply(429))).deliver([
                SharePayload(day)
            ])
        }
        #expect(failure?.kind == .busy && failure?.isPartial == true)
    }

    @Test func `a check stores no points`() async throws {
        let transport = ScriptedTransport(
            .success(HTTPResponse(status: 204, headers: [("X-Influxdb-Version", "v2.7.\u{1b}1")])))
        let words = try await destination("database = 'h'", transport).check()
        #expect(words == #"version "v2.7.\u{1b}1" accepts points for "h""#)
        #expect(transport.requests.first?.preview.hasSuffix("\n\n# istep") == true)
    }

    @Test func `a check of version 2 accepts status 400 with a version header`() async throws {
        let keys = "bucket = 'b'\norg = 'o'\ntoken_env = '\(TestSecret.variable)'"
        let missing = HTTPResponse(
            status: 400, headers: [("X-Influxdb-Version", "v2.7.1")], body: Array(#"{"message":"empty"}"#.utf8))
        #expect(try await destination(keys, ScriptedTransport(.success(missing))).check().hasSuffix("accepts points"))
        // Something else.
        let failure = await #expect(throws: ShareFailure.self) {
            try await destination(keys, ScriptedTransport(.reply(400, "what?"))).check()
        }
        #expect(failure?.kind == .rejected)
    }

    @Test(arguments: [
        ("", "database"), ("bucket = 'b'\ntoken_file = '/t'", "org"), ("bucket = 'b'\norg = 'o'", "token_file"),
        ("bucket = 'b'\norg = 'o'\ntoken_file = '/t'\ndatabase = 'h'", "left out: `bucket` selects InfluxDB 2"),
        ("database = 'h'\norg = 'o'", "used together with `bucket`"),
        ("database = 'h'\nprefix = '_x'", "the first a letter"),
        ("database = 'h'\ntags = { user = 'x' }", "other than user"),
        ("database = 'h'\ntags = { 'a b' = 'x' }", "under a name"),
        ("database = 'h'\ntags = { a = '' }", "a text of up to"),
    ]) func `an invalid table is rejected with the reason`(_ keys: String, _ words: String) {
        let problems = Fixture.problems("[share.m]\nkind = 'influx'\nurl = 'https://example.org'\n\(keys)")
        #expect(problems.count == 1)
        #expect(problems.first?.contains(words) == true, "\(problems)")
    }
}
