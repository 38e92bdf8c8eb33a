private import Foundation

/// How long the tests simulate, and search at random.
///
/// The usual run takes minutes. With `ISTEP_ENDURANCE=year`, as in `.ci/full endurance`, the same tests simulate a year
/// and search several times as long.
public enum Endurance {
    public static let isYear = ProcessInfo.processInfo.environment["ISTEP_ENDURANCE"] == "year"

    /// The number of rounds of a random search: `usual`, or `year` with `ISTEP_ENDURANCE=year`.
    public static func rounds(_ usual: Int, year: Int) -> Int { isYear ? year : usual }
}
