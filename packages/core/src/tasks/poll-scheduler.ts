import type { Clock } from '../transport/transport.ts'
import { type Due, DueQueue } from './due-queue.ts'

/** A poll that takes its turn. */
export interface Poll extends Due {
  /** Asks the server once. It occupies a place among the polls in flight until it settles, and must not reject. */
  run(): Promise<void>
}

/** The end of somebody's patience. */
export interface Deadline extends Due {
  run(): void
}

/**
 * The one place that decides when something happens: at most `maxRunning` polls at a time, those due first going first,
 * and one timer for all of it, which is there only while something is to come. Even what is due now waits for it: a
 * poll that took the place of another at the very moment when that one's answer is whole would find its connection not
 * free yet, and open one more.
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

  /** A poll that has not begun never will. */
  cancelPoll(poll: Poll): void {
    this.#polls.remove(poll)
    this.#arm()
  }

  /** A deadline matters no more. */
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

  /** With every place taken, the next poll begins when another ends, and needs no timer. */
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
      // A timer may come early, by a hair or because it cannot hold so long a delay: then it is set again.
      this.#advance()
    })
  }
}
