/** A message to a store. */
export interface StoreMessage {
  readonly store: 'postgres' | 's3'
  /** The beginning of the statement, or method and path. */
  readonly text: string
}

/** Which message to which store has which fault. One message of a run has one. */
export interface PlannedFault {
  readonly store: StoreMessage['store']
  /** Number of the message, from 1. */
  readonly message: number
  readonly fault: string
}

/**
 * Maximum delay of a message, in milliseconds. A transaction that waits for it may hold a lock that the process needs.
 */
const HELD_MS = 100

/** Counts the messages to the stores of a run, and gives the planned one its fault. */
export class FaultScript {
  #planned: PlannedFault | undefined
  #counts = { postgres: 0, s3: 0 }
  #messages: StoreMessage[] = []
  readonly #held = new Set<() => Promise<void>>()
  #hit: StoreMessage | undefined

  /** Begins a run. @param planned Its fault. @default none */
  begin(planned?: PlannedFault): void {
    this.#planned = planned
    this.#counts = { postgres: 0, s3: 0 }
    this.#messages = []
    this.#hit = undefined
  }

  /** The fault of the next message to a store, if it has one. */
  next(store: StoreMessage['store'], text: string): string | undefined {
    this.#messages.push({ store, text })
    this.#counts[store] += 1
    const planned = this.#planned
    if (planned?.store !== store || planned.message !== this.#counts[store]) return undefined
    this.#planned = undefined
    this.#hit = { store, text }
    return planned.fault
  }

  /** Delays a message until {@link release}, at most for a moment. */
  hold(send: () => Promise<void>): void {
    let sent: Promise<void> | undefined
    const once = async (): Promise<void> => {
      clearTimeout(timer)
      sent ??= send()
      await sent
      this.#held.delete(once)
    }
    this.#held.add(once)
    const timer = setTimeout(() => void once(), HELD_MS)
  }

  /** Sends the delayed messages, and waits for their effect. */
  async release(): Promise<void> {
    await Promise.all([...this.#held].map((send) => send()))
  }

  /** The messages of the run so far. */
  get messages(): readonly StoreMessage[] {
    return this.#messages
  }

  /** The message that had the fault. */
  get hit(): StoreMessage | undefined {
    return this.#hit
  }
}
