import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'

/** A received call. */
export interface ReceivedCall {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The headers of a call, in the form for verification. */
export function headersOf({ headers }: ReceivedCall): Headers {
  return new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

/** A webhook receiver. */
export interface Receiver {
  readonly url: string
  readonly calls: readonly ReceivedCall[]
  /** Uses another certificate from now on. */
  show(certificate: TestCertificate): void
  close(): void
}

/**
 * Starts a receiver on this machine.
 * @param answer Status for a call, by the earlier calls.
 * @param certificate Its certificate. Without one it has no TLS.
 */
export async function startReceiver(
  respond: (call: ReceivedCall, before: readonly ReceivedCall[]) => number,
  certificate?: TestCertificate,
): Promise<Receiver> {
  const calls: ReceivedCall[] = []
  const listener: RequestListener = (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('error', () => undefined)
    request.on('end', () => {
      const call = { headers: request.headers, body: Buffer.concat(parts).toString() }
      response.statusCode = respond(call, calls)
      calls.push(call)
      response.end()
    })
  }
  const secure = certificate && createSecureServer(certificate, listener)
  const server = (secure ?? createServer(listener)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The receiver has no port')
  return {
    url: `${secure === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}/hook`,
    calls,
    show: (shown) => secure?.setSecureContext(shown),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Self-signed certificates with their keys, as PEM. For tests only, valid from 2020 to 2119. */
interface TestCertificate {
  readonly key: string
  readonly cert: string
}

/** Of `hook.example.com`. */
export const HOOK_CERTIFICATE: TestCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsoaZgNZWzJcJ+ChQ
WAn2sbdyXxEcobi9Iufe/okKIkChRANCAARgVFzzLx+E88FdpLNkcG96K4lypW4t
DcuePjuYmRCBZ6eyp8I34W4rstDN64TsZYH7p16Lsyg/hMJ0eeqIvLCm
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBdjCCARygAwIBAgIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBob29rLmV4
YW1wbGUuY29tMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkw
FwYDVQQDDBBob29rLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEYFRc8y8fhPPBXaSzZHBveiuJcqVuLQ3Lnj47mJkQgWensqfCN+FuK7LQzeuE
7GWB+6dei7MoP4TCdHnqiLywpqNPME0wGwYDVR0RBBQwEoIQaG9vay5leGFtcGxl
LmNvbTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBT7CmLpnt1KkdPWvFsAPqDc
uKEiyDAKBggqhkjOPQQDAgNIADBFAiEAutNkfmfWS4NZC9DnmYJG6QWrZ1MMbovf
uU2QiDu1b7cCIFLcEKeU/C4NRkGL7JYw8wMv92X+eiG2S+ekivJCMmjt
-----END CERTIFICATE-----
`,
}

/** Of `other.example.com`. */
export const OTHER_CERTIFICATE: TestCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3tOsfAK3nXmUjw0/
YcizUy2oLS11VohRE1nKmhaRsAChRANCAATagv8Y6qojKDd7TNTA/hQhIpqQos3v
aLeyBSCr8Wbr0v3Cw4bEkmWKRqxChJuIKsa1oVCEHGGbyxVywAb07anP
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFvdGhlci5l
eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRb3RoZXIuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAATagv8Y6qojKDd7TNTA/hQhIpqQos3vaLeyBSCr8Wbr0v3Cw4bEkmWKRqxC
hJuIKsa1oVCEHGGbyxVywAb07anPo1AwTjAcBgNVHREEFTATghFvdGhlci5leGFt
cGxlLmNvbTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQEVeq7kZUZxstxQes/
y1KoQsfhYDAKBggqhkjOPQQDAgNIADBFAiEAjH130cdcUHEO3LeIjCFBKq8g9qR6
pWaQi9xOpBcLFq4CIAIRNpXjDdzXXx3UPklhYW1rcPJvRJ4HqHHaz3GDH1t5
-----END CERTIFICATE-----
`,
}
