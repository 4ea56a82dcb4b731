import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { estimateWait } from '../../src/use-cases/tasks/backlog.ts'
import type { Claim } from '../../src/ports/task-store.ts'
import { type OpenStores, START, type Stores } from './stores.ts'

/** A task that workers have performed. */
interface Performed {
  readonly tenant: string
  /** Milliseconds from its acceptance to its start. */
  readonly wait: number
  readonly start: number
  readonly cost: number
}

/** A simulation: workers that need exactly the estimated time of each task, on the stores' manual clock. */
class Simulation {
  readonly performed: Performed[] = []
  readonly #stores: Stores
  readonly #workers: number
  readonly #costs = new Map<string, number>()
  readonly #accepted = new Map<string, number>()
  readonly #running: { readonly claim: Claim; readonly end: number }[] = []

  constructor(stores: Stores, workers: number) {
    this.#stores = stores
    this.#workers = workers
  }

  async accept(tenant: string, count: number, cost: number): Promise<void> {
    const plain = { tenant, kind: 'audio.speech', model: 'm', request: {}, cost } as const
    for (let n = 0; n < count; n += 1) {
      const id = `${tenant}-${this.#costs.size}`
      this.#costs.set(id, cost)
      this.#accepted.set(id, this.#stores.clock.now)
      await this.#stores.tasks.accept({ ...plain, id })
    }
  }

