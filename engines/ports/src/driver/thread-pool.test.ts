import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { describe, expect, test } from 'vitest'
import { IdleThreads, type IdleThreadsOptions, type PooledThread, ThreadPool } from './thread-pool.ts'

class FakeThread implements PooledThread {
  readonly number: number
  alive = true
  freed: Promise<void> = Promise.resolve()
  gone: Promise<void> = Promise.resolve()

  constructor(number: number) {
    this.number = number
  }

  free(): Promise<void> {
    return this.freed
  }

  async end(): Promise<void> {
    this.alive = false
    await this.gone
  }
}

/** A pool that numbers its threads. */
function makePool(
  size: number,
  idling: IdleThreadsOptions = {},
): { pool: ThreadPool<FakeThread>; threads: FakeThread[] } {
  const threads: FakeThread[] = []
  const spawn = async (): Promise<FakeThread> => {
    const thread = new FakeThread(threads.length)
    threads.push(thread)
    return thread
  }
  return { pool: new ThreadPool({ size, spawn, label: 'The pool', ...idling }), threads }
}

const never = new AbortController().signal

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

describe('ThreadPool', () => {
  test('starts at most its number of threads, and serves in order of arrival', async () => {
    const { pool, threads } = makePool(2)
    const order: string[] = []
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<undefined>())
    const uses = gates.map((gate, index) =>
      pool.use(never, async (thread) => {
        order.push(`${index} on ${thread.number}`)
        await gate.promise
      }),
    )
    await settle()
    expect(order).toEqual(['0 on 0', '1 on 1'])
    for (const index of [1, 0, 2, 3, 4]) {
      gates[index]?.resolve(undefined)
      await settle()
    }
    await Promise.all(uses)
    expect(order).toEqual(['0 on 0', '1 on 1', '2 on 1', '3 on 0', '4 on 1'])
    expect(threads).toHaveLength(2)
  })

  test('an abort in the queue leaves the queue', async () => {
    const { pool } = makePool(1)
    const gate = Promise.withResolvers<undefined>()
    const first = pool.use(never, () => gate.promise)
    const controller = new AbortController()
    const aborted = pool.use(controller.signal, async () => 'never')
    const third = pool.use(never, async () => 'third')
    controller.abort(new Error('changed my mind'))
    await expect(aborted).rejects.toThrow('changed my mind')
    gate.resolve(undefined)
    await first
    expect(await third).toBe('third')
  })

  test('an abort at the moment of service passes the slot on', async () => {
    const { pool } = makePool(1)
    const gate = Promise.withResolvers<undefined>()
    const first = pool.use(never, () => gate.promise)
    const controller = new AbortController()
    const second = pool.use(controller.signal, async () => controller.signal.throwIfAborted())
    const third = pool.use(never, async () => 'third')
    gate.resolve(undefined)
    await first
    controller.abort(new Error('too late'))
    await second.catch(() => undefined)
    expect(await third).toBe('third')
  })

  test('a lost thread is replaced', async () => {
    const { pool, threads } = makePool(1)
    await expect(
      pool.use(never, async (thread) => {
        thread.alive = false
        throw new Error('crashed')
      }),
    ).rejects.toThrow('crashed')
    expect(await pool.use(never, async (thread) => thread.number)).toBe(1)
    expect(threads).toHaveLength(2)
  })

  test('a thread that is lost while idle is replaced', async () => {
    const { pool, threads } = makePool(1)
    await pool.use(never, async () => undefined)
    await settle()
    if (threads[0] !== undefined) threads[0].alive = false
    expect(await pool.use(never, async (thread) => thread.number)).toBe(1)
  })

  test('a thread is reused only when it is free, but its last user does not wait for that', async () => {
    const { pool, threads } = makePool(1)
    const freed = Promise.withResolvers<undefined>()
    await pool.use(never, async (thread) => {
      thread.freed = freed.promise
    })
    let lent = false
    const next = pool.use(never, async () => {
      lent = true
    })
    await settle()
    expect(lent).toBe(false)
    freed.resolve(undefined)
    await next
    expect(threads).toHaveLength(1)
  })

  test('a thread that cannot be started fails only its caller', async () => {
    let attempts = 0
    const pool = new ThreadPool<FakeThread>({
      size: 1,
      label: 'The pool',
      spawn: async () => {
        attempts += 1
        if (attempts === 1) throw new Error('no memory')
        return new FakeThread(attempts)
      },
    })
    const first = pool.use(never, async () => 'never')
    const second = pool.use(never, async () => 'second')
    await expect(first).rejects.toThrow('no memory')
    expect(await second).toBe('second')
  })

  test('close ends idle and busy threads', async () => {
    const { pool, threads } = makePool(2)
    const gate = Promise.withResolvers<undefined>()
    const busy = pool.use(never, () => gate.promise)
    await pool.use(never, async () => undefined)
    await pool.close()
    expect(threads.map((thread) => thread.alive)).toEqual([false, false])
    gate.resolve(undefined)
    await busy
  })
})

