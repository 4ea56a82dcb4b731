import { beforeEach, describe, expect, test } from 'vitest'
import { ManualClock, settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { EngineFailedError } from '@svc-audio/engine-ports'
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
  test('does not fail the start, is logged once, and is retried after growing delays up to a minute', async () => {
    create = missing
    const supervisor = supervise()
    await supervisor.start()
    let tries = 0
    create = () => {
      tries += 1
      return missing()
    }
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
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
    expect(logged.at(-1)).toBe('the speech engine works again engine')
    expect(await supervisor.use(async () => 'done')).toBe('done')
    probe = broken
    await expect(supervisor.use(broken)).rejects.toThrow('broken')
    await settle()
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
    await expect(supervisor.use(broken)).rejects.toThrow('broken')
    await settle()
    expect(supervisor.up).toBe(false)
    await expect(supervisor.use(async () => 'never')).rejects.toBeInstanceOf(EngineUnavailableError)
    probe = async () => undefined
    await clock.pass(1000)
    expect(supervisor.up).toBe(true)
    expect(engines).toHaveLength(1)
  })

  test('is up again without a retry when it finishes earlier work', async () => {
    const supervisor = supervise()
    await supervisor.start()
    const accepted = Promise.withResolvers<string>()
    const work = supervisor.use(() => accepted.promise)
    probe = broken
    await expect(supervisor.use(broken)).rejects.toThrow('broken')
    await settle()
    expect(supervisor.up).toBe(false)
    accepted.resolve('done')
    expect(await work).toBe('done')
    expect(supervisor.up).toBe(true)
    expect(logged.at(-1)).toBe('the speech engine works again engine')
    expect([probes, clock.timers]).toEqual([2, 0])
  })

  test('is probed once for several failures at a time', async () => {
    const supervisor = supervise()
    await supervisor.start()
    const response = Promise.withResolvers<void>()
    probe = () => response.promise
    await Promise.allSettled([supervisor.use(broken), supervisor.use(broken), supervisor.watch(broken)])
    response.reject(new EngineFailedError('broken'))
    await settle()
    await Promise.allSettled([supervisor.watch(broken)])
    await settle()
    expect([probes, clock.timers]).toEqual([2, 1])
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
