import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { AudioClient, ConfigurationError } from '@svc-audio/core'
import { expect, test } from 'vitest'
import {
  createSpeechTools,
  folderAudioStore,
  memoryAudioStore,
  serviceAudioStore,
  SpeechToolkit,
  type SpeechToolsOptions,
} from '../src/index.ts'
import { replaceAudio, spokenAnswerMiddleware, voiceInputMiddleware } from '../src/middleware/index.ts'

const DEFAULTS = ['speak', 'transcribe', 'read_transcript', 'start_transcription', 'get_transcription']

const base: SpeechToolsOptions = {
  client: new AudioClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:9' }),
  voice_id: 'rms',
  store: memoryAudioStore(),
}

test.each<[option: string, options: object]>([
  ['client', { client: undefined }],
  ['client', { client: {} }],
  ['store', { store: undefined }],
  ['store', { store: {} }],
  ['store', { store: { put: () => {} } }],
  ['forRun', { forRun: {} }],
  ['tools', { tools: [] }],
  ['tools[1]', { tools: ['speak', 'speak'] }],
  ['tools[0]', { tools: ['sing'] }],
  ['tools has list_voices, which needs voices', { tools: ['list_voices'] }],
  ['voices[0].voice_id', { voices: [{ name: 'Anna' }] }],
  [
    'voices[1].name',
    {
      voices: [
        { name: 'Anna', voice_id: 'a' },
        { name: 'Anna', voice_id: 'b' },
      ],
    },
  ],
  ['voices[0].language', { voices: [{ name: 'Anna', voice_id: 'a', language: 'English please' }] }],
  ['`voices[0]`: Unknown field `pitch`', { voices: [{ name: 'Anna', voice_id: 'a', pitch: 1 }] }],
  ['model', { model: '' }],
  ['transcriptionModel', { transcriptionModel: ' ' }],
  ['allowUrls', { allowUrls: 'false' }],
  ['speakable', { speakable: 'no' }],
  ['maxCharactersPerRun', { maxCharactersPerRun: -1 }],
  ['maxAudioSeconds', { maxAudioSeconds: 0 }],
  ['`names`: Unknown field `sing`', { names: { sing: 'x' } }],
  ['onFailure', { onFailure: 'retry' }],
  ['Unknown option `voice`; did you mean `voices`?', { voice: 'rms' }],
  ['voice_id', { voice_id: ' ' }],
  ['allowedRoot', { allowedRoot: '' }],
  ['maxCharacters', { maxCharacters: 0 }],
  ['maxCharacters', { maxCharacters: Number.NaN }],
  ['maxContentCharacters', { maxContentCharacters: 1.5 }],
  ['names.speak', { names: { speak: 'say it' } }],
  ['names.transcribe', { names: { transcribe: '' } }],
  ['names.speak and names.transcribe must differ', { names: { speak: 'transcribe' } }],
])('a wrong %s is refused by its name', (option, options) => {
  const create = (): unknown => createSpeechTools({ ...base, ...options })
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(option)
})

test.each<[fact: string, make: () => unknown]>([
  ['`options` must be an object', () => createSpeechTools(undefined as never)],
  ['`options` must be an object', () => createSpeechTools('x' as never)],
  ['`folder` must be', () => folderAudioStore('')],
  ['`folder` must be', () => folderAudioStore(undefined as never)],
  ['Unknown option `maxbytes`; did you mean `maxBytes`?', () => memoryAudioStore({ maxbytes: 1 } as never)],
  ['`maxBytes` must be', () => memoryAudioStore({ maxBytes: -1 })],
  ['`client` must be', () => serviceAudioStore(undefined as never)],
  ['`toolkit` must be', () => voiceInputMiddleware(undefined as never)],
  ['`toolkit` must be', () => spokenAnswerMiddleware({} as never)],
])('a wrong argument is refused at once: %s', (fact, make) => {
  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(fact)
})

test('replaceAudio refuses a missing toolkit, and one message instead of a list', async () => {
  await expect(replaceAudio([], undefined as never)).rejects.toThrow('`toolkit` must be')
  await expect(replaceAudio({} as never, new SpeechToolkit(base))).rejects.toThrow('messages must be an array')
})

test('tools of fixed order, with names that can be set', () => {
  expect(createSpeechTools(base).map(({ name }) => name)).toEqual(DEFAULTS)
  const voices = [{ name: 'Anna', voice_id: 'slt' }]
  expect(createSpeechTools({ ...base, voices }).map(({ name }) => name)).toEqual([
    ...DEFAULTS,
    'list_voices',
    'speak_dialogue',
  ])
  expect(createSpeechTools({ ...base, tools: ['design_voice'] }).map(({ name }) => name)).toEqual(['design_voice'])
  const { speak, transcribe } = new SpeechToolkit({ ...base, names: { speak: 'say', transcribe: 'listen' } })
  expect([speak.name, transcribe.name]).toEqual(['say', 'listen'])
  expect(transcribe.description).toContain('as say returns it')
})

test('the schemas need text and audio, and nothing else', () => {
  const { speak: speaks, transcribe: transcribes } = new SpeechToolkit(base)
  const [speak, transcribe] = [speaks, transcribes].map((tool) => convertToOpenAITool(tool).function.parameters)
  expect(speak).toMatchObject({ type: 'object', required: ['text'], properties: { text: { type: 'string' } } })
  expect(transcribe).toMatchObject({ type: 'object', required: ['audio'], properties: { audio: { type: 'string' } } })
  const chosen = [speak, transcribe].map((one) => Object.keys((one as { properties: object }).properties))
  expect(chosen).toEqual([['text'], ['audio', 'format', 'speakers']])
})

test('descriptions name exactly the accepted sources', () => {
  const { speak, transcribe } = new SpeechToolkit({ ...base, maxCharacters: 123 })
  expect(speak.description).toContain('At most 123 characters')
  expect(speak.description).toContain('[pause 0.5s]')
  expect(transcribe.description).toContain('https URL')
  expect(transcribe.description).not.toContain('path')
  const { speak: plain, transcribe: files } = new SpeechToolkit({
    ...base,
    model: 'svc-tts-1.0-pro',
    allowUrls: false,
    allowedRoot: '/srv/private-folder',
  })
  expect(plain.description).not.toContain('[pause')
  expect(files.description).not.toContain('URL')
  expect(files.description).toContain('path')
  expect(files.description).not.toContain('private-folder')
})

test('a traced tool shows neither client nor key', () => {
  const client = new AudioClient({ apiKey: 'key-that-must-not-show', baseUrl: 'http://127.0.0.1:9' })
  for (const tool of createSpeechTools({ ...base, client })) {
    expect(JSON.stringify(tool)).not.toContain('must-not-show')
    expect(Object.values(tool)).not.toContain(client)
  }
})
