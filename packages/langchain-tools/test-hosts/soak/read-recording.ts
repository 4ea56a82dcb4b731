import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { AudioClient, nodeTransport, type Transport } from '@svc-audio/core'
import { narrate } from '@svc-audio/core/text'
import { startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { createAgent } from 'langchain'
import { folderAudioStore, SpeechToolkit, type TranscribeArtifact } from '../../src/index.ts'
import { sentences } from './sentences.ts'

const KEY = 'long-recording-key-0123456789'
const MODEL = 'svc-tts-1.5-flash'

/** A recording to speak and read. */
export interface ReadRecordingOptions {
  /** Length of the recording, roughly. */
  readonly seconds: number
  /** Characters of the transcript that the model reads at a time. @default the tools' own */
  readonly maxContentCharacters?: number
  /** Receives a line for each step. */
  readonly log?: (line: string) => void
}

/** What the agent has read. */
export interface RecordingRead {
  readonly audioSeconds: number
  readonly recognizedInSeconds: number
  readonly wordsSpoken: number
  readonly wordErrorRate: number
  /** Tool messages that hold a part of the transcript. */
  readonly pieces: number
  /** Characters of the transcript in the longest of them. */
  readonly longestPiece: number
  /** Requests to the service that transcribe. */
  readonly transcriptions: number
  /** Tool messages with an error. */
  readonly failures: readonly string[]
  /** Whether the last part says that it is the end. */
  readonly ended: boolean
  /** Whether the joined parts equal the stored transcript. */
  readonly whole: boolean
}

/**
 * Starts the service, speaks a recording of new sentences, and lets an agent with a scripted model transcribe it and
 * read the transcript to its end. Then a second run of the agent asks for the same recording.
 */
export async function readRecording(options: ReadRecordingOptions): Promise<RecordingRead> {
  const { seconds, maxContentCharacters, log = () => {} } = options
  const folder = await mkdtemp(join(tmpdir(), 'long-recording-'))
  const apiKeys = new Map([[KEY, 'tests']])
  const service = await startService({ dataDir: join(folder, 'service'), port: 0, apiKeys, logLevel: 'silent' })
  const counter = countTranscriptions()
  const client = new AudioClient({ apiKey: KEY, baseUrl: service.url, transport: counter.transport })
  try {
    const file = join(folder, 'recording.wav')
    const spoken = await speak(client, seconds, file)
    log(`Spoken: ${spoken.audioSeconds.toFixed(0)} seconds, ${countWords(spoken.text)} words`)

    const store = folderAudioStore(join(folder, 'audio'))
    const limit = maxContentCharacters === undefined ? {} : { maxContentCharacters }
    const toolkit = new SpeechToolkit({ client, voice_id: 'rms', store, ...limit })
    const reference = await toolkit.storeAudio(file, 'audio/wav')
    const began = performance.now()
    const messages = await read(toolkit, reference)
    const recognizedInSeconds = (performance.now() - began) / 1000
    log(`Read: ${messages.length} tool messages after ${recognizedInSeconds.toFixed(0)} seconds`)
    await read(toolkit, reference)

    const texts = messages.map(({ text }) => text)
    const parts = texts.map((text) => text.replace(/^\[Transcript [^\n]*\]\n/, '').replace(/\n\[[^\n]*\]$/, ''))
    const joined = parts.join('')
    const transcript = messages[0]?.artifact as TranscribeArtifact | undefined
    const stored = await toolkit.transcripts.get(transcript?.id ?? '')
    return {
      audioSeconds: spoken.audioSeconds,
      recognizedInSeconds,
      wordsSpoken: countWords(spoken.text),
      wordErrorRate: wordErrorRate(spoken.text, joined),
      pieces: messages.length,
      longestPiece: Math.max(...parts.map(({ length }) => length)),
      transcriptions: counter.count(),
      failures: messages.filter(({ status }) => status === 'error').map(({ text }) => text),
      ended: /\[Transcript \S+ ends\.\]$/.test(texts.at(-1) ?? ''),
      whole: stored?.status === 'ready' && stored.text === joined,
    }
  } finally {
    await client.close()
    await service.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Sends as the client does by default, and counts requests that transcribe. A long recording may take an hour. */
function countTranscriptions(): { readonly transport: Transport; readonly count: () => number } {
  const inner = nodeTransport({ headersTimeout: 3_600_000 })
  let count = 0
  const transport: Transport = {
    send(request) {
      if (request.method === 'POST' && request.url.endsWith('/v1/audio/transcriptions')) count += 1
      return inner.send(request)
    },
    close: async () => inner.close?.(),
  }
  return { transport, count: () => count }
}

/** Speaks until the recording has about this length: a sample tells how long a sentence is. */
async function speak(
  client: AudioClient,
  seconds: number,
  file: string,
): Promise<{ readonly text: string; readonly audioSeconds: number }> {
  const input = (count: number): string => sentences(count).join(' ')
  const body = { model: MODEL, voice_id: 'rms' } as const
  const sample = await narrate(client, { ...body, input: input(5) })
  const { durationSeconds } = await sample.saveTo(file)
  const text = input(Math.ceil((seconds / durationSeconds) * 5))
  const narration = await narrate(client, { ...body, input: text })
  const { durationSeconds: audioSeconds } = await narration.saveTo(file)
  return { text, audioSeconds }
}

/** Maximum parts that the scripted model asks for. */
const MAX_PARTS = 200

/** @returns The tool messages of the run. */
async function read(toolkit: SpeechToolkit, audio: string): Promise<readonly ToolMessage[]> {
  const model = fakeModel().respondWithTools([{ name: 'transcribe', args: { audio }, id: 'transcribe' }])
  for (let part = 1; part < MAX_PARTS; part += 1) model.respond((messages) => next(messages, part))
  const agent = createAgent({ model, tools: toolkit.tools })
  const { messages } = await agent.invoke({ messages: ['Read all of it.'] }, { recursionLimit: 2 * MAX_PARTS })
  return messages.filter((message) => ToolMessage.isInstance(message))
}

/** Does what the note at the end of a part says, as a model does. */
function next(messages: readonly BaseMessage[], part: number): AIMessage {
  const note = /call (\w+) with reference "(\S+)" and from (\d+)\.\]$/.exec(messages.at(-1)?.text ?? '')
  if (note === null) return new AIMessage('I have read all of it.')
  const [, name = '', reference, from] = note
  const args = { reference, from: Number(from) }
  return new AIMessage({ content: '', tool_calls: [{ name, args, id: `read_${part}` }] })
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}
