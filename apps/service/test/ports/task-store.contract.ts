import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TaskOrder, TaskQuery } from '../../src/ports/task-store.ts'
import { checkTaskStoreModel } from './task-store-model.ts'
import { type OpenStores, START, type Stores } from './stores.ts'

const order = (id: string, more: Partial<TaskOrder> = {}): TaskOrder => ({
  id,
  tenant: 'first',
  kind: 'audio.speech',
  model: 'svc-tts-1.0-pro',
  request: { text: 'Hello', nested: { yes: true } },
  ...more,
})
const error = { code: 'broken', message: 'It broke' }

/**
 * The contract of every task store driver.
 * @param options.sequences Number of random sequences of calls. @default 40
 */
export function describeTaskStore(name: string, open: OpenStores, options: { readonly sequences?: number } = {}): void {
  let stores: Stores
  beforeEach(async () => {
    stores = await open()
  })
  afterEach(() => stores.close())
  const accept = (id: string, more: Partial<TaskOrder> = {}) => stores.tasks.accept(order(id, more))
  const status = async (id: string, tenant = 'first') => (await stores.tasks.find(tenant, id))?.status

  describe(`${name}: accepting`, () => {
    test('an accepted task is PENDING, visible to its tenant only, and still there after the store is reopened', async () => {
      const { outcome } = await accept('a')
      expect(outcome).toBe('accepted')
      expect(await stores.tasks.find('second', 'a')).toBeUndefined()
      const other = await stores.reopen()
      expect(await other.tasks.find('first', 'a')).toEqual({
        id: 'a',
        tenant: 'first',
        kind: 'audio.speech',
        model: 'svc-tts-1.0-pro',
        status: 'PENDING',
        createdAt: START / 1000,
        updatedAt: START / 1000,
      })
    })

    test('the same key with the same request returns the same task, and stores nothing new', async () => {
      const idempotency = { key: 'k', fingerprint: 'f' }
      await accept('a', { idempotency })
      const again = await accept('b', { idempotency })
      expect(again).toMatchObject({ outcome: 'repeated', task: { id: 'a' } })
      expect(await stores.tasks.find('first', 'b')).toBeUndefined()
      await stores.tasks.claim(1000)
      expect(await stores.tasks.claim(1000)).toBeUndefined()
    })

    test("the same key with another request is a conflict; another tenant's key is a different key", async () => {
      await accept('a', { idempotency: { key: 'k', fingerprint: 'f' } })
      expect(await accept('b', { idempotency: { key: 'k', fingerprint: 'g' } })).toEqual({ outcome: 'conflict' })
      const other = await accept('c', { tenant: 'second', idempotency: { key: 'k', fingerprint: 'g' } })
      expect(other.outcome).toBe('accepted')
    })

    test('one of many requests at once with one key is accepted', async () => {
      const idempotency = { key: 'k', fingerprint: 'f' }
      const all = await Promise.all(Array.from({ length: 20 }, (_, n) => accept(`t${n}`, { idempotency })))
      expect(all.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1)
      expect(new Set(all.map((one) => ('task' in one ? one.task.id : ''))).size).toBe(1)
    })
  })

  test(`${name}: a tenant's tasks are listed, the newest first, by state and up to a limit`, async () => {
    for (const id of ['a', 'b', 'c']) await accept(id)
    await accept('d', { tenant: 'second' })
    await stores.tasks.claim(1000)
    const idsOf = async (query: TaskQuery) => (await stores.tasks.list('first', query)).map(({ id }) => id)
    expect(await idsOf({ limit: 10 })).toEqual(['c', 'b', 'a'])
    expect(await idsOf({ limit: 2 })).toEqual(['c', 'b'])
    expect(await idsOf({ limit: 10, status: 'PROCESSING' })).toEqual(['a'])
    expect(await stores.tasks.list('third', { limit: 10 })).toEqual([])
  })

  describe(`${name}: limits of a tenant`, () => {
    test('a tenant at its limit of open tasks is refused, and nothing is stored, not even the key', async () => {
      const terms = { mostOpen: 2, idempotency: { key: 'k', fingerprint: 'f' } }
      await accept('a', { mostOpen: 2 })
      await accept('b', { mostOpen: 2 })
      expect(await accept('c', terms)).toEqual({ outcome: 'full' })
      expect(await status('c')).toBeUndefined()
      expect((await accept('d', { tenant: 'second', mostOpen: 2 })).outcome).toBe('accepted')
      const claim = await stores.tasks.claim(1000)
      if (claim === undefined) throw new Error('Nothing was claimed')
      await stores.tasks.succeed(claim, {})
      expect((await accept('e', terms)).outcome).toBe('accepted')
    })

    test('a repeated request returns its task, even without room for another', async () => {
      const terms = { mostOpen: 1, idempotency: { key: 'k', fingerprint: 'f' } }
      await accept('a', terms)
      expect(await accept('b', terms)).toMatchObject({ outcome: 'repeated', task: { id: 'a' } })
    })

    test('no tenant holds more leases than its share', async () => {
      const capped = await open({ atOncePerTenant: 1 })
      const plain = { kind: 'audio.speech', model: 'm', request: {} } as const
      await capped.tasks.accept({ ...plain, id: 'a', tenant: 'first' })
      await capped.tasks.accept({ ...plain, id: 'b', tenant: 'first' })
      await capped.tasks.accept({ ...plain, id: 'c', tenant: 'second' })
      expect((await capped.tasks.claim(1000))?.taskId).toBe('a')
      expect((await capped.tasks.claim(1000))?.taskId).toBe('c')
      expect(await capped.tasks.claim(1000)).toBeUndefined()
      capped.clock.now += 1001
      expect((await capped.tasks.claim(1000))?.taskId).toBe('a')
      await capped.close()
    })
  })

  describe(`${name}: claiming`, () => {
    test('a claim returns all data for the work and makes the task PROCESSING', async () => {
      await accept('a', { input: 'input-1' })
      expect(await stores.tasks.claim(1000)).toEqual({
        taskId: 'a',
        token: expect.any(Number),
        attempt: 1,
        crashes: 0,
        interruptions: 0,
        input: 'input-1',
        request: { text: 'Hello', nested: { yes: true } },
        task: expect.objectContaining({ id: 'a', status: 'PROCESSING' }),
      })
      expect(await status('a')).toBe('PROCESSING')
      expect(await stores.tasks.claim(1000)).toBeUndefined()
    })

    test('concurrent claims never share a task', async () => {
      for (let n = 0; n < 10; n += 1) await accept(`t${n}`)
      const claims = await Promise.all(Array.from({ length: 15 }, () => stores.tasks.claim(1000)))
      const ids = claims.flatMap((claim) => (claim === undefined ? [] : [claim.taskId]))
      expect(ids.toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `t${n}`))
    })

    test('of tenants with equal accounts, the one whose turn is longest ago comes first', async () => {
      for (const id of ['a1', 'a2', 'a3', 'a4']) await accept(id)
      for (const id of ['b1', 'b2']) await accept(id, { tenant: 'second' })
      const claims = []
      for (let n = 0; n < 4; n += 1) claims.push(await stores.tasks.claim(1000))
      expect(claims.map((claim) => claim?.taskId)).toEqual(['a1', 'b1', 'a2', 'b2'])
      const [first] = claims
      if (first !== undefined) await stores.tasks.succeed(first, {})
      expect((await stores.tasks.claim(1000))?.taskId).toBe('a3')
    })

    test('tasks of other work classes stay queued, and lose neither turn nor attempt', async () => {
      const workClasses = ['recognition'] as const
      await accept('a1')
      await accept('a2', { kind: 'audio.transcription' })
      await accept('b1', { tenant: 'second', kind: 'audio.voice_generation' })
      expect((await stores.tasks.claim(1000, { workClasses }))?.taskId).toBe('a2')
      expect(await stores.tasks.claim(1000, { workClasses })).toBeUndefined()
      expect([await status('a1'), await status('b1', 'second')]).toEqual(['PENDING', 'PENDING'])
      expect(await stores.tasks.claim(1000)).toMatchObject({ taskId: 'a1', attempt: 1 })
      expect(await stores.tasks.claim(1000)).toMatchObject({ taskId: 'b1', attempt: 1 })
    })

    test('a claim from several work classes takes from the first that has a task', async () => {
      await accept('heard', { kind: 'audio.transcription' })
      await accept('said')
      const workClasses = ['recognition', 'speech'] as const
      const claims = [await stores.tasks.claim(1000, { workClasses }), await stores.tasks.claim(1000, { workClasses })]
      expect(claims.map((claim) => claim?.taskId)).toEqual(['heard', 'said'])
    })

    test('neither streams nor tasks of other work classes count in the limit of a tenant', async () => {
      const capped = await open({ atOncePerTenant: 1 })
      const { tasks } = capped
      await tasks.begin({ id: 's', tenant: 'first', kind: 'audio.speech', model: 'm' }, 60_000)
      await tasks.accept(order('heard', { kind: 'audio.transcription' }))
      await tasks.accept(order('a'))
      await tasks.accept(order('b'))
      expect((await tasks.claim(60_000, { workClasses: ['recognition'] }))?.taskId).toBe('heard')
      expect((await tasks.claim(60_000, { workClasses: ['speech'] }))?.taskId).toBe('a')
      expect(await tasks.claim(60_000, { workClasses: ['speech'] })).toBeUndefined()
      await capped.close()
    })

    test.each(['succeeded', 'cancelled', 'released'] as const)(
      'a tenant at its limit has its next task claimed when one was %s',
      async (end) => {
        const capped = await open({ atOncePerTenant: 2 })
        const { tasks } = capped
        for (const id of ['a', 'b', 'c']) await tasks.accept(order(id))
        const claims = [await tasks.claim(60_000), await tasks.claim(60_000)]
        const [first] = claims
        if (first === undefined) throw new Error('Nothing was claimed')
        expect(await tasks.claim(60_000)).toBeUndefined()
        if (end === 'succeeded') await tasks.succeed(first, {})
        else if (end === 'cancelled') await tasks.cancel('first', 'a', error)
        else await tasks.release(first, { delay: 1000 })
        expect((await tasks.claim(60_000))?.taskId).toBe('c')
        expect(await tasks.claim(60_000)).toBeUndefined()
        await capped.close()
      },
    )

    test('with one worker, tenants with long and short queues take turns', async () => {
      for (let n = 0; n < 4; n += 1) await accept(`a${n}`)
      for (let n = 0; n < 2; n += 1) await accept(`b${n}`, { tenant: 'second' })
      const seen = []
      for (let claim = await stores.tasks.claim(1000); claim !== undefined; claim = await stores.tasks.claim(1000)) {
        seen.push(claim.taskId)
        await stores.tasks.succeed(claim, {})
      }
      expect(seen).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'a3'])
    })
  })

  describe(`${name}: leases`, () => {
    test('a lapsed lease is claimed again with a higher token; the first holder has no effect any more', async () => {
      await accept('a')
      const first = await stores.tasks.claim(1000)
      stores.clock.now += 1000
      const second = await stores.tasks.claim(1000)
      if (first === undefined || second === undefined) throw new Error('Not claimed')
      expect(second).toMatchObject({ taskId: 'a', attempt: 2 })
      expect(second.token).toBeGreaterThan(first.token)
      expect(await stores.tasks.renew(first, 1000)).toBe(false)
      expect(await stores.tasks.fail(first, error)).toBe(false)
      expect(await stores.tasks.release(first)).toBe(false)
      expect(await stores.tasks.succeed(first, { by: 'first' })).toBe(false)
      expect(await stores.tasks.succeed(second, { by: 'second' })).toBe(true)
      expect(await stores.tasks.find('first', 'a')).toMatchObject({ status: 'SUCCESS', result: { by: 'second' } })
    })

    test('a renewed lease lasts, and a lapsed one can be renewed until it is claimed', async () => {
      await accept('a')
      const lease = await stores.tasks.claim(1000)
      if (lease === undefined) throw new Error('Not claimed')
      stores.clock.now += 900
      expect(await stores.tasks.renew(lease, 1000)).toBe(true)
      stores.clock.now += 900
      expect(await stores.tasks.claim(1000)).toBeUndefined()
      stores.clock.now += 900
      expect(await stores.tasks.renew(lease, 1000)).toBe(true)
      expect(await stores.tasks.claim(1000)).toBeUndefined()
    })

    test('a released task waits for its delay; an uncounted release restores the attempt', async () => {
      await accept('a')
      const first = await stores.tasks.claim(1000)
      if (first === undefined) throw new Error('Not claimed')
      expect(await stores.tasks.release(first, { delay: 500 })).toBe(true)
      expect(await stores.tasks.succeed(first, {})).toBe(false)
      expect(await stores.tasks.claim(1000)).toBeUndefined()
      stores.clock.now += 500
      const second = await stores.tasks.claim(1000)
      if (second === undefined) throw new Error('Not claimed')
      expect(second.attempt).toBe(2)
      await stores.tasks.release(second, { counts: false })
      expect((await stores.tasks.claim(1000))?.attempt).toBe(2)
      expect(await status('a')).toBe('PROCESSING')
    })

    test('dropped leases are claimed at once, and their holders have no effect any more', async () => {
      await accept('a')
      await accept('b')
      const lost = await stores.tasks.claim(60_000)
      if (lost === undefined) throw new Error('Not claimed')
      const other = await stores.reopen()
      expect(await other.tasks.dropLeases()).toBe(1)
      expect(await stores.tasks.succeed(lost, {})).toBe(false)
      const again = [await other.tasks.claim(1000), await other.tasks.claim(1000)]
      expect(again.map((claim) => claim?.taskId)).toEqual(['a', 'b'])
    })

    test('a lease that lapsed before all are dropped has no effect any more either', async () => {
      await accept('a')
      const lapsed = await stores.tasks.claim(1000)
      if (lapsed === undefined) throw new Error('Not claimed')
      stores.clock.now += 1000
      await accept('b', { tenant: 'other' })
      await stores.tasks.claim(60_000)
      await stores.tasks.dropLeases()
      expect(await stores.tasks.release(lapsed, { delay: 0 })).toBe(false)
      expect(await stores.tasks.succeed(lapsed, {})).toBe(false)
    })

    test('a stream starts PROCESSING and leased; the next claim of a lost stream sees that it cannot continue', async () => {
      const { id, tenant, kind, model } = order('s')
      const lease = await stores.tasks.begin({ id, tenant, kind, model }, 1000)
      expect(await status('s')).toBe('PROCESSING')
      expect(await stores.tasks.claim(1000)).toBeUndefined()
      expect(await stores.tasks.renew(lease, 1000)).toBe(true)
      stores.clock.now += 1000
      const claim = await stores.tasks.claim(1000)
      expect(claim).toMatchObject({ taskId: 's', request: undefined })
      expect(await stores.tasks.succeed(lease, {})).toBe(false)
    })
  })

  test(`${name}: the queue has waiting, running and recently failed tasks by tenant and kind`, async () => {
    const { tasks, clock } = stores
    const since = clock.now
    for (const id of ['a', 'b', 'c']) await accept(id, { cost: 500 })
    await accept('d', { tenant: 'second', kind: 'audio.transcription' })
    await tasks.begin({ id: 'stream', tenant: 'second', kind: 'audio.speech', model: 'm' }, 60_000)
    const claim = await tasks.claim(60_000, { workClasses: ['speech'] })
    if (claim !== undefined) await tasks.fail(claim, { code: 'x', message: 'm' })
    await tasks.claim(60_000, { workClasses: ['speech'] })
    clock.now += 5000
    const none = { waiting: 0, running: 0, cost: 0, oldestMs: 0, failed: 0 }
    expect(await tasks.queue(since)).toEqual([
      { ...none, tenant: 'first', kind: 'audio.speech', waiting: 1, running: 1, cost: 500, oldestMs: 5000, failed: 1 },
      { ...none, tenant: 'second', kind: 'audio.speech', running: 1 },
      { ...none, tenant: 'second', kind: 'audio.transcription', waiting: 1, cost: 1000, oldestMs: 5000 },
    ])
    expect((await tasks.queue(clock.now + 1000))[0]).toMatchObject({ failed: 0 })
  })

  test(`${name}: the backlog of a work class has the costs of waiting, running and recently ended tasks`, async () => {
    const { tasks, clock } = stores
    const none = { waiting: new Map(), tasks: 0, seconds: 0, endedCost: 0, running: 0, runningCost: 0 }
    expect(await tasks.backlog('speech')).toMatchObject(none)
    for (const [id, cost] of Object.entries({ a: 100, b: 200, c: 300, e: 400 })) await accept(id, { cost })
    await accept('d', { tenant: 'second', cost: 50 })
    await accept('heard', { kind: 'audio.transcription', cost: 9000 })
    await tasks.begin({ ...order('stream'), id: 'stream' }, 1)
    clock.now += 10_000
    const waiting = new Map([
      ['first', 1000],
      ['second', 50],
    ])
    expect(await tasks.backlog('speech')).toMatchObject({ ...none, waiting, tasks: 5, seconds: 10 })
    const heard = { waiting: new Map([['first', 9000]]), tasks: 1, seconds: 10 }
    expect(await tasks.backlog('recognition')).toMatchObject({ ...none, ...heard })
    const workClasses = ['speech'] as const
    for (const id of ['a', 'd', 'b']) {
      const claim = await tasks.claim(60_000, { workClasses })
      expect(claim?.taskId).toBe(id)
      if (claim !== undefined && id !== 'b') await tasks.succeed(claim, {})
    }
    await tasks.cancel('first', 'e', error)
    const after = { waiting: new Map([['first', 300]]), tasks: 1, endedCost: 150, running: 1, runningCost: 200 }
    expect(await tasks.backlog('speech')).toMatchObject({ ...after, seconds: 10 })
    // The worker that had `b` is gone.
    clock.now += 301_000
    const later = { waiting: new Map([['first', 500]]), tasks: 2, seconds: 300 }
    expect(await tasks.backlog('speech')).toMatchObject({ ...none, ...later })
  })

  test(`${name}: any sequence of calls follows the port's rules`, async () => {
    await expect(checkTaskStoreModel(open, options.sequences)).resolves.toBeUndefined()
  }, 120_000)

  describe(`${name}: ends`, () => {
    test('an ended task never changes', async () => {
      await accept('a')
      const lease = await stores.tasks.claim(1000)
      if (lease === undefined) throw new Error('Not claimed')
      stores.clock.now += 5000
      expect(await stores.tasks.fail(lease, error)).toBe(true)
      expect(await stores.tasks.succeed(lease, {})).toBe(false)
      expect(await stores.tasks.release(lease)).toBe(false)
      expect(await stores.tasks.claim(1000)).toBeUndefined()
      const task = await stores.tasks.find('first', 'a')
      expect(task).toMatchObject({ status: 'FAILED', error, updatedAt: START / 1000 + 5 })
      expect(task).not.toHaveProperty('result')
    })

    test('a cancelled task fails, in the queue and at work, and its holder has no effect any more', async () => {
      await accept('a', { input: 'x', webhookUrl: 'https://example.com/' })
      const lease = await stores.tasks.claim(1000)
      if (lease === undefined) throw new Error('Not claimed')
      await accept('b', { webhookUrl: 'https://example.com/' })
      expect(await stores.tasks.cancel('first', 'a', error)).toEqual({ cancelled: true, input: 'x' })
      expect(await stores.tasks.cancel('first', 'b', error)).toEqual({ cancelled: true, input: undefined })
      expect(await stores.tasks.renew(lease, 1000)).toBe(false)
      expect(await stores.tasks.succeed(lease, {})).toBe(false)
      expect(await stores.tasks.claim(1000)).toBeUndefined()
      for (const id of ['a', 'b']) {
        expect(await stores.tasks.find('first', id)).toMatchObject({ status: 'FAILED', error })
        expect(await stores.outbox.stateOf(id)).toMatchObject({ status: 'pending' })
      }
      expect((await stores.tasks.inputsInUse(['x'])).size).toBe(0)
    })

    test('an ended task cannot be cancelled, and nobody cancels the task of another tenant', async () => {
      await accept('a')
      expect(await stores.tasks.cancel('second', 'a', error)).toBeUndefined()
      expect(await stores.tasks.cancel('first', 'unknown', error)).toBeUndefined()
      const lease = await stores.tasks.claim(1000)
      if (lease !== undefined) await stores.tasks.succeed(lease, {})
      expect(await stores.tasks.cancel('first', 'a', error)).toEqual({ cancelled: false, input: undefined })
      expect(await status('a')).toBe('SUCCESS')
    })

    test('an input is in use until its task ends', async () => {
      await accept('a', { input: 'x' })
      const names = ['x', 'y', ...Array.from({ length: 2500 }, (_, n) => `other-${n}`)]
      expect([...(await stores.tasks.inputsInUse(names))]).toEqual(['x'])
      const lease = await stores.tasks.claim(1000)
      if (lease !== undefined) await stores.tasks.succeed(lease, {})
      expect([...(await stores.tasks.inputsInUse(names))]).toEqual([])
    })

    test('the request of a failed task runs again as a new task, once, and keeps its input in use', async () => {
      await accept('a', { input: 'x', webhookUrl: 'https://example.com/', cost: 7 })
      const lease = await stores.tasks.claim(1000)
      if (lease === undefined) throw new Error('Not claimed')
      expect(await stores.tasks.retry('first', 'a', 'early')).toBeUndefined()
      await stores.tasks.fail(lease, error)
      expect([...(await stores.tasks.inputsInUse(['x']))]).toEqual(['x'])
      expect(await stores.tasks.retry('second', 'a', 'b')).toBeUndefined()
      expect(await stores.tasks.retry('first', 'a', 'b')).toMatchObject({ id: 'b', status: 'PENDING' })
      expect(await stores.tasks.retry('first', 'a', 'c')).toBeUndefined()
      expect(await status('a')).toBe('FAILED')
      const claimed = await stores.tasks.claim(1000)
      expect(claimed).toMatchObject({ taskId: 'b', input: 'x', attempt: 1, request: order('a').request })
      expect(claimed?.task).toMatchObject({ webhookUrl: 'https://example.com/', kind: 'audio.speech' })
      if (claimed !== undefined) await stores.tasks.succeed(claimed, {})
      expect((await stores.tasks.inputsInUse(['x'])).size).toBe(0)
    })

    test('requests of failed tasks expire with their inputs; cancelled tasks and streams have none', async () => {
      await accept('a', { input: 'x' })
      await accept('b', { input: 'y' })
      for (const id of ['a', 'b']) {
        const lease = await stores.tasks.claim(1000)
        expect(lease?.taskId).toBe(id)
        if (lease !== undefined) await stores.tasks.fail(lease, error)
        stores.clock.now += 1000
      }
      await accept('c', { input: 'z' })
      await stores.tasks.cancel('first', 'c', error)
      await stores.tasks.fail(await stores.tasks.begin(order('d'), 1000), error)
      expect(await stores.tasks.expireRequests({ before: START + 1000, limit: 10 })).toMatchObject({ objects: ['x'] })
      expect([...(await stores.tasks.inputsInUse(['x', 'y', 'z']))]).toEqual(['y'])
      for (const id of ['a', 'c', 'd']) expect(await stores.tasks.retry('first', id, 'e')).toBeUndefined()
      expect(await stores.tasks.retry('first', 'b', 'e')).toMatchObject({ id: 'e' })
    })

    test('a result is in use once its task has succeeded', async () => {
      await accept('a')
      await accept('b')
      const names = ['x', 'y', ...Array.from({ length: 2500 }, (_, n) => `other-${n}`)]
      const lease = await stores.tasks.claim(1000)
      expect([...(await stores.tasks.resultsInUse(names))]).toEqual([])
      if (lease !== undefined) await stores.tasks.succeed(lease, { file: 'x' })
      const other = await stores.tasks.claim(1000)
      if (other !== undefined) await stores.tasks.succeed(other, { text: 'without a file' })
      expect([...(await stores.tasks.resultsInUse(names))]).toEqual(['x'])
    })

    test('a task with an input that waits too long fails; running, younger and inputless tasks stay', async () => {
      await accept('running', { input: 'x1' })
      await stores.tasks.claim(60_000)
      await accept('old', { input: 'x2', webhookUrl: 'https://example.com/old' })
      await accept('bare')
      stores.clock.now += 5000
      await accept('young', { input: 'x3' })
      expect(await stores.tasks.expireInputs({ before: START + 1, limit: 10 }, error)).toMatchObject({
        objects: ['x2'],
      })
      expect(await stores.tasks.find('first', 'old')).toMatchObject({ status: 'FAILED', error })
      expect(await status('running')).toBe('PROCESSING')
      expect([await status('bare'), await status('young')]).toEqual(['PENDING', 'PENDING'])
      expect((await stores.outbox.claim(1000))?.url).toBe('https://example.com/old')
    })

    test('a task that ended long ago is deleted with its key and webhook; an open task never is', async () => {
      const idempotency = { key: 'k', fingerprint: 'f' }
      await accept('a', { idempotency, webhookUrl: 'https://example.com/' })
      const lease = await stores.tasks.claim(1000)
      if (lease !== undefined) await stores.tasks.succeed(lease, {})
      await accept('b')
      stores.clock.now += 10_000
      expect(await stores.tasks.forget({ before: START, limit: 10 })).toMatchObject({ count: 0 })
      expect(await stores.tasks.forget({ before: START + 5000, limit: 10 })).toMatchObject({ count: 1 })
      expect(await status('a')).toBeUndefined()
      expect(await status('b')).toBe('PENDING')
      expect(await stores.outbox.claim(1000)).toBeUndefined()
      expect((await accept('c', { idempotency })).outcome).toBe('accepted')
    })

    test('tasks of one second are deleted in batches, each the oldest that are left', async () => {
      for (let n = 0; n < 7; n += 1) await accept(`t${n}`)
      for (let n = 0; n < 7; n += 1) {
        const lease = await stores.tasks.claim(1000)
        if (lease !== undefined) await stores.tasks.succeed(lease, {})
      }
      const counts: number[] = []
      let from: number | undefined
      do {
        const expired = await stores.tasks.forget({ before: START + 5000, limit: 3, from })
        counts.push(expired.count)
        from = expired.next
      } while (from !== undefined)
      expect(counts).toEqual([3, 3, 1])
    })

    test('inputs expire in batches: each reads some jobs, and the next one those behind them', async () => {
      await accept('bare')
      for (const id of ['a', 'b', 'c']) await accept(id, { input: `of-${id}` })
      stores.clock.now += 5000
      await accept('young', { input: 'of-young' })
      const names: (readonly string[])[] = []
      let from: number | undefined
      do {
        const expired = await stores.tasks.expireInputs({ before: START + 1, limit: 2, from }, error)
        names.push(expired.objects)
        from = expired.next
      } while (from !== undefined)
      expect(names.flat()).toEqual(['of-a', 'of-b', 'of-c'])
      expect(names.length).toBeLessThanOrEqual(3)
      expect(await status('bare')).toBe('PENDING')
    })
  })
}
