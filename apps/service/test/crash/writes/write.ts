import type { Program, Tenant } from '../program.ts'

/** What is known of a write before it is sent. */
export interface WriteTerms {
  /** Its Idempotency-Key, and its name in every other way. */
  readonly key: string
  readonly tenant: Tenant
}

/** Something that the service, or a command beside it, is told to write. */
export abstract class Write {
  /** What it is called in the report. */
  abstract readonly kind: string
  readonly key: string
  readonly tenant: Tenant
  /** Whether it was sent, and whether an answer came: what was acknowledged must be there from then on. */
  sent = false
  acknowledged = false
  /** Whether it has been told to go again, so that its absence means nothing. */
  doomed = false
  /** What it has to write first. */
  readonly parts: readonly Write[]

  constructor({ key, tenant }: WriteTerms, parts: readonly Write[] = []) {
    this.key = key
    this.tenant = tenant
    this.parts = parts
  }

  /** Sends it, for the first time or again. @throws TypeError or CutOffError when the service has gone */
  async begin(program: Program): Promise<void> {
    this.sent = true
    await this.send(program)
    this.acknowledged = true
  }

  /** @returns when the whole answer has come */
  protected abstract send(program: Program): Promise<void>

  /** Looks at what was acknowledged, while the service works. @throws Error when it is lost or not whole */
  abstract look(program: Program): Promise<void>

  /**
   * After the last start: sends it again where it can be recognized, waits for its end and looks closely.
   * @returns How it ended, in a word.
   * @throws Error when it is lost, not whole, or there twice
   */
  abstract settle(program: Program): Promise<string>
}
