import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

/** Listens with the shortest backlog, reports its port, then blocks its thread and never accepts. */
const LISTENER = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  const server = createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })
`

/** An address with a full connection queue. A further connection neither succeeds nor fails. */
export async function startStalledListener(): Promise<string> {
  const worker = new Worker(LISTENER, { eval: true })
  const sockets: Socket[] = []
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await worker.terminate()
  })
  const [port] = (await once(worker, 'message')) as [number]
  // The system queues a few connections. The first one that is not established shows a full queue.
  for (;;) {
    const socket = connectSocket(port, '127.0.0.1')
    socket.on('error', () => {})
    sockets.push(socket)
    const stands = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<false>((resolve) => setTimeout(() => resolve(false), 300)),
    ])
    if (!stands) return `http://127.0.0.1:${port}`
  }
}
