import Foundation
import Synchronization
import TestSupport
import WebTestSupport

/// Two services behind one address: days by PUT, and posts that it numbers. It ignores `Idempotency-Key`, as GoToSocial
/// and Pixelfed do. It fails at random, and so does its client: before the request is processed, or after.
final class FaultyServer: Sendable {
    struct Post: Sendable {
        var id: Int
        var text: String
        /// The day that the post reports.
        var day: String
    }

    private struct State {
        var dice: SeededGenerator
        var isFaulty = true
        var days: [String: [Int]] = [:]
        var posts: [Post] = []
        /// Kills the client that sends; its request gets no answer.
        var killClient: (@Sendable () -> Void)?
        var kills = 0

        /// - Returns: false if no client is known yet.
        mutating func kill() -> Bool {
            guard let killClient else { return false }
            killClient()
            self.killClient = nil
            kills += 1
            return true
        }
    }

    private let state: Mutex<State>
    private let server: Mutex<LoopbackServer?>

    init(seed: UInt64) throws {
        state = Mutex(State(dice: SeededGenerator(seed: seed)))
        server = Mutex(nil)
        let started = try LoopbackServer.start { [weak self] request in self?.answer(to: request) ?? .closeWithoutAnswer
        }
        server.withLock { $0 = started }
    }

    var url: String { server.withLock { $0?.url } ?? "" }
    func stop() { server.withLock(\.self)?.stop() }

    /// From now on there are no faults.
    func mend() { state.withLock { $0.isFaulty = false } }

    /// Starts a client, which may be killed. No request is answered before it is known how: however slow the machine
    /// is, no kill is left out.
    func startClient(_ start: () throws -> Running) throws -> Running {
        try state.withLock { state in
            let running = try start()
            state.killClient = { running.send(SIGKILL) }
            return running
        }
    }

    /// After its end the client is not killed any more.
    func forgetClient() { state.withLock { $0.killClient = nil } }

    /// How often a client was killed.
    var kills: Int { state.withLock(\.kills) }

    /// The steps of each day, one value per PUT.
    var days: [String: [Int]] { state.withLock(\.days) }
    var posts: [Post] { state.withLock(\.posts) }

    private func answer(to request: ReceivedRequest) -> Answer {
        state.withLock { state in
            let die = state.isFaulty ? Int.random(in: 0..<100, using: &state.dice) : 99
            // Before the request is processed.
            switch die {
            case 0: return .closeWithoutAnswer
            case 1: return .reset
            case 2: return .json(#"{"error":"down"}"#, status: 503)
            case 3: return .json(#"{"error":"slow down"}"#, status: 429, headers: [("Retry-After", "1")])
            case 4: return .json(#"{"error":"oops"}"#, status: 500)
            case 10, 11: if state.kill() { return .closeWithoutAnswer }
            default: break
            }
            let answer =
                request.method == "PUT" && request.path.hasPrefix("/rest/")
                ? Self.put(request, &state) : Self.mastodon(request, &state)
            // After the request was processed.
            switch die {
            case 5: return .closeWithoutAnswer
            case 6: return .closeInTheMiddle(of: answer)
            case 7: return .json(#"{"error":"timeout"}"#, status: 504)
            case 8: return .json(#"{"error":"backend fetch failed"}"#, status: 503)
            case 9: return .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{\"id\"")
            case 12, 13: return state.kill() ? .closeWithoutAnswer : answer
            default: return answer
            }
        }
    }

    private static func put(_ request: ReceivedRequest, _ state: inout State) -> Answer {
        let document = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        guard let day = document?["day"] as? String, let steps = document?["steps"] as? Int else {
            return .json("{}", status: 400)
        }
        state.days[day, default: []].append(steps)
        return .reply(status: 204)
    }

    private static func mastodon(_ request: ReceivedRequest, _ state: inout State) -> Answer {
        let parts = request.path.split(separator: "/")
        switch (request.method, parts.dropFirst(2).joined(separator: "/")) {
        case ("GET", "accounts/verify_credentials"): return .json(#"{"id":"7","acct":"anna"}"#)
        case ("GET", "accounts/7/statuses"):
            let before = request.query?.split(separator: "&").first { $0.hasPrefix("max_id=") }.flatMap {
                Int($0.dropFirst(7))
            }
            let page = state.posts.filter { $0.id < before ?? .max }.suffix(20).reversed()
            return .json("[" + page.map(json).joined(separator: ",") + "]")
        case ("POST", "statuses"):
            guard let text = status(request), let day = day(text) else { return .json("{}", status: 422) }
            let post = Post(id: state.posts.count + 1, text: text, day: day)
            state.posts.append(post)
            return .json(json(post))
        case ("PUT", _):
            guard let text = status(request), let day = day(text), let id = parts.last.flatMap({ Int($0) }),
                let index = state.posts.firstIndex(where: { $0.id == id })
            else { return .json("{}", status: 404) }
            state.posts[index] = Post(id: id, text: text, day: day)
            return .json(json(state.posts[index]))
        default: return .json("{}", status: 404)
        }
    }

    private static func status(_ request: ReceivedRequest) -> String? {
        request.text.split(separator: "&").first { $0.hasPrefix("status=") }
            .flatMap { $0.dropFirst(7).replacing("+", with: " ").removingPercentEncoding }
    }

    private static func day(_ text: String) -> String? { text.firstMatch(of: /\d{4}-\d\d-\d\d/).map { String($0.0) } }

    private static func json(_ post: Post) -> String {
        let content = "<p>" + post.text.replacing("&", with: "&amp;").replacing("\n", with: "<br />") + "</p>"
        let object: [String: Any] = ["id": "\(post.id)", "content": content, "created_at": "\(post.day)T23:30:00.000Z"]
        return (try? JSONSerialization.data(withJSONObject: object)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
