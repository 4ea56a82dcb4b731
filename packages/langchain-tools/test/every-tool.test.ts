import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { AudioClient } from '@svc-audio/core'
import { type RunningService, startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { createAgent } from 'langchain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  folderAudioStore,
  type SpeakArtifact,
  SpeechToolkit,
  type TranscribeArtifact,
  type TranscriptionTaskArtifact,
} from '../src/index.ts'

const KEY = 'every-tool-key-0123456789'
const LINES = [
  { voice: 'Ann', text: 'Good morning. Where does the train to the coast leave?' },
  { voice: 'Bob', text: 'It leaves at seven from the second platform.' },
]

let folder: string
let service: RunningService
let client: AudioClient
let toolkit: SpeechToolkit

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'every-tool-'))
  const apiKeys = new Map([[KEY, 'tests']])
  service = await startService({ dataDir: join(folder, 'service'), port: 0, apiKeys, logLevel: 'silent' })
  client = new AudioClient({ apiKey: KEY, baseUrl: service.url })
  toolkit = new SpeechToolkit({
    client,
    voice_id: 'rms',
    store: folderAudioStore(join(folder, 'audio')),
    voices: [
      { name: 'Ann', voice_id: 'slt' },
      { name: 'Bob', voice_id: 'rms' },
    ],
    tools: [
      'list_voices',
      'speak_dialogue',
      'start_transcription',
      'get_transcription',
      'read_transcript',
      'design_voice',
    ],
    // Less than the dialogue has, so that the model reads on.
    maxContentCharacters: 60,
  })
})

afterAll(async () => {
  await client.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

type Step = (last: ToolMessage | undefined) => { name: string; args: Record<string, unknown> }

/** Runs an agent whose scripted model calls one tool after the other. */
async function drive(...steps: Step[]): Promise<ToolMessage[]> {
  const answers = (messages: readonly BaseMessage[]): ToolMessage[] =>
    messages.filter((message) => ToolMessage.isInstance(message))
  const model = fakeModel()
  for (const [index, step] of steps.entries()) {
    model.respond((messages) => {
      const tool_calls = [{ ...step(answers(messages).at(-1)), id: `call_${index}` }]
      return new AIMessage({ content: '', tool_calls })
    })
  }
  model.respond(new AIMessage('Done.'))
  const { messages } = await createAgent({ model, tools: toolkit.tools }).invoke({ messages: ['Go.'] })
  return answers(messages)
}

function artifactOf(message: ToolMessage | undefined): unknown {
  return message?.artifact
}

test('an agent drives the tools against the service, and the words come back', async () => {
  const [listed, spoken, started] = await drive(
    () => ({ name: 'list_voices', args: {} }),
    () => ({ name: 'speak_dialogue', args: { lines: LINES } }),
    (last) => ({ name: 'start_transcription', args: { audio: /Reference: (\S+)/.exec(last?.text ?? '')?.[1] } }),
  )
  expect([listed?.status, spoken?.status, started?.status]).toEqual(['success', 'success', 'success'])
  expect(listed?.content).toBe('Ann\nBob')
  expect((artifactOf(spoken) as SpeakArtifact).durationSeconds).toBeGreaterThan(3)

  const { taskId } = artifactOf(started) as TranscriptionTaskArtifact
  await client.tasks.wait(taskId)
  const [heard, rest, designed] = await drive(
    () => ({ name: 'get_transcription', args: { task_id: taskId } }),
    (last) => {
      const [, reference, from] = /with reference "(\S+)" and from (\d+)\.\]$/.exec(last?.text ?? '') ?? []
      return { name: 'read_transcript', args: { reference, from: Number(from) } }
    },
    () => ({ name: 'design_voice', args: { instruction: 'a calm old man', text: 'Welcome to the station.' } }),
  )
  const { text } = artifactOf(heard) as TranscribeArtifact
  expect(wordErrorRate(LINES.map((line) => line.text).join(' '), text)).toBeLessThanOrEqual(0.3)
  const said = (message: ToolMessage | undefined): string =>
    (message?.text ?? '').replace(/^\[.*\]\n/, '').replace(/\n\[.*\]$/, '')
  expect(rest?.text).toMatch(/\[Transcript transcript_\w+ ends\.\]$/)
  expect(said(heard) + said(rest)).toBe(text)
  expect(designed).toMatchObject({ status: 'success', artifact: { type: 'audio', contentType: 'audio/wav' } })
})
