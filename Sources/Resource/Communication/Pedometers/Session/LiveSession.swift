/// What a connected pedometer tells of itself while its wearer walks, as a value: a notification in, today's steps out.
///
/// For the eye only: what counts is read by a `PedometerSession`, which knows how the figures came about.
public protocol LiveSession: Sendable {
    /// Where it notifies.
    var address: GATTAddress { get }
    /// Today's steps as the notification has them; nil for one that tells something else, or nothing that can be.
    mutating func steps(after value: [UInt8]) -> Int?
}

/// More steps than anybody makes in a day; a live figure above is a mistake.
let mostStepsOfADay = 200_000
