/// A time on a clock of the tests.
public struct TestInstant: InstantProtocol {
    /// Since the start of the clock.
    public var offset: Duration

    public init(offset: Duration) { self.offset = offset }

    public func advanced(by duration: Duration) -> TestInstant { TestInstant(offset: offset + duration) }
    public func duration(to other: TestInstant) -> Duration { other.offset - offset }
    public static func < (a: TestInstant, b: TestInstant) -> Bool { a.offset < b.offset }
}
