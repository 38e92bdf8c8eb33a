import Foundation
import StepDomain
import Support
import Testing

@testable import istep

@Suite(.timeLimit(.minutes(5))) struct WaitingOutputTests {
    /// Whoever shares a pipe or a terminal may have set the flag.
    @Test func `a long result is written completely to a slow reader, also if the pipe does not block`() async throws {
        var ends: [Int32] = [0, 0]
        let isMade = pipe(&ends) == 0
        try #require(isMade)
        let (reader, writer) = (ends[0], ends[1])
        try #require(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        var filling = 0
        while write(writer, "x", 1) == 1 { filling += 1 }
        let text = String(repeating: "y", count: 1 << 19)
        async let code = blocking {
            let code = Output(descriptor: writer).put(text)
            close(writer)
            return code
        }
        let count = try await blocking {
            var buffer = [UInt8](repeating: 0, count: 4096), count = 0
            while true {
                let part = read(reader, &buffer, buffer.count)
                guard part > 0 else { break }
                count += part
            }
            close(reader)
            return count
        }
        #expect(try await code == 0)
        #expect(count == filling + text.utf8.count)
    }
}
