import Testing

@testable import SOAP

@Suite(.timeLimit(.minutes(5))) struct XMLNameTests {
    @Test(arguments: ["a", "_", "shareStepData", "a-b.c_1"]) func `plain names are accepted`(name: String) {
        #expect(XMLName.isPlain(name))
    }

    @Test(arguments: [
        "", "1a", "-a", ".a", "a b", "a:b", "a>", "<a", "é", "a\n", "a\0", String(repeating: "a", count: 129),
    ])
    func `names that are not plain are rejected`(name: String) {
        #expect(!XMLName.isPlain(name))
    }
}
