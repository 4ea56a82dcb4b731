import { Worker } from 'node:worker_threads'

import { afterEach, describe, expect, test } from 'vitest'

import { ManualClock, settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { EngineClosedError, EngineFailedError, EngineStuckError } from '@svc-audio/engine-ports'
import { WorkerPool } from './worker-pool.ts'

/** A job for the thread below. With a latch it waits for the latch. */
interface Job {
  readonly task: 'echo' | 'fail' | 'throw' | 'exit' | 'spin'
  readonly name: string
  readonly latch?: Int32Array<SharedArrayBuffer>
}

const THREAD = `
  import { parentPort, threadId } from 'node:worker_threads'
  parentPort.on('message', ({ task, name, latch }) => {
    if (latch !== undefined) Atomics.wait(latch, 0, 0)
    if (task === 'fail') parentPort.postMessage({ failure: name })
    else if (task === 'throw') throw new Error(name)
    else if (task === 'exit') process.exit(0)
    else if (task === 'spin') for (;;);
    else parentPort.postMessage({ result: name })
  })
`

function latch(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(4))
}

function open(closed: Int32Array): void {
  Atomics.store(closed, 0, 1)
  Atomics.notify(closed, 0)
}

const echo = (name: string, closed?: Int32Array<SharedArrayBuffer>): Job =>
  closed === undefined ? { task: 'echo', name } : { task: 'echo', name, latch: closed }

const exitOf = (thread: Worker): Promise<unknown> => new Promise((resolve) => void thread.once('exit', resolve))

