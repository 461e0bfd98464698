/// The paths of the hub that agents use, and their media types and bounds.
public enum SyncRoute {
    /// GET: the hub's CA certificate as PEM. Public; an enrolling agent compares it with the fingerprint that it was given.
    public static let certificateAuthority = "/.well-known/trackme/ca.pem"
    /// GET: the successor of that CA, PEM; 404 while none is announced. Its fingerprint comes with each token (``TokenAnswer/nextAuthority``).
    public static let nextCertificateAuthority = "/.well-known/trackme/ca-next.pem"
    /// POST: ``EnrolmentRequest`` to ``EnrolmentAnswer``, JSON.
    public static let enrolment = "/sync/v1/enrolment"
    /// POST: ``PairingOffer`` to ``PairingTerms``, JSON.
    public static let pairing = "/sync/v1/pairing"
    /// POST: ``PairingOpening`` to ``PairingOutcome``, JSON.
    public static let pairingOpening = "/sync/v1/pairing/opening"
    /// POST: ``PairingClaim`` to ``PairingOutcome``, JSON.
    public static let pairingClaim = "/sync/v1/pairing/claim"
    /// POST: OAuth 2 client credentials with `private_key_jwt` (RFC 7523, form-encoded) to ``TokenAnswer``, JSON.
    public static let token = "/oauth2/token"
    /// POST: a `SegmentBatch` to ``SyncAnswer``, JSON. Bearer token.
    public static let segments = "/sync/v1/segments"

    /// The media type of a segment batch.
    public static let segmentsMediaType = "application/vnd.trackme.segments"
    /// The largest body of ``segments``, in bytes.
    public static let segmentsBytesMax = 4 << 20
}

/// Names of the token request's form fields (RFC 6749 4.4, RFC 7523 2.2) and our one extension.
public enum TokenField {
    public static let grantType = "grant_type"
    public static let clientCredentials = "client_credentials"
    public static let assertionType = "client_assertion_type"
    public static let jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    public static let assertion = "client_assertion"
    /// The agent's present token: what makes a copied card visible (see ``TokenChain``). Absent only right after enrolment.
    public static let predecessor = "predecessor"
}
