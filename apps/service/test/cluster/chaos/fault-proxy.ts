import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A TCP proxy on this machine whose connections a test delays and cuts. */
export interface FaultProxy {
  readonly port: number
  /** Delay of each piece of data in both directions, in milliseconds. */
  delay: number
  /** Whether it refuses connections, as a service that is down. */
  down: boolean
  /** Cuts all connections of this moment. */
  cut(): void
  close(): Promise<void>
}

/** Starts a proxy to a port of this machine. */
export async function startFaultProxy(target: number): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  const state = { delay: 0, down: false }
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  const pump = async (from: Socket, to: Socket): Promise<void> => {
    try {
      for await (const piece of from) {
        if (state.delay > 0) await sleep(state.delay)
        if (!to.write(piece as Buffer)) await once(to, 'drain')
      }
      to.end()
    } catch {
      to.destroy()
    }
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (state.down) {
      client.destroy()
      return
    }
    const upstream = track(connect({ port: target, host: '127.0.0.1', allowHalfOpen: true }))
    track(client).on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    void pump(client, upstream)
    void pump(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  return {
    port: address.port,
    get delay() {
      return state.delay
    },
    set delay(milliseconds) {
      state.delay = milliseconds
    },
    get down() {
      return state.down
    },
    set down(down) {
      state.down = down
      if (down) for (const socket of sockets) socket.destroy()
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
