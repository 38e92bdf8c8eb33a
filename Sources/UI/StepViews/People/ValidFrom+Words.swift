internal import StepDomain

extension ValidFrom {
    /// From which day on it holds; the first holds from the beginning.
    var since: String { validFrom <= Day(daysSince1970: 0) ? "from the beginning" : "from \(validFrom)" }
}
