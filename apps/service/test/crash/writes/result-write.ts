import type { Program } from '../program.ts'
import { responseOf, call, checkResult } from './call.ts'
import { Write } from './write.ts'

/** Stored speech with a link as its response (`delivery_method=url`). */
export class ResultWrite extends Write {
  readonly kind = 'result by url'
  id = ''
  #link = ''

  protected async send(program: Program): Promise<void> {
    const body = {
      model: 'svc-tts-1.0-pro',
      input: `${this.key.replaceAll('-', ' ')}.`,
      voice_id: 'rms',
      response_format: 'wav',
      delivery_method: 'url',
    }
    const response = await call(program, this, { path: '/v1/audio/speech', body })
    const { id, url } = await responseOf<{ readonly id: string; readonly url: string }>(response, this.key)
    if (this.acknowledged && id !== this.id) throw new Error(`${this.key} has two results`)
    this.id = id
    this.#link = url
  }

  async look(program: Program): Promise<void> {
    await checkResult(program, this.key, this.#link)
  }

  async settle(program: Program): Promise<string> {
    // The link from before the crash works, and so does the new one.
    if (this.acknowledged) await this.look(program)
    await this.begin(program)
    await this.look(program)
    return 'stored'
  }
}
