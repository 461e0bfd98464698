import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Seams

/// Style and scripts, embedded in the program, and Debian's Leaflet from where it is installed.
struct Assets: Sendable {
    let leaflet: String
    let files: any FileSystem

    private static let embedded: [String: ([UInt8], String)] = [
        "trackme.css": (PackageResources.trackme_css, "text/css; charset=utf-8"),
        "icon.svg": (PackageResources.icon_svg, "image/svg+xml"),
        "manifest.webmanifest": (PackageResources.manifest_webmanifest, "application/manifest+json"),
        "icon-192.png": (PackageResources.icon_192_png, "image/png"), "icon-512.png": (PackageResources.icon_512_png, "image/png"),
        "emergency.js": (PackageResources.emergency_js, script),
        "care.js": (PackageResources.care_js, script), "duty.js": (PackageResources.duty_js, script),
        "live.js": (PackageResources.live_js, script), "colours.js": (PackageResources.colours_js, script),
        "feed.js": (PackageResources.feed_js, script), "format.js": (PackageResources.format_js, script),
        "basemap.js": (PackageResources.basemap_js, script), "ground.js": (PackageResources.ground_js, script),
        "groundfile.js": (PackageResources.groundfile_js, script), "graticule.js": (PackageResources.graticule_js, script),
        "map.js": (PackageResources.map_js, script),
        "passkey.js": (PackageResources.passkey_js, script), "push.js": (PackageResources.push_js, script),
        "plot.js": (PackageResources.plot_js, script), "series.js": (PackageResources.series_js, script),
        "scalars.js": (PackageResources.scalars_js, script),
        "sos.js": (PackageResources.sos_js, script), "renew.js": (PackageResources.renew_js, script),
        "ring.js": (PackageResources.ring_js, script), "places.js": (PackageResources.places_js, script),
        "tone.js": (PackageResources.tone_js, script), "callnear.js": (PackageResources.callnear_js, script),
        "offer.js": (PackageResources.offer_js, script),
        "homepin.js": (PackageResources.homepin_js, script), "ownplace.js": (PackageResources.ownplace_js, script),
        "near.js": (PackageResources.near_js, script),
        "duty.webmanifest": (PackageResources.duty_webmanifest, "application/manifest+json"),
        "course.js": (PackageResources.course_js, script), "draw.js": (PackageResources.draw_js, script),
        "workout.js": (PackageResources.workout_js, script),
        "runhome.js": (PackageResources.runhome_js, script), "runmine.js": (PackageResources.runmine_js, script),
        "runpeople.js": (PackageResources.runpeople_js, script),
        "status.js": (PackageResources.status_js, script), "view.js": (PackageResources.view_js, script),
        "watch.js": (PackageResources.watch_js, script), "watchline.js": (PackageResources.watchline_js, script),
        "watchlist.js": (PackageResources.watchlist_js, script), "watchmap.js": (PackageResources.watchmap_js, script),
        "watchmotion.js": (PackageResources.watchmotion_js, script), "watchrace.js": (PackageResources.watchrace_js, script),
        "watchreplay.js": (PackageResources.watchreplay_js, script), "watch.css": (PackageResources.watch_css, "text/css; charset=utf-8"),
        "plotread.js": (PackageResources.plotread_js, script),
        "health.css": (PackageResources.health_css, "text/css; charset=utf-8"),
        "workouts.css": (PackageResources.workouts_css, "text/css; charset=utf-8"),
        "workoutcurves.js": (PackageResources.workoutcurves_js, script),
    ]
    static let script = "text/javascript; charset=utf-8"
    private static let vendorTypes = ["js": script, "css": "text/css; charset=utf-8", "png": "image/png"]

    func routes(_ router: Router<HubContext>) {
        router.get("/assets/:name") { _, context in
            guard let (bytes, type) = Self.embedded[try context.parameters.require("name")] else { return Response(status: .notFound) }
            return Self.file(ByteBuffer(bytes: bytes), type)
        }
        router.get("/vendor/leaflet/**") { request, context in
            let path = context.parameters.getCatchAll().map(String.init)
            guard !path.isEmpty, path.count <= 2, path.allSatisfy({ !$0.hasPrefix(".") && !$0.contains("/") }),
                let type = Self.vendorTypes[URL(fileURLWithPath: path[path.count - 1]).pathExtension]
            else { return Response(status: .notFound) }
            let file = ([leaflet] + path).joined(separator: "/")
            // Debian has it compressed beside: a quarter of the bytes, on a phone's slow line.
            if (request.headers[.acceptEncoding] ?? "").contains("gzip"), let data = try? files.read(file + ".gz") {
                var response = Self.file(ByteBuffer(bytes: data), type)
                (response.headers[.contentEncoding], response.headers[.vary]) = ("gzip", "Accept-Encoding")
                return response
            }
            guard let data = try? files.read(file) else { return Response(status: .notFound) }
            return Self.file(ByteBuffer(bytes: data), type)
        }
    }

    static func file(_ buffer: ByteBuffer, _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "public, max-age=300"], body: .init(byteBuffer: buffer))
    }
}
