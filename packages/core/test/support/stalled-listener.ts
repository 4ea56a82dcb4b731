import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

/** Listens with the shortest backlog, says where, and then never accepts, since its thread sleeps. */
const LISTENER = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  const server = createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })
`

/** An address whose queue of connections is full, so that a further one neither stands nor fails. */
export async function startStalledListener(): Promise<string> {
  const worker = new Worker(LISTENER, { eval: true })
  const sockets: Socket[] = []
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await worker.terminate()
  })
  const [port] = (await once(worker, 'message')) as [number]
  // The system takes a few into its queue; the first that does not stand shows that it is full.
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
