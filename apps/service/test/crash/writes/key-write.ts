import type { Program } from '../program.ts'
import { Write } from './write.ts'

/** An API key created beside the running service. */
export class KeyWrite extends Write {
  readonly kind = 'API key'
  id = ''
  #secret = ''

  protected async send(program: Program): Promise<void> {
    const said = await program.admin('keys', 'create', this.tenant)
    this.id = /^id +(\S+)/m.exec(said)?.[1] ?? ''
    this.#secret = /^API key +(\S+)/m.exec(said)?.[1] ?? ''
  }

  async look(program: Program): Promise<void> {
    const status = await this.try(program)
    if (status === 200 || this.doomed) return
    throw new Error(`The API key ${this.key} was created and gets status ${status}`)
  }

  async settle(program: Program): Promise<string> {
    // A user who has not seen the key creates another.
    if (!this.acknowledged) return 'unanswered'
    await this.look(program)
    return 'stored'
  }

  /** The status of a request with the key. */
  async try({ url }: Program): Promise<number> {
    const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${this.#secret}` } })
    await response.bytes()
    return response.status
  }
}