describe('a thread idle for a minute', () => {
  test('is ended, and the next work starts another', async () => {
    const clock = new ManualClock()
    const { pool, threads } = makePool(2, { clock })
    await pool.use(never, async () => undefined)
    await clock.pass(59_999)
    expect(threads[0]?.alive).toBe(true)
    await clock.pass(1)
    expect(threads[0]?.alive).toBe(false)
    expect(clock.timers).toBe(0)
    expect(await pool.use(never, async (thread) => thread.number)).toBe(1)
  })

  test('gets no work while it is being ended, and holds no slot', async () => {
    const clock = new ManualClock()
    const { pool, threads } = makePool(1, { clock })
    const gone = Promise.withResolvers<void>()
    await pool.use(never, async (thread) => {
      thread.gone = gone.promise
    })
    await clock.pass(60_000)
    expect(await pool.use(never, async (thread) => thread.number)).toBe(1)
    let closed = false
    const closing = (async () => {
      await pool.close()
      closed = true
    })()
    await settle()
    expect(closed).toBe(false)
    gone.resolve()
    await closing
    expect(threads.map((thread) => thread.alive)).toEqual([false, false])
  })

  test('differs from a busy one, however long its work is', async () => {
    const clock = new ManualClock()
    const { pool, threads } = makePool(1, { clock })
    const gate = Promise.withResolvers<undefined>()
    await pool.use(never, async () => undefined)
    const long = pool.use(never, () => gate.promise)
    const next = pool.use(never, async (thread) => thread.number)
    await settle()
    await clock.pass(3_600_000)
    expect(threads[0]?.alive).toBe(true)
    gate.resolve(undefined)
    await long
    expect(await next).toBe(0)
  })

  test('stays when `keep` says so', async () => {
    const clock = new ManualClock()
    const { pool, threads } = makePool(2, { clock, keep: 1 })
    const gate = Promise.withResolvers<undefined>()
    const both = [pool.use(never, () => gate.promise), pool.use(never, () => gate.promise)]
    gate.resolve(undefined)
    await Promise.all(both)
    await clock.pass(3_600_000)
    expect(threads.map((thread) => thread.alive)).toEqual([false, true])
    expect(await pool.use(never, async (thread) => thread.number)).toBe(1)
  })
})

describe('a thread that is starting', () => {
  function slowPool() {
    const started = Promise.withResolvers<FakeThread>()
    const pool = new ThreadPool<FakeThread>({
      size: 1,
      spawn: () => started.promise,
      label: 'The pool',
    })
    return { pool, started }
  }

  test('serves a waiting caller when its own caller has aborted', async () => {
    const { pool, started } = slowPool()
    const controller = new AbortController()
    const first = pool.use(controller.signal, async (_thread, signal) => signal.throwIfAborted())
    const second = pool.use(never, async (thread) => thread.number)
    controller.abort(new Error('changed my mind'))
    started.resolve(new FakeThread(7))
    await expect(first).rejects.toThrow('changed my mind')
    expect(await second).toBe(7)
  })

  test('is ended when the pool was closed in the meantime', async () => {
    const { pool, started } = slowPool()
    const late = new FakeThread(0)
    const work = pool.use(never, async (_thread, signal) => signal.throwIfAborted())
    await pool.close()
    started.resolve(late)
    await expect(work).rejects.toThrow('closed')
    await settle()
    expect(late.alive).toBe(false)
  })
})

describe('a closed pool', () => {
  test('has no timer, refuses work and can be closed again', async () => {
    const clock = new ManualClock()
    const { pool, threads } = makePool(1, { clock })
    await pool.use(never, async () => undefined)
    await settle()
    expect(clock.timers).toBe(1)
    await pool.close()
    await pool.close()
    expect([clock.timers, pool.closing.aborted]).toEqual([0, true])
    await expect(pool.use(undefined, async () => 'never')).rejects.toThrow('closed')
    expect(threads).toHaveLength(1)
  })

  test('has rejected running and queued work', async () => {
    const { pool } = makePool(1)
    const work = () => pool.use(undefined, (_thread, signal) => abortOf(signal))
    const outcomes = Promise.allSettled([work(), work()])
    await settle()
    await pool.close()
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'The pool is closed' } })
  })
})

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