  /** Passes time, task by task, until no task is left or the time has come. */
  async run(until: number = Infinity): Promise<void> {
    const { clock, tasks } = this.#stores
    for (;;) {
      while (this.#running.length < this.#workers) {
        const claim = await tasks.claim(3_600_000)
        if (claim === undefined) break
        const cost = this.#costs.get(claim.taskId) ?? 0
        const wait = clock.now - (this.#accepted.get(claim.taskId) ?? 0)
        this.performed.push({ tenant: claim.task.tenant, wait, start: clock.now, cost })
        this.#running.push({ claim, end: clock.now + cost })
      }
      this.#running.sort((one, other) => one.end - other.end)
      const [next] = this.#running
      if (next === undefined || next.end > until) break
      this.#running.shift()
      clock.now = next.end
      await tasks.succeed(next.claim, {})
    }
    if (until !== Infinity) clock.now = until
  }

  longestWait(tenant: string): number {
    return Math.max(...this.performed.filter((task) => task.tenant === tenant).map(({ wait }) => wait))
  }

  /** Work of a tenant that started in a time. */
  cost(tenant: string, from: number, to: number): number {
    const some = this.performed.filter((task) => task.tenant === tenant && task.start >= from && task.start < to)
    return some.reduce((sum, { cost }) => sum + cost, 0)
  }
}

const LONG = 60_000
const SHORT = 500

/** The contract of shares by cost, of every task store driver. */
export function describeFairShares(name: string, open: OpenStores): void {
  let stores: Stores
  beforeEach(async () => {
    stores = await open()
  })
  afterEach(() => stores.close())

  describe(`${name}: shares by cost`, () => {
    test('beside 500 long tasks, each of 100 short tasks starts within one long task and the short work', async () => {
      const simulation = new Simulation(stores, 4)
      await simulation.accept('long', 500, LONG)
      await simulation.run(START + 10 * LONG + 1000)
      await simulation.accept('short', 100, SHORT)
      await simulation.run(START + 13 * LONG)
      expect(simulation.performed.filter(({ tenant }) => tenant === 'short')).toHaveLength(100)
      expect(simulation.longestWait('short')).toBeLessThanOrEqual(LONG + 100 * SHORT)
    }, 30_000)

    test('with one worker and two tenants with long tasks, a hundred short tasks wait for two long ones', async () => {
      const simulation = new Simulation(stores, 1)
      await simulation.accept('one', 10, LONG)
      await simulation.accept('two', 10, LONG)
      await simulation.run(START + 2 * LONG + 1000)
      await simulation.accept('short', 100, SHORT)
      await simulation.run(START + 8 * LONG)
      // By number, every third task would be a short one, and the last would wait for 200 long ones.
      expect(simulation.longestWait('short')).toBeLessThanOrEqual(2 * LONG + 100 * SHORT)
    })

    test('tenants that always have work get equal time, whatever their tasks cost', async () => {
      const simulation = new Simulation(stores, 4)
      await simulation.accept('long', 20, LONG)
      await simulation.accept('short', 400, 5000)
      await simulation.run(START + 5 * LONG)
      const [long, short] = ['long', 'short'].map((tenant) => simulation.cost(tenant, START, START + 5 * LONG)) as [
        number,
        number,
      ]
      expect(Math.abs(long - short)).toBeLessThanOrEqual(LONG)
    })

    test('a tenant gets no credit for the time of its absence', async () => {
      const simulation = new Simulation(stores, 1)
      await simulation.accept('busy', 100, SHORT)
      await simulation.run(START + 50 * SHORT)
      await simulation.accept('late', 60, SHORT)
      await simulation.run(START + 70 * SHORT)
      const late = simulation.cost('late', START + 50 * SHORT, START + 70 * SHORT)
      expect(late / SHORT).toBeGreaterThanOrEqual(9)
      expect(late / SHORT).toBeLessThanOrEqual(11)
    })

    test.each([
      ['long', 12],
      ['short', 300],
    ] as const)('the estimated wait of a %s task beside tasks of other lengths is its wait', async (tenant, own) => {
      const simulation = new Simulation(stores, 4)
      await simulation.accept('long', 24, LONG)
      await simulation.accept('short', 900, SHORT)
      const now = START + 2 * LONG
      await simulation.run(now)
      await simulation.accept(tenant, own, tenant === 'long' ? LONG : SHORT)
      const estimate = estimateWait(await stores.tasks.backlog('speech'), tenant)
      await simulation.accept(tenant, 1, SHORT)
      await simulation.run()
      const last = simulation.performed.findLast((task) => task.tenant === tenant)
      const wait = ((last?.start ?? Number.NaN) - now) / 1000
      expect(estimate / wait).toBeGreaterThan(0.75)
      expect(estimate / wait).toBeLessThan(1.33)
    })

    test('the work of one work class does not count in the other', async () => {
      const plain = { model: 'm', request: {}, cost: LONG } as const
      await stores.tasks.accept({ ...plain, id: 'heard', tenant: 'first', kind: 'audio.transcription' })
      const heard = await stores.tasks.claim(1000, { workClasses: ['recognition'] })
      if (heard !== undefined) await stores.tasks.succeed(heard, {})
      for (const [id, tenant] of [
        ['a', 'first'],
        ['b', 'second'],
        ['c', 'second'],
      ] as const) {
        await stores.tasks.accept({ ...plain, id, tenant, kind: 'audio.speech', cost: 1 })
      }
      const order = []
      for (let n = 0; n < 3; n += 1) order.push((await stores.tasks.claim(1000, { workClasses: ['speech'] }))?.taskId)
      expect(order).toEqual(['a', 'b', 'c'])
    })

    test('an attempt that does not count costs its tenant nothing', async () => {
      const plain = { kind: 'audio.speech', model: 'm', request: {} } as const
      await stores.tasks.accept({ ...plain, id: 'a', tenant: 'first', cost: LONG })
      const claim = await stores.tasks.claim(1000)
      if (claim === undefined) throw new Error('Not claimed')
      await stores.tasks.release(claim, { counts: false })
      for (const id of ['b1', 'b2', 'b3']) await stores.tasks.accept({ ...plain, id, tenant: 'second', cost: 1 })
      const order = []
      for (let n = 0; n < 3; n += 1) order.push((await stores.tasks.claim(1000))?.taskId)
      expect(order).toEqual(['b1', 'a', 'b2'])
    })
  })
}
