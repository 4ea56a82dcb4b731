import {
  assert,
  asyncModelRun,
  asyncProperty,
  type AsyncCommand,
  boolean,
  commands,
  constant,
  constantFrom,
  integer,
  nat,
  tuple,
} from 'fast-check'
import { expect } from 'vitest'
import type { Lease } from '../../src/ports/task-store.ts'
import { type OpenStores, START, type Stores } from './stores.ts'

/** The expected state of a task. */
interface ModelTask {
  readonly id: string
  readonly tenant: string
  readonly cost: number
  status: 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED'
  due: number
  leaseEnds: number
  attempts: number
  /** The current lease. Calls with any other lease have no effect. */
  holder: Lease | undefined
}

/** The expected state of the store. */
interface Model {
  now: number
  turn: number
  readonly tasks: ModelTask[]
  readonly turns: Map<string, number>
  /** What each tenant's claimed tasks have cost. */
  readonly spent: Map<string, number>
  /** What the tenant of the last claim had spent before it. */
  reached: number
  /** Every lease ever made. */
  readonly leases: Lease[]
}

type Command = AsyncCommand<Model, Stores>

const TENANTS = ['a', 'b', 'c']
const ended = (task: ModelTask): boolean => task.status === 'SUCCESS' || task.status === 'FAILED'

/** The next task to claim, in the port's terms, independent of a driver's query. */
function nextTask({ tasks, turns, spent, reached, now }: Model): ModelTask | undefined {
  const offers = TENANTS.flatMap((tenant) => {
    const own = tasks.filter((task) => task.tenant === tenant && !ended(task))
    const first = own.find((task) => task.due <= now && task.leaseEnds <= now)
    const start = Math.max(reached, spent.get(tenant) ?? 0)
    return first === undefined ? [] : [{ first, start, turn: turns.get(tenant) ?? 0 }]
  })
  return offers.toSorted(
    (x, y) => x.start - y.start || x.turn - y.turn || tasks.indexOf(x.first) - tasks.indexOf(y.first),
  )[0]?.first
}

const accept = (tenant: string, cost: number): Command => ({
  check: () => true,
  toString: () => `accept(${tenant}, ${cost})`,
  async run(model, { tasks }) {
    const id = `task${model.tasks.length}`
    const { outcome } = await tasks.accept({ id, tenant, kind: 'audio.speech', model: 'm', request: {}, cost })
    expect(outcome).toBe('accepted')
    model.tasks.push({
      id,
      tenant,
      cost,
      status: 'PENDING',
      due: model.now,
      leaseEnds: 0,
      attempts: 0,
      holder: undefined,
    })
  },
})

const claim = (milliseconds: number): Command => ({
  check: () => true,
  toString: () => `claim(${milliseconds})`,
  async run(model, { tasks }) {
    const expected = nextTask(model)
    const claimed = await tasks.claim(milliseconds)
    expect(claimed?.taskId).toBe(expected?.id)
    if (claimed === undefined || expected === undefined) return
    expected.attempts += 1
    expect(claimed.attempt).toBe(expected.attempts)
    for (const lease of model.leases) {
      if (lease.taskId === claimed.taskId) expect(claimed.token).toBeGreaterThan(lease.token)
    }
    expected.status = 'PROCESSING'
    expected.leaseEnds = model.now + milliseconds
    expected.holder = claimed
    model.turn += 1
    model.turns.set(expected.tenant, model.turn)
    model.reached = Math.max(model.reached, model.spent.get(expected.tenant) ?? 0)
    model.spent.set(expected.tenant, model.reached + expected.cost)
    model.leases.push(claimed)
  },
})

