import type { DatabaseSync } from 'node:sqlite'

/** Work that waits for its group. */
interface Waiting {
  readonly work: () => Promise<unknown>
  readonly settle: (outcome: Outcome) => void
}

/** What happened to a work. */
type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** Maximum works of a group. It bounds the time until the first of them is on the disk. */
const MOST_TOGETHER = 128

/**
 * Commits works in groups: one sync of the disk for all works that came in during the sync before. A work resolves when
 * its group is on the disk. A failed work fails alone. If a group fails, each of its works runs again in a group of its
 * own, so that a large write on a nearly full disk does not fail the small ones.
 */
export class GroupCommit {
  readonly #connection: DatabaseSync
  readonly #onCommit: (milliseconds: number) => void
  readonly #queue: Waiting[] = []
  #running: Promise<void> | undefined

  /**
   * @param connection A connection that nothing else writes to.
   * @param onCommit Receives the time of each commit, in milliseconds.
   */
  constructor(connection: DatabaseSync, onCommit: (milliseconds: number) => void = () => {}) {
    this.#connection = connection
    this.#onCommit = onCommit
  }

  /**
   * Runs work in a transaction that it shares with others. A transaction of the work itself becomes a savepoint.
   * @param work May run twice, and only its last run counts. It waits for nothing but the database.
   * @throws What `work` throws, and the error of the commit
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const settle = (outcome: Outcome): void => {
      if ('error' in outcome) reject(outcome.error)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `work` returned it
      else resolve(outcome.value as T)
    }
    this.#queue.push({ work, settle })
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined
    })
    return promise
  }

  /** Resolves when no work waits. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #drain(): Promise<void> {
    do {
      // Lets in what arrived during the last commit.
      await new Promise<void>((resolve) => {
        setImmediate(resolve)
      })
      await this.#commitGroup(this.#queue.splice(0, MOST_TOGETHER))
    } while (this.#queue.length > 0)
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      this.#connection.exec('BEGIN IMMEDIATE')
    } catch (error) {
      for (const { settle } of group) settle({ error })
      return
    }
    const outcomes: Outcome[] = []
    for (const { work } of group) {
      outcomes.push(await outcomeOf(work))
      // SQLite has rolled the whole group back.
      if (!this.#connection.isTransaction) break
    }
    const failure = this.#commit()
    if (failure === undefined) {
      for (const [at, { settle }] of group.entries())
        settle(outcomes[at] ?? { error: new Error('The work did not run') })
    } else if (group.length > 1) {
      for (const one of group) await this.#commitGroup([one])
    } else {
      const [outcome] = outcomes
      group[0]?.settle(outcome !== undefined && 'error' in outcome ? outcome : failure)
    }
  }

  #commit(): { readonly error: unknown } | undefined {
    if (!this.#connection.isTransaction) return { error: new Error('SQLite rolled the transaction back') }
    try {
      const start = performance.now()
      this.#connection.exec('COMMIT')
      this.#onCommit(performance.now() - start)
      return undefined
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
      return { error }
    }
  }
}

async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error }
  }
}
