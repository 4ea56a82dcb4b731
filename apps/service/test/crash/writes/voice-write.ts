import { buzz, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import type { Program } from '../program.ts'
import { responseOf, call, checkWav } from './call.ts'
import { Write } from './write.ts'

const SAMPLE = wavOf(buzz(140, 1.5, 4))

/** A voice from a sample. */
export class VoiceWrite extends Write {
  readonly kind = 'voice'
  id = ''

  protected async send(program: Program): Promise<void> {
    const body = new FormData()
    body.append('name', this.key)
    body.append('audio_sample', SAMPLE, 'sample.wav')
    const response = await call(program, this, { path: '/v1/audio/voices', body })
    const { id } = await responseOf<{ readonly id: string }>(response, this.key)
    if (this.acknowledged && id !== this.id) throw new Error(`${this.key} has two voices`)
    this.id = id
  }

  async look(program: Program): Promise<void> {
    if ((await this.isListed(program)) || this.doomed) return
    throw new Error(`The voice ${this.key} is missing`)
  }

  async settle(program: Program): Promise<string> {
    await this.begin(program)
    await this.look(program)
    checkWav(await (await this.speak(program)).bytes(), this.key)
    return 'stored'
  }

  /** Speaks with the voice. */
  speak(program: Program): Promise<Response> {
    const body = { model: 'svc-tts-1.0-pro', input: 'Still here.', voice_id: this.id, response_format: 'wav' }
    return call(program, { tenant: this.tenant, key: `${this.key}-speaks` }, { path: '/v1/audio/speech', body })
  }

  /** Whether the tenant's list has the voice. */
  async isListed(program: Program): Promise<boolean> {
    const response = await call(program, this, { path: '/v1/audio/voices?limit=150' })
    const { data } = await responseOf<{ readonly data: readonly { readonly id: string }[] }>(response, 'voices')
    return data.some(({ id }) => id === this.id)
  }
}
