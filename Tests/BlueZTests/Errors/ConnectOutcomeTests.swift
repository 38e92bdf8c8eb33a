import DBus
import Testing

@testable import BlueZ

/// Every text that `src/error.h` of BlueZ 5.66 to 5.87 has for a failed Connect.
@Suite(.timeLimit(.minutes(5))) struct ConnectOutcomeTests {
    static let texts: [(String, ConnectFailure.Reason)] = [
        ("le-connection-abort-by-local", .linkFailed),
        ("le-connection-unknown", .linkFailed),
        ("le-connection-timeout", .timedOut),
        ("le-connection-busy", .busy),
        ("le-connection-refused", .refused),
        ("le-connection-abort-by-remote", .abortedByPeripheral),
        ("le-connection-concurrent-connection-limit", .tooManyConnections),
        ("le-connection-link-layer-protocol-error", .protocolError),
        ("le-connection-gatt-browsing", .servicesUnresolved),
        ("le-connection-memory-allocation", .outOfResources),
        ("le-connection-create-socket", .outOfResources),
        ("le-connection-bad-socket", .outOfResources),
        ("le-connection-key-missing", .pairingBroken),
        ("le-connection-adapter-not-powered", .adapterNotPowered),
        ("le-connection-not-supported", .notSupported),
        ("le-connection-invalid-arguments", .unknown),
        ("br-connection-canceled", .cancelled),
        ("br-connection-page-timeout", .timedOut),
        ("br-connection-timeout", .timedOut),
        ("br-connection-busy", .busy),
        ("br-connection-refused", .refused),
        ("br-connection-aborted-by-local", .linkFailed),
        ("br-connection-aborted-by-remote", .abortedByPeripheral),
        ("br-connection-concurrent-connection-limit", .tooManyConnections),
        ("br-connection-lmp-protocol-error", .protocolError),
        ("br-connection-profile-unavailable", .classicInsteadOfLE),
        ("br-connection-sdp-search", .classicInsteadOfLE),
        ("br-connection-key-missing", .pairingBroken),
        ("br-connection-adapter-not-powered", .adapterNotPowered),
        ("br-connection-unknown", .linkFailed),
        // EALREADY as 5.66 reports it: a second attempt during another one.
        ("Operation already in progress", .busy),
        // The C library's texts, before 5.62.
        ("Software caused connection abort", .linkFailed),
        ("Input/output error", .linkFailed),
        ("Cancelled", .cancelled),
        ("Operation canceled", .cancelled),
        ("Connection timed out", .timedOut),
        ("Host is down", .timedOut),
        ("Connection refused", .refused),
        ("Connection reset by peer", .abortedByPeripheral),
        ("Too many links", .tooManyConnections),
        ("Cannot allocate memory", .outOfResources),
        ("Operation not supported", .notSupported),
        ("something new", .unknown),
    ]

    @Test(arguments: texts)
    func `every error text of BlueZ is mapped to its reason`(text: String, reason: ConnectFailure.Reason) {
        let outcome = ConnectOutcome(.remote(name: "org.bluez.Error.Failed", message: text), peripheral: "P")
        #expect(outcome == .failed(ConnectFailure(reason, detail: text)))
    }

    @Test(arguments: [
        ("org.bluez.Error.InProgress", ConnectFailure.Reason.busy),
        ("org.bluez.Error.NotReady", .adapterNotPowered),
        ("org.bluez.Error.NotSupported", .notSupported),
        ("org.bluez.Error.AuthenticationFailed", .pairingBroken),
        ("org.bluez.Error.BrandNew", .unknown),
    ])
    func `errors other than Failed have their reasons`(name: String, reason: ConnectFailure.Reason) throws {
        guard case .failed(let failure) = ConnectOutcome(.remote(name: name, message: "m"), peripheral: "P") else {
            Issue.record("not a failure")
            return
        }
        #expect(failure.reason == reason)
    }

    @Test(arguments: [
        "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
        "org.bluez.Error.DoesNotExist",
    ])
    func `an object that BlueZ dropped is listened for again`(name: String) {
        let message = "Method \"Connect\" with signature \"\" on interface \"org.bluez.Device1\" doesn't exist\n"
        #expect(
            ConnectOutcome(.remote(name: name, message: message), peripheral: "P") == .failed(ConnectFailure(.vanished))
        )
    }

    @Test func `the BlueZ error for an existing connection is not a failure`() {
        let text = DBusError.remote(name: "org.bluez.Error.Failed", message: "le-connection-already-connected")
        #expect(ConnectOutcome(text, peripheral: "P") == .alreadyConnected)
        let name = DBusError.remote(name: "org.bluez.Error.AlreadyConnected", message: "Already Connected")
        #expect(ConnectOutcome(name, peripheral: "P") == .alreadyConnected)
    }

    @Test func `a failure with another cause than the peripheral ends all attempts`() {
        #expect(ConnectOutcome(.cancelled(call: "Connect", wasSent: true), peripheral: "P") == .fatal(.cancelled))
        #expect(
            ConnectOutcome(.remote(name: "org.freedesktop.DBus.Error.NoReply", message: ""), peripheral: "P")
                == .fatal(.daemonNotRunning))
        #expect(
            ConnectOutcome(.remote(name: "org.freedesktop.DBus.Error.AccessDenied", message: "rule"), peripheral: "P")
                == .fatal(.accessDenied("connecting to P: rule")))
    }

    @Test func `a timeout of Connect counts as a failed attempt`() {
        #expect(
            ConnectOutcome(.timedOut(call: "Connect", seconds: 30), peripheral: "P")
                == .failed(ConnectFailure(.timedOut)))
    }

    @Test func `only temporary connection failures are transient`() {
        let lasting: Set<ConnectFailure.Reason> = [
            .tableTooLarge, .pairingBroken, .classicInsteadOfLE, .adapterNotPowered, .notSupported, .unknown,
        ]
        for reason in ConnectFailure.Reason.allCases {
            #expect(ConnectFailure(reason).isTransient == !lasting.contains(reason), "\(reason)")
        }
    }
}
