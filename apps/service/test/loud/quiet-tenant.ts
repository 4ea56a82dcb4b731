import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './floods.ts'

/** One kind of call of the quiet tenant. */
export interface QuietCall {
  readonly name: string
  /** Makes the call, and reads its response to the end. */
  readonly run: () => Promise<void>
}

const TEXT = 'The quiet tenant wants one short sentence now.'

/** Every format and kind. @param wav A few seconds of speech. */
export function quietCalls(target: Target, wav: Uint8Array<ArrayBuffer>): QuietCall[] {
  const speech = { model: 'svc-tts-1.5-flash', voice_id: 'rms', input: TEXT }
  const speak = (body: object) => () => read(target, '/v1/audio/speech', body)
  const transcribe = (fields: Record<string, string>) => async () => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', new Blob([wav]), 'a.wav')
    return read(target, '/v1/audio/transcriptions', form)
  }
  const dialogue = {
    model: 'svc-ttsd-1.0',
    speakers: [{ id: 'a', voice_id: 'rms' }],
    segments: [{ speaker: 'a', text: TEXT }],
    response_format: 'mp3',
  }
  return [
    ...['wav', 'mp3', 'opus', 'flac', 'aac', 'pcm'].map((format) => ({
      name: `speech, ${format}`,
      run: async () => void (await speak({ ...speech, response_format: format })()),
    })),
    { name: 'speech, stream', run: async () => void (await speak({ ...speech, ...STREAM })()) },
    {
      name: 'speech, expected_duration_sec',
      run: async () => void (await speak({ ...speech, ...STREAM, expected_duration_sec: 3 })()),
    },
    {
      name: 'speech, task',
      run: () =>
        ended(target, () => read(target, '/v1/audio/speech', { ...speech, response_format: 'mp3', async: true })),
    },
    { name: 'dialogue, mp3', run: async () => void (await read(target, '/v1/audio/speech/speakers', dialogue)) },
    { name: 'transcription', run: async () => void (await transcribe({ model: 'svc-transcribe-1.0' })()) },
    {
      name: 'transcription, speakers',
      run: async () => void (await transcribe({ model: 'svc-transcribe-diarize-pro' })()),
    },
    {
      name: 'transcription, task',
      run: () => ended(target, transcribe({ model: 'svc-transcribe-1.0', async: 'true' })),
    },
    { name: 'list of models', run: async () => void (await read(target, '/v1/models')) },
  ]
}

const STREAM = { stream: true, response_format: 'pcm' }

/** Reads a whole response. @throws Error for any status but 200 */
export async function read({ url, key }: Target, path: string, body?: object): Promise<Uint8Array<ArrayBuffer>> {
  const form = body instanceof FormData
  const json = body === undefined || form ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, ...json },
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${Buffer.from(bytes).toString()}`)
  return bytes
}

/** Waits for the end of a task. */
async function ended(target: Target, create: () => Promise<Uint8Array>): Promise<void> {
  const { id } = JSON.parse(Buffer.from(await create()).toString()) as { id: string }
  for (;;) {
    const task = JSON.parse(Buffer.from(await read(target, `/v1/audio/tasks/${id}`)).toString()) as { status: string }
    if (task.status === 'SUCCESS') return
    if (task.status === 'FAILED') throw new Error(`The task failed: ${JSON.stringify(task)}`)
    await sleep(10)
  }
}
