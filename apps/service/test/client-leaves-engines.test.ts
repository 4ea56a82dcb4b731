import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePrometheus } from './support/telemetry.ts'
import { rawForm, type RawRequest, sendRaw } from './support/connections.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

/** Shorter than a lease: an expired lease must not be the reason that work ends. */
const PATIENCE = { timeout: 25_000, interval: 100 }
const authorization = `Bearer ${KEY}`

let service: TestService
/** A minute of speech. */
let recording: Buffer
beforeAll(async () => {
  service = await startTestService()
  const input = Array.from({ length: 25 }, (_, n) => `This is sentence number ${n} of a story.`).join(' ')
  const body = { model: 'svc-tts-1.0-pro', input, voice_id: 'rms', response_format: 'wav' }
  recording = Buffer.from(await (await service.request('POST', '/v1/audio/speech', body)).bytes())
})
afterAll(() => service.close())

/** States of all tasks, with the error code of failed ones. */
function states(): string[] {
  const database = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { readOnly: true })
  try {
    const rows = database.prepare("SELECT status || coalesce(' ' || json_extract(error, '$.code'), '') AS s FROM tasks")
    return rows.all().map(({ s }) => String(s))
  } finally {
    database.close()
  }
}

const stream = (stream_format: string): RawRequest => ({
  path: '/v1/audio/speech',
  headers: { authorization, 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'svc-tts-1.5-flash',
    input: 'This is a sentence of a long story. '.repeat(200),
    response_format: 'pcm',
    stream: true,
    stream_format,
  }),
})
const transcription = (): RawRequest => {
  const { headers, body } = rawForm({ model: 'svc-transcribe-diarize-pro', stream: 'true' }, recording)
  return { path: '/v1/audio/transcriptions', headers: { authorization, ...headers }, body }
}
const rows: [what: string, request: () => RawRequest][] = [
  ['speech as events', () => stream('sse')],
  ['raw speech', () => stream('audio')],
  ['a transcription', transcription],
]

test.each(rows)(
  '%s, reset by its clients at different times, ends as client_disconnected, and the engines stop',
  async (_what, request) => {
    for (let turn = 0; turn < 12; turn += 1) {
      const socket = sendRaw(service.url, request())
      await once(socket, 'connect')
      // From before the request is read to the middle of the work, on machines of any speed.
      await sleep(2 ** turn / 4)
      socket.resetAndDestroy()
    }
    await expect.poll(() => new Set(states()), PATIENCE).toEqual(new Set(['FAILED client_disconnected']))
    const busy = async (): Promise<unknown[]> => {
      const samples = parsePrometheus(await (await fetch(`${service.url}/metrics`)).text())
      return ['recognition', 'speech'].map((engine) => samples.get(`svc_audio_engine_busy_threads{engine="${engine}"}`))
    }
    await expect.poll(busy, PATIENCE).toEqual([0, 0])
  },
)
