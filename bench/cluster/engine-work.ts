import { SENTENCES, wordErrorRate } from '@svc-audio/testing'
import type { Agent } from 'undici'
import { BENCH_KEY } from '../self-hosted/bench-key.ts'
import { postSpeech } from '../self-hosted/post-speech.ts'
import { secondsOf, speak } from '../self-hosted/round-trip.ts'
import type { ServerAddress } from '../self-hosted/server-protocol.ts'

/** An ended task, as the service's response describes it. */
interface EndedTask {
  readonly status: string
  readonly url?: string
  readonly text?: string
}

/** Tasks of one kind. */
export interface EngineWork {
  readonly name: string
  /** Tasks of a measurement. */
  readonly count: number
  /** Accepts a task. @returns its id */
  accept(): Promise<string>
  /** @throws unless the result is that of the work */
  check(task: EndedTask): Promise<void>
}

const VOICE = 'rms'
const [SENTENCE = ''] = SENTENCES
/** Maximum word errors of the sentence's transcript. */
const MOST_ERRORS = 0.5

/** Tasks that speak one sentence as WAV. */
export function speechOfSentence(agent: Agent, api: ServerAddress, count: number): EngineWork {
  return {
    name: 'speech of a sentence',
    count,
    async accept() {
      const fields = { input: SENTENCE, voice_id: VOICE, response_format: 'wav', async: true }
      return idOf(await (await postSpeech(agent, api, fields)).json())
    },
    async check({ url = '' }) {
      const seconds = secondsOf(new Uint8Array(await (await fetch(url)).arrayBuffer()))
      if (!(seconds > 1)) throw new Error(`A spoken sentence has ${seconds} seconds`)
    },
  }
}

/** Tasks that transcribe the recording of one sentence, sent with each. */
export async function transcriptionOfSentence(agent: Agent, api: ServerAddress, count: number): Promise<EngineWork> {
  const { value: recording } = await speak(agent, api, { input: SENTENCE, voiceId: VOICE, format: 'wav' })
  return {
    name: `transcription of ${secondsOf(recording).toFixed(1)} s`,
    count,
    async accept() {
      const form = new FormData()
      form.append('model', 'svc-transcribe-1.0')
      form.append('async', 'true')
      form.append('file', new Blob([recording]), 'speech.wav')
      const headers = { authorization: `Bearer ${BENCH_KEY}` }
      const response = await fetch(`${api.origin}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })
      if (!response.ok) throw new Error(`A transcription was answered ${response.status}: ${await response.text()}`)
      return idOf(await response.json())
    },
    async check({ text = '' }) {
      const errors = wordErrorRate(SENTENCE, text)
      if (errors > MOST_ERRORS) throw new Error(`A transcript has ${Math.round(100 * errors)} % word errors`)
    },
  }
}

/** @throws unless all tasks have succeeded, and the last one's result is right */
export async function checkResults(api: ServerAddress, work: EngineWork, ids: readonly string[]): Promise<void> {
  let last: EndedTask | undefined
  for (const id of ids) {
    const headers = { authorization: `Bearer ${BENCH_KEY}` }
    const response = await fetch(`${api.origin}/v1/audio/tasks/${id}`, { headers })
    // The response of our service has these fields.
    last = (await response.json()) as EndedTask
    if (last.status !== 'SUCCESS') throw new Error(`A task of ${work.name} ended as ${last.status}`)
  }
  if (last !== undefined) await work.check(last)
}

function idOf(body: unknown): string {
  // The response of our service has this field.
  return (body as { task_id: string }).task_id
}
