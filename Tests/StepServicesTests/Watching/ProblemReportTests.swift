import Synchronization
import Testing

@testable import StepServices

struct ProblemReportTests {
    private enum Problem: Error { case noBus, full, busy }

    private let reported = Reported()

    private final class Reported: Sendable {
        private let list = Mutex<[Problem]>([])
        var problems: [Problem] { list.withLock { $0 } }
        func add(_ error: any Error) { if let problem = error as? Problem { list.withLock { $0.append(problem) } } }
    }

    @Test func `two problems that stand at the same time are reported once each`() {
        let problems = ProblemReport { [reported] in reported.add($0) }
        for _ in 0..<3 {
            problems.begin(.scanning, Problem.noBus)
            problems.begin(.reporting, Problem.full)
        }
        #expect(reported.problems == [.noBus, .full])
    }

    @Test func `the success of one thing does not end the problem of another`() {
        let problems = ProblemReport { [reported] in reported.add($0) }
        problems.begin(.scanning, Problem.noBus)
        problems.end(.reading(1))
        problems.begin(.scanning, Problem.noBus)
        #expect(reported.problems == [.noBus])
        problems.end(.scanning)
        problems.begin(.scanning, Problem.noBus)
        #expect(reported.problems == [.noBus, .noBus])
    }

    @Test func `a problem that replaces another is reported, and so is the first when it returns`() {
        let problems = ProblemReport { [reported] in reported.add($0) }
        for problem in [Problem.noBus, .busy, .noBus] { problems.begin(.reading(1), problem) }
        #expect(reported.problems == [.noBus, .busy, .noBus])
    }

    @Test func `the same problem of several concerns is reported once`() {
        let problems = ProblemReport { [reported] in reported.add($0) }
        problems.begin(.history, Problem.full)
        problems.begin(.reading(1), Problem.full)
        #expect(reported.problems == [.full])
    }
}
