import Vitals

/// How a key is made and a token got with it, as commands that can be copied: openssl and Python without any package.
enum KeyExample {
    static let make = """
        openssl ecparam -name prime256v1 -genkey -noout -out trackme.key
        openssl ec -in trackme.key -pubout
        """

    /// openssl writes a signature in DER; a JWT wants 32 bytes for each of its two numbers (RFC 7518, section 3.4).
    static func script(organisation: AccountID, endpoint: String, site: String) -> String {
        """
        import base64, json, secrets, subprocess, time, urllib.parse, urllib.request

        SITE = "\(site)"
        AUDIENCE = "\(endpoint)"
        ORGANISATION = "\(organisation)"

        def b64(data):
            return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

        claims = {"iss": ORGANISATION, "sub": ORGANISATION, "aud": AUDIENCE,
                  "exp": int(time.time()) + 240, "jti": secrets.token_hex(16)}
        text = b64(b'{"alg":"ES256","typ":"JWT"}') + "." + b64(json.dumps(claims).encode())
        sign = ["openssl", "dgst", "-sha256", "-sign", "trackme.key"]
        der = subprocess.run(sign, input=text.encode(), capture_output=True, check=True).stdout
        r, s = der[4:4 + der[3]], der[6 + der[3]:]
        signature = b"".join(number[-32:].rjust(32, b"\\0") for number in (r, s))
        form = {"grant_type": "client_credentials",
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                "client_assertion": text + "." + b64(signature)}
        answer = urllib.request.urlopen(SITE + "/api/v1/token", urllib.parse.urlencode(form).encode())
        token = json.load(answer)["access_token"]
        headers = {"Authorization": "Bearer " + token}
        request = urllib.request.Request(SITE + "/api/v1/consents", headers=headers)
        print(urllib.request.urlopen(request).read().decode())
        """
    }
}
