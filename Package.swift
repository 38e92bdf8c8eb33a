// swift-tools-version: 6.2
import PackageDescription

#if canImport(Glibc)
    import Glibc
#endif

/// One set of rules for every target: Swift 6 mode, explicit imports, warnings as errors.
let rules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// The folders are the layers: UI → Domain ← Resource. Simulation is selected by the bus address only; every layer may
// use Support.
let ui = "Sources/UI/"
let domain = "Sources/Domain/"
let data = "Sources/Resource/Data/"
let communication = "Sources/Resource/Communication/"
let web = "Sources/Resource/WebService/"
let simulation = "Sources/Simulation/"

/// The version of the C library that this is built with, such as [2, 36]; empty if it is not glibc.
var glibc: [Int] {
    #if canImport(Glibc)
        var text = [CChar](repeating: 0, count: 64)
        guard confstr(Int32(_CS_GNU_LIBC_VERSION), &text, text.count - 1) > 0 else { return [] }
        let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self).split { !$0.isNumber }.compactMap { Int($0) }  // glibc 2.36
    #else
        return []
    #endif
}

/// How the release build of the program is linked. The program contains Swift's libraries; these options reduce its
/// memory by 3 MB.
///
/// - `-use-ld=lld`: the linker that Swift includes. gold, the default, does not support the last two options.
/// - `--no-export-dynamic`: exports no symbols to shared libraries (1.3 MB). No library uses them.
/// - `--icf=safe`: merges identical functions whose addresses are not compared.
/// - `-z pack-relative-relocs`: stores relocations in 20 KB instead of 2.3 MB. Needs glibc 2.36 (Debian 12) or later.
var linking: [LinkerSetting] {
    var flags = ["-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--icf=safe"]
    if [2, 36].lexicographicallyPrecedes(glibc + [0]) {
        flags += ["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]
    }
    return [.unsafeFlags(flags, .when(platforms: [.linux], configuration: .release))]
}

/// For code that takes little of a command's time: the simulation, which only `istep demo` uses, the commands and their
/// texts, and what waits for other programs and servers.
let optimizedForSize: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

func layer(_ folder: String, _ name: String, _ dependencies: [Target.Dependency] = [], forSize: Bool = false) -> Target
{
    .target(
        name: name, dependencies: dependencies, path: folder + name,
        swiftSettings: rules + (forSize ? optimizedForSize : []))
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = [])
    -> Target
{
    .testTarget(
        name: name + "Tests", dependencies: dependencies + [.byName(name: name), "TestSupport"],
        path: "Tests/\(name)Tests", exclude: exclude, resources: resources, swiftSettings: rules)
}

func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "Fuzz" + name, dependencies: dependencies + ["StepDomain"], path: "Tests/Fuzzing/" + name,
        swiftSettings: rules, linkerSettings: [.unsafeFlags(["-use-ld=lld", "-sanitize=fuzzer"])])
}

/// Fuzzers of the frames of all models, and of exports, which only a build for them has: see .github/CONTRIBUTING.md.
let fuzzing: [Target] =
    Context.environment["ISTEP_FUZZ"] == nil
    ? []
    : [
        fuzzer("Frames", ["Pedometers", "BlueZ"]),
        fuzzer("Exports", ["ForeignHistories", "StepDatabase", .product(name: "GRDB", package: "GRDB.swift")]),
    ]

