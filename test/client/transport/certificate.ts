/**
 * A certificate that is its own authority, and its key: for the vendor and the proxy of tests, `vendor.example` and
 * `proxy.example`, `localhost` and 127.0.0.1. Nothing else knows it, and it is good until the year 2120.
 */

export const CERTIFICATE = `
-----BEGIN CERTIFICATE-----
MIIBmzCCAUCgAwIBAgIBATAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNSb3dvbmNl
IHRlc3QgdmVuZG9yMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAe
MRwwGgYDVQQDDBNSb3dvbmNlIHRlc3QgdmVuZG9yMFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAEsb2Jw0gJ2+MAcqlx9mB2WVEbkNr7KmC4zfH7Ijzus4oRmCfxslBx
54TNw8DCW9BUFfDvn3DXltF2eS9mP8Ru26NtMGswOQYDVR0RBDIwMIIOdmVuZG9y
LmV4YW1wbGWCDXByb3h5LmV4YW1wbGWCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMB
Af8EBTADAQH/MB0GA1UdDgQWBBQw13iY4984gzXhfDEOnIxIGeGUFjAKBggqhkjO
PQQDAgNJADBGAiEA2DM8sZgvxDShfbhjhOQZDtgD7J1Po4k/sxV8/G9PcbUCIQDM
Px5i+/qJD9YwZ11disZUkIxcWHMXCl/66xeIBQvcwQ==
-----END CERTIFICATE-----
`.trimStart();

export const CERTIFICATE_KEY = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXedU3SEsy6lROvyX
Hv/fwmsZpDqKV0XRZptIYzt/ygShRANCAASxvYnDSAnb4wByqXH2YHZZURuQ2vsq
YLjN8fsiPO6zihGYJ/GyUHHnhM3DwMJb0FQV8O+fcNeW0XZ5L2Y/xG7b
-----END PRIVATE KEY-----
`.trimStart();
