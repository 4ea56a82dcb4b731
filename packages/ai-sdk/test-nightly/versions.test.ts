import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanProject, type CleanProject } from '@svc-audio/kit/hosts'
import { type RunningService, startService } from '@svc-audio/service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const KEY = 'versions-key'

/** The newest and the oldest version 7, the newest 6, and the oldest version that the package supports. */
const VERSIONS = [
  { name: '7', range: '^7.0.173', entry: '@svc-audio/ai-sdk', steps: 5 },
  { name: '7', range: '7.0.0', entry: '@svc-audio/ai-sdk', steps: 4 },
  { name: '6', range: '^6.0.0', entry: '@svc-audio/ai-sdk/v6', steps: 4 },
  { name: '5', range: '5.0.0', entry: '@svc-audio/ai-sdk/v5', steps: 4 },
] as const

/** A program that uses the package's types as users do. */
function typed(name: string, entry: string): string {
  const prefix = name === '7' ? '' : 'experimental_'
  const stop = name === '7' ? 'isStepCount' : 'stepCountIs'
  return `import { createSvcAudio, svcAudio, type SvcAudioSpeechOptions, type SvcAudioTranscriptionOptions } from '${entry}'
import { createSpeechTools, memoryAudioStore, SpeechToolkit } from '@svc-audio/ai-sdk/tools'
import { AudioClient } from '@svc-audio/core'
import { createProviderRegistry, ${prefix}generateSpeech, ${prefix}transcribe, generateText, ${stop}, streamText, type ToolSet } from 'ai'

const client = new AudioClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1' })
const own = createSvcAudio({ client, voice: 'rms' })
export const registry = createProviderRegistry({ svc: own, other: svcAudio })
const speech: SvcAudioSpeechOptions = { aigc_metadata: { enabled: true }, pauses: { sentenceSeconds: 0.3 } }
const transcription: SvcAudioTranscriptionOptions = { keyterms: ['a'], diarize: true, async: false }
export const spoken = () => ${prefix}generateSpeech({
  model: own.speech('svc-tts-1.5-flash'),
  text: 'Hello.',
  providerOptions: { svcAudio: speech },
})
export const heard = (audio: Uint8Array) => ${prefix}transcribe({
  model: registry.transcriptionModel('svc:svc-transcribe-1.0'),
  audio,
  providerOptions: { svcAudio: transcription },
})
const toolkit = new SpeechToolkit({ client, voice_id: 'rms', store: memoryAudioStore() })
const all: ToolSet = createSpeechTools({ client, voice_id: 'rms', store: memoryAudioStore() })
export const run = () => generateText({ model: 'openai/gpt-5', tools: all, prompt: 'Go.', stopWhen: ${stop}(5) })
export const typedRun = async () => {
  const tools = { say: toolkit.speak, hear: toolkit.transcribe }
  const { toolResults } = await generateText({ model: 'openai/gpt-5', tools, prompt: 'Go.' })
  for (const result of toolResults) if (!result.dynamic && result.toolName === 'say') return result.output.artifact.bytes
  return undefined
}
export const stream = () => streamText({ model: 'openai/gpt-5', tools: toolkit.toolsFor({ userId: 'ann' }), prompt: 'Go.' })
// @ts-expect-error a provider option that does not exist
export const odd: SvcAudioSpeechOptions = { speed: 1 }
// @ts-expect-error an option that does not exist
createSvcAudio({ apikey: 'k' })
`
}

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
  },
  files: ['typed.ts'],
})

let folder: string
let service: RunningService

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-ai-sdk-'))
  service = await startService({ dataDir: folder, port: 0, apiKeys: new Map([[KEY, 'versions']]) })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

describe.each(VERSIONS)('AI SDK $name ($range)', ({ name, range, entry, steps }) => {
  let project: CleanProject

  beforeAll(async () => {
    project = await cleanProject({
      packages: ['@svc-audio/ai-sdk', '@svc-audio/core', '@svc-audio/testing'],
      dependencies: { ai: range, zod: '^4.1.8', typescript: '^5.9.0', '@types/node': '^24.0.0' },
      manifest: { type: 'module' },
      files: {
        'program.mjs': await readFile(join(import.meta.dirname, '../test-hosts/support/program.mjs'), 'utf8'),
        'tsconfig.json': TSCONFIG,
        'typed.ts': typed(name, entry),
      },
    })
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('speaks, transcribes, streams and runs tools against the self-hosted service', async () => {
    const { exitCode, stdout, stderr } = await project.run('node', ['program.mjs', name, entry, KEY, service.url])
    expect({ stderr, exitCode }).toEqual({ stderr: expect.not.stringMatching(/error/i), exitCode: 0 })
    expect(stdout.match(/^ok /gm)).toHaveLength(steps)
  })

  test('has types that fit', async () => {
    const types = await project.run('tsc')
    expect(types.stdout).toBe('')
  })
})
