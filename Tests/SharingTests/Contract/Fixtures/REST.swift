import Foundation
import StepDomain
import Synchronization
import WebTestSupport

extension Fixture {
    static let rest = Fixture(
        kind: "rest", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage, .samples],
        open: {
            try WebVenue(DayStore(method: "PUT", authorization: "Bearer \(TestSecret.text)")) { url in
                "url = '\(url)/api'\ntoken_env = '\(TestSecret.variable)'\nsamples = true"
            }
        },
        web: WebBehaviour(confirming: [200, 204]))

    static let restPost = Fixture(
        kind: "rest", variant: "POST", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage],
        corrects: false,
        open: {
            let basic = Data("anna:\(TestSecret.text)".utf8).base64EncodedString()
            return try WebVenue(DayStore(method: "POST", authorization: "Basic \(basic)")) { url in
                "url = '\(url)/days?on={date}'\nmethod = 'POST'\nusername = 'anna'\npassword_env = '\(TestSecret.variable)'"
            }
        },
        web: WebBehaviour(confirming: [200, 204]))
}

/// Stores days as JSON: with PUT at their own address, with POST one after another.
private final class DayStore: WebService {
    private let method: String
    private let authorization: String
    private let days = Mutex<[(target: String, document: Document)]>([])

    struct Document: Decodable {
        struct Pedometer: Decodable {
            struct Sample: Decodable { var steps: Int }

            var name: String
            var samples: [Sample]
        }

        var user: String
        var day: String
        var steps: Int
        var distanceMetres: Int?
        var energyKilocalories: Int?
        var goal: Int?
        var percentage: Double?
        var pedometers: [Pedometer]?
    }

    init(method: String, authorization: String) { (self.method, self.authorization) = (method, authorization) }

    func answer(to request: ReceivedRequest) -> Answer {
        guard request.header("Authorization") == authorization else {
            return .json(#"{"error":"who are you?"}"#, status: 401)
        }
        guard request.method == method else { return .json(#"{"error":"nothing to see here"}"#, status: 405) }
        guard request.header("Content-Type") == "application/json", let key = request.header("Idempotency-Key"),
            key.wholeMatch(of: /"[0-9a-f]{32}"/) != nil,
            let document = try? JSONDecoder().decode(Document.self, from: Data(request.body))
        else { return .json(#"{"error":"no day"}"#, status: 400) }
        days.withLock { days in
            if method == "PUT" { days.removeAll { $0.target == request.target } }
            days.append((request.target, document))
        }
        return .reply(status: 204)
    }

    var held: [HeldDay] {
        days.withLock(\.self).map(\.document).sorted { $0.day < $1.day }.map { day in
            HeldDay(
                user: day.user, day: day.day, steps: day.steps, metres: day.distanceMetres,
                kilocalories: day.energyKilocalories,
                goal: day.goal, percentage: day.percentage,
                samples: day.pedometers.map { Dictionary($0.map { ($0.name, $0.samples.map(\.steps)) }) { $1 } })
        }
    }
}