let package = Package(
    name: "istep",
    products: [
        .executable(name: "istep", targets: ["istep"]),
        .library(name: "DBus", targets: ["DBus"]),
        .library(name: "BlueZ", targets: ["BlueZ"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        // Communication
        .target(name: "CDBus", path: communication + "CDBus"),
        .target(name: "CBluetooth", path: communication + "CBluetooth"),
        layer(communication, "DBus", ["CDBus", "Support"]),
        layer(communication, "BlueZ", ["DBus", "Support"]),
        // The program of the article in the documentation of BlueZ: the tests run it.
        .executableTarget(
            name: "ReadBattery", dependencies: ["BlueZ"], path: communication + "BlueZ/BlueZ.docc/ReadBattery",
            swiftSettings: rules),
        // A separate target: the product BlueZ must not depend on libbluetooth, which is under the GPL.
        layer(communication, "KernelBluetooth", ["BlueZ", "CBluetooth"], forSize: true),
        layer(communication, "Pedometers", ["BlueZ", "StepDomain", "Support"], forSize: true),

        layer(communication, "ModemManager", ["DBus", "Support"], forSize: true),
        layer(communication, "Systemd", ["DBus", "StepDomain"], forSize: true),
        layer(communication, "Desktop", ["DBus", "StepDomain", "Support"], forSize: true),

        // Web services
        .target(name: "CCurl", path: web + "CCurl"),
        .target(name: "CMosquitto", path: web + "CMosquitto"),
        .target(name: "CRsvg", path: web + "CRsvg"),
        .target(name: "CPostgres", path: web + "CPostgres"),
        .systemLibrary(
            name: "CExpat", path: web + "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        layer(web, "HTTP", ["CCurl", "Support"], forSize: true),
        .target(name: "CAccept", path: web + "CAccept"),
        layer(web, "LocalServer", ["CAccept", "PageExchange", "Support"], forSize: true),
        layer(web, "SOAP", ["HTTP", "Support", "CExpat"], forSize: true),
        layer(web, "MQTT", ["CMosquitto", "Support"], forSize: true),
        layer(web, "Postgres", ["CPostgres", "Support"], forSize: true),
        layer(
            web, "Sharing",
            [
                "HTTP", "SOAP", "MQTT", "Postgres", "CRsvg", "ModemManager", "DBus", "Settings", "Support",
                "StepDomain",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ], forSize: true),

        // Domain
        layer(domain, "StepDomain", ["Support"]),
        layer(domain, "StepServices", ["StepDomain", "Support"], forSize: true),
        layer(domain, "PageExchange", forSize: true),

        // Support
        .target(name: "Support", path: "Sources/Support", swiftSettings: rules),

        // Data
        .target(name: "CSQLite", path: data + "CSQLite"),
        .target(name: "CZlib", path: data + "CZlib"),
        layer(
            data, "StepDatabase",
            [
                "CSQLite", "Support", "StepDomain", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        layer(
            data, "ForeignHistories",
            ["CSQLite", "CZlib", "Support", "StepDomain", .product(name: "GRDBSQLite", package: "GRDB.swift")]),
        layer(data, "Settings", ["Support", "StepDomain", "TOMLKit"], forSize: true),

        // Simulation
        layer(simulation, "PrivateBus", ["Support"], forSize: true),
        layer(simulation, "SimulatedBlueZ", ["DBus", "PrivateBus"], forSize: true),

        // UI
        layer(ui, "StepViews", ["Support", "StepServices", "StepDomain"], forSize: true),
        layer(
            ui, "StepPages", ["PageExchange", "Support", "StepViews", "StepServices", "StepDomain"], forSize: true),
        .target(name: "CIdle", path: ui + "CIdle"),
        .executableTarget(
            name: "istep",
            dependencies: [
                "StepPages", "LocalServer", "StepViews", "StepServices", "StepDomain", "StepDatabase",
                "ForeignHistories", "Settings", "BlueZ",
                "KernelBluetooth",
                "Pedometers", "HTTP", "Sharing", "SimulatedBlueZ", "PrivateBus", "DBus", "Systemd", "Desktop",
                "Support", "CIdle",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: ui + "istep", swiftSettings: rules + optimizedForSize, linkerSettings: linking),

        // Tests
        .target(name: "CLineBuffering", path: "Tests/CLineBuffering"),
        .target(
            name: "TestSupport", dependencies: ["CLineBuffering", "Support", "StepDomain"],
            path: "Tests/Support", swiftSettings: rules),
        tests("DBus", ["PrivateBus"]),
        tests("BlueZ", ["DBus", "ReadBattery", "SimulatedBlueZ", "PrivateBus"]),
        tests("KernelBluetooth", ["BlueZ"]),
        tests(
            "Pedometers", ["StepDomain", "StepServices", "BlueZ", "SimulatedBlueZ", "PrivateBus"], exclude: ["Captures"]
        ),
        .target(
            name: "ModemTestSupport", dependencies: ["DBus", "PrivateBus", "TestSupport"],
            path: "Tests/ModemTestSupport",
            swiftSettings: rules),
        tests("ModemManager", ["DBus", "PrivateBus", "ModemTestSupport"]),
        .target(
            name: "SystemdTestSupport", dependencies: ["DBus"], path: "Tests/SystemdTestSupport", swiftSettings: rules),
        tests("Systemd", ["DBus", "PrivateBus", "SystemdTestSupport", "StepDomain"]),
        .target(
            name: "DesktopTestSupport", dependencies: ["DBus"], path: "Tests/DesktopTestSupport", swiftSettings: rules),
        tests("Desktop", ["DBus", "PrivateBus", "DesktopTestSupport", "StepDomain"]),
        .target(
            name: "WebTestSupport", dependencies: ["TestSupport"], path: "Tests/WebTestSupport", swiftSettings: rules),
        tests("HTTP", ["CCurl", "Support", "WebTestSupport"]),
        tests("SOAP", ["HTTP", "Support", "WebTestSupport"]),
        .target(
            name: "MQTTTestSupport", dependencies: ["TestSupport"], path: "Tests/MQTTTestSupport", swiftSettings: rules),
        tests("MQTT", ["MQTTTestSupport", "Support"]),
        tests(
            "Sharing",
            [
                "HTTP", "MQTT", "Postgres", "ModemManager", "DBus", "PrivateBus", "Settings", "StepDomain",
                "StepServices", "StepDatabase",
                "WebTestSupport",
                "ModemTestSupport", "MQTTTestSupport",
            ], resources: [.copy("Servers")]),
        tests("Support", []),
        tests("StepDomain", ["Support"]),
        tests("StepServices", ["StepDomain", "Support"]),
        tests(
            "StepDatabase", ["StepDomain", "Support", "StepServices", .product(name: "GRDB", package: "GRDB.swift")]),
        tests("ForeignHistories", ["StepDomain", "StepDatabase", .product(name: "GRDB", package: "GRDB.swift")]),
        tests("Settings", ["Support", "StepDomain"]),
        tests("SimulatedBlueZ", ["DBus", "PrivateBus", "Support"]),
        tests("StepViews", ["StepDomain", "StepServices"]),
        tests(
            "StepPages", ["CRsvg", "PageExchange", "StepDomain", "StepServices", "StepViews"],
            resources: [.copy("Golden")]),
        tests("LocalServer", ["Support", "CAccept", "PageExchange"]),
        .testTarget(
            name: "istepTests",
            dependencies: [
                "istep", "TestSupport", "SimulatedBlueZ", "StepDatabase", "StepDomain", "StepServices", "StepViews",
                "WebTestSupport",
                "SystemdTestSupport", "DesktopTestSupport", "PrivateBus", "DBus", "BlueZ", "Pedometers", "Settings",
                "Support",
            ],
            path: "Tests/istepTests", swiftSettings: rules),
        .testTarget(
            name: "EnduranceTests",
            dependencies: [
                "TestSupport", "SimulatedBlueZ", "BlueZ", "DBus", "Pedometers", "StepDatabase", "StepDomain",
                "StepServices",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/EnduranceTests", swiftSettings: rules),

        .testTarget(
            name: "TestSupportTests", dependencies: ["TestSupport", "Support"], path: "Tests/TestSupportTests",
            swiftSettings: rules),
        .testTarget(name: "ArchitectureTests", path: "Tests/ArchitectureTests", swiftSettings: rules),

        // The simulation for Tests/RealStack, which compares it with the real bluetoothd
        .executableTarget(
            name: "SimulationHost", dependencies: ["SimulatedBlueZ"], path: "Tests/SimulationHost", swiftSettings: rules
        ),

        // Benchmarks: run by the scripts beside them, against a peer in the same run
        .executableTarget(
            name: "HistoryBenchmark", dependencies: ["StepDatabase", "StepDomain"],
            path: "Tests/Benchmarks/HistoryBenchmark", swiftSettings: rules),
        .executableTarget(
            name: "DecoderBenchmark", dependencies: ["Pedometers", "BlueZ", "StepDomain"],
            path: "Tests/Benchmarks/DecoderBenchmark", swiftSettings: rules),
        .executableTarget(
            name: "WatchBenchmark", dependencies: ["SimulatedBlueZ"],
            path: "Tests/Benchmarks/WatchBenchmark", swiftSettings: rules),
    ] + fuzzing
)

// ISTEP_ONLY=StepDomainTests,StepViewsTests: only these targets and those that they need. See .github/CONTRIBUTING.md.
if let only = Context.environment["ISTEP_ONLY"] {
    var needed: Set<String> = []
    var names = only.split(separator: ",").map(String.init)
    while let name = names.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        names += target.dependencies.compactMap { dependency -> String? in
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): name
            default: nil
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
