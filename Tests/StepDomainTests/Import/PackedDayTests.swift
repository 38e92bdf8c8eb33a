import StepDomain
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct PackedDayTests {
    private let day = Day("2014-04-20")!
    private var midnight: Timestamp { Timestamp(day.daysSince1970 * 86_400) }

    private func content(_ generator: inout SeededGenerator) -> PackedDay {
        var content = PackedDay()
        var start = midnight
        for _ in 0..<Int.random(in: 0...40, using: &generator) {
            start = start + Int.random(in: 1...4000, using: &generator)
            let length = Int.random(in: 1...3600, using: &generator)
            content.samples.append(
                StepSample(
                    start: start, length: length, steps: Int.random(in: 0...(5 * length), using: &generator),
                    distance: Bool.random(using: &generator)
                        ? Double(Int.random(in: 0...500_000, using: &generator)) / 100 : nil,
                    energy: Bool.random(using: &generator)
                        ? Double(Int.random(in: 0...500_000, using: &generator)) / 1000 : nil,
                    utcOffset: [-50_400, 0, 3600, 20_700, 50_400].randomElement(using: &generator)!))
        }
        content.coverage = [CoveredSpan(TimeSpan(midnight, midnight + 7200), utcOffset: 3600)]
        return content
    }

    @Test(arguments: 0..<100 as Range<UInt64>) func `what was packed is read again`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let content = content(&generator)
        #expect(PackedDay(content.bytes(of: day), of: day) == content)
    }

    /// The bytes come from a file that can be damaged.
    @Test func `changed bytes are refused or give what a history can hold`() {
        var generator = SeededGenerator(seed: 34)
        for _ in 0..<20_000 {
            var bytes = content(&generator).bytes(of: day)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                switch Int.random(in: 0..<3, using: &generator) {
                case 0:
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                case 1: bytes.removeLast(min(bytes.count - 1, Int.random(in: 0...3, using: &generator)))
                default:
                    bytes.insert(
                        .random(in: 0...255, using: &generator), at: Int.random(in: 0...bytes.count, using: &generator))
                }
            }
            guard let read = PackedDay(bytes, of: day) else { continue }
            #expect(read.samples.allSatisfy { $0.isPlausible })
        }
    }
}
