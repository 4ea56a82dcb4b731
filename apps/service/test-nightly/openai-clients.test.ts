import { cleanProject, type CleanProject } from '@svc-audio/kit/hosts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEY, startTestService, type TestService } from '../test/support/test-service.ts'

const SAID = 'good morning your order is ready to be collected'

/** The newest client of OpenAI and the oldest of its major version, and two libraries that call OpenAI. */
const DEPENDENCIES = {
  '@ai-sdk/openai': '^4.0.118',
  '@langchain/classic': '^1.0.27',
  '@langchain/community': '^1.1.29',
  '@langchain/core': '^1.1.48',
  '@langchain/openai': '^1.4.1',
  ai: '^7.0.173',
  'newest-openai': 'npm:openai@^7.57.0',
  'oldest-openai': 'npm:openai@7.0.0',
}

/** Writes a file of 500 MB with the samples of a WAV file. Most of it is a hole, in a part that no reader needs. */
const LARGE = `import { closeSync, openSync, writeSync } from 'node:fs'
const HOLE = 500 * 1024 * 1024
export function writeLarge(path, wav) {
  const begin = Buffer.concat([wav.subarray(0, 12), Buffer.from('JUNK'), Buffer.alloc(4)])
  begin.writeUInt32LE(wav.length + HOLE, 4)
  begin.writeUInt32LE(HOLE, 16)
  const file = openSync(path, 'w')
  writeSync(file, begin)
  writeSync(file, wav.subarray(12), 0, wav.length - 12, begin.length + HOLE)
  closeSync(file)
}
`

/** Reads the address of the service, and prints what each call gave as JSON. */
const OPENAI = `import { openAsBlob, readFileSync, writeFileSync } from 'node:fs'
import { writeLarge } from './large.js'
const [name, baseURL, apiKey] = process.argv.slice(2)
const { default: OpenAI, APIUserAbortError } = await import(name)
const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 })
const voiced = { model: 'gpt-4o-mini-tts', voice: 'echo' }
const input = 'Good morning. Your order is ready to be collected.'
const told = {}
const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']
const bytesOf = async (fields) => Buffer.from(await (await client.audio.speech.create({ ...voiced, ...fields })).arrayBuffer())
told.speech = {}
for (const response_format of formats) told.speech[response_format] = (await bytesOf({ input, response_format })).length
const sse = await client.audio.speech.create({ ...voiced, input, stream_format: 'sse' })
told.events = [...new Set((await sse.text()).match(/"type":"[^"]+/g))]
writeFileSync('said.wav', await bytesOf({ input, response_format: 'wav' }))
const file = new File([await openAsBlob('said.wav')], 'said.wav')
const hear = (fields) => client.audio.transcriptions.create({ model: 'whisper-1', file, ...fields })
told.transcripts = {}
for (const response_format of ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json']) {
  told.transcripts[response_format] = await hear({ response_format })
}
writeLarge('large.wav', readFileSync('said.wav'))
told.large = (await hear({ file: new File([await openAsBlob('large.wav')], 'large.wav') })).text
told.streamed = []
for await (const event of await hear({ stream: true })) told.streamed.push(event.type)
const classOf = (call) => call.then(() => 'none', (error) => error.constructor.name + ' ' + error.code)
told.errors = [
  await classOf(bytesOf({ input, voice: 'nobody' })),
  await classOf(bytesOf({ input: '' })),
  await classOf(client.audio.translations.create({ model: 'whisper-1', file })),
  await classOf(new OpenAI({ apiKey: 'wrong', baseURL }).models.list()),
]
const stop = new AbortController()
const long = await client.audio.speech.create({ ...voiced, input: input.repeat(200) }, { signal: stop.signal })
const reader = long.body.getReader()
await reader.read()
stop.abort()
told.aborted = await reader.read().then(() => 'read', () => 'aborted')
told.abortedUpload = await client.audio.transcriptions
  .create({ model: 'whisper-1', file }, { signal: AbortSignal.timeout(50) })
  .then(() => false, (error) => error instanceof APIUserAbortError)
told.models = (await client.models.list()).data.length
console.log(JSON.stringify(told))
`

