import { getEventListeners } from 'node:events'
import { ApiError, ConnectionError, type SvcAudioError, type Task } from '../../src/index.ts'
import { MAX_POLL_FAILURES, TaskWaiter, type WaitOptions } from '../../src/tasks/index.ts'
import { type ManualClock, manualClock, settled } from './manual-clock.ts'
import { task, watchPromise } from './scripted-tasks.ts'

/** What the server may say to a read. */
export type Reply =
  | { readonly kind: 'goes on'; readonly retryAfter: number | undefined }
  | { readonly kind: 'passes'; readonly retryAfter: number | undefined }
  | { readonly kind: 'cut' | 'SUCCESS' | 'FAILED' | 'refused' | 'garbage' }

/** One wait as the model expects it. */
interface ModelWait {
  readonly id: string
  readonly caller: AbortController
  readonly actual: ReturnType<typeof watchPromise>
  readonly deadline: number
  /** How it must end; `undefined` while it must continue. */
  expected: Ending | undefined
}

interface Ending {
  readonly state: 'resolved' | 'rejected'
  /** The very value, or what its fields must be. */
  readonly value: unknown
}

/** What the model knows of one task. */
interface ModelTask {
  /** No read before this moment. */
  earliest: number
  /** The server's interval in milliseconds. */
  interval: number
  failures: number
  /** Whether it was read, or a read failed, since somebody waits for it. */
  asked: boolean
  /** A notification came during the read in flight. */
  again: boolean
  /** A notification came, and its read is still to begin. */
  hurried: boolean
}

interface Reading {
  readonly id: string
  readonly signal: AbortSignal
  readonly resolve: (response: Task) => void
  readonly reject: (error: unknown) => void
}

const FRESH: ModelTask = { earliest: 0, interval: 0, failures: 0, asked: false, again: false, hurried: false }

/** A waiter, the server that it asks, and beside them what must hold. */
export class WaiterWorld {
  readonly clock: ManualClock = manualClock()
  readonly waiter: TaskWaiter
  readonly waits: ModelWait[] = []
  readonly readings: Reading[] = []
  /** What did not hold. */
  readonly faults: string[] = []
  readonly #tasks = new Map<string, ModelTask>()
  readonly #cap: number

  constructor(cap: number, random: () => number) {
    this.#cap = cap
    const read = (id: string, signal: AbortSignal): Promise<Task> => this.#read(id, signal)
    this.waiter = new TaskWaiter({ read, clock: this.clock, random, maxConcurrentPolls: cap })
  }

  open(id?: string): ModelWait[] {
    return this.waits.filter((wait) => wait.expected === undefined && (id === undefined || wait.id === id))
  }

  start(id: string, options: WaitOptions): void {
    const known = this.#task(id)
    if (this.open(id).length === 0) this.#tasks.set(id, { ...FRESH, earliest: known.earliest })
    const one = this.#task(id)
    const least = (options.notBefore ?? 0) * 1000
    if (!one.asked && !one.hurried) {
      one.earliest = Math.max(one.earliest, this.clock.now() + least)
      one.interval = Math.max(one.interval, least)
    }
    const caller = new AbortController()
    const deadline = this.clock.now() + (options.timeout ?? Infinity)
    const actual = watchPromise(this.waiter.wait(id, { ...options, signal: caller.signal }))
    this.waits.push({ id, caller, actual, deadline, expected: undefined })
  }

  abort(wait: ModelWait): void {
    const reason = { aborted: wait.id }
    wait.expected ??= { state: 'rejected', value: reason }
    wait.caller.abort(reason)
  }

  notify(id: string): void {
    const one = this.#task(id)
    one.earliest = 0
    one.hurried = this.open(id).length > 0
    one.again = this.readings.some((reading) => reading.id === id)
    this.waiter.notify(id)
  }

  close(reason: object): void {
    for (const wait of this.open()) wait.expected = { state: 'rejected', value: reason }
    this.waiter.close(reason)
  }

  async advance(milliseconds: number): Promise<void> {
    const now = this.clock.now() + milliseconds
    for (const wait of this.open()) {
      if (wait.deadline > now) continue
      wait.expected = { state: 'rejected', value: { name: 'TaskTimeoutError', taskId: wait.id } }
    }
    await this.clock.advance(milliseconds)
  }

