// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every target: Swift 6 mode, explicit imports, and no warning left standing.
let rules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// The folders are the layers: UI → Domain ← Resource. Simulation enters at the bus address only.
let ui = "Sources/UI/"
let domain = "Sources/Domain/"
let data = "Sources/Resource/Data/"
let communication = "Sources/Resource/Communication/"
let web = "Sources/Resource/WebService/"
let simulation = "Sources/Simulation/"

func layer(_ folder: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: folder + name, swiftSettings: rules)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies + [.byName(name: name), "TestSupport"],
        path: "Tests/\(name)Tests", resources: resources, swiftSettings: rules)
}

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
        .systemLibrary(
            name: "CDBus", path: communication + "CDBus", pkgConfig: "dbus-1",
            providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(
            name: "CBluetooth", path: communication + "CBluetooth", pkgConfig: "bluez",
            providers: [.apt(["libbluetooth-dev"])]),
        layer(communication, "DBus", ["CDBus"]),
        layer(communication, "BlueZ", ["DBus", "CBluetooth"]),
        layer(communication, "Pedometers", ["BlueZ", "StepDomain"]),

        layer(communication, "ModemManager", ["DBus", "Quoting"]),
        layer(communication, "Systemd", ["DBus"]),
        layer(communication, "Desktop", ["DBus"]),

        // Web services
        .target(name: "CCurl", path: web + "CCurl"),
        .target(name: "CMosquitto", path: web + "CMosquitto"),
        .systemLibrary(
            name: "CExpat", path: web + "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        layer(web, "HTTP", ["CCurl", "Quoting"]),
        layer(web, "SOAP", ["HTTP", "CExpat"]),
        layer(web, "MQTT", ["CMosquitto", "Quoting"]),
        layer(web, "Sharing", [
            "HTTP", "SOAP", "MQTT", "ModemManager", "DBus", "Settings", "Quoting", "StepDomain",
            .product(name: "Subprocess", package: "swift-subprocess"),
            .product(name: "SystemPackage", package: "swift-system"),
        ]),

        // Domain
        layer(domain, "StepDomain"),

        // Data
        layer(data, "Quoting"),
        layer(data, "StepDatabase", [
            "Quoting", "StepDomain", .product(name: "GRDB", package: "GRDB.swift"),
            .product(name: "GRDBSQLite", package: "GRDB.swift"),
        ]),
        layer(data, "Settings", ["Quoting", "TOMLKit"]),

        // Simulation
        layer(simulation, "PrivateBus"),
        layer(simulation, "SimulatedBlueZ", ["DBus", "PrivateBus"]),

        // UI
        layer(ui, "StepViews", ["StepDomain"]),
        .target(name: "CIdle", path: ui + "CIdle"),
        .executableTarget(
            name: "istep",
            dependencies: [
                "StepViews", "StepDomain", "StepDatabase", "Settings", "BlueZ", "Pedometers", "HTTP", "Sharing", "SimulatedBlueZ", "DBus",
                "Systemd", "Desktop", "CIdle",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: ui + "istep", swiftSettings: rules),

        // Tests
        .target(name: "TestSupport", dependencies: ["StepDomain"], path: "Tests/Support", swiftSettings: rules),
        .target(name: "SocketStage", path: "Tests/SocketStage", swiftSettings: rules),
        tests("DBus", ["PrivateBus", "SocketStage"]),
        tests("BlueZ", ["DBus", "SimulatedBlueZ", "PrivateBus"]),
        tests("Pedometers", ["StepDomain", "BlueZ", "SimulatedBlueZ", "PrivateBus"]),
        .target(name: "ProcessStage", path: "Tests/ProcessStage", swiftSettings: rules),
        .target(
            name: "ModemStage", dependencies: ["DBus", "PrivateBus", "ProcessStage", "SocketStage"], path: "Tests/ModemStage",
            swiftSettings: rules),
        tests("ModemManager", ["DBus", "PrivateBus", "ModemStage"]),
        .target(name: "SystemdStage", dependencies: ["DBus"], path: "Tests/SystemdStage", swiftSettings: rules),
        tests("Systemd", ["DBus", "PrivateBus", "SystemdStage"]),
        .target(name: "DesktopStage", dependencies: ["DBus"], path: "Tests/DesktopStage", swiftSettings: rules),
        tests("Desktop", ["DBus", "PrivateBus", "DesktopStage"]),
        .target(name: "WebStage", dependencies: ["SocketStage"], path: "Tests/WebStage", swiftSettings: rules),
        tests("HTTP", ["CCurl", "Quoting", "WebStage"]),
        tests("SOAP", ["HTTP", "Quoting", "WebStage"]),
        .target(name: "MQTTStage", dependencies: ["ProcessStage", "SocketStage"], path: "Tests/MQTTStage", swiftSettings: rules),
        tests("MQTT", ["MQTTStage", "Quoting"]),
        tests(
            "Sharing",
            [
                "HTTP", "MQTT", "ModemManager", "DBus", "PrivateBus", "Settings", "StepDomain", "WebStage", "ModemStage", "MQTTStage",
            ], resources: [.copy("Servers")]),
        tests("StepDomain", []),
        tests("StepDatabase", ["StepDomain", .product(name: "GRDB", package: "GRDB.swift")]),
        tests("Settings", ["Quoting"]),
        tests("SimulatedBlueZ", ["DBus", "PrivateBus"]),
        tests("StepViews", ["StepDomain"]),
        .testTarget(
            name: "istepTests",
            dependencies: [
                "istep", "TestSupport", "SimulatedBlueZ", "StepDatabase", "StepDomain", "WebStage", "SystemdStage", "DesktopStage", "PrivateBus",
                "DBus", "BlueZ", "Pedometers", "Settings",
            ],
            path: "Tests/istepTests", swiftSettings: rules),
        .testTarget(
            name: "EnduranceTests",
            dependencies: [
                "TestSupport", "SimulatedBlueZ", "BlueZ", "DBus", "Pedometers", "StepDatabase", "StepDomain",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/EnduranceTests", swiftSettings: rules),

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
    ]
)
