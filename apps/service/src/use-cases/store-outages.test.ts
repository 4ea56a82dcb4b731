import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { DatabaseUnavailableError, OutcomeUnknownError, SchemaError } from '../domain/errors.ts'
import { RETRY_MS, type WorkersEnd, awaitStores, failSurely, releaseSurely, succeedSurely } from './store-outages.ts'
import { type FakeServices, claimedSpeech, createFakeServices } from '../../test/support/fake-services.ts'
import { type Claim } from '../ports/task-store.ts'

const log = { error: () => undefined, warn: () => undefined, info: () => undefined }
const unavailable = (code: string) =>
  new DatabaseUnavailableError({ cause: Object.assign(new Error('refused'), { code }) })

test('a part of the start is repeated until the database answers', async () => {
  const clock = new ManualClock()
  let left = 3
  const started = awaitStores({ runtime: { clock, log } }, async () => {
    left -= 1
    if (left > 0) throw unavailable('ECONNREFUSED')
    return 'started'
  })
  for (let second = 0; second < 10; second += 1) await clock.pass(1000)
  expect(await started).toBe('started')
  expect(clock.timers).toBe(0)
})

test.each([unavailable('28P01'), unavailable('3D000'), new SchemaError('run migrate')])(
  'a start that no wait mends fails at once: %s',
  async (error) => {
    const fail = async (): Promise<never> => {
      throw error
    }
    await expect(awaitStores({ runtime: { clock: new ManualClock(), log } }, fail)).rejects.toBe(error)
  },
)

describe('the end of a task', () => {
  let services: FakeServices
  let lease: Claim
  let lost: AbortController
  let end: WorkersEnd
  beforeEach(async () => {
    services = await createFakeServices()
    lease = await claimedSpeech(services)
    lost = new AbortController()
    end = { lease, tenant: 't', signal: lost.signal }
  })
  afterEach(() => services.close())

  const RESULT = { file: 'a.wav' }
  const ERROR = { code: 'c', message: 'm' }
  const task = () => services.stores.tasks.find('t', 'task_1')

  /** Loses the responses to the first calls, which have their effect or not. */
  function lose(name: 'succeed' | 'fail' | 'release', { calls, effect }: { calls: number; effect: boolean }): void {
    const real = services.stores.tasks[name].bind(services.stores.tasks) as (...given: unknown[]) => Promise<boolean>
    let left = calls
    const losing = async (...given: unknown[]): Promise<boolean> => {
      left -= 1
      if (left < 0) return real(...given)
      if (effect) await real(...given)
      throw effect ? new OutcomeUnknownError() : new DatabaseUnavailableError()
    }
    vi.spyOn(services.stores.tasks, name).mockImplementation(losing)
  }

  /** Lets the time pass until the call has ended. */
  async function through<T>(call: Promise<T>): Promise<T> {
    const state = { ended: false }
    const done = call.finally(() => Object.assign(state, { ended: true }))
    done.catch(() => undefined)
    while (!state.ended) await services.clock.pass(RETRY_MS)
    return done
  }

  test.each([true, false])(
    'a result is stored through lost responses; the calls had their effect: %s',
    async (effect) => {
      lose('succeed', { calls: 3, effect })
      expect(await through(succeedSurely(services, end, RESULT))).toBe(true)
      expect(await task()).toMatchObject({ status: 'SUCCESS', result: RESULT })
    },
  )

  test.each([true, false])(
    'an error is stored through lost responses; the calls had their effect: %s',
    async (effect) => {
      lose('fail', { calls: 3, effect })
      expect(await through(failSurely(services, end, ERROR))).toBe(true)
      expect(await task()).toMatchObject({ status: 'FAILED', error: ERROR })
    },
  )

  test('a task is released through lost responses, with its attempts', async () => {
    lose('release', { calls: 3, effect: true })
    await through(releaseSurely(services, end, { counts: false }))
    expect((await services.stores.tasks.claim(1000))?.attempt).toBe(1)
  })

  test('an unknown end is not taken for the own one when another worker has the task', async () => {
    await services.stores.tasks.dropLeases()
    lose('succeed', { calls: 1, effect: true })
    expect(await through(succeedSurely(services, end, RESULT))).toBe(false)
    expect(await task()).toMatchObject({ status: 'PROCESSING' })
  })

  test('the loss of the lease ends the wait', async () => {
    lose('succeed', { calls: 100, effect: false })
    const call = succeedSurely(services, end, RESULT)
    call.catch(() => undefined)
    await services.clock.pass(5 * RETRY_MS)
    lost.abort(new Error('cancelled'))
    await expect(call).rejects.toThrow(DatabaseUnavailableError)
    expect(services.clock.timers).toBe(0)
  })

  test('an error that no outage causes is thrown at once', async () => {
    vi.spyOn(services.stores.tasks, 'succeed').mockRejectedValue(new TypeError('a mistake'))
    await expect(succeedSurely(services, end, RESULT)).rejects.toThrow('a mistake')
  })
})