interface NamedThread {
  readonly name: string
  alive: boolean
}

const named = (name: string): NamedThread => ({ name, alive: true })

function idleThreads(options: IdleThreadsOptions = {}) {
  const clock = new ManualClock()
  const gone: string[] = []
  const idle = new IdleThreads<NamedThread>(({ name }) => gone.push(name), { clock, ...options })
  return { clock, gone, idle }
}

describe('IdleThreads', () => {
  test('threads take turns', () => {
    const { idle } = idleThreads()
    for (const name of ['a', 'b', 'c']) idle.add(named(name))
    expect([idle.take()?.name, idle.take()?.name]).toEqual(['a', 'b'])
    idle.add(named('a'))
    expect([idle.take()?.name, idle.take()?.name, idle.take()]).toEqual(['c', 'a', undefined])
  })

  test('threads idle for a minute are released, each after its minute', async () => {
    const { clock, gone, idle } = idleThreads()
    idle.add(named('a'))
    await clock.pass(30_000)
    idle.add(named('b'))
    await clock.pass(29_999)
    expect(gone).toEqual([])
    await clock.pass(1)
    expect(gone).toEqual(['a'])
    await clock.pass(29_999)
    expect(gone).toEqual(['a'])
    await clock.pass(1)
    expect(gone).toEqual(['a', 'b'])
    expect(idle.take()).toBeUndefined()
    expect(clock.timers).toBe(0)
  })

  test('a released thread is not taken, and a taken one is not released', async () => {
    const { clock, gone, idle } = idleThreads({ idleTime: 1000 })
    idle.add(named('a'))
    expect(idle.take()?.name).toBe('a')
    await clock.pass(10_000)
    expect([gone, clock.timers]).toEqual([[], 0])
    idle.add(named('a'))
    await clock.pass(1000)
    expect(gone).toEqual(['a'])
    expect(idle.take()).toBeUndefined()
  })

  test('of two threads used in turn, one at a time, one is released', async () => {
    const { clock, gone, idle } = idleThreads()
    idle.add(named('a'))
    idle.add(named('b'))
    for (let second = 0; second < 600; second += 20) {
      await clock.pass(20_000)
      const taken = idle.take()
      if (taken !== undefined) idle.add(taken)
    }
    expect(gone).toHaveLength(1)
    expect(idle.take()?.alive).toBe(true)
  })

  test('two threads used at the same time both stay', async () => {
    const { clock, gone, idle } = idleThreads()
    idle.add(named('a'))
    idle.add(named('b'))
    for (let second = 0; second < 600; second += 20) {
      await clock.pass(20_000)
      for (const taken of [idle.take(), idle.take()]) if (taken !== undefined) idle.add(taken)
    }
    expect(gone).toEqual([])
  })

  test('`keep` threads stay for ever', async () => {
    const { clock, gone, idle } = idleThreads({ keep: 1 })
    idle.add(named('a'))
    expect(clock.timers).toBe(0)
    await clock.pass(3_600_000)
    idle.add(named('b'))
    await clock.pass(59_999)
    expect(gone).toEqual([])
    await clock.pass(3_600_000)
    expect(gone).toEqual(['a'])
    expect(idle.take()?.name).toBe('b')
  })

  test('a thread lost in the meantime is not taken', () => {
    const { clock, gone, idle } = idleThreads()
    const lost = named('lost')
    idle.add(lost)
    idle.add(named('next'))
    lost.alive = false
    expect(idle.take()?.name).toBe('next')
    expect(gone).toEqual(['lost'])
    expect([idle.take(), clock.timers]).toEqual([undefined, 0])
  })

  test('all can be released at once, and no timer is left', () => {
    const { clock, gone, idle } = idleThreads({ keep: 1 })
    for (const name of ['a', 'b', 'c']) idle.add(named(name))
    expect(clock.timers).toBe(2)
    idle.clear()
    expect([gone, clock.timers, idle.take()]).toEqual([['a', 'b', 'c'], 0, undefined])
  })

  test('a thread that was lost does not count as the one to release', () => {
    const { clock, gone, idle } = idleThreads({ keep: 1 })
    const lost = named('a')
    for (const one of [lost, named('b'), named('c')]) idle.add(one)
    lost.alive = false
    expect([idle.releaseOne(), gone]).toEqual([true, ['a', 'b']])
    expect([idle.releaseOne(), gone]).toEqual([false, ['a', 'b']])
    expect([idle.take()?.name, clock.timers]).toEqual(['c', 0])
  })
})
