extension BinaryInteger {
    /// The number in digits, with zeros before them up to a width.
    package func digits(radix: Int = 10, uppercase: Bool = false, width: Int) -> String {
        let digits = String(self, radix: radix, uppercase: uppercase)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
