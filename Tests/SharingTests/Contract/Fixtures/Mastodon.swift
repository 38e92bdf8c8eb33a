import Foundation
import StepDomain
import Synchronization
import WebTestSupport

extension Fixture {
    static let mastodon = Fixture(
        kind: "mastodon", keeps: [.day, .kilocalories, .goal], knowsKeys: true,
        open: {
            try WebVenue(PostServer()) { url in "url = '\(url)'\ntoken_env = '\(TestSecret.variable)'" }
        },
        web: WebBehaviour(notFound: .misconfigured))
}

/// Accepts posts as Mastodon does.
final class PostServer: WebService {
    private struct State {
        var ids: [String: Int] = [:]
        var texts: [Int: String] = [:]
        var losesAnswers = false
        var ignoresKeys = false
        /// Whether posts appear only after `publish`, and the posts that wait for it.
        var isSlow = false
        var waiting: [String] = []

        mutating func add(_ text: String) -> Int {
            let id = 1000 + texts.count
            texts[id] = text
            return id
        }
    }

    private let state = Mutex(State())

    /// Whether it processes the next requests without answering them.
    func loseAnswers(_ losesAnswers: Bool) { state.withLock { $0.losesAnswers = losesAnswers } }

    /// Ignores idempotency keys, as GoToSocial and Pixelfed do.
    func ignoreKeys() { state.withLock { $0.ignoresKeys = true } }

    /// From now on, accepts a post without an answer and shows it only after `publish`, like a server that continues
    /// behind a proxy.
    func slowDown() { state.withLock { $0.isSlow = true } }

    func publish() {
        state.withLock { state in
            for text in state.waiting { _ = state.add(text) }
            state.waiting = []
            state.isSlow = false
        }
    }

    func answer(to request: ReceivedRequest) -> Answer {
        if request.path == "/api/v2/instance" {
            return .json(#"{"domain":"x","configuration":{"statuses":{"max_characters":500}}}"#)
        }
        guard request.header("Authorization") == "Bearer \(TestSecret.text)" else {
            return .json(#"{"error":"The access token is invalid"}"#, status: 401)
        }
        if request.path == "/api/v1/accounts/verify_credentials" { return .json(#"{"id":"7","acct":"anna"}"#) }
        if request.path == "/api/v1/accounts/7/statuses" {
            return request.target.contains("max_id") ? .json("[]") : .json("[\(posts)]")
        }
        let form = Self.form(request.text)
        guard let status = form["status"], !status.isEmpty,
            request.header("Content-Type") == "application/x-www-form-urlencoded"
        else {
            return .json(#"{"error":"Validation failed: Text can't be blank"}"#, status: 422)
        }
        let parts = request.path.split(separator: "/")
        let id = state.withLock { state -> Int? in
            if request.method == "PUT" {
                guard let id = parts.last.flatMap({ Int($0) }), state.texts[id] != nil else { return nil }
                state.texts[id] = status
                return id
            }
            guard let key = request.header("Idempotency-Key"), form["visibility"] == "private", form["language"] == "en"
            else { return nil }
            if state.isSlow {
                state.waiting.append(status)
                return 0
            }
            if !state.ignoresKeys, let known = state.ids[key] { return known }
            let id = state.add(status)
            state.ids[key] = id
            return id
        }
        guard let id else { return .json(#"{"error":"Record not found"}"#, status: 404) }
        if state.withLock({ $0.losesAnswers || $0.isSlow }) { return .closeWithoutAnswer }
        return .json(#"{"id":"\#(id)","content":"<p>…</p>","url":"https://example.social/@anna/\#(id)"}"#)
    }

    /// Newest first.
    private var posts: String {
        state.withLock(\.texts).sorted { $0.key > $1.key }.map { id, text in
            let html = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\n", with: "<br />")
            return #"{"id":"\#(id)","created_at":"2014-04-21T08:00:00.000Z","content":"<p>\#(html)</p>"}"#
        }.joined(separator: ",")
    }

    private static func form(_ text: String) -> [String: String] {
        let fields = text.split(separator: "&").map { field in
            field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                String($0).removingPercentEncoding ?? "?"
            }
        }
        return Dictionary(fields.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { $1 }
    }

    var held: [HeldDay] {
        state.withLock(\.texts).values.map { text in
            func number(_ pattern: Regex<(Substring, Substring)>) -> Int? {
                text.firstMatch(of: pattern).flatMap { Int($0.1.replacing(",", with: "")) }
            }
            return HeldDay(
                day: text.firstMatch(of: /\d{4}-\d\d-\d\d/).map { String($0.0) }, steps: number(/([\d,]+) steps/) ?? -1,
                kilocalories: number(/([\d,]+) kcal/), goal: number(/goal of ([\d,]+)/))
        }.sorted { $0.day ?? "" < $1.day ?? "" }
    }
}
