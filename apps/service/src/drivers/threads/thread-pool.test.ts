import { describe, expect, test } from 'vitest'

import { ThreadPool, type PooledThread } from './thread-pool.ts'

class FakeThread implements PooledThread {
  readonly number: number
  alive = true
  freed: Promise<void> = Promise.resolve()

  constructor(number: number) {
    this.number = number
  }

  free(): Promise<void> {
    return this.freed
  }

  async end(): Promise<void> {
    this.alive = false
  }
}

/** A pool that numbers its threads. */
function makePool(size: number): { pool: ThreadPool<FakeThread>; threads: FakeThread[] } {
  const threads: FakeThread[] = []
  const spawn = async (): Promise<FakeThread> => {
    const thread = new FakeThread(threads.length)
    threads.push(thread)
    return thread
  }
  return { pool: new ThreadPool({ size, spawn }), threads }
}

const never = new AbortController().signal

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

describe('ThreadPool', () => {
  test('starts no more threads than it may, and serves who came first', async () => {
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

  test('who aborts while waiting is out of the queue', async () => {
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

  test('who aborts in the moment it is served gives its place on', async () => {
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

  test('a thread that is lost while it is idle is replaced', async () => {
    const { pool, threads } = makePool(1)
    await pool.use(never, async () => undefined)
    await settle()
    if (threads[0] !== undefined) threads[0].alive = false
    expect(await pool.use(never, async (thread) => thread.number)).toBe(1)
  })

  test('a thread is lent again only when it is free, but its last user does not wait for that', async () => {
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

  test('a thread that cannot be started fails only who wanted it', async () => {
    let attempts = 0
    const pool = new ThreadPool<FakeThread>({
      size: 1,
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

  test('its end ends idle and busy threads', async () => {
    const { pool, threads } = makePool(2)
    const gate = Promise.withResolvers<undefined>()
    const busy = pool.use(never, () => gate.promise)
    await pool.use(never, async () => undefined)
    await pool.end()
    expect(threads.map((thread) => thread.alive)).toEqual([false, false])
    gate.resolve(undefined)
    await busy
  })
})
