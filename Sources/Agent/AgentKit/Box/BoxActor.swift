/// Where everything of the running box happens, one thing after another. Nothing here waits for the disk, the database, the name
/// service or the hub: who does so runs elsewhere and comes back.
@globalActor
actor BoxActor {
    static let shared = BoxActor()
}
