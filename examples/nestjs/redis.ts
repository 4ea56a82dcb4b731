import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** A Redis server of this example. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string
}

/**
 * Starts `redis-server` on a free port, without files.
 * @returns `undefined` if it is not installed
 */
export async function startRedis(folder: string): Promise<RedisServer | undefined> {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => {
    server.once('error', () => resolve())
    server.once('close', () => resolve())
  })
  const isReady = await Promise.race([ready(server.stdout), ended.then(() => false)])
  if (!isReady) return undefined
  return {
    url: `redis://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.kill()
      await ended
    },
  }
}

async function ready(output: NodeJS.ReadableStream): Promise<boolean> {
  let printed = ''
  while (!printed.includes('Ready to accept connections')) {
    const [chunk] = await once(output, 'data')
    printed += String(chunk)
  }
  return true
}

/** Returns a free TCP port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('The system returned no port')
  return address.port
}