  answer(reading: Reading, reply: Reply): void {
    this.readings.splice(this.readings.indexOf(reading), 1)
    const { id } = reading
    const one = this.#task(id)
    const end = (expected: Ending): void => {
      for (const wait of this.open(id)) wait.expected = expected
    }
    if (reply.kind === 'goes on') {
      one.failures = 0
      one.interval = (reply.retryAfter ?? 0) * 1000
      this.#rest(one, one.interval)
      reading.resolve(task(id, 'PROCESSING', reply.retryAfter === undefined ? {} : { retry_after: reply.retryAfter }))
    } else if (reply.kind === 'passes' || reply.kind === 'cut') {
      const retryAfter = 'retryAfter' in reply ? reply.retryAfter : undefined
      const error: SvcAudioError =
        reply.kind === 'cut' ? new ConnectionError('cut') : new ApiError('busy', { status: 503, retryAfter })
      one.failures += 1
      if (one.failures === MAX_POLL_FAILURES) end({ state: 'rejected', value: error })
      this.#rest(one, Math.max(one.interval, (retryAfter ?? 0) * 1000))
      reading.reject(error)
    } else if (reply.kind === 'refused') {
      const error = new ApiError('no', { status: 401 })
      end({ state: 'rejected', value: error })
      reading.reject(error)
    } else {
      const value = { SUCCESS: { id }, FAILED: { name: 'TaskFailedError' }, garbage: { name: 'ProtocolError' } }[
        reply.kind
      ]
      end({ state: reply.kind === 'SUCCESS' ? 'resolved' : 'rejected', value })
      one.earliest = 0
      reading.resolve(reply.kind === 'garbage' ? ({} as Task) : task(id, reply.kind))
    }
  }

  /** Looks at what must hold whenever nothing moves. */
  async check(): Promise<void> {
    await settled()
    for (const { id, expected, actual, caller } of this.waits) {
      this.#must(endsAs(actual, expected), `the wait for ${id} is ${actual.state} with ${String(actual.value)}`)
      const listeners = getEventListeners(caller.signal, 'abort').length
      this.#must(listeners === (expected === undefined ? 1 : 0), `${listeners} listeners for ${id}`)
    }
    const [open, reading, timers] = [this.open().length, this.readings.length, this.clock.timers()]
    this.#must(timers <= 1, `${timers} timers`)
    // Every waiter has a read in flight or a timer; without waiters nothing is left.
    this.#must(open > 0 === reading + timers > 0, `${reading} reads and ${timers} timers for ${open} waits`)
  }

  /** Answers everything until nobody waits any more. */
  async finish(): Promise<void> {
    for (let steps = 0; this.open().length > 0; steps += 1) {
      if (steps > 1000) throw new Error('A wait never ends')
      for (const reading of Array.from(this.readings)) this.answer(reading, { kind: 'SUCCESS' })
      await settled()
      if (this.readings.length === 0 && this.open().length > 0) await this.advance(500)
    }
    await this.check()
  }

  #must(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(fault)
  }

  #rest(one: ModelTask, milliseconds: number): void {
    one.earliest = one.again ? 0 : this.clock.now() + milliseconds
    one.again = false
  }

  #task(id: string): ModelTask {
    const one = this.#tasks.get(id) ?? { ...FRESH }
    this.#tasks.set(id, one)
    return one
  }

  #read(id: string, signal: AbortSignal): Promise<Task> {
    const one = this.#task(id)
    this.#must(this.clock.now() >= one.earliest, `${id} is read at ${this.clock.now()}, before ${one.earliest}`)
    this.#must(!this.readings.some((reading) => reading.id === id), `${id} is read twice at a time`)
    this.#must(this.readings.length < this.#cap, `${this.readings.length + 1} reads in flight`)
    Object.assign(one, { asked: true, again: false, hurried: false })
    return new Promise((resolve, reject) => {
      const reading: Reading = { id, signal, resolve, reject }
      this.readings.push(reading)
      const abort = (): void => {
        this.readings.splice(this.readings.indexOf(reading), 1)
        reject(signal.reason)
      }
      signal.addEventListener('abort', () => this.readings.includes(reading) && abort(), { once: true })
    })
  }
}

function endsAs({ state, value }: ModelWait['actual'], expected: Ending | undefined): boolean {
  if (expected === undefined || state !== expected.state) return expected === undefined && state === 'pending'
  if (value === expected.value) return true
  const [actual, fields] = [Object(value), Object.entries(Object(expected.value))]
  return fields.length > 0 && fields.every(([name, field]) => actual[name] === field)
}
