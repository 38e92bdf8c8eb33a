import StepViews
import Testing

@Suite struct WholeNumberTests {
    @Test(arguments: [
        ("0", 0), ("9000", 9000), ("9,000", 9000), ("9.000", 9000), ("9 000", 9000), ("9\u{202f}000", 9000),
        ("9'000", 9000), ("12,345,678", 12_345_678), ("012", 12),
    ])
    func `digits may be grouped by thousands`(text: String, value: Int) { #expect(WholeNumber.value(text) == value) }

    @Test(arguments: [
        "", " ", ",", "9,", ",000", "9,00", "9,0000", "1234,567", "9,000.5", "9,000.000", "9,,000", "-9000", "+9000",
        "8.5",
        "12k", "٩٠٠٠", "99999999999999999999", "9\u{301}000", "0x10", "9_000",
    ])
    func `anything else is no number`(text: String) { #expect(WholeNumber.value(text) == nil) }
}
