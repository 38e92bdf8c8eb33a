import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct OutboxViewTests {
    private func entry(_ state: ShareEntry.State, back: Int = 0, _ change: (inout ShareEntry) -> Void = { _ in })
        -> ShareEntry
    {
        var entry = ShareEntry(
            user: 1, day: Sample.day.advanced(by: -back), destination: "garden", state: state, changedAt: Sample.synced)
        change(&entry)
        return entry
    }

    private func view(_ entries: ShareEntry..., states: [DestinationState] = []) -> OutboxView {
        OutboxView(
            entries, states: states, users: [User(id: 1, name: "anna")], now: Sample.now, localTime: Sample.localTime)
    }

    @Test func `an empty outbox is reported as empty`() { #expect(view().text() == "The outbox is empty.") }

    @Test func `a sent day that has changed is due with the next share`() {
        let text = view(
            entry(.sent) { $0.isChanged = true }, states: [DestinationState(name: "garden")]
        ).text()
        #expect(
            text == """
                garden
                  The next sync sends what is due. To send it now:
                    istep outbox send garden
                  2014-04-20  changed since it was sent 2014-04-21 07:30
                """)
    }

    @Test func `each state of a day is described`() {
        let text = view(
            entry(.pending) { $0.nextAttempt = Sample.now },
            entry(.pending, back: 1) { ($0.nextAttempt, $0.attempts, $0.lastError) = (Sample.now + 3600, 2, "down") },
            entry(.unknown, back: 2) { $0.lastError = "no answer" },
            entry(.rejected, back: 3) { $0.lastError = "too many steps" },
            entry(.sent, back: 4) { $0.lastError = "of old" },
            states: [DestinationState(name: "garden", notBefore: Sample.now + 60, failures: 1, lastError: "no route")]
        ).text()
        #expect(
            text == """
                garden
                  next attempt after 2014-04-21 10:31, since the last one failed: no route
                  To try now:
                    istep outbox retry garden
                  Rejected days are not sent again automatically. When the cause is fixed:
                    istep outbox retry garden
                  To drop a day:
                    istep outbox drop garden DAY
                  2014-04-20  waits for the next attempt
                  2014-04-19  waits until 2014-04-21 11:30; tried 2 times
                    down
                  2014-04-18  may have arrived: check there, then retry or drop it
                    no answer
                  2014-04-17  rejected
                    too many steps
                  2014-04-16  sent 2014-04-21 07:30
                """)
    }

    @Test func `a day that may have arrived and is tried again has the time of the next attempt`() {
        let state = DestinationState(name: "garden", notBefore: Sample.now + 60, failures: 1, lastError: "500")
        let text = view(
            entry(.unknown) { ($0.lastError, $0.attempts, $0.nextAttempt) = ("500", 1, Sample.now) }, states: [state]
        ).text()
        #expect(text.contains("next attempt after 2014-04-21 10:31") && text.contains("istep outbox retry garden"))
    }

    @Test func `withheld days are shown with the commands that correct or send them`() {
        #expect(
            view(
                entry(.rejected) { ($0.lastError, $0.cause) = (ShareEntry.implausibleSteps, .implausibleSteps) },
                states: [DestinationState(name: "garden")]
            ).text() == """
                garden
                  Withheld days have more steps than anyone takes in a day.
                  To correct one:
                    istep correct DAY --steps NUMBER
                  To send one as it is:
                    istep outbox retry garden DAY
                  2014-04-20  withheld
                    more steps than anyone takes in a day; it is sent when it is corrected or
                    requested
                """)
    }

    @Test func `in a household the commands for withheld days name the owner of the days`() {
        let entry = ShareEntry(
            user: 2, day: Sample.day, destination: "garden", state: .unknown, lastError: ShareEntry.implausibleSteps,
            cause: .implausibleSteps, changedAt: Sample.synced)
        let text = OutboxView(
            [entry], states: [DestinationState(name: "garden")],
            users: [User(id: 1, name: "anna"), User(id: 2, name: "ben")], now: Sample.now,
            localTime: Sample.localTime
        ).text()
        #expect(
            text.contains("Withheld days of ben have") && text.contains("istep correct DAY --steps NUMBER --user ben"))
        #expect(
            text.contains("istep outbox retry garden DAY --user ben")
                && text.contains("withheld; an earlier delivery may have arrived"))
    }

    @Test func `due days are shown with the command that sends them`() {
        #expect(
            view(entry(.pending) { $0.nextAttempt = Sample.now }, states: [DestinationState(name: "garden")]).text()
                == """
                garden
                  The next sync sends what is due. To send it now:
                    istep outbox send garden
                  2014-04-20  to be sent
                """)
    }

    @Test func `a destination without a day to send now advises no attempt`() {
        let state = DestinationState(name: "garden", notBefore: Sample.now + 60, failures: 1, lastError: "code 1")
        #expect(
            view(entry(.unknown) { $0.lastError = "code 1" }, states: [state]).text() == """
                garden
                  2014-04-20  may have arrived: check there, then retry or drop it
                    code 1
                """)
    }

    @Test func `the document contains entries and destinations`() throws {
        let document = try ReadDocument(
            view(
                entry(.unknown) { $0.attempts = 1 },
                states: [DestinationState(name: "garden", failures: 1, stopped: "401")]))
        #expect(document.entries.list.map(\.state) == ["unknown"])
        #expect(document.entries[0].user == "anna")
        #expect(document.entries[0].nextAttempt == .null)
        #expect(document.destinations[0].stopped == "401")
    }

    @Test func `a due day waits with its destination`() {
        let entry = entry(.pending) { $0.attempts = 1 }
        func words(_ state: DestinationState) -> String {
            EntryWords.state(entry, at: state, now: Sample.now, localTime: Sample.localTime)
        }
        #expect(words(DestinationState(name: "garden")) == "to be sent; tried once")
        #expect(
            words(DestinationState(name: "garden", notBefore: Sample.now + 60, failures: 1))
                == "waits for the next attempt; tried once")
        #expect(
            words(DestinationState(name: "garden", stopped: "HTTP 401")) == "paused until you retry; tried once")
    }

    @Test func `a changed day of a paused destination says what it waits for`() {
        var entry = entry(.sent) { _ in }
        entry.isChanged = true
        let state = DestinationState(name: "garden", stopped: "HTTP 401")
        let words = EntryWords.state(entry, at: state, now: Sample.now, localTime: Sample.localTime)
        #expect(
            words.hasPrefix("changed since it was sent ") && words.hasSuffix("; paused until you retry"), "\(words)")
    }

    @Test func `an answer to a check does not say that rejected credentials are accepted`() {
        let state = DestinationState(name: "garden", stopped: "HTTP 401")
        let entry = DestinationStatus(
            name: "garden", kind: "rest", location: "https://a.org", state: state, counts: [:],
            answer: .success("answers, but not to GET"))
        let text = DestinationsView([entry], now: Sample.now, localTime: Sample.localTime).text()
        #expect(text.contains("Renew the credentials") && !text.contains("accepted"), "\(text)")
    }

    @Test func `destinations are listed with their state and answer`() throws {
        let view = DestinationsView(
            [
                .init(
                    name: "garden", kind: "rest", location: "https://steps.example.org",
                    state: DestinationState(name: "garden"),
                    counts: [.sent: 412, .pending: 1], answer: .success("it answers")),
                .init(
                    name: "toots", kind: "mastodon", location: "https://example.social",
                    state: DestinationState(name: "toots", stopped: "401"), counts: [:],
                    answer: .failure(
                        ShareFailure(.credentials, "example.social answered 401", advice: "Renew the token."))),
            ], now: Sample.now, localTime: Sample.localTime)
        #expect(
            view.text() == """
                garden  rest  https://steps.example.org
                  412 days sent, 1 day to be sent
                  checked: it answers
                toots   mastodon  https://example.social
                  no days yet
                  paused: credentials rejected: 401
                  Renew the credentials or their rights, then:
                    istep outbox retry toots
                  example.social answered 401
                  Renew the token.
                """)
        let destinations = try ReadDocument(view).destinations
        #expect(destinations.list.map(\.answers) == [true, false])
        #expect(destinations[0].days.sent == 412 && destinations[0].days.pending == 1)
    }

    @Test func `a long place and a long name are shown whole on a narrow terminal`() {
        let state = DestinationState(name: "garden")
        let entry = DestinationStatus(
            name: "garden", kind: "home-assistant", location: "https://steps.example.org", state: state, counts: [:])
        let lines = DestinationsView([entry], now: Sample.now, localTime: Sample.localTime).lines(TextStyle(width: 40))
        #expect(lines == ["garden", "  home-assistant", "    https://steps.example.org", "  no days yet"])
        let name = String(repeating: "x", count: 32)
        let preview = PreviewView(
            [SharePreview(destination: name, day: Sample.day, result: .nothingKnown)], of: User(id: 1, name: "anna"))
        #expect(preview.lines(TextStyle(width: 40)).prefix(2) == ["\(name),", "  2014-04-20"])
    }

    @Test func `a preview is shown in full without control characters`() {
        let line = "PUT /users/anna HTTP/1.1" + String(repeating: "x", count: 100)
        let view = PreviewView(
            [
                SharePreview(destination: "garden", day: Sample.day, result: .content(line + "\n\n{\u{1b}[2J}")),
                SharePreview(destination: "garden", day: Sample.day.advanced(by: 1), result: .nothingKnown),
                SharePreview(destination: "diary", day: Sample.day, result: .userExcluded),
            ], of: User(id: 1, name: "an\u{1b}na"))
        #expect(
            view.text() == """
                garden, 2014-04-20
                  \(line)

                  {\u{fffd}[2J}

                garden, 2014-04-21
                  nothing would be sent: nothing is known of that day

                diary, 2014-04-20
                  nothing would be sent: an\u{fffd}na is not among the `users` of this destination
                """)
    }

    @Test func `what is put into the outbox is summarised for each destination, with the reasons for the rest`() {
        func preview(_ destination: String, _ result: SharePreview.Result, back: Int = 0) -> SharePreview {
            SharePreview(destination: destination, day: Sample.day.advanced(by: -back), result: result)
        }
        let view = PreviewView(
            [
                preview("garden", .content("")), preview("garden", .settled, back: 1),
                preview("garden", .content(""), back: 2),
                preview("garden", .settled, back: 3), preview("toots", .content("")), preview("diary", .userExcluded),
                preview("post", .fixed), preview("mine", .doubtful), preview("shed", .nothingKnown),
            ], of: User(id: 1, name: "an\u{1b}na"))
        #expect(
            view.queueLines(
                Sample.plain, states: [DestinationState(name: "toots", stopped: "wrong token")], now: Sample.now
            ).joined(separator: "\n") == """
                garden: 2 days in the outbox; the next sync sends them
                garden: 2 days: already sent; use --again to send once more
                toots: 2014-04-20 in the outbox; paused until you retry
                diary: 2014-04-20: an\u{fffd}na is not among the `users` of this destination
                post: 2014-04-20: changed since it was sent, and cannot be corrected there; use
                  --again to send once more
                mine: 2014-04-20: may have arrived: check there, then retry or drop it in the
                  outbox
                shed: 2014-04-20: nothing is known of that day
                """)
    }

    @Test func `the configuration check lists files, destinations and problems`() {
        #expect(
            ConfigView(files: [], destinations: [], problems: []).text()
                == "There is no configuration file, and none is needed.")
        #expect(
            ConfigView(files: ["/etc/istep/config.toml"], destinations: ["garden"], problems: []).text() == """
                Read: /etc/istep/config.toml
                No problems found.
                Days are shared with: garden
                """)
        // A file that cannot be parsed was not read, but it exists.
        #expect(
            ConfigView(files: [], destinations: [], problems: ["\"/a\", line 3: not TOML"]).text()
                == "\"/a\", line 3: not TOML")
        #expect(
            ConfigView(files: ["/a"], destinations: [], problems: ["line 3: wrong"]).text() == "Read: /a\nline 3: wrong"
        )
    }

    @Test(arguments: [
        (ConfigurationPlace(.user, file: "/a", line: 3), "\"/a\", line 3: `user` is wrong"),
        (ConfigurationPlace(.destination("garden"), file: "/a", line: 3), "\"/a\", line 3: [share.garden]: is wrong"),
        (ConfigurationPlace(.scheduledImport("phone"), file: "/a"), "\"/a\": [import.phone]: is wrong"),
        (ConfigurationPlace(.destination("garden")), "[share.garden]: is wrong"),
        (ConfigurationPlace(nil, file: "/a", line: 3), "is wrong"),
    ]) func `a problem of the configuration names its place`(place: ConfigurationPlace, text: String) {
        #expect(ConfigurationProblem(.reported("is wrong"), at: place).text == text)
    }
}