/** A call with any lease ever made, held or lost. */
function withLease(
  name: string,
  pick: number,
  call: (stores: Stores, lease: Lease) => Promise<boolean>,
  effect: (task: ModelTask, model: Model) => void,
): Command {
  return {
    check: ({ leases }) => leases.length > 0,
    toString: () => `${name}(${pick})`,
    async run(model, stores) {
      const lease = model.leases[pick % model.leases.length]
      const task = model.tasks.find(({ id }) => id === lease?.taskId)
      if (lease === undefined || task === undefined) throw new Error('No such lease')
      const held = task.holder === lease
      expect(await call(stores, lease)).toBe(held)
      if (held) effect(task, model)
    },
  }
}

const pass = (milliseconds: number): Command => ({
  check: () => true,
  toString: () => `pass(${milliseconds})`,
  async run(model, { clock }) {
    model.now += milliseconds
    clock.now += milliseconds
  },
})

const drop: Command = {
  check: () => true,
  toString: () => 'dropLeases()',
  async run(model, { tasks }) {
    await tasks.dropLeases()
    for (const task of model.tasks) Object.assign(task, { leaseEnds: 0, holder: undefined })
  },
}

const compare: Command = {
  check: () => true,
  toString: () => 'compare()',
  async run(model, stores) {
    const { tasks } = await stores.reopen()
    for (const { id, tenant, status } of model.tasks) expect((await tasks.find(tenant, id))?.status).toBe(status)
  },
}

function end(status: 'SUCCESS' | 'FAILED') {
  return (task: ModelTask): void => {
    Object.assign(task, { status, leaseEnds: 0, holder: undefined })
  }
}

/** Many claims and little time: leases are held, lapse and are lost. */
const calls = [
  tuple(constantFrom(...TENANTS), integer({ min: 1, max: 3 })).map(([tenant, cost]) => accept(tenant, cost)),
  tuple(constantFrom(...TENANTS), constantFrom(1, 100)).map(([tenant, cost]) => accept(tenant, cost)),
  integer({ min: 1, max: 50 }).map(claim),
  integer({ min: 1, max: 50 }).map(claim),
  integer({ min: 1, max: 20 }).map(pass),
  nat(100).map((pick) => withLease('succeed', pick, ({ tasks }, lease) => tasks.succeed(lease, {}), end('SUCCESS'))),
  nat(100).map((pick) =>
    withLease('fail', pick, ({ tasks }, lease) => tasks.fail(lease, { code: 'c', message: 'm' }), end('FAILED')),
  ),
  tuple(nat(100), nat(30)).map(([pick, milliseconds]) =>
    withLease(
      'renew',
      pick,
      ({ tasks }, lease) => tasks.renew(lease, milliseconds),
      (task, { now }) => {
        task.leaseEnds = now + milliseconds
      },
    ),
  ),
  tuple(nat(100), nat(30), boolean()).map(([pick, delay, counts]) =>
    withLease(
      `release ${counts ? 'counted' : 'uncounted'} ${delay} `,
      pick,
      ({ tasks }, lease) => tasks.release(lease, { delay, counts }),
      (task, { now, spent }) => {
        Object.assign(task, { due: now + delay, leaseEnds: 0, holder: undefined })
        if (counts) return
        task.attempts -= 1
        spent.set(task.tenant, (spent.get(task.tenant) ?? 0) - task.cost)
      },
    ),
  ),
  constant(drop),
  constant(compare),
]

/** Checks any sequence of calls against the port's rules, by several workers with valid and stale leases. */
export async function checkTaskStoreModel(open: OpenStores, numRuns: number = 40): Promise<void> {
  const property = asyncProperty(commands(calls, { maxCommands: 80, size: 'max' }), async (sequence) => {
    const stores = await open()
    try {
      const model: Model = {
        now: START,
        turn: 0,
        tasks: [],
        turns: new Map(),
        spent: new Map(),
        reached: 0,
        leases: [],
      }
      await asyncModelRun(() => ({ model, real: stores }), [...sequence, compare])
    } finally {
      await stores.close()
    }
  })
  await assert(property, { numRuns })
}
