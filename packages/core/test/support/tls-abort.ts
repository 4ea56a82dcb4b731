import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { LOCALHOST_CERTIFICATE } from '@svc-audio/kit/hosts'

/** Milliseconds that the proxy holds bytes back in each direction: room for the abort between handshake and answer. */
const DELAY = 60

/** Milliseconds after the abort until a process that has not ended counts as frozen. */
const WATCHDOG = 10_000

/** What {@link abortAfterHandshake} runs. */
export interface TlsAbort {
  /** Calls that are aborted together. */
  readonly calls: number
  /** The Node program that makes them. @default the one that runs this process */
  readonly node?: string
  /** Whether the client asks for HTTP/2. @default false */
  readonly allowH2?: boolean
}

/**
 * Makes calls over TLS in a process of its own and aborts them in the round trip after the handshake.
 *
 * @returns `ended` when the process rejected every call with the reason of the abort and exited by itself, `frozen` when
 *   the watchdog killed it.
 * @throws Error when a call ended in any other way
 */
export async function abortAfterHandshake({ calls, node, allowH2 = false }: TlsAbort): Promise<'ended' | 'frozen'> {
  const server = createSecureServer({ ...LOCALHOST_CERTIFICATE, allowHTTP1: true })
  server.on('sessionError', () => {})
  const shaken = once(server, 'secureConnection')
  const port = await listen(server)
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => setTimeout(() => to.destroyed || to.write(bytes), DELAY))
      from.on('close', () => setTimeout(() => to.destroy(), DELAY))
      from.on('error', () => {})
    }
  })
  const url = `https://127.0.0.1:${await listen(proxy)}`
  const program = new URL('tls-abort-child.ts', import.meta.url)
  const child = fork(program, [url, String(calls), allowH2 ? 'h2' : 'default'], {
    execPath: node ?? process.execPath,
    // A frozen process takes gigabytes in seconds; its heap at least is bounded.
    execArgv: ['--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' },
  })
  try {
    const said: unknown[] = []
    child.on('message', (message) => said.push(message))
    const exited = once(child, 'exit')
    await Promise.race([shaken, exited])
    if (child.connected) child.send('abort')
    const watchdog = setTimeout(() => child.kill('SIGKILL'), WATCHDOG)
    const [code, signal]: unknown[] = await exited
    clearTimeout(watchdog)
    if (signal === 'SIGKILL' || signal === 'SIGABRT') return 'frozen'
    if (code === 0 && said[0] === 'enough') return 'ended'
    throw new Error(`Exit ${String(code)} ${String(signal)} after ${JSON.stringify(said)}`)
  } finally {
    child.kill('SIGKILL')
    for (const socket of sockets) socket.destroy()
    proxy.close()
    server.close()
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
