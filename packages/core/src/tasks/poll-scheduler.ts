import type { Clock } from '../transport/transport.ts'
import { type Due, DueQueue } from './due-queue.ts'

/** A planned poll. */
export interface Poll extends Due {
  /** Reads the task once. It counts as in flight until it settles. It must not reject. */
  run(): Promise<void>
}

/** The deadline of a wait. */
export interface Deadline extends Due {
  run(): void
}

/**
 * Schedules polls and deadlines. At most `maxRunning` polls run at a time, the earliest first. One timer serves all,
 * and is set only while an item is planned. Even an item that is due now waits for the timer. Otherwise a poll would
 * start before the connection of the previous poll is free, and would open another one.
 */
export class PollScheduler {
  readonly #clock: Clock
  readonly #maxRunning: number
  readonly #polls = new DueQueue<Poll>()
  readonly #deadlines = new DueQueue<Deadline>()
  #running = 0
  #armedFor = Infinity
  #disarm: () => void = () => {}

  constructor(clock: Clock, maxRunning: number) {
    this.#clock = clock
    this.#maxRunning = maxRunning
  }

  /** Plans a poll, or moves it. */
  poll(poll: Poll, at: number): void {
    this.#polls.put(poll, at)
    this.#arm()
  }

  /** Plans a deadline. */
  expire(deadline: Deadline, at: number): void {
    this.#deadlines.put(deadline, at)
    this.#arm()
  }

  /** Removes a poll that has not begun. */
  cancelPoll(poll: Poll): void {
    this.#polls.remove(poll)
    this.#arm()
  }

  /** Removes a deadline. */
  cancelExpire(deadline: Deadline): void {
    this.#deadlines.remove(deadline)
    this.#arm()
  }

  #advance(): void {
    const now = this.#clock.now()
    for (let due = this.#deadlines.takeDue(now); due !== undefined; due = this.#deadlines.takeDue(now)) due.run()
    while (this.#running < this.#maxRunning) {
      const poll = this.#polls.takeDue(now)
      if (poll === undefined) break
      this.#running += 1
      void this.#run(poll)
    }
    this.#arm()
  }

  async #run(poll: Poll): Promise<void> {
    await poll.run()
    this.#running -= 1
    this.#arm()
  }

  /** At the limit, the next poll begins when another ends, and needs no timer. */
  #arm(): void {
    const nextPoll = this.#running < this.#maxRunning ? this.#polls.next : Infinity
    const next = Math.min(nextPoll, this.#deadlines.next)
    if (next === this.#armedFor) return
    this.#disarm()
    this.#disarm = () => {}
    this.#armedFor = next
    if (next === Infinity) return
    this.#disarm = this.#clock.setTimer(Math.max(0, next - this.#clock.now()), () => {
      this.#armedFor = Infinity
      // A timer may fire early, slightly or because the delay is too long for it. It is then set again.
      this.#advance()
    })
  }
}