const AI_SDK = `import { readFileSync } from 'node:fs'
import { createOpenAI } from '@ai-sdk/openai'
import { generateSpeech, transcribe } from 'ai'
import { writeLarge } from './large.js'
const [baseURL, apiKey] = process.argv.slice(2)
const openai = createOpenAI({ baseURL, apiKey })
const text = 'Good morning. Your order is ready to be collected.'
const { audio } = await generateSpeech({ model: openai.speech('tts-1'), text, voice: 'echo', outputFormat: 'wav' })
const heard = await transcribe({ model: openai.transcription('whisper-1'), audio: audio.uint8Array })
const failed = await generateSpeech({ model: openai.speech('tts-1'), text, voice: 'nobody', maxRetries: 0 }).catch((error) => error)
const say = async (word) => (await generateSpeech({ model: openai.speech('tts-1'), text: word, maxRetries: 0 })).audio.base64
const words = ['Yes.', 'No.', 'Seven.', 'Good morning.', 'Thank you.']
const alone = []
for (const word of words) alone.push(await say(word))
const places = Array.from({ length: 100 }, (_, index) => index % words.length)
const together = await Promise.all(places.map((place) => say(words[place])))
const own = together.filter((said, index) => said === alone[places[index]]).length
writeLarge('large.wav', Buffer.from(audio.uint8Array))
const { text: large } = await transcribe({ model: openai.transcription('whisper-1'), audio: readFileSync('large.wav') })
console.log(JSON.stringify({ ...heard, large, distinct: new Set(alone).size, own, failed: { status: failed.statusCode, message: failed.message } }))
`

const LANGCHAIN = `import { OpenAIWhisperAudio } from '@langchain/community/document_loaders/fs/openai_whisper_audio'
const [baseURL, apiKey] = process.argv.slice(2)
const read = async (path) => (await new OpenAIWhisperAudio(path, { clientOptions: { apiKey, baseURL } }).load()).map(({ pageContent }) => pageContent)
console.log(JSON.stringify([await read('said.wav'), await read('large.wav')]))
`

let service: TestService
let project: CleanProject
beforeAll(async () => {
  service = await startTestService({ openaiApi: true, requestsAtOncePerTenant: 300 })
  project = await cleanProject({
    packages: [],
    dependencies: DEPENDENCIES,
    manifest: { type: 'module' },
    npmOptions: ['--legacy-peer-deps'],
    files: { 'large.js': LARGE, 'openai.js': OPENAI, 'ai-sdk.js': AI_SDK, 'langchain.js': LANGCHAIN },
  })
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await service.close()
})

/** What a program printed. */
async function told(file: string, ...args: string[]): Promise<unknown> {
  const { exitCode, stdout, stderr } = await project.run('node', [file, ...args, `${service.url}/openai/v1`, KEY])
  expect([exitCode, stderr.replaceAll(/^.*Warning:.*$/gm, '')]).toEqual([0, expect.any(String)])
  return JSON.parse(stdout)
}

test.each(['oldest-openai', 'newest-openai'])(
  '%s speaks, transcribes, sends 500 MB, streams, fails and aborts',
  async (name) => {
    const size = expect.toSatisfy((bytes: number) => bytes > 10_000)
    expect(await told('openai.js', name)).toMatchObject({
      speech: { mp3: size, opus: size, aac: size, flac: size, wav: size, pcm: size },
      events: ['"type":"speech.audio.delta', '"type":"speech.audio.done'],
      transcripts: {
        json: { text: SAID },
        text: SAID,
        srt: expect.stringContaining('good morning'),
        vtt: expect.stringMatching(/^WEBVTT/),
        verbose_json: { text: SAID, language: 'english', segments: [{ id: 0 }] },
        diarized_json: { text: SAID, segments: [{ speaker: 'S01' }] },
      },
      large: SAID,
      streamed: ['transcript.text.delta', 'transcript.text.done'],
      errors: [
        'NotFoundError voice_not_found',
        'BadRequestError missing_required_field',
        'BadRequestError unsupported_translation',
        'AuthenticationError invalid_api_key',
      ],
      aborted: 'aborted',
      abortedUpload: true,
      models: 22,
    })
    await expect.poll(() => service.list('uploads')).toEqual([])
  },
)

test('the OpenAI provider of the AI SDK speaks 100 texts at once, and transcribes 500 MB, with segments, language and errors', async () => {
  expect(await told('ai-sdk.js')).toMatchObject({
    text: SAID,
    language: 'en',
    durationInSeconds: expect.any(Number),
    segments: [{ text: SAID, startSecond: expect.any(Number), endSecond: expect.any(Number) }],
    large: SAID,
    distinct: 5,
    own: 100,
    failed: { status: 404, message: expect.stringContaining('nobody') },
  })
})

test('the Whisper loader of LangChain reads a file, also of 500 MB', async () => {
  expect(await told('langchain.js')).toEqual([[SAID], [SAID]])
})
