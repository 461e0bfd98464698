// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that whoever builds TrackMe fetches no benchmark tool. Run by packaging/bench/run, or by hand:
// swift package --package-path Benchmarks --allow-writing-to-package-directory benchmark
let harness = Target.Dependency.product(name: "Benchmark", package: "benchmark")
let plugin = Target.PluginUsage.plugin(name: "BenchmarkPlugin", package: "benchmark")

let package = Package(
    name: "TrackMeBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "TrackMe", path: ".."),
        // Without its default traits: counting allocations would need jemalloc.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "Decoding",
            dependencies: [harness, .product(name: "Sensing", package: "TrackMe"), .product(name: "Vitals", package: "TrackMe")],
            path: "Benchmarks/Decoding", plugins: [plugin]),
        .executableTarget(
            name: "SegmentCodec",
            dependencies: [harness, .product(name: "Segments", package: "TrackMe"), .product(name: "Vitals", package: "TrackMe")],
            path: "Benchmarks/SegmentCodec", plugins: [plugin]),
    ],
    swiftLanguageModes: [.v6]
)
