/// The certificate of ``TestMailServer`` for 127.0.0.1 and localhost, with its key and its authority: made for tests, trusted by nobody.
enum TestMailCertificate {
    static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBoDCCAUagAwIBAgIUQqBwP0f/2y+t1Ceug64MZ/8AzW0wCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXV0aG9yaXR5IG9mIGEgdGVzdDAgFw0yNjExMjMwNjI4NDla
        GA8yMTI2MTAzMDA2Mjg0OVowIDEeMBwGA1UEAwwVTWFpbCBzZXJ2ZXIgb2YgYSB0
        ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEculFQs5sUW04/Nv1v4KZcEbP
        jkZgnQWm62lUQaAeMwRvSsrbkDldLR173gzcNmE2CLukBev97plTWtiav0R5YKNe
        MFwwGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxob3N0MB0GA1UdDgQWBBR9+fz92iSE
        JTa6VbflWiDGNx0HuDAfBgNVHSMEGDAWgBQ2NaeqfaIWayPDEcACp3fG9JhZwjAK
        BggqhkjOPQQDAgNIADBFAiEAqtPAJXlfRLqWJ9wWblZEuk3PJDv5km9ikGz0ZANb
        Ew8CIHTe0HaQSAc9aACDx+q5Ng90eLZEHa6x3zVnJ+zXOLN3
        -----END CERTIFICATE-----
        """
    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg745QH00yjVp0SFWd
        2DFVgGY9NGaLjyJQDK9gmtcGSiyhRANCAARy6UVCzmxRbTj82/W/gplwRs+ORmCd
        BabraVRBoB4zBG9KytuQOV0tHXveDNw2YTYIu6QF6/3umVNa2Jq/RHlg
        -----END PRIVATE KEY-----
        """
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBkzCCATmgAwIBAgIUMYhiqOObNsEa++2TpPBRYyg931swCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXV0aG9yaXR5IG9mIGEgdGVzdDAgFw0yNjExMjMwNjI4NDla
        GA8yMTI2MTAzMDA2Mjg0OVowHjEcMBoGA1UEAwwTQXV0aG9yaXR5IG9mIGEgdGVz
        dDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIqWzFCY4+lQlbY5RVvvPWJbOrfq
        XpZfl9acCI+05xnwQfb/C+6YsDDnZmABDNa6EphvVCDOUHRzctPBnhm4RpOjUzBR
        MB0GA1UdDgQWBBQ2NaeqfaIWayPDEcACp3fG9JhZwjAfBgNVHSMEGDAWgBQ2Naeq
        faIWayPDEcACp3fG9JhZwjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gA
        MEUCIQDkLvUX+yMuQFkTXwqHqZMKPeCe0xvHtKTcVOGSMjF2oQIgJN9nthDh9K+h
        D1XHRLB3AAbXp9xsi5ZLqgU/UGZNVW8=
        -----END CERTIFICATE-----
        """
}
