import { readFile } from 'node:fs/promises'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPEECH_PARAMETERS, TRANSCRIPTION_PARAMETERS } from '../src/endpoints/openai/names.ts'
import { errorOf, KEY, startTestService, type TestService } from './support/test-service.ts'

const PAGE = new URL('../../../docs/openai-api.md', import.meta.url)
const TYPES = new URL('../node_modules/openai/resources/audio/', import.meta.url)
const SAID = 'Good morning, your order is ready to be collected.'

let service: TestService
let client: OpenAI
let file: File
beforeAll(async () => {
  service = await startTestService({ openaiApi: true })
  client = new OpenAI({ apiKey: KEY, baseURL: `${service.url}/openai/v1`, maxRetries: 0 })
  const input = 'Good morning. Your order is ready to be collected.'
  const speech = await client.audio.speech.create({ model: 'tts-1', voice: 'rms', input, response_format: 'wav' })
  file = new File([await speech.blob()], 'a.wav')
})
afterAll(() => service.close())

describe('transcripts of the official client', () => {
  const model = 'whisper-1'

  test('json has the text and the length', async () => {
    const transcript = await client.audio.transcriptions.create({ model, file })
    expect(transcript).toEqual({ text: SAID, usage: { type: 'duration', seconds: 4 } })
  })

  test('text is the text', async () => {
    expect(await client.audio.transcriptions.create({ model, file, response_format: 'text' })).toBe(SAID)
  })

  test('srt and vtt have cues', async () => {
    const srt = await client.audio.transcriptions.create({ model, file, response_format: 'srt' })
    expect(srt).toMatch(/^1\n00:00:00,\d{3} --> 00:00:03,\d{3}\nGood morning/)
    const vtt = await client.audio.transcriptions.create({ model, file, response_format: 'vtt' })
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> 00:00:03\.\d{3}\nGood morning/)
  })

  test('subtitles of the model with speakers name them', async () => {
    const named = { model: 'gpt-4o-transcribe-diarize', file, response_format: 'srt' } as const
    expect(await client.audio.transcriptions.create(named)).toContain('\nS01: Good morning')
  })

  test('verbose_json has segments, and words on request', async () => {
    const form = { model, file, response_format: 'verbose_json' } as const
    const plain = await client.audio.transcriptions.create(form)
    expect(plain).toMatchObject({ task: 'transcribe', language: 'english', text: SAID })
    expect(plain.words).toBeUndefined()
    expect(plain.segments).toMatchObject([{ id: 0, text: ` ${SAID}`, start: expect.any(Number), tokens: [] }])
    const words = await client.audio.transcriptions.create({ ...form, timestamp_granularities: ['word'] })
    expect(words.segments).toBeUndefined()
    expect(words.words?.map(({ word }) => word).join(' ')).toBe(SAID)
    expect(words.words?.at(-1)?.end).toBeGreaterThan(2)
  })

  test('diarized_json has the turns of speakers', async () => {
    const transcript = await client.audio.transcriptions.create({ model, file, response_format: 'diarized_json' })
    expect(transcript).toMatchObject({
      text: SAID,
      task: 'transcribe',
      segments: [{ type: 'transcript.text.segment', id: 'seg_1', speaker: 'S01', text: SAID }],
    })
  })

  test('a stream has deltas that together are the text', async () => {
    const events = await client.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file, stream: true })
    let text = ''
    let last: object | undefined
    for await (const event of events) {
      if (event.type === 'transcript.text.delta') text += event.delta
      last = event
    }
    expect(text).toBe(SAID)
    expect(last).toEqual({ type: 'transcript.text.done', text: SAID, usage: { type: 'duration', seconds: 4 } })
  })

  test('a stream with diarized_json has segments', async () => {
    const form = { model, file, stream: true, response_format: 'diarized_json' } as const
    const types: string[] = []
    for await (const { type } of await client.audio.transcriptions.create(form)) types.push(type)
    expect(types).toEqual(['transcript.text.delta', 'transcript.text.segment', 'transcript.text.done'])
  })

  test.each(['srt', 'vtt'] as const)(
    'a stream of %s has deltas that together are the file',
    async (response_format) => {
      const events = await client.audio.transcriptions.create({ model, file, stream: true, response_format })
      const told: { type: string; delta?: string; text?: string }[] = []
      for await (const event of events) told.push(event)
      const whole = await client.audio.transcriptions.create({ model, file, response_format })
      expect(told.map(({ delta = '' }) => delta).join('')).toBe(whole)
      expect(told.at(-1)).toMatchObject({ type: 'transcript.text.done', text: whole })
    },
  )

  test('a stream of verbose_json has a segment for each utterance, and its words at the end', async () => {
    const form = { model, file, stream: true, response_format: 'verbose_json' } as const
    const told: { type: string }[] = []
    for await (const event of await client.audio.transcriptions.create({
      ...form,
      timestamp_granularities: ['word'],
    })) {
      told.push(event)
    }
    expect(told).toMatchObject([
      { type: 'transcript.text.delta', delta: SAID },
      { type: 'transcript.text.segment', id: 0, text: ` ${SAID}`, start: expect.any(Number), avg_logprob: 0 },
      { type: 'transcript.text.done', text: SAID, language: 'english', words: expect.any(Array) },
    ])
  })

  test('keywords and the phrases of a prompt are heard', async () => {
    const input = 'Please ask Zyntriqix about it.'
    const speech = await client.audio.speech.create({ model: 'tts-1', voice: 'rms', input, response_format: 'wav' })
    const named = new File([await speech.blob()], 'a.wav')
    const hear = async (more: object): Promise<string> =>
      (await client.audio.transcriptions.create({ model, file: named, ...more })).text
    expect(await hear({})).not.toContain('Zyntriqix')
    expect(await hear({ prompt: 'Names: Zyntriqix, Digique Plus.' })).toContain('Zyntriqix')
    expect(await hear({ keywords: ['Zyntriqix'] })).toContain('Zyntriqix')
  })

  test.each([
    ['no audio', { file: new File(['no audio at all'], 'a.wav') }, 415, 'undecodable_audio', 'file'],
    ['a speech model', { model: 'tts-1' }, 400, 'unsupported_for_model', 'model'],
    [
      'speakers without the model',
      { model: 'svc-transcribe-1.0', response_format: 'diarized_json' },
      400,
      'unsupported_for_model',
      'response_format',
    ],
    [
      'keywords without the model',
      { model: 'svc-transcribe-1.0', keywords: ['x'] },
      400,
      'unsupported_for_model',
      'keywords',
    ],
    ['an unknown format', { response_format: 'docx' }, 400, 'unsupported_response_format', 'response_format'],
    ['a wrong granularity', { timestamp_granularities: ['letter'] }, 400, 'invalid_value', 'timestamp_granularities'],
    ['a wrong boolean', { stream: 'perhaps' }, 400, 'invalid_type', 'stream'],
  ])('%s is refused in the shape of OpenAI', async (_what, fields, status, code, param) => {
    const form = { model, file, ...fields } as Parameters<typeof client.audio.transcriptions.create>[0]
    await expect(client.audio.transcriptions.create(form)).rejects.toMatchObject({
      status,
      code,
      param,
      type: 'invalid_request_error',
    })
    expect(await service.list('uploads')).toEqual([])
  })
})

