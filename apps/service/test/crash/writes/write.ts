import type { Program, Tenant } from '../program.ts'

/** Terms of a write. */
export interface WriteTerms {
  /** Its Idempotency-Key, which is also its name. */
  readonly key: string
  readonly tenant: Tenant
}

/** A write of the service, or of a command beside it. */
export abstract class Write {
  /** Its name in the report. */
  abstract readonly kind: string
  readonly key: string
  readonly tenant: Tenant
  /** Whether it was sent and answered. Acknowledged data must exist from then on. */
  sent = false
  acknowledged = false
  /** Whether a deletion was requested: then the write may be missing. */
  doomed = false
  /** Its prerequisites. */
  readonly parts: readonly Write[]

  constructor({ key, tenant }: WriteTerms, parts: readonly Write[] = []) {
    this.key = key
    this.tenant = tenant
    this.parts = parts
  }

  /** Sends the write, also repeatedly. @throws TypeError or CutOffError when the service has exited */
  async begin(program: Program): Promise<void> {
    this.sent = true
    await this.send(program)
    this.acknowledged = true
  }

  /** @returns when the whole response has arrived */
  protected abstract send(program: Program): Promise<void>

  /** Checks an acknowledged write while the service works. @throws Error when it is missing or incomplete */
  abstract look(program: Program): Promise<void>

  /**
   * After the last start: sends the write again if the service can recognize it, waits for its end and checks it
   * closely.
   * @returns The outcome, in a word.
   * @throws Error when it is missing, incomplete or duplicated
   */
  abstract settle(program: Program): Promise<string>
}
