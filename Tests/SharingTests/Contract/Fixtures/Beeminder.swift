import Foundation
import StepDomain
import Synchronization
import WebTestSupport

extension Fixture {
    static let beeminder = Fixture(
        kind: "beeminder", keeps: [.day],
        open: { try WebVenue(Goal()) { "url = '\($0)'\ngoal = 'steps'\ntoken_env = '\(TestSecret.variable)'" } },
        web: WebBehaviour(notFound: .misconfigured))
}

/// Datapoints as Beeminder stores them.
private final class Goal: WebService {
    private struct Point: Equatable {
        var daystamp: String
        var value: Int
        var comment: String
    }

    private let points = Mutex<[String: Point]>([:])

    func isDelivery(_ request: ReceivedRequest) -> Bool { request.path.hasSuffix("/datapoints.json") }

    func answer(to request: ReceivedRequest) -> Answer {
        let fields = request.form
        guard request.query == nil, fields["auth_token"] == TestSecret.text else {
            return .json(#"{"errors":"no such token"}"#, status: 401)
        }
        guard request.method == "POST", request.path.hasPrefix("/api/v1/users/me/goals/steps/") else {
            return .json(#"{"errors":"not found"}"#, status: 404)
        }
        if request.path.hasSuffix("/datapoints/create_all.json") {
            return fields["datapoints"] == "[]" ? .json("[]") : .json(#"{"errors":"not here"}"#, status: 422)
        }
        guard let id = fields["requestid"], let stamp = fields["daystamp"], stamp.wholeMatch(of: /\d{8}/) != nil,
            let value = fields["value"].flatMap({ Int($0) })
        else { return .json(#"{"errors":{"value":["is not a number"]}}"#, status: 422) }
        let point = Point(daystamp: stamp, value: value, comment: fields["comment"] ?? "")
        let isSame = points.withLock { points in
            defer { points[id] = point }
            return points[id] == point
        }
        if isSame { return .json(#"{"errors":"Duplicate datapoint"}"#, status: 422) }
        return .json(
            #"{"id":"5016fa9a","timestamp":1398000000,"daystamp":"\#(stamp)","value":\#(value).0,"requestid":"\#(id)"}"#
        )
    }

    var held: [HeldDay] {
        points.withLock(\.self).values.sorted { $0.daystamp < $1.daystamp }.map { point in
            let digits = Array(point.daystamp)
            return HeldDay(
                day: "\(String(digits[..<4]))-\(String(digits[4..<6]))-\(String(digits[6...]))", steps: point.value)
        }
    }
}

extension ReceivedRequest {
    /// The fields of a form; empty if it is no form.
    var form: [String: String] {
        guard header("Content-Type") == "application/x-www-form-urlencoded" else { return [:] }
        let pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        return Dictionary(pairs) { $1 }
    }
}
