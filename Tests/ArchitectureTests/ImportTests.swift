import Foundation
import Testing

/// The allowed imports: UI → Domain ← Resource; the simulation is selected by the bus address only.
@Suite(.timeLimit(.minutes(5))) struct ImportTests {
    /// What each module may import of the package and of other packages.
    ///
    /// A new module needs a line here. Modules of the toolchain (`toolchain`) are free for all but the domain.
    private static let allowed: [String: Set<String>] = [
        "StepDomain": ["Support"],
        "StepServices": ["StepDomain", "Support"],
        "PageExchange": [],

        "DBus": ["CDBus", "Support"],
        "BlueZ": ["DBus", "Support"],
        "KernelBluetooth": ["BlueZ", "CBluetooth"],
        "Pedometers": ["BlueZ", "StepDomain", "Support"],
        "Systemd": ["DBus", "StepDomain"],
        "Desktop": ["DBus", "StepDomain", "Support"],
        "ModemManager": ["DBus", "Support"],
        "Support": [],
        "Settings": ["Support", "StepDomain", "TOMLKit"],
        "StepDatabase": ["CSQLite", "Support", "StepDomain", "GRDB", "GRDBSQLite"],
        "ForeignHistories": ["CSQLite", "CZlib", "StepDomain", "GRDBSQLite", "Support"],
        "HTTP": ["CCurl", "Support"],
        "LocalServer": ["CAccept", "PageExchange", "Support"],
        "SOAP": ["HTTP", "Support", "CExpat"],
        "MQTT": ["CMosquitto", "Support"],
        "Postgres": ["CPostgres", "Support"],
        "Sharing": [
            "HTTP", "SOAP", "MQTT", "Postgres", "CRsvg", "ModemManager", "DBus", "Settings", "Support", "StepDomain",
            "Subprocess", "SystemPackage",
        ],

        "PrivateBus": ["Support"],
        "SimulatedBlueZ": ["DBus", "PrivateBus"],

        "StepViews": ["Support", "StepServices", "StepDomain"],
        "StepPages": ["PageExchange", "Support", "StepViews", "StepServices", "StepDomain"],
        "istep": [
            "StepPages", "StepViews", "StepServices", "StepDomain", "Support", "CIdle",
            "ArgumentParser",
        ],
    ]

    private static let toolchain: Set = [
        "Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "Glibc", "Musl",
    ]

    /// Domain code depends on values and pure functions: no files, no network, no clock of the machine but by
    /// Foundation's values.
    private static let toolchainOfDomain: Set = ["Foundation", "Dispatch", "Synchronization"]

    @Test func `each module imports only what its layer may`() throws {
        let modules = try Source.modules()
        #expect(Set(modules.keys) == Set(Self.allowed.keys), "a new module needs a line in `allowed`")
        for (module, files) in modules {
            let own = Self.allowed[module] ?? []
            let free = ["StepDomain", "StepServices"].contains(module) ? Self.toolchainOfDomain : Self.toolchain
            for file in files {
                for (line, imported) in file.imports where !own.contains(imported) && !free.contains(imported) {
                    if file.isWiring { continue }
                    Issue.record("\(file.path):\(line): \(module) may not import \(imported)")
                }
            }
        }
    }

    @Test func `the wiring does not read the command line`() throws {
        let files = try #require(try Source.modules()["istep"]).filter(\.isWiring)
        #expect(files.count > 3, "\(files.map(\.name))")
        for file in files { #expect(!file.imports.map(\.module).contains("ArgumentParser"), "\(file.path)") }
    }

    /// The compiler also finds a module that only another module depends on, if that one happens to be built first.
    @Test func `the manifest declares what each module imports`() throws {
        let manifest = try String(contentsOf: Source.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let modules = try Source.modules()
        for (module, own) in Self.allowed {
            let wiring = (modules[module] ?? []).filter(\.isWiring).flatMap { $0.imports.map(\.module) }
            let needed = own.union(Set(wiring).subtracting(Self.toolchain))
            #expect(try Self.dependencies(of: module, in: manifest) == needed, "\(module)")
        }
    }

    /// The modules that the manifest names as dependencies of a target: of a line such as `layer(data, "Settings",
    /// ["Support"])`, of Support, or of the program.
    private static func dependencies(of module: String, in manifest: String) throws -> Set<String> {
        let target = try Regex(
            #"(?:layer\(\s*\w+,\s*|\.(?:executableT|t)arget\(\s*name:\s*)"\#(module)"(?:,\s*(?:dependencies:\s*)?\[([^\]]*)\])?"#
        )
        let match = try #require(manifest.firstMatch(of: target), "there is no target \(module)")
        let list = match.output[1].substring ?? ""
        // A product has the name of its module; that of its package follows.
        return Set(list.replacing(/package: "[^"]*"/, with: "").matches(of: /"([^"]+)"/).map { String($0.1) })
    }

    @Test func `the texts of the domain modules contain no command`() throws {
        let programs = [
            "istep", "sudo", "systemctl", "journalctl", "loginctl", "timedatectl", "bluetoothctl", "rfkill", "chmod",
            "chown", "findmnt",
            "fuser",
        ]
        let modules = try Source.modules()
        for module in ["StepDomain", "StepServices"] {
            for file in try #require(modules[module]) {
                var isInText = false
                for (line, text) in file.code {
                    // Text: from the first quote of a line on, or within a literal of several lines.
                    let isDelimiter = text.contains("\"\"\"")
                    let quoted = text.drop { $0 != "\"" }
                    let words = (isInText ? text[...] : quoted).split { " `\"\\(:;,".contains($0) }
                    if isDelimiter { isInText.toggle() }
                    guard let program = programs.first(where: { words.contains(Substring($0)) }) else { continue }
                    Issue.record("\(file.path):\(line): words with commands (\(program)) belong to StepViews: \(text)")
                }
            }
        }
    }

    /// Aspects of a type stand in its file until that would be too long.
    @Test func `files for an aspect of a type are not slivers`() throws {
        for files in try Source.modules().values {
            let lengths = Dictionary(grouping: files) { $0.name.prefix { $0 != "+" && $0 != "." } }.mapValues {
                $0.map(\.lines.count)
            }
            for file in files where file.name.contains("+") {
                #expect(
                    file.lines.count >= 100,
                    "\(file.path) has \(file.lines.count) lines: they belong to the type's own file")
                let whole = lengths[file.name.prefix { $0 != "+" }, default: []].reduce(0, +)
                #expect(whole > 300, "\(file.path): all aspects have \(whole) lines together, and fit into one file")
            }
        }
    }
}
