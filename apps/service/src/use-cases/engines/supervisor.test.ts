import { beforeEach, describe, expect, test } from 'vitest'
import { ManualClock, settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { EngineFailedError, EngineLostError, EngineNotReadyError, EngineRefusedError } from '@svc-audio/engine-ports'
import { EngineUnavailableError } from '../../ports/engines.ts'
import { EngineSupervisor } from './supervisor.ts'

class FakeEngine {
  closed = 0

  async close(): Promise<void> {
    this.closed += 1
  }
}

let clock: ManualClock
let logged: string[]
let engines: FakeEngine[]
let create: (signal: AbortSignal) => Promise<FakeEngine>
let probe: (signal: AbortSignal) => Promise<void>
let probes: number
beforeEach(() => {
  clock = new ManualClock()
  logged = []
  engines = []
  probes = 0
  create = async () => {
    const engine = new FakeEngine()
    engines.push(engine)
    return engine
  }
  probe = async () => undefined
})

const broken = () => Promise.reject(new EngineFailedError('broken'))
const missing = () => Promise.reject(new Error('MODULE_NOT_FOUND: secret/path'))

function supervise(): EngineSupervisor<FakeEngine> {
  const log = (details: object, message: string) => void logged.push(`${message} ${Object.keys(details).join()}`)
  return new EngineSupervisor<FakeEngine>({
    name: 'speech',
    create: (signal) => create(signal),
    probe: (_engine, signal) => {
      probes += 1
      return probe(signal)
    },
    clock,
    log: { error: log, warn: log, info: log },
  })
}

const unavailable = (retryAfterSeconds: number) =>
  expect.objectContaining({ name: 'EngineUnavailableError', engine: 'speech', retryAfterSeconds })

describe('an engine that works', () => {
  test('is created, probed and used, without a log line or a timer left', async () => {
    const supervisor = supervise()
    expect(supervisor.up).toBe(false)
    await supervisor.start()
    expect(supervisor.up).toBe(true)
    expect(await supervisor.use(async (engine) => engine)).toBe(engines[0])
    expect([engines.length, probes, logged.length, clock.timers]).toEqual([1, 1, 0, 0])
  })

  test('cannot be used before it is created', async () => {
    const supervisor = supervise()
    await expect(supervisor.use(async () => 'never')).rejects.toEqual(unavailable(1))
  })
})

describe('an engine that cannot be created', () => {
  test('does not fail the start, is logged once, and is retried after growing delays up to 15 s', async () => {
    create = missing
    const supervisor = supervise()
    await supervisor.start()
    let tries = 0
    create = () => {
      tries += 1
      return missing()
    }
    for (const seconds of [1, 2, 4, 8, 15, 15]) {
      const before = tries
      await clock.pass(seconds * 1000 - 1)
      expect(tries).toBe(before)
      await clock.pass(1)
      expect(tries).toBe(before + 1)
    }
    expect(logged).toEqual(['the speech engine does not work; the service retries until it works err,engine'])
    expect(supervisor.up).toBe(false)
  })

  test('is unavailable until its next retry', async () => {
    create = missing
    const supervisor = supervise()
    await supervisor.start()
    await clock.pass(1000)
    await expect(supervisor.use(async () => 'never')).rejects.toEqual(unavailable(2))
    await clock.pass(1500)
    await expect(supervisor.use(async () => 'never')).rejects.toEqual(unavailable(1))
  })

  test('is used once it can be created, and its delays start again', async () => {
    const right = create
    create = missing
    const supervisor = supervise()
    await supervisor.start()
    await clock.pass(1000)
    create = right
    await clock.pass(2000)
    expect(supervisor.up).toBe(true)
    expect(logged.at(-1)).toBe('the speech engine works now engine')
    expect(await supervisor.use(async () => 'done')).toBe('done')
    probe = broken
    await expect(supervisor.use(broken)).rejects.toEqual(unavailable(1))
    await expect(supervisor.use(async () => 'never')).rejects.toEqual(unavailable(1))
  })
})

describe('an engine that fails at work', () => {
  test('stays up when it passes the probe: that work caused the failure', async () => {
    const supervisor = supervise()
    await supervisor.start()
    await expect(supervisor.use(broken)).rejects.toThrow('broken')
    await settle()
    expect(supervisor.up).toBe(true)
    expect([probes, logged.length]).toEqual([2, 0])
  })

  test('is down when it also fails the probe, and up again when it passes, without a new engine', async () => {
    const supervisor = supervise()
    await supervisor.start()
    probe = broken
    const failed = supervisor.use(broken)
    await expect(failed).rejects.toMatchObject({ name: 'EngineUnavailableError', hasBegun: true })
    expect(supervisor.up).toBe(false)
    const refused = supervisor.use(async () => 'never')
    await expect(refused).rejects.toMatchObject({ name: 'EngineUnavailableError', hasBegun: false })
    probe = async () => undefined
    await clock.pass(1000)
    expect(supervisor.up).toBe(true)
    expect(engines).toHaveLength(1)
  })

  test('comes back by a probe alone, also while it finishes earlier work', async () => {
    const supervisor = supervise()
    await supervisor.start()
    const accepted = Promise.withResolvers<string>()
    const work = supervisor.use(() => accepted.promise)
    probe = broken
    await expect(supervisor.use(broken)).rejects.toBeInstanceOf(EngineUnavailableError)
    accepted.resolve('done')
    expect(await work).toBe('done')
    expect([supervisor.up, clock.timers]).toEqual([false, 1])
  })

  test('is probed once for several failures at a time', async () => {
    const supervisor = supervise()
    await supervisor.start()
    const response = Promise.withResolvers<void>()
    probe = () => response.promise
    const failed = Promise.allSettled([supervisor.use(broken), supervisor.use(broken), supervisor.watch(broken)])
    await settle()
    response.reject(new EngineFailedError('broken'))
    await failed
    await Promise.allSettled([supervisor.watch(broken)])
    expect([probes, clock.timers]).toEqual([2, 1])
  })

  test('is told after five seconds when the probe is in a queue, and stays up', async () => {
    const supervisor = supervise()
    await supervisor.start()
    const response = Promise.withResolvers<void>()
    probe = () => response.promise
    const failed = rejection(supervisor.use(broken))
    await clock.pass(5000)
    expect(await failed).toMatchObject({ message: 'broken' })
    expect(supervisor.up).toBe(true)
    response.resolve()
    await settle()
    expect([supervisor.up, logged]).toEqual([true, []])
  })

  test('because it refuses a field of the request is not probed', async () => {
    const supervisor = supervise()
    await supervisor.start()
    const error = new EngineRefusedError('no', { engine: 'far', param: 'language' })
    await expect(supervisor.use(() => Promise.reject(error))).rejects.toBe(error)
    expect(probes).toBe(1)
  })

  test('because of the request is not probed', async () => {
    const supervisor = supervise()
    await supervisor.start()
    const refused = supervisor.use(() => Promise.reject(new RangeError('no such voice')))
    await expect(refused).rejects.toThrow('no such voice')
    await settle()
    expect(probes).toBe(1)
  })
})

describe('an engine that is lost', () => {
  const lost = () => Promise.reject(new EngineLostError('502'))

  test('during a probe that never ends is probed again', async () => {
    const supervisor = supervise()
    await supervisor.start()
    probe = (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const failed = rejection(supervisor.watch(broken))
    await settle()
    await expect(supervisor.use(lost)).rejects.toBeInstanceOf(EngineUnavailableError)
    await clock.pass(29_999)
    await failed
    expect([supervisor.up, probes]).toEqual([false, 2])
    probe = async () => undefined
    await clock.pass(1)
    await clock.pass(2000)
    expect([supervisor.up, probes, clock.timers]).toEqual([true, 3, 0])
  })

  test('at its close is not told, and leaves no timer', async () => {
    const supervisor = supervise()
    await supervisor.start()
    const ended = Promise.withResolvers<never>()
    const work = rejection(supervisor.use(() => ended.promise))
    await supervisor.close()
    ended.reject(new EngineLostError('closed'))
    await work
    await settle()
    expect([logged, clock.timers]).toEqual([[], 0])
  })

  test('is down from the first failure, and its line is written once', async () => {
    const supervisor = supervise()
    await supervisor.start()
    probe = lost
    const work = supervisor.use(lost)
    await expect(work).rejects.toMatchObject({ name: 'EngineUnavailableError', hasBegun: true })
    expect(supervisor.up).toBe(false)
    for (const seconds of [1, 2, 4, 8, 15]) {
      await clock.pass(seconds * 1000)
      expect(supervisor.up).toBe(false)
    }
    probe = async () => undefined
    await clock.pass(15_000)
    expect(supervisor.up).toBe(true)
    expect(logged).toEqual([
      'the speech engine does not work; the service retries until it works err,engine',
      'the speech engine works again engine',
    ])
  })

  test('for one connection alone is up after the probe that follows at once', async () => {
    const supervisor = supervise()
    await supervisor.start()
    await expect(supervisor.use(lost)).rejects.toBeInstanceOf(EngineUnavailableError)
    await settle()
    expect([supervisor.up, probes, clock.timers]).toEqual([true, 2, 0])
  })

  test('and never responds to a probe is probed again, with twice the patience each time', async () => {
    const supervisor = supervise()
    await supervisor.start()
    probe = (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    await expect(supervisor.use(lost)).rejects.toBeInstanceOf(EngineUnavailableError)
    await settle()
    expect(probes).toBe(2)
    await clock.pass(29_999)
    expect(probes).toBe(2)
    await clock.pass(1)
    await clock.pass(2000)
    expect(probes).toBe(3)
    await clock.pass(59_999)
    await clock.pass(1)
    probe = async () => undefined
    await clock.pass(4000)
    expect([probes, supervisor.up]).toEqual([4, true])
    await supervisor.close()
  })
})

describe('an engine that loads its model', () => {
  test('is told as not ready while its server refuses work, and as working when it is', async () => {
    probe = () => Promise.reject(new EngineNotReadyError('503', {}))
    const supervisor = supervise()
    await supervisor.start()
    probe = async () => undefined
    await clock.pass(1000)
    expect(logged).toEqual([
      'the speech engine is not ready yet; the service retries until it works err,engine',
      'the speech engine works now engine',
    ])
  })

  test('for longer than ten seconds has a line at both ends, and requests are told so', async () => {
    const slow = Promise.withResolvers<FakeEngine>()
    create = () => slow.promise
    const supervisor = supervise()
    const started = supervisor.start()
    await clock.pass(10_000)
    expect(logged).toEqual(['the speech engine is still loading engine'])
    await expect(supervisor.use(async () => 'never')).rejects.toThrow('The speech engine is still loading')
    await clock.pass(80_000)
    slow.resolve(new FakeEngine())
    await started
    await settle()
    expect(logged).toEqual(['the speech engine is still loading engine', 'the speech engine works now engine,seconds'])
    expect(clock.timers).toBe(0)
  })
})

describe('a start', () => {
  test('waits at most a minute for an engine, which is used when it is ready', async () => {
    const slow = Promise.withResolvers<FakeEngine>()
    create = () => slow.promise
    const supervisor = supervise()
    const started = supervisor.start()
    await clock.pass(60_000)
    await started
    expect(supervisor.up).toBe(false)
    slow.resolve(new FakeEngine())
    await settle()
    expect(supervisor.up).toBe(true)
    expect(clock.timers).toBe(0)
  })
})

describe('a close', () => {
  test('stops the retries and closes the engine', async () => {
    const supervisor = supervise()
    await supervisor.start()
    probe = broken
    await Promise.allSettled([supervisor.use(broken)])
    await settle()
    expect(clock.timers).toBe(1)
    await supervisor.close()
    expect(clock.timers).toBe(0)
    expect(engines[0]?.closed).toBeGreaterThan(0)
  })

  test('during a retry ends it, and neither logs nor plans another', async () => {
    create = (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const supervisor = supervise()
    const started = supervisor.start()
    await supervisor.close()
    await started
    expect([logged.length, clock.timers]).toEqual([0, 0])
  })

  test('closes an engine that is created too late', async () => {
    const slow = Promise.withResolvers<FakeEngine>()
    create = () => slow.promise
    const supervisor = supervise()
    const started = supervisor.start()
    const closed = supervisor.close()
    const engine = new FakeEngine()
    slow.resolve(engine)
    await Promise.all([started, closed])
    expect(engine.closed).toBe(1)
  })
})