describe('WorkerPool', () => {
  const pools: WorkerPool<Job, string>[] = []
  let threads: Worker[] = []

  function createPool(size: number, overrun?: number, clock?: ManualClock, keep?: number): WorkerPool<Job, string> {
    threads = []
    const pool = new WorkerPool<Job, string>({
      size,
      clock,
      keep,
      ...(overrun === undefined ? {} : { overrun }),
      spawn: () => {
        const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`))
        threads.push(thread)
        return thread
      },
    })
    pools.push(pool)
    return pool
  }

  afterEach(async () => {
    await Promise.all(pools.splice(0).map(async (pool) => pool.close()))
  })

  test('threads start when work comes and are reused', async () => {
    const pool = createPool(2)
    expect(threads).toHaveLength(0)
    for (const name of ['a', 'b', 'c']) expect(await pool.run(echo(name))).toBe(name)
    expect(threads).toHaveLength(1)
  })

  test('the pool never exceeds its threads, and every job ends', async () => {
    const pool = createPool(2)
    const names = Array.from({ length: 20 }, (_, index) => `job ${index}`)
    expect(await Promise.all(names.map(async (name) => pool.run(echo(name))))).toEqual(names)
    expect(threads).toHaveLength(2)
  })

  test('jobs run in the order of their arrival', async () => {
    const pool = createPool(1)
    const order: string[] = []
    await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => order.push(await pool.run(echo(name)))))
    expect(order).toEqual(['a', 'b', 'c', 'd'])
  })

  test('a failing job fails alone, and its thread stays', async () => {
    const pool = createPool(1)
    const failing = pool.run({ task: 'fail', name: 'it does not work' })
    const next = pool.run(echo('next'))
    await expect(failing).rejects.toThrow(new EngineFailedError('it does not work'))
    expect(await next).toBe('next')
    expect(threads).toHaveLength(1)
  })

  test.each(['throw', 'exit'] as const)('a thread lost by %s fails its own job only and is replaced', async (task) => {
    const pool = createPool(2)
    const closed = latch()
    const other = pool.run(echo('other', closed))
    const lost = pool.run({ task, name: 'lost' })
    const next = pool.run(echo('next'))
    await expect(lost).rejects.toThrow(EngineFailedError)
    expect(await next).toBe('next')
    expect(threads).toHaveLength(3)
    open(closed)
    expect(await other).toBe('other')
  })

  test('a thread that exits while idle is replaced', async () => {
    const pool = createPool(1)
    await pool.run(echo('first'))
    await threads[0]?.terminate()
    expect(await pool.run(echo('second'))).toBe('second')
    expect(threads).toHaveLength(2)
  })

  test('a thread that cannot be started fails only its job', async () => {
    let starts = 0
    const pool = new WorkerPool<Job, string>({
      size: 1,
      spawn: () => {
        starts += 1
        throw new Error('no threads left')
      },
    })
    await expect(pool.run(echo('a'))).rejects.toThrow(EngineFailedError)
    await expect(pool.run(echo('b'))).rejects.toThrow('no threads left')
    expect(starts).toBe(2)
  })

  test('an aborted signal starts nothing', async () => {
    await expect(createPool(1).run(echo('a'), AbortSignal.abort('stop'))).rejects.toBe('stop')
    expect(threads).toHaveLength(0)
  })

  test('an aborted job in the queue never runs', async () => {
    const pool = createPool(1)
    const closed = latch()
    const controller = new AbortController()
    const running = pool.run(echo('running', closed))
    const lethal = pool.run({ task: 'exit', name: 'never' }, controller.signal)
    const next = pool.run(echo('next'))
    controller.abort('stop')
    await expect(lethal).rejects.toBe('stop')
    open(closed)
    expect(await Promise.all([running, next])).toEqual(['running', 'next'])
    expect(threads).toHaveLength(1)
  })

  test('an aborted running job rejects at once, and a short one leaves its thread alive', async () => {
    const pool = createPool(1, 3_600_000)
    const closed = latch()
    const controller = new AbortController()
    const running = pool.run(echo('running', closed), controller.signal)
    const next = pool.run(echo('next'))
    await settle()
    controller.abort('stop')
    await expect(running).rejects.toBe('stop')
    open(closed)
    expect(await next).toBe('next')
    expect(threads).toHaveLength(1)
  })

  test('an aborted job that does not end loses its thread, and the queue continues', async () => {
    const pool = createPool(1, 10)
    const controller = new AbortController()
    const running = pool.run({ task: 'spin', name: 'endless' }, controller.signal)
    const next = pool.run(echo('next'))
    await settle()
    controller.abort('stop')
    await expect(running).rejects.toBe('stop')
    expect(await next).toBe('next')
    expect(threads).toHaveLength(2)
  })

  test('a job that hangs fails at its deadline, its thread is replaced, and the queue continues', async () => {
    const clock = new ManualClock()
    const pool = createPool(1, undefined, clock)
    const hanging = pool.run({ task: 'spin', name: 'endless' })
    const next = pool.run(echo('next'))
    const settled = Promise.allSettled([hanging])
    await settle()
    await clock.pass(59_999)
    expect(threads).toHaveLength(1)
    await clock.pass(1)
    expect(await settled).toEqual([{ status: 'rejected', reason: expect.any(EngineStuckError) }])
    expect(await next).toBe('next')
    expect(threads).toHaveLength(2)
    await pool.close()
    expect(clock.timers).toBe(0)
  })

  test('of the threads idle for a minute, `keep` stay and the others exit', async () => {
    const clock = new ManualClock()
    const pool = createPool(2, undefined, clock, 1)
    await Promise.all([pool.run(echo('a')), pool.run(echo('b'))])
    await settle()
    expect(clock.timers).toBe(1)
    const gone = Promise.race(threads.map(async (thread, index) => exitOf(thread).then(() => index)))
    await clock.pass(60_000)
    const first = await gone
    expect(clock.timers).toBe(0)
    await clock.pass(3_600_000)
    expect(await pool.run(echo('c'))).toBe('c')
    expect(threads).toHaveLength(2)
    expect(await Promise.all([pool.run(echo('d')), pool.run(echo('e'))])).toEqual(['d', 'e'])
    expect(threads).toHaveLength(3)
    expect(threads[first]?.threadId).toBe(-1)
  })

  test('the time of a job starts when a thread takes it', async () => {
    const clock = new ManualClock()
    const pool = createPool(1, undefined, clock)
    const latches = [latch(), latch()] as const
    const first = pool.run(echo('first', latches[0]))
    const second = pool.run(echo('second', latches[1]))
    await settle()
    await clock.pass(59_999)
    open(latches[0])
    expect(await first).toBe('first')
    await clock.pass(59_999)
    open(latches[1])
    expect(await second).toBe('second')
  })

  test('an abort after the end changes nothing', async () => {
    const pool = createPool(1)
    const controller = new AbortController()
    expect(await pool.run(echo('a'), controller.signal)).toBe('a')
    controller.abort()
    expect(await pool.run(echo('b'))).toBe('b')
    expect(threads).toHaveLength(1)
  })

  test('closing ends every thread and rejects running and queued jobs', async () => {
    const pool = createPool(2)
    await pool.run(echo('idle later'))
    const jobs = [pool.run({ task: 'spin', name: 'a' }), pool.run(echo('b', latch())), pool.run(echo('c'))]
    const settled = Promise.allSettled(jobs)
    const exits = threads.map(exitOf)
    await pool.close()
    for (const outcome of await settled)
      expect(outcome).toEqual({ status: 'rejected', reason: expect.any(EngineClosedError) })
    await Promise.all(exits)
    expect(threads).toHaveLength(2)
  })

  test('a closed pool refuses jobs and can be closed again', async () => {
    const pool = createPool(1)
    await pool.close()
    await pool.close()
    await expect(pool.run(echo('a'))).rejects.toThrow('The speech engine is closed')
    expect(threads).toHaveLength(0)
  })
})