/** The rows of a table of the page: parameter and result. */
async function rowsOf(call: string): Promise<[name: string, result: string][]> {
  const page = await readFile(PAGE, 'utf8')
  const [, rest = ''] = page.split(`<!-- parameters: ${call} -->`)
  const [table = ''] = rest.split('<!-- /parameters -->')
  return Array.from(table.matchAll(/^\| `(?<name>\w+)`\s*\| (?<result>\w+)/gm), ({ groups = {} }) => [
    groups['name'] ?? '',
    groups['result'] ?? '',
  ])
}

/** The parameters in the types of the official client. */
async function parametersOf(source: string, name: string): Promise<string[]> {
  const types = await readFile(new URL(source, TYPES), 'utf8')
  const start = types.indexOf(`export interface ${name}`)
  const body = types.slice(start, types.indexOf('\n}', start))
  return Array.from(body.matchAll(/^ {4}(?<name>\w+)\??:/gm), ({ groups }) => groups?.['name'] ?? '')
}

/** A value of each parameter of speech. */
const SPEECH: Readonly<Record<string, unknown>> = {
  model: 'gpt-4o-mini-tts',
  input: 'Good morning.',
  voice: 'alloy',
  instructions: 'Speak slowly.',
  response_format: 'wav',
  speed: 1.5,
  stream_format: 'audio',
}

