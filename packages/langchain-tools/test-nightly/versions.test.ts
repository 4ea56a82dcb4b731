import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanProject, type CleanProject } from '@svc-audio/kit/hosts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const SUPPORT = join(import.meta.dirname, '../test-hosts/support')

/** The oldest versions that the package supports, and what npm installs today. */
const SETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  oldest: {
    '@langchain/core': '1.1.48',
    '@langchain/langgraph': '1.3.6',
    langchain: '1.4.2',
    zod: '4.0.0',
  },
  newest: { '@langchain/core': '^1.4.0', langchain: '^1.5.14', zod: '^4.0.0' },
}

/** A program that uses the package's types as users do: tools for an agent, a loader, a store of its own. */
const TYPED = `import type { StructuredToolInterface } from '@langchain/core/tools'
import { AudioClient } from '@svc-audio/core'
import { type AudioStore, createSpeechTools, memoryAudioStore, readAudio, SpeechToolkit } from '@svc-audio/langchain-tools'
import { AudioTranscriptSegmentsLoader } from '@svc-audio/langchain-tools/loaders'
import { spokenAnswerMiddleware } from '@svc-audio/langchain-tools/middleware'
import { agentStage, type Utterance, speakStage, transcribeStage } from '@svc-audio/langchain-tools/voice'
import { createAgent, FakeToolCallingModel } from 'langchain'

const client = new AudioClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1' })
const own: AudioStore = {
  async put(audio, { contentType }) {
    let bytes = 0
    for await (const chunk of readAudio(audio)) bytes += chunk.byteLength
    return { id: 'a', contentType, bytes }
  },
  open: async () => undefined,
}
const toolkit = new SpeechToolkit({ client, voice_id: 'rms', store: own })
const tools = createSpeechTools({ client, voice_id: 'rms', store: memoryAudioStore() })
const all: StructuredToolInterface[] = [...tools, toolkit.speak]
export const agent = createAgent({ model: new FakeToolCallingModel(), tools: all })
export const few = createAgent({ model: new FakeToolCallingModel(), tools: [toolkit.speak, toolkit.transcribe] })
export const speaking = createAgent({
  model: new FakeToolCallingModel(),
  tools: toolkit.tools,
  middleware: [spokenAnswerMiddleware(toolkit)],
})
export const loader = new AudioTranscriptSegmentsLoader('./x', { client })
export const voice = (utterances: AsyncIterable<Utterance>) =>
  speakStage(agentStage(transcribeStage(utterances, { client }), { agent }), { client, voice_id: 'rms' })
export const names: string[] = tools.map(({ name }) => name)
if (names[0] !== 'speak') throw new Error(names.join())
console.log('typed')
`

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    outDir: 'out',
  },
  files: ['typed.mts', 'typed.cts'],
})

describe.each(Object.keys(SETS))('the %s versions of LangChain', (name) => {
  let project: CleanProject

  beforeAll(async () => {
    project = await cleanProject({
      packages: ['@svc-audio/core', '@svc-audio/langchain-tools', '@svc-audio/testing'],
      dependencies: { ...SETS[name], '@types/node': '^24.0.0', typescript: '^5.9.0' },
      manifest: { type: 'module' },
      files: {
        'conformance.ts': await readFile(join(SUPPORT, 'conformance.ts'), 'utf8'),
        // LangGraph 1.3.6 declares zod 4.2 as its peer, and runs with the 4.0 that LangChain's core allows.
        '.npmrc': 'legacy-peer-deps=true\n',
        'tsconfig.json': TSCONFIG,
        'typed.mts': TYPED,
        'typed.cts': TYPED,
      },
    })
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('pass the conformance suite for tools, loaders, middleware and the voice pipeline', async () => {
    const { exitCode, stdout, stderr } = await project.run('node', ['conformance.ts'])
    expect(stderr.replaceAll(/^\(.*$|^.*Warning:.*$/gm, '').trim()).toBe('')
    expect(exitCode).toBe(0)
    // Eight tools by ten rules, three loaders by seven, middleware, voice.
    expect(stdout.match(/^ok /gm)).toHaveLength(8 * 10 + 3 * 7 + 2)
  })

  test('type-check in ES modules and in CommonJS, and run in both', async () => {
    const types = await project.run('tsc')
    expect(types.stdout).toBe('')
    for (const file of ['out/typed.mjs', 'out/typed.cjs']) {
      await expect(project.run('node', [file])).resolves.toMatchObject({ exitCode: 0, stdout: 'typed\n' })
    }
  })
})
