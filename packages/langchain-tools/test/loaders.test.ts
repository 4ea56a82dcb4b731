import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json, silence } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import {
  AudioSubtitleLoader,
  type AudioSubtitleLoaderOptions,
  AudioTranscriptLoader,
  AudioTranscriptSegmentsLoader,
} from '../src/loaders/index.ts'
import { temporaryFolder } from './support/folder.ts'
import { fails, startUpstream, WAV } from './support/upstream.ts'

const segment = { type: 'transcript.text.segment', id: 's1', start: 0, end: 1.5, text: 'Hello.', speaker: 'S01' }
const DIARIZED = json({
  task: 'transcribe',
  duration: 4,
  text: 'Hello. How are you? Fine.',
  segments: [
    segment,
    { ...segment, start: 1.5, end: 2.5, text: 'How are you?' },
    { ...segment, start: 2.5, end: 4, text: 'Fine.', speaker: 'S02' },
  ],
})

/** A folder of three recordings, one of them deeper, and a file that is none. */
async function recordings(): Promise<string> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'calls'))
  for (const name of ['b.wav', 'a.wav', 'calls/c.wav', 'notes.txt']) await writeFile(join(folder, name), WAV)
  return folder
}

describe('a source', () => {
  test.each<[string, (folder: string) => ConstructorParameters<typeof AudioTranscriptLoader>[0], string]>([
    ['a path', (folder) => join(folder, 'a.wav'), 'a.wav'],
    ['a Blob', () => new File([WAV], 'voice.wav'), 'voice.wav'],
    ['bytes', () => WAV, 'audio'],
    ['a URL', () => new URL('https://example.com/a.wav'), 'https://example.com/a.wav'],
    ['a URL as text', () => 'https://example.com/a.wav', 'https://example.com/a.wav'],
    ['a named upload', () => ({ file: WAV, name: 'interview' }), 'interview'],
  ])('%s becomes one document', async (_, source, name) => {
    const { client } = await startUpstream()
    const documents = await new AudioTranscriptLoader(source(await recordings()), { client }).load()
    expect(documents).toMatchObject([{ pageContent: 'hello there', metadata: { source: name } }])
  })

  test('a stored file is transcribed by its id', async () => {
    const { client } = await startUpstream()
    const { id: file_id } = await client.files.create({ file: WAV })
    const documents = await new AudioTranscriptLoader({ file_id }, { client }).load()
    expect(documents).toMatchObject([{ pageContent: 'hello there', metadata: { source: file_id } }])
  })

  test('a task id loads the finished transcript', async () => {
    const { client } = await startUpstream()
    const task = await client.transcriptions.createTask({ model: 'svc-transcribe-1.0', file: WAV })
    const documents = await new AudioTranscriptLoader({ task_id: task.id }, { client }).load()
    expect(documents).toMatchObject([{ pageContent: 'hello there', metadata: { source: task.id } }])
  })

  test('a folder gives its recordings in order, with progress, and no path of this machine', async () => {
    const { client, requests } = await startUpstream()
    const folder = await recordings()
    const progress: unknown[] = []
    const onProgress = (report: unknown): void => void progress.push(report)
    const documents = await new AudioTranscriptLoader(folder, { client, onProgress, concurrency: 2 }).load()
    expect(documents.map(({ metadata }) => metadata.source)).toEqual(['a.wav', 'b.wav', 'calls/c.wav'])
    expect(JSON.stringify(documents)).not.toContain(folder)
    expect(progress).toHaveLength(3)
    expect(progress.at(-1)).toMatchObject({ done: 3, total: 3 })
    expect(requests).toHaveLength(3)
  })
})

test('concurrency limits the recordings in flight', async () => {
  let [running, most] = [0, 0]
  const { client } = await startUpstream(async (exchange) => {
    running += 1
    most = Math.max(most, running)
    await exchange.received()
    running -= 1
    return json({ text: 'hello' })
  })
  const source = Array.from({ length: 12 }, () => WAV)
  await expect(new AudioTranscriptLoader(source, { client, concurrency: 3 }).load()).resolves.toHaveLength(12)
  expect(most).toBeLessThanOrEqual(3)
})

test('a document for each speaker turn, with start and end', async () => {
  const { client, requests } = await startUpstream(DIARIZED)
  const documents = await new AudioTranscriptSegmentsLoader(WAV, { client, keyterms: ['Ann'] }).load()
  expect(documents).toMatchObject([
    { pageContent: 'Hello. How are you?', metadata: { speaker: 'S01', start: 0, end: 2.5, durationSeconds: 4 } },
    { pageContent: 'Fine.', metadata: { speaker: 'S02', start: 2.5, end: 4 } },
  ])
  expect(requests[0]?.form?.fields).toMatchObject({ model: ['svc-transcribe-diarize-pro'], keyterms: ['Ann'] })
})

