import { EventEmitter } from 'node:events'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ServiceProcessOptions, startEmbeddedService, type Upstream } from './upstream.ts'

// Files share a worker: the modules of other files have no mock, and those of this file keep theirs to themselves.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())

/** A process of the service, as the test wants it to behave. */
class Child extends EventEmitter {
  readonly stderr = new EventEmitter()
  readonly pid: number
  readonly sent: ServiceProcessOptions[] = []
  connected = true
  exitCode: number | null = null
  signalCode: string | null = null
  /** Whether it ends when the parent disconnects. */
  obeys = true

  constructor(pid: number) {
    super()
    this.pid = pid
  }

  send(options: ServiceProcessOptions): void {
    this.sent.push(options)
  }

  /** It answers on its port; a free one is 4000. */
  ready(): void {
    const port = this.sent[0]?.port === 0 ? 4000 : this.sent[0]?.port
    this.emit('message', { url: `http://127.0.0.1:${port}` })
  }

  end(code = 1): void {
    this.exitCode = code
    this.emit('exit', code, null)
  }

  disconnect(): void {
    this.connected = false
    if (this.obeys) this.end(0)
  }

  readonly kill = vi.fn<(signal: string) => void>(() => {
    this.signalCode = 'SIGKILL'
    this.emit('exit', null, 'SIGKILL')
  })
}

let children: Child[]
vi.mock('node:child_process', () => ({
  fork: () => {
    const child = new Child(100 + children.length)
    children.push(child)
    return child
  },
}))

const OPTIONS = { apiKey: 'key', dataDir: '/data', publicUrl: 'http://a/api', webhookAllow: ['http://127.0.0.1'] }

let respond: () => Promise<Response>
beforeEach(() => {
  children = []
  respond = async () => new Response('{}')
  vi.stubGlobal('fetch', async () => respond())
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** Lets events pass without any time. */
const turn = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

function last(): Child {
  const child = children.at(-1)
  if (child === undefined) throw new Error('No process was started')
  return child
}

async function start(): Promise<Upstream> {
  const starting = startEmbeddedService(OPTIONS)
  await turn()
  last().ready()
  return starting
}

describe('the first start', () => {
  test('the first start sends the options on a free port, and no argument holds the key', async () => {
    const service = await start()
    expect(children[0]?.sent).toEqual([{ ...OPTIONS, port: 0 }])
    expect([service.baseUrl, service.embedded, service.pid()]).toEqual(['http://127.0.0.1:4000', true, 100])
    expect(await service.state()).toBe('up')
  })

  test('the first start that fails throws the last output of the process', async () => {
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const starting = startEmbeddedService(OPTIONS).then(
      () => '',
      (error: Error) => error.message,
    )
    await turn()
    last().stderr.emit('data', Buffer.from('x'.repeat(5000)))
    last().stderr.emit('data', Buffer.from('the disk is full'))
    last().end()
    const message = await starting
    expect(message).toMatch(/^The service did not start\.\nx*the disk is full$/)
    expect(message.length).toBeLessThan(2100)
    expect(log).toHaveBeenCalledTimes(2)
  })
})

describe('a process that runs', () => {
  test('a service that does not answer is silent, although its process runs', async () => {
    const service = await start()
    respond = async () => {
      throw new DOMException('too late', 'TimeoutError')
    }
    expect(await service.state()).toBe('silent')
    respond = async () => new Response('{}')
    service.retry()
    expect(await service.state()).toBe('up')
  })

  test('a service is as its process is, where a check cannot connect', async () => {
    const service = await start()
    respond = async () => {
      throw new TypeError('fetch failed')
    }
    expect(await service.state()).toBe('up')
  })
})

describe('a service that ends', () => {
  test('a service that ends is started again at once, on its old port', async () => {
    const service = await start()
    last().end()
    await turn()
    expect(children).toHaveLength(2)
    expect(last().sent[0]?.port).toBe(4000)
    expect([await service.state(), service.pid()]).toEqual(['starting', 101])
    last().ready()
    await turn()
    expect([await service.state(), service.baseUrl]).toEqual(['up', 'http://127.0.0.1:4000'])
  })

  test('a service that ends again and again is started after growing delays of at most ten seconds', async () => {
    const service = await start()
    last().end()
    await turn()
    const delays: number[] = []
    for (let round = 0; round < 8; round += 1) {
      const count = children.length
      last().end()
      await turn()
      expect([await service.state(), service.pid()]).toEqual(['down', undefined])
      let waited = 0
      while (children.length === count) {
        await vi.advanceTimersByTimeAsync(250)
        waited += 250
      }
      delays.push(waited)
    }
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000])
  })

  test('a service that ends after it was up again is started at once again', async () => {
    const service = await start()
    last().end()
    await turn()
    last().end()
    await vi.advanceTimersByTimeAsync(500)
    last().ready()
    await turn()
    expect(await service.state()).toBe('up')
    const count = children.length
    last().end()
    await turn()
    expect(children).toHaveLength(count + 1)
  })

  test('a service that ends is started by Retry without the rest of the delay, and once only', async () => {
    const service = await start()
    last().end()
    await turn()
    last().end()
    await turn()
    expect(children).toHaveLength(2)
    service.retry()
    service.retry()
    await turn()
    expect(children).toHaveLength(3)
    await vi.advanceTimersByTimeAsync(400)
    expect(children).toHaveLength(3)
  })
})

describe('a request', () => {
  test('waits for a service that starts', async () => {
    const service = await start()
    let ready = false
    await service.ready()
    last().end()
    await turn()
    const waiting = service.ready().then(() => (ready = true))
    await vi.advanceTimersByTimeAsync(1000)
    expect(ready).toBe(false)
    last().ready()
    await waiting
    expect(ready).toBe(true)
  })

  test('waits thirty seconds at most', async () => {
    const service = await start()
    last().end()
    await turn()
    let ready = false
    void service.ready().then(() => (ready = true))
    await vi.advanceTimersByTimeAsync(29_999)
    expect(ready).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(ready).toBe(true)
  })
})

describe('close', () => {
  test('ends the process and does not start another', async () => {
    const service = await start()
    await service.close()
    expect(last().connected).toBe(false)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(children).toHaveLength(1)
  })

  test('kills a process that does not end in 15 seconds', async () => {
    const service = await start()
    const child = last()
    child.obeys = false
    const closed = service.close()
    await vi.advanceTimersByTimeAsync(14_999)
    expect(child.kill).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await closed
    expect(child.kill).toHaveBeenCalledExactlyOnceWith('SIGKILL')
  })

  test('while a restart is planned drops the restart', async () => {
    const service = await start()
    last().end()
    await turn()
    last().end()
    await turn()
    await service.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(children).toHaveLength(2)
  })
})
