import type { Program } from '../program.ts'
import { Write, type WriteTerms } from './write.ts'

/** Terms of a deletion. */
export interface DeletionTerms<Victim extends Write> extends WriteTerms {
  readonly kind: string
  /** The write to delete. */
  readonly victim: Victim
  /** Deletes the write. @returns `false` when it was missing */
  readonly remove: (program: Program, victim: Victim) => Promise<boolean>
  readonly isGone: (program: Program, victim: Victim) => Promise<boolean>
}

/** Creates something, then deletes it. */
export class Deletion<Victim extends Write> extends Write {
  readonly kind: string
  readonly #terms: DeletionTerms<Victim>

  constructor(terms: DeletionTerms<Victim>) {
    super(terms, [terms.victim])
    this.kind = terms.kind
    this.#terms = terms
  }

  protected async send(program: Program): Promise<void> {
    const { victim, remove } = this.#terms
    if (!victim.acknowledged) await victim.begin(program)
    const again = victim.doomed
    victim.doomed = true
    if (!(await remove(program, victim)) && !again) throw new Error(`${victim.key} was acknowledged and is missing`)
  }

  async look(program: Program): Promise<void> {
    const { victim, isGone } = this.#terms
    if (!(await isGone(program, victim))) throw new Error(`${victim.key} was deleted and still exists`)
  }

  async settle(program: Program): Promise<string> {
    if (!this.acknowledged) await this.begin(program)
    await this.look(program)
    return 'deleted'
  }
}
