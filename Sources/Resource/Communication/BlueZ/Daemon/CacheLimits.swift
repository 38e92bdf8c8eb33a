internal import DBus

/// The limits of the cache of BlueZ's objects.
///
/// `bluetoothd` makes an object for every address that it hears: a street full of people, or a single transmitter that
/// invents addresses, adds thousands in a minute. Devices that a program waits for, that are connected or that are
/// paired are kept. The others are dropped, starting with those that were not heard for the longest time.
enum CacheLimits {
    /// Devices kept. A full train has some hundred; a pedometer that is searched for is kept in addition.
    static let devices = 2_048

    /// Devices kept if all of them are protected: only a faulty or hostile `bluetoothd` is connected to more than seven
    /// or eight (controllers have no more connections), or paired with thousands.
    static let protectedDevices = 4_096

    /// Objects below devices (services, characteristics, descriptors). A watch with many services has some 150; the
    /// attribute protocol has at most 65,535 handles.
    static let attributes = 16_384

    /// Objects that are neither devices nor below them: the root, adapters.
    static let others = 64

    /// Bytes of memory of all objects together: 2,048 devices with 8 KB each, twice what a device with long
    /// advertisements takes.
    static let memory = 32 << 20

    /// Bytes of memory of one property. Advertising data has at most 1,650 bytes (Core Specification Vol 6 Part B
    /// 2.3.4.9), and thirty 128-bit UUIDs take 4 KB here.
    static let property = 8_192

    /// Properties of one interface. `Device1` has 22 in BlueZ 5.66.
    static let properties = 64

    /// Interfaces of one object. A device has `Device1`, `Battery1` and a few of profiles.
    static let interfaces = 16

    /// Bytes of an object's path. BlueZ's longest has 67:
    /// `/org/bluez/hci0/dev_C0_DE_00_00_00_01/service0001/char0002/desc0003`.
    static let path = 255

    /// Signals kept for applying them again on top of a snapshot: those that may have overtaken its reply, within
    /// milliseconds.
    static let journal = 2_048

    /// Bytes of UTF-8 of a device's name (Core Specification Vol 3 Part C 12.1).
    static let name = 248

    /// An interface's properties within the limits, without `Value`: the value of a characteristic is the user's data;
    /// it goes to the reader that requested it and is not kept.
    static func kept(_ properties: Properties) -> Properties {
        guard
            properties["Value"] != nil || properties.count > Self.properties
                || properties.contains(where: { $1.memory > property })
        else { return properties }
        let small = properties.filter { $0.key != "Value" && $0.key.utf8.count <= path && $0.value.memory <= property }
        guard small.count > Self.properties else { return small }
        // Sorted by name, so that the same ones are kept each time.
        return Dictionary(
            uniqueKeysWithValues: small.sorted { $0.key < $1.key }.prefix(Self.properties).map { ($0.key, $0.value) })
    }

    /// An object's BlueZ interfaces within the limits.
    static func kept(_ interfaces: [String: Properties]) -> [String: Properties] {
        let own = interfaces.filter { $0.key.hasPrefix("org.bluez.") && $0.key.utf8.count <= path }
        guard own.count > Self.interfaces else { return own.mapValues(kept) }
        return Dictionary(
            uniqueKeysWithValues: own.sorted { $0.key < $1.key }.prefix(Self.interfaces).map {
                ($0.key, kept($0.value))
            })
    }

    /// Bytes of memory of an object, roughly.
    static func memory(_ interfaces: [String: Properties]) -> Int {
        interfaces.values.reduce(256) { sum, properties in
            properties.reduce(sum + 128) { $0 + 48 + $1.key.utf8.count + $1.value.memory }
        }
    }
}

extension ObjectChange {
    /// The part of a signal that is kept; nil for a signal about an object that does not belong to BlueZ.
    var kept: ObjectChange? {
        guard path.string.utf8.count <= CacheLimits.path else { return nil }
        switch self {
        case .added(let path, let interfaces):
            return .added(path, CacheLimits.kept(interfaces))
        case .removed:
            return self
        case .changed(let path, let interface, let properties, let invalidated):
            return .changed(path, interface: interface, CacheLimits.kept(properties), invalidated: invalidated)
        }
    }
}

extension ObjectChange {
    /// Whether it changes nothing in a cache. A signal about a device never counts as empty: it shows that the device
    /// was heard.
    var isEmpty: Bool {
        guard case .changed(_, let interface, let properties, let invalidated) = self else { return false }
        return properties.isEmpty && invalidated.isEmpty && interface != BlueZName.device
    }
}

/// Keys in the order in which they may be dropped: the key that was neither added nor touched for the longest time
/// comes first.
///
/// A "second chance" queue (also called clock algorithm): every operation takes constant time on average, whatever is
/// added, touched and removed, since a touched key is moved to the end only when its turn comes. Linear searches would
/// make a flood cost quadratic time.
struct RecencyQueue<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        /// The valid position of the key in `order`; earlier ones are stale.
        var position: Int
        var isTouched = false
    }

    private var entries: [Key: Entry] = [:]
    private var order: [(key: Key, position: Int)] = []
    /// Positions before this one are no longer used.
    private var head = 0
    private var lastPosition = 0

    var count: Int { entries.count }

    /// Adds a key at the end, or touches it if it is there.
    mutating func insert(_ key: Key) {
        if entries[key] != nil { return touch(key) }
        append(key)
    }

    /// Marks a key as just used.
    mutating func touch(_ key: Key) {
        entries[key]?.isTouched = true
    }

    mutating func remove(_ key: Key) {
        guard entries.removeValue(forKey: key) != nil else { return }
        compact()
    }

    /// Removes the key whose turn it is.
    ///
    /// - Parameters:
    ///   - attempts: how many keys are checked, so that a queue full of protected ones costs no search through all of
    ///     them.
    ///   - isProtected: keys that stay.
    /// - Returns: nil if none of the checked keys may be removed.
    mutating func removeFirst(attempts: Int = 64, where isProtected: (Key) -> Bool) -> Key? {
        var left = min(attempts, entries.count)
        while left > 0, head < order.count {
            let (key, position) = order[head]
            head += 1
            guard let entry = entries[key], entry.position == position else { continue }
            left -= 1
            if entry.isTouched || isProtected(key) {
                entries[key] = nil
                append(key)
            } else {
                entries[key] = nil
                compact()
                return key
            }
        }
        compact()
        return nil
    }

    private mutating func append(_ key: Key) {
        lastPosition += 1
        entries[key] = Entry(position: lastPosition)
        order.append((key, lastPosition))
    }

    /// Keeps the number of stale positions to at most the number of keys plus 64.
    private mutating func compact() {
        guard order.count > 2 * entries.count + 64 else { return }
        order = order[head...].filter { entries[$0.key]?.position == $0.position }
        head = 0
    }

    /// Positions in use, stale ones too: for tests of the bound.
    var capacityInUse: Int { order.count }
}
