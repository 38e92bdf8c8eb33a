import HTTP
import StepDomain
import Testing

@Suite struct InfluxTests {
    private func destination(
        _ keys: String, _ transport: ScriptedTransport = ScriptedTransport()
    ) throws -> any ShareDestination {
        try Fixture.destination("[share.m]\nkind = 'influx'\nurl = 'https://example.org'\n\(keys)", transport: { transport })
    }

    private func lines(_ keys: String, _ day: SharedDay) throws -> [Substring] {
        try destination("database = 'health'\n\(keys)").preview([ShareParcel(day)]).split(separator: "\n\n")[1].split(separator: "\n")
    }

    @Test func aRequestToVersion1IsWrittenLikeThis() throws {
        let keys = "database = 'my health'\nretention_policy = 'for ever'\nusername = 'anna'\npassword_file = '/p'"
        #expect(try destination(keys).preview([ShareParcel(.easter())]) == """
            POST /write?db=my%20health&rp=for%20ever&precision=s HTTP/1.1
            Host: example.org
            Accept: */*
            Content-Type: text/plain; charset=utf-8
            Authorization: Basic •••••
            Content-Length: 118

            steps_day,user=Anna steps=8123i,distance_m=5432i,energy_kcal=232i,goal=10000i,percentage=81.2,complete=true 1397952000
            """)
    }

    @Test func aRequestToVersion2IsWrittenLikeThis() throws {
        let preview = try destination("bucket = 'b'\norg = 'my home'\ntoken_file = '/t'").preview([ShareParcel(.easter())])
        #expect(preview.hasPrefix("""
            POST /api/v2/write?org=my%20home&bucket=b&precision=s HTTP/1.1
            Host: example.org
            Accept: */*
            Content-Type: text/plain; charset=utf-8
            Authorization: Token •••••

            """))
    }

    @Test func samplesHavePointsOfTheirOwn() throws {
        let day = SharedDay.easter(
            steps: 17, metres: nil, kilocalories: nil, goal: nil, completeness: .partial, tracks: [.track("my ring", steps: 17)])
        #expect(try lines("tags = { place = 'a, b=c' }\nprefix = 'home_'", day) == [
            #"home_steps_day,place=a\,\ b\=c,user=Anna steps=17i,goal=0i,complete=false 1397952000"#,
            #"home_steps,pedometer=my\ ring,place=a\,\ b\=c,user=Anna steps=17i,seconds=900i,distance_m=12.75 1397980800"#,
        ])
        #expect(try lines("samples = false", day).count == 1)
        #expect(try destination("database = 'h'\nsamples = false").traits.wantsSamples == false)
    }

    @Test func aRunningDayIsNotComplete() throws {
        #expect(try lines("", .easter(isRunning: true)).first?.contains("complete=false") == true)
    }

    @Test(arguments: [
        (#"a b,c=d"#, #"a\ b\,c\=d"#), (#"a"b'c"#, #"a"b'c"#), (#"a\b"#, #"a\b"#), (#"a\"#, "a\u{29F5}"), (#"a\,b"#, "a\u{29F5}\\,b"),
        (#"a\\b"#, "a\u{29F5}\\b"), ("a\nb\r\nc", #"a\ b\ \ c"#), ("\\\n", "\u{29F5}\\ "), ("Zoë 👣", #"Zoë\ 👣"#), ("#x", "#x"),
    ]) func aNameIsOneTag(_ name: String, _ tag: String) throws {
        let line = try lines("", .easter(of: User(id: 1, name: name))).first
        #expect(line?.hasPrefix("steps_day,user=\(tag) steps=8123i,") == true, "\(line ?? "")")
    }

    @Test func manyLinesAreSeveralRequests() async throws {
        let samples = (0..<1440).map { StepSample(start: Timestamp(1_397_952_000 + $0 * 60), length: 60, steps: 9, utcOffset: 0) }
        let days = (0..<8).map { SharedDay.easter(later: $0, tracks: [.init(pedometer: "ring", samples: samples)]) }
        let transport = ScriptedTransport(.reply(204), .reply(204), .reply(204))
        let destination = try destination("database = 'h'", transport)
        let preview = try destination.preview(days.map { ShareParcel($0) })
        let receipts = try await destination.deliver(days.map { ShareParcel($0) })
        #expect(receipts.count == 8 && transport.requests.count == 3)
        #expect(transport.requests.map(\.preview).joined(separator: "\n\n") == preview)
        for request in transport.requests { #expect(request.preview.split(separator: "\n").count { $0.hasPrefix("steps") } <= 5000) }
    }

    @Test func whatIsLostHalfwayMayHaveArrived() async throws {
        let samples = (0..<6000).map { StepSample(start: Timestamp(1_397_952_000 + $0), length: 1, steps: 1, utcOffset: 0) }
        let day = SharedDay.easter(tracks: [.init(pedometer: "ring", samples: samples)])
        for (first, kind) in [(true, ShareFailure.Kind.unreachable), (false, .unanswered)] {
            let gone = TransportError.notSent(reason: "gone")
            let transport = first ? ScriptedTransport(.failure(gone)) : ScriptedTransport(.reply(204), .failure(gone))
            let failure = await #expect(throws: ShareFailure.self) {
                try await destination("database = 'h'", transport).deliver([ShareParcel(day)])
            }
            #expect(failure?.kind == kind && failure?.reason == "gone")
        }
    }

    @Test func aCheckStoresNothing() async throws {
        let transport = ScriptedTransport(.success(HTTPResponse(status: 204, headers: [("X-Influxdb-Version", "v2.7.\u{1b}1")])))
        let words = try await destination("database = 'h'", transport).check()
        #expect(words == #"https://example.org ("v2.7.\u{1b}1") takes points for "h""#)
        #expect(transport.requests.first?.preview.hasSuffix("\n\n# istep") == true)
    }

    @Test func version2MissesPointsOnlyFromThoseWhoMayWriteThem() async throws {
        let keys = "bucket = 'b'\norg = 'o'\ntoken_env = '\(TestSecret.variable)'"
        let missing = HTTPResponse(status: 400, headers: [("X-Influxdb-Version", "v2.7.1")], body: Array(#"{"message":"empty"}"#.utf8))
        #expect(try await destination(keys, ScriptedTransport(.success(missing))).check().hasSuffix("takes points"))
        // Something else.
        let failure = await #expect(throws: ShareFailure.self) {
            try await destination(keys, ScriptedTransport(.reply(400, "what?"))).check()
        }
        #expect(failure?.kind == .rejected)
    }

    @Test(arguments: [
        ("", "database"), ("bucket = 'b'\ntoken_file = '/t'", "org"), ("bucket = 'b'\norg = 'o'", "token_file"),
        ("bucket = 'b'\norg = 'o'\ntoken_file = '/t'\ndatabase = 'h'", "left out beside `bucket`"),
        ("database = 'h'\norg = 'o'", "beside a `bucket`"), ("database = 'h'\nprefix = '_x'", "the first a letter"),
        ("database = 'h'\ntags = { user = 'x' }", "other than user"), ("database = 'h'\ntags = { 'a b' = 'x' }", "under a name"),
        ("database = 'h'\ntags = { a = '' }", "a text of up to"),
    ]) func whatCannotBeIsRefused(_ keys: String, _ words: String) {
        let problems = Fixture.problems("[share.m]\nkind = 'influx'\nurl = 'https://example.org'\n\(keys)")
        #expect(problems.count == 1)
        #expect(problems.first?.contains(words) == true, "\(problems)")
    }
}
