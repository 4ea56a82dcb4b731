import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../program.ts'
import { responseOf, call } from './call.ts'
import { checkEnd, checkTask } from './task-write.ts'
import { Write } from './write.ts'

/** Only streams use this model: it distinguishes their tasks. */
export const STREAM_MODEL = 'svc-tts-1.5-flash'

const TEXT = 'Whoever listens hears this from its beginning. It goes on for a while. '.repeat(5)

/** Streaming speech. The first event acknowledges its task, the last its whole file. */
export class StreamWrite extends Write {
  readonly kind = 'speech stream'
  id = ''
  #complete = false

  protected async send(program: Program): Promise<void> {
    const format = { response_format: 'pcm', stream_format: 'sse' }
    const body = { model: STREAM_MODEL, input: TEXT, voice_id: 'slt', stream: true, ...format }
    const response = await call(program, this, { path: '/v1/audio/speech', body })
    if (response.status !== 200 || response.body === null) return responseOf(response, this.key)
    let said = ''
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      said = (said + part).slice(-100_000)
      const id = /"task_id":"(\w+)"/.exec(said)?.[1]
      if (id === undefined || this.acknowledged) continue
      this.id = id
      this.acknowledged = true
    }
    if (!said.endsWith('{"type":"speech.audio.done"}\n\n')) throw new TypeError(`${this.key} was cut`)
    this.#complete = true
  }

  async look(program: Program): Promise<void> {
    const complete = this.#complete
    const { status } = await checkTask(program, this, this.id)
    if (complete && status !== 'SUCCESS') throw new Error(`${this.key} was complete and its task is ${status}`)
  }

  async settle(program: Program): Promise<string> {
    if (!this.acknowledged) return 'unanswered'
    await this.look(program)
    for (;;) {
      const { status, error } = await checkTask(program, this, this.id)
      if (status === 'SUCCESS' || status === 'FAILED') return checkEnd(this.key, error?.code ?? status)
      await sleep(20)
    }
  }
}
