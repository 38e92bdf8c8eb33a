import Testing

@testable import MQTT

@Suite(.timeLimit(.minutes(5))) struct LibraryTests {
    @Test func `a missing library is reported with its name`() {
        #expect(Mosquitto.load("libmosquitto-of-nowhere.so.1")?.contains("libmosquitto-of-nowhere.so.1") == true)
    }

    @Test func `a wrong library is reported`() {
        #expect(Mosquitto.load("libc.so.6")?.contains("mosquitto") == true)
    }

    @Test func `the error for a missing library says how to install it`() {
        #expect(MQTTError.libraryMissing(reason: "x").advice == "Install it: `sudo apt-get install libmosquitto1`")
    }

    @Test(arguments: [
        ("OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed", "certificate verify failed"),
        ("Error: host name verification failed.", "host name verification failed"), ("", ""), (" : : ", ""),
        ("a\u{1B}[2J\nb", "a[2Jb"),
        (String(repeating: "x", count: 1000), String(repeating: "x", count: 120)),
    ])
    func `a log line is reduced to its message`(line: String, essence: String) {
        #expect(LogLine.reason(of: line) == essence)
    }

    @Test func `result codes have descriptions`() throws {
        try #require(Mosquitto.failure == nil)
        #expect(Mosquitto.words(BrokerCode(number: 0x87)) == "Not authorized")
        #expect(Mosquitto.words(BrokerCode(number: 5)) == "Connection Refused: not authorised")
        #expect(!Mosquitto.words(BrokerCode(number: 250)).isEmpty)
    }
}
