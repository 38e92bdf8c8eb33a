internal import DBus

extension Central {
    /// Connects, runs `body`, and disconnects on every way out: return, error and cancellation.
    ///
    /// The peripheral is listened for first, unless it is connected, heard or paired already; discovery is stopped
    /// before connecting. What fails in passing is tried again up to `limits.attempts` times. A link that was up before, and is
    /// in use by another program, is shared and left up.
    ///
    /// - Parameters:
    ///   - adapter: such as `hci0`; by default the first one that is switched on.
    ///   - pairing: with a delegate, a peripheral that is not paired yet is paired before `body` runs.
    ///   - body: must not keep the peripheral beyond its end: everything fails with `linkLost` then.
    /// - Throws: what `body` throws, or `BluetoothError`: `peripheralNotFound`, `connectFailed`, `pairingFailed`, `busy` if
    ///   this central is connected to it already, or the adapter's errors as `adapter(_:)`.
    @discardableResult
    public func withPeripheral<R>(
        _ address: DeviceAddress, adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits(),
        pairing: (any PairingDelegate)? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (Peripheral) async throws -> R
    ) async throws -> R {
        let link = try await connect(address, adapter: adapter, limits: limits, pairing: pairing)
        let result: R
        do {
            result = try await body(Peripheral(link: link))
        } catch {
            await release(link)
            throw error
        }
        await release(link)
        return result
    }

    func connect(
        _ address: DeviceAddress, adapter name: String?, limits: ConnectionLimits, pairing: (any PairingDelegate)?
    ) async throws(BluetoothError) -> Link {
        guard inUse.insert(address).inserted else { throw .busy("\(address) is in use by this program already") }
        do throws(BluetoothError) {
            let adapter = try await usableAdapter(await homeAdapter(of: address, wanted: name))
            let link = try await establish(address, on: adapter, limits)
            guard let pairing else { return link }
            do throws(BluetoothError) {
                try await pair(link, pairing)
                return link
            } catch {
                await release(link)
                throw error
            }
        } catch {
            inUse.remove(address)
            throw error
        }
    }

    /// Where there are several adapters, the one that the peripheral is connected or bonded to: a bond does not hold for
    /// another.
    private func homeAdapter(of address: DeviceAddress, wanted name: String?) async -> String? {
        if let name { return name }
        let cache = await daemon.cache
        return cache.adapters.first { adapter in
            guard adapter.isPowered, let device = cache.device(address, on: adapter.path) else { return false }
            return device.isConnected || device.isPaired
        }?.name
    }

    func release(_ link: Link) async {
        let subscriptions = await daemon.subscriptions(of: link.id)
        await daemon.releaseLink(link.id)
        if link.use == .own { await disconnect(link.device) }
        let daemon = daemon
        await uncancelled {
            // After the disconnection this costs no packet. Without it, BlueZ would subscribe again by itself with the
            // next connection, whoever makes that, and call the characteristic in use meanwhile.
            for path in subscriptions {
                _ = try? await daemon.call(path, BlueZName.characteristic, "StopNotify", limit: .seconds(5))
            }
        }
        inUse.remove(link.address)
    }
}
