import DBus
import Testing

@testable import ModemManager

@Suite(.timeLimit(.minutes(5))) struct TextMessageErrorTests {
    static let all: [TextMessageError] = [
        .noBus("no such file"), .notRunning, .noModem(wanted: nil), .noModem(wanted: "7"),
        .severalModems(["modem 0", "modem 1"]),
        .noMessaging(modem: "modem 0"), .locked(modem: "modem 0", index: "0", lock: "sim-pin"),
        .disabled(modem: "modem 0", index: "0"),
        .notRegistered(modem: "modem 0", index: "0"), .notReady(modem: "modem 0", index: "0", state: "it is starting"),
        .accessDenied("sending"), .badNumber("x"), .badText("it is empty"), .textTooLong(parts: 4, limit: 3),
        .textTooLong(parts: nil, limit: 3), .refused(reason: "barred"), .notNow(reason: "no network"),
        .unanswered(reason: "no answer"),
        .cancelled(wasSent: false),
        .cancelled(wasSent: true),
    ]

    @Test(arguments: all)
    func `each error has a one-line description and advice`(error: TextMessageError) {
        #expect(!error.description.isEmpty && !error.description.hasSuffix(".") && !error.description.contains("\n"))
        // A command at the end stands without a full stop: it would be pasted with it.
        #expect(error.advice.hasSuffix(".") || error.advice.hasSuffix("`"), "\(error.advice)")
    }

    @Test func `only two errors mean that the message may have been sent`() {
        #expect(Self.all.filter(\.mayHaveBeenSent) == [.unanswered(reason: "no answer"), .cancelled(wasSent: true)])
    }

    @Test func `after a cancellation the message may have been sent only if the call was`() {
        #expect(SendFailure.error(.cancelled(call: "Send", wasSent: false), parts: 1) == .cancelled(wasSent: false))
        #expect(SendFailure.error(.cancelled(call: "Send", wasSent: true), parts: 1) == .cancelled(wasSent: true))
    }

    @Test func `the advice for a disabled modem names the command to enable it`() {
        let error = TextMessageError.disabled(modem: "modem 2 (A B)", index: "2")
        #expect(error.description == "modem 2 (A B) is switched off")
        #expect(error.advice.contains("`mmcli -m 2 --enable`"))
    }
}
