import Foundation
import HTTP
import StepDomain
import TestSupport
import Testing
import WebTestSupport

/// The manual's table for Prometheus, on Debian's Pushgateway.
@Suite(.realServers, .timeLimit(.minutes(5))) struct RealPushgatewayTests {
    @Test func `the Pushgateway shows the figures of the latest day, without those that are not known`() async throws {
        let process = try await ServerProcess.start("/usr/bin/prometheus-pushgateway") { directory in
            ["--web.listen-address=127.0.0.1:0", "--persistence.file=\(directory.path)/metrics"]
        } until: {
            $0.contains("Listening on")
        }
        let url = "http://\(try #require(process.readiness.firstMatch(of: /address=([0-9.:]+)/)?.1))"
        let manual = try Manual.blocks("toml", on: "services.md")
        let table = try #require(manual.first { $0.contains("/metrics/job") })
        let destination = try Fixture.destination(table.replacing("http://localhost:9091", with: url), environment: [:])
        let name = "Zoë \"x\" {y}"
        for day in [
            SharedDay.easter(of: User(id: 1, name: name)), .easter(), .easter(steps: 9000, goal: nil, later: 1),
        ] {
            _ = try await destination.deliver([SharePayload(day)])
        }
        let request = HTTPRequest(method: "GET", url: try WebAddress(url + "/metrics"))
        let shown = try await CurlTransport(userAgent: "istep/test").send(request).text.split(separator: "\n")
            .filter { $0.hasPrefix("istep_") }
        #expect(
            Set(shown) == [
                #"istep_steps{instance="",job="istep",user="Anna"} 9000"#,
                #"istep_distance_metres{instance="",job="istep",user="Anna"} 5432"#,
                #"istep_energy_kilocalories{instance="",job="istep",user="Anna"} 232"#,
                #"istep_steps{instance="",job="istep",user="Zoë \"x\" {y}"} 8123"#,
                #"istep_distance_metres{instance="",job="istep",user="Zoë \"x\" {y}"} 5432"#,
                #"istep_energy_kilocalories{instance="",job="istep",user="Zoë \"x\" {y}"} 232"#,
                #"istep_goal_steps{instance="",job="istep",user="Zoë \"x\" {y}"} 10000"#,
            ], "\(shown)")
    }
}
