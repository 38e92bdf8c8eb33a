import Foundation
import StepDomain
import Synchronization
import WebTestSupport

extension Fixture {
    static let intervalsICU = Fixture(
        kind: "intervals-icu", keeps: [.day],
        open: { try WebVenue(Wellness()) { "url = '\($0)'\napi_key_env = '\(TestSecret.variable)'" } },
        web: WebBehaviour(notFound: .misconfigured))
}

/// Wellness records as intervals.icu stores them.
private final class Wellness: WebService {
    private let steps = Mutex<[String: Int]>([:])
    private let authorization = "Basic " + Data("API_KEY:\(TestSecret.text)".utf8).base64EncodedString()

    func answer(to request: ReceivedRequest) -> Answer {
        guard request.header("Authorization") == authorization else {
            return .json(#"{"status":403,"error":"Access denied"}"#, status: 403)
        }
        if request.method == "GET", request.target == "/api/v1/athlete/0" {
            return .json(#"{"id":"i12345","name":"Anna"}"#)
        }
        guard request.method == "PUT",
            let match = request.target.wholeMatch(of: /\/api\/v1\/athlete\/0\/wellness\/(\d{4}-\d\d-\d\d)/)
        else {
            return .json(#"{"status":404,"error":"Not found"}"#, status: 404)
        }
        guard request.header("Content-Type") == "application/json",
            let fields = try? JSONDecoder().decode([String: Int].self, from: Data(request.body)),
            fields.keys.elementsEqual(["steps"])
        else { return .json(#"{"status":422,"error":"what is this?"}"#, status: 422) }
        let date = String(match.1)
        let count = steps.withLock { steps in
            steps[date] = fields["steps"]
            return steps[date] ?? 0
        }
        return .json(
            #"{"id":"\#(date)","ctl":12.5,"weight":null,"steps":\#(count),"updated":"2026-01-01T12:00:00.000+00:00"}"#)
    }

    var held: [HeldDay] {
        steps.withLock(\.self).sorted { $0.key < $1.key }.map { HeldDay(day: $0.key, steps: $0.value) }
    }
}
