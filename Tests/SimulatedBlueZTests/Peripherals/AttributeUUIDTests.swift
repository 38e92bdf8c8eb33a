import Testing

import SimulatedBlueZ

@Suite(.timeLimit(.minutes(5))) struct AttributeUUIDTests {
    @Test(arguments: ["180f", "180F", "0x180F", "0000180f", "0000180F-0000-1000-8000-00805f9b34fb"])
    func `all forms of a UUID are equal`(text: String) {
        #expect(AttributeUUID(text)?.text == "0000180f-0000-1000-8000-00805f9b34fb")
        #expect(AttributeUUID(text) == AttributeUUID(short: 0x180f))
    }

    @Test(arguments: [
        "", "180", "180g", "0000180f-0000-1000-8000-00805f9b34f", "0000180f00000-1000-8000-00805f9b34fb", "１８０f",
    ])
    func `an invalid UUID is rejected`(text: String) { #expect(AttributeUUID(text) == nil) }
}
