import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WebhookClaim, WebhookClaimOptions } from '../../src/ports/webhook-outbox.ts'
import { type OpenStores, START, type Stores } from './stores.ts'

/** The contract of every webhook outbox driver. */
export function describeWebhookOutbox(name: string, open: OpenStores): void {
  let stores: Stores
  beforeEach(async () => {
    stores = await open()
  })
  afterEach(() => stores.close())

  /** A task that has ended. */
  async function end(
    id: string,
    how: 'succeed' | 'fail' = 'succeed',
    webhookUrl?: string,
    tenant = 'first',
  ): Promise<void> {
    const order = { id, tenant, kind: 'audio.speech', model: 'm', request: {} } as const
    await stores.tasks.accept({ ...order, ...(webhookUrl === undefined ? {} : { webhookUrl }) })
    const claim = await stores.tasks.claim(1000)
    if (claim === undefined) throw new Error('Not claimed')
    if (how === 'succeed') await stores.tasks.succeed(claim, { file: `${id}.mp3` })
    else await stores.tasks.fail(claim, { code: 'c', message: 'm' })
  }

  async function claimed(): Promise<WebhookClaim> {
    const claim = await stores.outbox.claim(1000)
    if (claim === undefined) throw new Error('Nothing is due')
    return claim
  }

  describe(`${name}: webhooks`, () => {
    test.each(['succeed', 'fail'] as const)('%s puts the call into the outbox, with the ended task', async (how) => {
      await end('a', how, 'https://example.com/a')
      const other = await stores.reopen()
      const claim = await other.outbox.claim(1000)
      expect(claim).toMatchObject({ url: 'https://example.com/a', attempt: 1, createdAt: START, task: { id: 'a' } })
      expect(claim?.task.status).toBe(how === 'succeed' ? 'SUCCESS' : 'FAILED')
    })

    test('a task without a webhook, or one that has not ended, has no call', async () => {
      await end('a')
      await stores.tasks.accept({
        id: 'b',
        tenant: 'first',
        kind: 'audio.speech',
        model: 'm',
        request: {},
        webhookUrl: 'https://example.com/',
      })
      expect(await stores.outbox.claim(1000)).toBeUndefined()
      expect(await stores.outbox.stateOf('a')).toBeUndefined()
      expect(await stores.outbox.stateOf('b')).toBeUndefined()
      expect(await stores.tasks.find('first', 'a')).not.toHaveProperty('webhookUrl')
      expect(await stores.tasks.find('first', 'b')).toHaveProperty('webhookUrl', 'https://example.com/')
    })

    test('after a start with an earlier time, calls are claimed whose receiver had its turn at the later time', async () => {
      for (const tenant of ['first', 'second']) {
        for (const call of ['a', 'b']) await end(`${tenant}_${call}`, 'succeed', 'https://example.com/', tenant)
      }
      stores.clock.now += 3_600_000
      for (const claim of [await claimed(), await claimed()]) await stores.outbox.release(claim)
      stores.clock.now -= 3_600_000
      await stores.outbox.dropLeases()
      const ids = [await claimed(), await claimed(), await claimed(), await claimed()].map(({ task }) => task.id)
      expect(ids.toSorted()).toEqual(['first_a', 'first_b', 'second_a', 'second_b'])
    })

    test('a failed attempt is retried after its delay, under the same id, with a visible state', async () => {
      await end('a', 'succeed', 'https://example.com/')
      const first = await claimed()
      expect(await stores.outbox.record(first, { outcome: 'HTTP 500', next: 5000 })).toBe(true)
      expect(await stores.outbox.claim(1000)).toBeUndefined()
      expect(await stores.outbox.stateOf('a')).toEqual({
        status: 'pending',
        attempts: 1,
        lastOutcome: 'HTTP 500',
        nextAttemptAt: START + 5000,
      })
      stores.clock.now += 5000
      const second = await claimed()
      expect(second).toMatchObject({ id: first.id, attempt: 2, createdAt: START })
      await stores.outbox.record(second, { outcome: 'HTTP 204', next: 'delivered' })
      expect(await stores.outbox.stateOf('a')).toEqual({
        status: 'delivered',
        attempts: 2,
        lastOutcome: 'HTTP 204',
        nextAttemptAt: undefined,
      })
      stores.clock.now += 1e9
      expect(await stores.outbox.claim(1000)).toBeUndefined()
    })

    test('an abandoned call never returns', async () => {
      await end('a', 'succeed', 'https://example.com/')
      await stores.outbox.record(await claimed(), { outcome: 'refused', next: 'failed' })
      stores.clock.now += 1e9
      expect(await stores.outbox.claim(1000)).toBeUndefined()
      expect(await stores.outbox.stateOf('a')).toMatchObject({ status: 'failed', attempts: 1 })
    })

    test('concurrent claims never share a call', async () => {
      for (let n = 0; n < 8; n += 1) await end(`t${n}`, 'succeed', `https://${n}.example.com/`)
      const claims = await Promise.all(Array.from({ length: 12 }, () => stores.outbox.claim(1000)))
      const urls = claims.flatMap((claim) => (claim === undefined ? [] : [claim.url]))
      expect(new Set(urls).size).toBe(8)
      expect(urls).toHaveLength(8)
    })

    test('a lost lease records nothing; a lapsed or dropped one is claimed again', async () => {
      await end('a', 'succeed', 'https://example.com/')
      const lost = await claimed()
      stores.clock.now += 1000
      const second = await claimed()
      expect(await stores.outbox.record(lost, { outcome: 'late', next: 'failed' })).toBe(false)
      expect(await stores.outbox.release(lost)).toBe(false)
      expect(await stores.outbox.dropLeases()).toBe(1)
      expect(await stores.outbox.record(second, { outcome: 'late', next: 'failed' })).toBe(false)
      expect((await claimed()).attempt).toBe(3)
    })

    test('a returned call does not count as an attempt', async () => {
      await end('a', 'succeed', 'https://example.com/')
      expect(await stores.outbox.release(await claimed())).toBe(true)
      expect(await stores.outbox.stateOf('a')).toMatchObject({ status: 'pending', attempts: 0 })
      expect((await claimed()).attempt).toBe(1)
    })
  })

  describe(`${name}: webhooks of several tenants`, () => {
    const due = (id: string, tenant: string) => end(id, 'succeed', `https://example.com/${id}`, tenant)
    /** Claims every available call, in order. */
    async function claimAll(max?: number): Promise<WebhookClaim[]> {
      const claims: WebhookClaim[] = []
      for (;;) {
        const claim = await stores.outbox.claim(1000, max === undefined ? {} : { max })
        if (claim === undefined) return claims
        claims.push(claim)
      }
    }
    const ids = (claims: readonly WebhookClaim[]) => claims.map(({ task }) => task.id)

    test('the tenant with the fewest calls in flight comes first, each with its oldest due call', async () => {
      for (const id of ['a1', 'a2', 'a3']) {
        await due(id, 'first')
        stores.clock.now += 1
      }
      const [first, second] = [await claimed(), await claimed()]
      expect(ids([first, second])).toEqual(['a1', 'a2'])
      for (const id of ['b1', 'b2']) {
        await due(id, 'second')
        stores.clock.now += 1
      }
      expect(ids(await claimAll())).toEqual(['b1', 'b2', 'a3'])
    })

    test('no tenant has more calls in flight than its share; an ended call makes room', async () => {
      for (const id of ['a1', 'a2', 'a3']) {
        await due(id, 'first')
        stores.clock.now += 1
      }
      await due('b1', 'second')
      const claims = await claimAll(2)
      expect(ids(claims).toSorted()).toEqual(['a1', 'a2', 'b1'])
      const ended = claims.find(({ task }) => task.id === 'a1')
      if (ended !== undefined) await stores.outbox.record(ended, { outcome: 'HTTP 500', next: 5000 })
      expect(ids(await claimAll(2))).toEqual(['a3'])
    })

    test('a lapsed lease is not a call in flight', async () => {
      for (const id of ['a1', 'a2']) await due(id, 'first')
      expect(await claimAll(1)).toHaveLength(1)
      stores.clock.now += 1000
      expect(await claimAll(1)).toHaveLength(1)
    })

    test('with one call at a time, tenants take turns, even with a long queue of one tenant', async () => {
      for (let n = 0; n < 5; n += 1) await due(`a${n}`, 'first')
      stores.clock.now += 1
      for (const tenant of ['second', 'third']) for (let n = 0; n < 2; n += 1) await due(`${tenant}${n}`, tenant)
      const seen: string[] = []
      for (let claim = await stores.outbox.claim(1000); claim !== undefined; claim = await stores.outbox.claim(1000)) {
        seen.push(claim.task.tenant)
        await stores.outbox.record(claim, { outcome: 'HTTP 204', next: 'delivered' })
      }
      const round = ['first', 'second', 'third']
      expect([seen.slice(0, 3).toSorted(), seen.slice(3, 6).toSorted()]).toEqual([round, round])
      expect(seen.slice(6)).toEqual(['first', 'first', 'first'])
    })
  })

  describe(`${name}: webhooks of several receivers of a tenant`, () => {
    const due = async (id: string, host: string): Promise<void> => {
      await end(id, 'succeed', `https://${host}/hook?${id}`)
      stores.clock.now += 1
    }

    async function claimAll(options: WebhookClaimOptions = {}): Promise<WebhookClaim[]> {
      const claims: WebhookClaim[] = []
      for (;;) {
        const claim = await stores.outbox.claim(1000, options)
        if (claim === undefined) return claims
        claims.push(claim)
      }
    }
    const ids = (claims: readonly WebhookClaim[]) => claims.map(({ task }) => task.id)
    const timeOut = (claim: WebhookClaim) =>
      stores.outbox.record(claim, { outcome: 'no response', next: 5000, timedOut: true })

    test('a receiver has four calls in flight, and the others of its tenant are called beside them', async () => {
      for (let n = 0; n < 6; n += 1) await due(`a${n}`, 'a.example.com')
      await due('b0', 'b.example.com:8443')
      const claims = await claimAll()
      expect(ids(claims).toSorted()).toEqual(['a0', 'a1', 'a2', 'a3', 'b0'])
      const [first] = claims
      if (first !== undefined) await stores.outbox.record(first, { outcome: 'HTTP 204', next: 'delivered' })
      expect(ids(await claimAll())).toEqual(['a4'])
    })

    test('receivers take turns, however many calls one of them has', async () => {
      for (let n = 0; n < 20; n += 1) await due(`a${n}`, 'a.example.com')
      stores.clock.now += 1
      for (let n = 0; n < 3; n += 1) await due(`b${n}`, 'b.example.com')
      const seen: string[] = []
      for (let n = 0; n < 8; n += 1) {
        stores.clock.now += 1
        const claim = await claimed()
        seen.push(claim.task.id)
        await stores.outbox.record(claim, { outcome: 'HTTP 204', next: 'delivered' })
      }
      expect(seen.filter((id) => id.startsWith('b'))).toEqual(['b0', 'b1', 'b2'])
      expect(seen.indexOf('b2')).toBeLessThan(7)
    })

    test('one that twice did not respond in time has one call at a time, in its own lane, until it responds', async () => {
      for (let n = 0; n < 6; n += 1) await due(`a${n}`, 'a.example.com')
      for (const claim of (await claimAll()).slice(0, 2)) await timeOut(claim)
      expect(await claimAll()).toEqual([])
      stores.clock.now += 1000
      // The two leases that have lapsed do not count.
      expect(await claimAll()).toEqual([])
      const [only, ...more] = await claimAll({ slow: true })
      expect(more).toEqual([])
      if (only === undefined) throw new Error('The slow receiver is not called')
      await stores.outbox.record(only, { outcome: 'HTTP 500', next: 5000 })
      expect(await claimAll()).toHaveLength(3)
    })

    test('the slow ones of a tenant together have their own limit', async () => {
      for (const host of ['a', 'b', 'c']) for (let n = 0; n < 3; n += 1) await due(`${host}${n}`, `${host}.example.com`)
      const claims = await claimAll()
      expect(claims).toHaveLength(9)
      for (const claim of claims.filter(({ task }) => !task.id.endsWith('2'))) await timeOut(claim)
      stores.clock.now += 5000
      await due('d0', 'd.example.com')
      expect(await claimAll({ slow: true, max: 2 })).toHaveLength(2)
      expect(ids(await claimAll({ max: 2 }))).toEqual(['d0'])
    })

    test('a call of a deleted tenant is not in the queue any more', async () => {
      await due('a0', 'a.example.com')
      while ((await stores.tenants.deleteRows('first')) > 0);
      expect(await stores.outbox.claim(1000)).toBeUndefined()
      await due('a1', 'a.example.com')
      expect(ids(await claimAll())).toEqual(['a1'])
    })
  })
}
