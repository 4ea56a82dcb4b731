// undici 8 freezes the process when HTTP/2 requests are aborted in the round trip after the TLS handshake.
// Needs Node 22.19 or later and undici 8: node undici-h2-abort-freeze.mjs
import { fork } from 'node:child_process'
import { createSecureServer } from 'node:http2'
import { connect, createServer } from 'node:net'
import { Agent, buildConnector, request } from 'undici'

const DELAY = 60 // milliseconds that the proxy holds bytes back in each direction
const WATCHDOG = 5000 // milliseconds after which a process counts as frozen

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJ9RIEAs9o1ScocXb
3IYruh5nA2tZCOkcwA9LsdJja8WhRANCAASRD8EnL+Uk0xNV+dKg4Wz3GP8PgtqX
TrOV26k6fT0ULNTTdc+LppVbpCPv8KL2Q63Vk2IDRNLyDRwZYrLSQJIU
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUCDaqc5Zj1tNgybXzJANS4qrC7MUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjEwMzQxMVoYDzIxMjYxMDI5
MTAzNDExWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASRD8EnL+Uk0xNV+dKg4Wz3GP8PgtqXTrOV26k6fT0ULNTTdc+LppVb
pCPv8KL2Q63Vk2IDRNLyDRwZYrLSQJIUo28wbTAdBgNVHQ4EFgQUAm4OqJapKDr9
b5Sp9G7AMB86sAIwHwYDVR0jBBgwFoAUAm4OqJapKDr9b5Sp9G7AMB86sAIwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgI0GKJSLwh7kVJFqauj2WrsdHDjDSrLpNzBy/VO8LplkCIQDc
0+AJ3CwXLsM/2q9S2mbLo/GSOQ3Qgaw+qMwgL+Rfjg==
-----END CERTIFICATE-----`

if (process.send === undefined) await parent()
else child(process.argv[2], Number(process.argv[3]), process.argv[4] === 'true')

async function parent() {
  const server = createSecureServer({ key, cert, allowHTTP1: true }, (incoming, response) => {
    incoming.resume()
    setTimeout(() => response.end('ok'), 1000)
  })
  server.on('sessionError', () => {})
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy = createServer((client) => {
    const upstream = connect(server.address().port, '127.0.0.1')
    delay(client, upstream)
    delay(upstream, client)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  console.log(`Node ${process.version}`)
  for (const allowH2 of [true, false]) {
    for (const calls of [1, 2, 4, 16]) {
      const outcome = await run(`https://127.0.0.1:${proxy.address().port}`, calls, allowH2)
      console.log(`allowH2: ${allowH2}, ${calls} calls: ${outcome}`)
    }
  }
  process.exit()
}

function delay(from, to) {
  from.on('data', (bytes) => setTimeout(() => to.destroyed || to.write(bytes), DELAY))
  from.on('close', () => setTimeout(() => to.destroy(), DELAY))
  from.on('error', () => {})
}

function run(url, calls, allowH2) {
  return new Promise((resolve) => {
    const execArgv = ['--max-old-space-size=512']
    const program = fork(import.meta.filename, [url, String(calls), String(allowH2)], { execArgv, silent: true })
    const watchdog = setTimeout(() => program.kill('SIGKILL'), WATCHDOG)
    program.on('exit', (code) => {
      clearTimeout(watchdog)
      resolve(code === 0 ? 'ends' : 'FROZEN')
    })
  })
}

function child(url, calls, allowH2) {
  const controller = new AbortController()
  const connectSocket = buildConnector({ allowH2, rejectUnauthorized: false })
  const dispatcher = new Agent({
    allowH2,
    connect: (target, callback) =>
      connectSocket(target, (error, socket) => {
        callback(error, socket)
        // The handshake is complete; the server's SETTINGS frame is still on its way.
        setTimeout(() => controller.abort(), DELAY / 4)
      }),
  })
  const requests = Array.from({ length: calls }, () =>
    request(url, { dispatcher, method: 'POST', body: 'x', signal: controller.signal }).catch(() => {}),
  )
  void Promise.all(requests).then(() => setTimeout(() => process.exit(0), 300))
}
