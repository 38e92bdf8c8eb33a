/// Makes whole steps of what one source has recorded. Old exports have decimal numbers, and a record that goes on past
/// midnight is divided there by time.
///
/// - The parts of a record past midnight with a whole number add up to it.
/// - What rounding leaves of a share is carried on to the next record of its day, so that a day has the sum of its
///   shares, rounded. It is not carried over to another day, which would have a step that was not made on it.
///
/// A day whose last record is the end of one past midnight can be off by one: the first rule goes before the second.
struct WholeSteps {
    /// What is still to be given, by day: of the exact shares, less what was given. Days without a rest are not in it.
    private var rests: [Int: Double] = [:]

    /// Whether whole numbers within one day are given as they are.
    var isExact: Bool { rests.isEmpty }

    /// - Parameters:
    ///   - steps: 0 or more.
    ///   - parts: the days since 1970 of the parts of a record, with their lengths; not empty.
    /// - Returns: the whole steps of each part, 0 or more.
    mutating func divide(_ steps: Double, over parts: [(day: Int, seconds: Int)]) -> [Int] {
        let length = parts.reduce(0) { $0 + $1.seconds }
        let isWhole = steps == steps.rounded()
        // What later parts can still be given.
        var left = isWhole ? Int(steps) : Int.max
        return parts.enumerated().map { index, part in
            let isLast = index == parts.count - 1
            let share = length == 0 ? (isLast ? steps : 0) : steps * Double(part.seconds) / Double(length)
            let exact = share + (rests[part.day] ?? 0)
            let given = isLast && isWhole && index > 0 ? left : min(max(0, Int(exact.rounded())), left)
            left -= given
            let rest = exact - Double(given)
            // Sums of binary fractions are not exact.
            rests[part.day] = abs(rest) < 1e-6 ? nil : rest
            return given
        }
    }
}
