import DBus
import Testing

/// Scripted behaviour of BlueZ.
extension FakeBlueZ {
    static let agree: Script = { _, call in await call.reply() }

    /// Does not answer; the test may answer later.
    static let hang: Script = { fake, call in await fake.hold(call) }

    static func fail(_ name: String, _ message: String) -> Script {
        { _, call in await call.fail(name, message) }
    }

    /// How BlueZ reports nearly all failures over the air.
    static let linkFails = fail("org.bluez.Error.Failed", "le-connection-abort-by-local")

    /// The link comes up and the services are known, as with a peripheral that BlueZ knows.
    static let connect: Script = { fake, call in
        await doing {
            try await fake.device(["Connected": .boolean(true)])
            await call.reply()
            try await fake.add(Sample.gatt)
            try await fake.device(["ServicesResolved": .boolean(true)])
        }
    }

    /// The link comes up, and nothing more.
    static let connectOnly: Script = { fake, call in
        await doing {
            try await fake.device(["Connected": .boolean(true)])
            await call.reply()
        }
    }

    static let disconnect: Script = { fake, call in
        await doing {
            try await fake.drop()
            await call.reply()
        }
    }

    /// The peripheral is heard as soon as discovery runs.
    static func hear(_ path: ObjectPath = Sample.device, _ properties: Properties = Sample.deviceProperties(rssi: -60)) -> Script {
        { fake, call in
            await doing {
                await call.reply()
                try await fake.add([path: ["org.bluez.Device1": properties]])
            }
        }
    }

    static func reply(_ values: DBusValue...) -> Script {
        { _, call in await call.reply(values) }
    }

    /// The link is lost.
    func drop() async throws {
        try await device(["ServicesResolved": .boolean(false), "Connected": .boolean(false)])
    }

    private static func doing(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            Issue.record(error)
        }
    }
}