test.each([
  ['srt', /^1\n00:00:00,000 --> /],
  ['vtt', /^WEBVTT\n/],
] as const)('subtitles as %s', async (format, expected) => {
  const { client } = await startUpstream(DIARIZED)
  const [document] = await new AudioSubtitleLoader(WAV, { client, format }).load()
  expect(document?.pageContent).toMatch(expected)
})

test('subtitles of a transcript without times are an error, not an empty document', async () => {
  const { client } = await startUpstream(json({ text: 'hello' }))
  await expect(new AudioSubtitleLoader(WAV, { client }).load()).rejects.toThrow('no times for subtitles')
})

describe('a recording that fails', () => {
  test('a recording that fails ends the loading', async () => {
    const { client } = await startUpstream(fails(415))
    await expect(new AudioTranscriptLoader([WAV, WAV], { client }).load()).rejects.toMatchObject({ status: 415 })
  })

  test('the error names the recording of a folder that failed', async () => {
    const { client } = await startUpstream(async (exchange) => {
      await exchange.received()
      const [file] = exchange.request.form?.files ?? []
      return file?.filename === 'b.wav' ? fails(415) : json({ text: 'hello' })
    })
    const failed = new AudioTranscriptLoader(await recordings(), { client }).load()
    await expect(failed).rejects.toMatchObject({ status: 415, message: expect.stringMatching(/^b\.wav: /) })
  })

  test('a recording that fails is skipped with onError', async () => {
    let tries = 0
    const { client } = await startUpstream(() => ((tries += 1) === 1 ? fails(415) : json({ text: 'hello' })))
    const errors: unknown[] = []
    const onError = (error: unknown, source: string): void => void errors.push([error, source])
    const source = [
      { file: WAV, name: 'first' },
      { file: WAV, name: 'second' },
    ]
    const documents = await new AudioTranscriptLoader(source, { client, concurrency: 1, onError }).load()
    expect(documents).toMatchObject([{ metadata: { source: 'second' } }])
    expect(errors).toMatchObject([[{ status: 415 }, 'first']])
  })
})

describe('an abort', () => {
  test('an abort ends the request in flight and is rethrown', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { client, abandoned } = await startUpstream(async (exchange) => {
      await exchange.received()
      controller.abort(reason)
      return silence(exchange)
    })
    const { signal } = controller
    const loader = new AudioTranscriptLoader('https://example.com/a.wav', { client, signal })
    await expect(loader.load()).rejects.toBe(reason)
    await abandoned()
  })

  test('the end of lazyLoad starts no further request', async () => {
    const { client, requests } = await startUpstream()
    const source = Array.from({ length: 10 }, () => WAV)
    for await (const document of new AudioTranscriptLoader(source, { client, concurrency: 1 }).lazyLoad()) {
      expect(document.pageContent).toBe('hello there')
      break
    }
    expect(requests.length).toBeLessThanOrEqual(2)
  })
})

test('a missing file fails as its own recording', async () => {
  const { client } = await startUpstream()
  const errors: unknown[] = []
  const onError = (error: unknown, source: string): void => void errors.push([error, source])
  const source = ['/no/such/folder/a.wav', WAV]
  const documents = await new AudioTranscriptLoader(source, { client, onError }).load()
  expect(documents).toMatchObject([{ metadata: { source: 'audio' } }])
  expect(errors).toMatchObject([[{ name: 'InvalidRequestError', param: 'file' }, 'a.wav']])
})

test.each([
  ['client', { client: undefined }],
  ['client', { client: {} }],
  ['concurrency', { concurrency: 0 }],
  ['model', { model: ' ' }],
  ['keyterms[0]', { keyterms: [''] }],
  ['signal', { signal: {} }],
  ['onProgress', { onProgress: 'log' }],
  ['onError', { onError: true }],
  ['format', { format: 'ass' }],
  ['diarise', { diarise: true }],
])('a wrong %s is refused by its name', async (option, options) => {
  const { client } = await startUpstream()
  const given = { client, ...options } as AudioSubtitleLoaderOptions
  expect(() => new AudioSubtitleLoader(WAV, given)).toThrow(option)
})

test('an empty path is refused: it would be every recording below the current folder', async () => {
  const { client } = await startUpstream()
  for (const source of ['', ' ', ['a.wav', '']]) {
    expect(() => new AudioTranscriptLoader(source, { client })).toThrow("Write '.' for the current folder")
  }
})

test('no options, and a source of another kind, are refused with what to give', async () => {
  const { client } = await startUpstream()
  expect(() => new AudioTranscriptLoader(WAV, undefined as never)).toThrow(
    'AudioTranscriptLoader: the options must be an object',
  )
  for (const source of [undefined, null, 7, {}, ['a.wav', {}]]) {
    expect(() => new AudioTranscriptLoader(source as never, { client })).toThrow('source must be a path')
  }
})