/** A value of each parameter of transcriptions. */
const TRANSCRIPTION: Readonly<Record<string, string>> = {
  file: '',
  model: 'whisper-1',
  language: 'en',
  languages: 'en',
  prompt: 'order',
  keywords: 'order',
  response_format: 'verbose_json',
  timestamp_granularities: 'word',
  stream: 'false',
  temperature: '0.5',
  chunking_strategy: 'auto',
  include: 'logprobs',
  known_speaker_names: 'Ann',
  known_speaker_references: 'data:audio/wav;base64,AAAA',
}

/** A form with these parameters. */
function formOf(names: readonly string[]): FormData {
  const form = new FormData()
  for (const name of names) form.append(name, name === 'file' ? file : (TRANSCRIPTION[name] ?? ''))
  return form
}

describe('the tables of parameters', () => {
  test('name every parameter of the official client, as the service does', async () => {
    const speech = await rowsOf('speech')
    const transcriptions = await rowsOf('transcriptions')
    expect(Object.fromEntries(speech)).toEqual(SPEECH_PARAMETERS)
    expect(Object.fromEntries(transcriptions)).toEqual(TRANSCRIPTION_PARAMETERS)
    const names = (rows: readonly [string, string][]): string[] => rows.map(([name]) => name).toSorted()
    expect(names(speech)).toEqual((await parametersOf('speech.d.ts', 'SpeechCreateParams ')).toSorted())
    const known = await parametersOf('transcriptions.d.ts', 'TranscriptionCreateParamsBase')
    expect(names(transcriptions)).toEqual([...new Set(known)].toSorted())
  })

  test('are true: one request with every parameter of speech', async () => {
    const response = await service.request('POST', '/openai/v1/audio/speech', SPEECH)
    await response.arrayBuffer()
    const ignored = (await rowsOf('speech')).filter(([, result]) => result === 'ignored')
    expect([response.status, response.headers.get('x-ignored-parameters')]).toEqual([200, null])
    expect(ignored).toEqual([])
  })

  test('are true: one request with every parameter of transcriptions that is not refused', async () => {
    const rows = await rowsOf('transcriptions')
    const taken = rows.filter(([, result]) => result !== 'refused').map(([name]) => name)
    const response = await service.request('POST', '/openai/v1/audio/transcriptions', formOf(taken))
    await response.arrayBuffer()
    const ignored = rows.filter(([, result]) => result === 'ignored').map(([name]) => name)
    const told = response.headers.get('x-ignored-parameters')
    // The bundled recognizer has no temperature.
    expect([response.status, told?.split(', ').toSorted()]).toEqual([200, [...ignored, 'temperature'].toSorted()])
  })

  test('are true: a request with a refused parameter is 400 and names it', async () => {
    const refused = (await rowsOf('transcriptions')).filter(([, result]) => result === 'refused')
    expect(refused.length).toBeGreaterThan(0)
    for (const [name] of refused) {
      const form = formOf(['file', 'model', name])
      const error = await errorOf(await service.request('POST', '/openai/v1/audio/transcriptions', form))
      expect(error).toEqual({ status: 400, code: 'unsupported_field', param: name })
    }
  })

  test('hold for unknown parameters: they are ignored', async () => {
    const body = { ...SPEECH, lang_code: 'a', volume: null, 'bad\nname': 1 }
    const response = await service.request('POST', '/openai/v1/audio/speech', body)
    await response.arrayBuffer()
    expect([response.status, response.headers.get('x-ignored-parameters')]).toEqual([200, 'lang_code'])
  })
})

/** A RIFF file with this many bytes that no reader needs before its samples. */
async function padded(bytes: number): Promise<File> {
  const wav = Buffer.from(await file.arrayBuffer())
  const header = Buffer.alloc(8)
  header.write('JUNK')
  header.writeUInt32LE(bytes, 4)
  const begin = Buffer.from(wav.subarray(0, 12))
  begin.writeUInt32LE(wav.length + bytes, 4)
  const block = new Blob([new Uint8Array(1024 * 1024)])
  const junk = Array.from({ length: bytes / block.size }, () => block)
  return new File([begin, header, ...junk, wav.subarray(12)], 'a.wav')
}

test('a larger upload than the limit is 413', async () => {
  const large = await padded(513 * 1024 * 1024)
  const call = client.audio.transcriptions.create({ model: 'whisper-1', file: large })
  await expect(call).rejects.toMatchObject({ status: 413, code: 'file_too_large', param: 'file' })
})
