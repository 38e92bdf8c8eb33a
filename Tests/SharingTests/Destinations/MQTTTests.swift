import MQTTTestSupport
import StepDomain
import Testing

/// A message for each day; what all destinations have in common is tested by the contract.
@Suite(.timeLimit(.minutes(5))) struct MQTTTests {
    private func destination(_ broker: RealBroker, _ more: String = "") throws -> any ShareDestination {
        try Fixture.destination("[share.hall]\nkind = 'mqtt'\nhost = '127.0.0.1'\nport = \(broker.port)\n\(more)")
    }

    private func day(_ steps: Int?, later: Int = 0, of user: User = .anna) throws -> SharePayload {
        guard let steps else {
            let summary = DaySummary(
                user: user, day: Day(daysSince1970: 16_180 + later), steps: nil, distance: nil, energy: nil, goal: nil,
                isRestDay: false, percentage: nil, hours: [], completeness: .unknown, isInProgress: false)
            return SharePayload(try #require(SharedDay(summary, isDeleted: true)))
        }
        return SharePayload(.easter(of: user, steps: steps, later: later))
    }

    @Test func `a correction replaces the message of its day, and a deletion removes it`() async throws {
        try await RealBroker.with { broker in
            let destination = try destination(broker, "topic = 'home/{user}/{year}/{month}-{day}'\nbody = '{steps}'")
            _ = try await destination.deliver([try day(8123), try day(700, later: 1), try day(600, later: 2)])
            _ = try await destination.deliver([try day(9000), try day(nil, later: 1)])
            #expect(
                await Subscriber.retained(port: broker.port) == [
                    "home/anna/2014/04-20": "9000", "home/anna/2014/04-22": "600",
                ])
            // Nothing is left to remove.
            #expect(try await destination.deliver([try day(nil, later: 1)]).count == 1)
        }
    }

    @Test func `a preview of a deletion says that the message is removed`() throws {
        let destination = try Fixture.destination("[share.hall]\nkind = 'mqtt'\nhost = 'localhost'")
        #expect(
            try destination.preview([try day(nil)]) == """
                To localhost:1883

                istep/anna/2014-04-20 (retained, empty: removes what is there)

                """)
    }

    @Test func `names cannot change the topic, and each has its own`() throws {
        let destination = try Fixture.destination(
            "[share.front-hall]\nkind = 'mqtt'\nhost = 'localhost'\ntopic = '{destination}/{user}/{date}'\nbody = 'x'\ncontent_type = 'text/plain'"
        )
        var topics: Set<String> = []
        let names = ["anna", "a/b", "a+b", "a#b", "a b", "Zoë", "zoe", "$SYS", "{date}", "\u{0}", "שלום", "👣"]
        for name in names {
            let preview = try destination.preview([try day(1, of: User(id: 3, name: name))])
            let topic = try #require(preview.split(separator: "\n").dropFirst().first)
            #expect(topic.wholeMatch(of: /front-hall\/[a-z0-9_]+\/2014-04-20 \(retained\)/) != nil, "\(topic)")
            topics.insert(String(topic))
        }
        #expect(topics.count == names.count)
    }

    @Test(arguments: [
        "istep/{user}", "istep/{year}/{month}", "istep/+/{date}", "istep/#/{date}", "/istep/{date}", "istep/{date}/",
        "$SYS/{date}", "istep/{name}/{date}", "istep/{user/{date}", "istep/{}/{date}",
        "istep/\\u0007/{date}", "{date}" + String(repeating: "x", count: 65_536),
    ]) func `a topic that is not one for each day is refused`(_ topic: String) {
        let problems = Fixture.problems("[share.hall]\nkind = 'mqtt'\nhost = 'localhost'\ntopic = \"\(topic)\"")
        #expect(problems.count == 1 && problems[0].contains("istep/{user}/{date}"), "\(problems)")
    }

    @Test(arguments: ["kind = 'mqtt'", "kind = 'home-assistant'\nvia = 'mqtt'"])
    func `certificates of the user's own verify the broker`(_ kind: String) async throws {
        let table = "[share.hall]\n\(kind)\nhost = 'localhost'\nca_file = '/no/own.pem'"
        let failure = await (try Fixture.destination(table + "\ntls = true")).failureOfCheck()
        #expect(failure?.reason.contains("the certificates in \"/no/own.pem\" cannot be read") == true, "\(failure!)")
        let problems = Fixture.problems(table)
        #expect(problems.count == 1 && problems[0].contains("tls = true"), "\(problems)")
    }

    @Test func `without a user in its topic it belongs to one person`() throws {
        for (topic, isPersonal) in [("steps/{date}", true), ("steps/{user}/{date}", false)] {
            let traits = try Fixture.destination(
                "[share.hall]\nkind = 'mqtt'\nhost = 'localhost'\ntopic = '\(topic)'"
            ).traits
            #expect(traits.isPersonal == isPersonal)
            #expect(
                traits.removesDeleted && traits.takesDeletions && traits.acceptsUnfinishedDays
                    && !traits.showsLatestOnly)
        }
    }

    @Test func `a body without known figures is refused, and does not remove the day`() async throws {
        try await RealBroker.with { broker in
            let destination = try destination(broker, "body = '{goal}'\ncontent_type = 'text/plain'")
            _ = try await destination.deliver([try day(8123)])
            let failure = await destination.failure(delivering: SharePayload(.easter(goal: nil)))
            #expect(failure?.kind == .rejected)
            #expect(await Subscriber.retained(port: broker.port) == ["istep/anna/2014-04-20": "10000"])
        }
    }

    @Test func `a broker that refuses the topic refuses the day`() async throws {
        let files = ["acl": "topic readwrite other/#\n"]
        try await RealBroker.with(options: ["acl_file DIRECTORY/acl"], files: files) { broker in
            let failure = await (try destination(broker)).failure(delivering: try day(8123))
            #expect(failure?.kind == .credentials && failure?.advice?.contains("topics") == true)
        }
    }
}
