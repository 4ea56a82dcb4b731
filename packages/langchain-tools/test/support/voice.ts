import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import {
  agentStage,
  speakStage,
  type SpeakStageOptions,
  type StreamingAgent,
  transcribeStage,
  type TranscribeStageOptions,
  type Utterance,
  type VoiceConversation,
  type VoiceEvent,
} from '../../src/voice/index.ts'
import type { Upstream } from './upstream.ts'

/** An agent whose answer comes when the test says so. */
export class ScriptedAgent implements StreamingAgent {
  readonly inputs: string[][] = []
  aborted = 0
  readonly #answer: (say: (text: string) => void, turn: number) => Promise<void>

  constructor(answer: (say: (text: string) => void, turn: number) => Promise<void>) {
    this.#answer = answer
  }

  async stream(
    { messages }: { messages: BaseMessage[] },
    { signal }: { signal: AbortSignal },
  ): Promise<AsyncIterable<unknown>> {
    this.inputs.push(messages.map((message) => message.text))
    const said: string[] = []
    return new ReadableStream<unknown>({
      start: async (controller) => {
        signal.addEventListener('abort', () => {
          this.aborted += 1
          controller.error(signal.reason)
        })
        const say = (text: string): void => {
          said.push(text)
          controller.enqueue(['messages', [new AIMessage(text), {}]])
        }
        void this.#finish(controller, this.#answer(say, this.inputs.length), said)
      },
    })
  }

  async #finish(
    controller: ReadableStreamDefaultController<unknown>,
    answer: Promise<void>,
    said: readonly string[],
  ): Promise<void> {
    try {
      await answer
    } catch (error) {
      controller.error(error)
      return
    }
    controller.enqueue(['updates', { model: { messages: [new AIMessage(said.join(''))] } }])
    controller.close()
  }
}

/** Utterances that the test hands over one by one. */
export function microphone(): {
  readonly say: (utterance: Utterance) => void
  readonly hangUp: () => void
  readonly stream: AsyncIterable<Utterance>
} {
  const { readable, writable } = new TransformStream<Utterance, Utterance>(undefined, { highWaterMark: 100 })
  const writer = writable.getWriter()
  return {
    say: (utterance) => void writer.write(utterance),
    hangUp: () => void writer.close().catch(() => {}),
    stream: readable,
  }
}

/** The three stages. */
export function pipeline(
  { client }: Pick<Upstream, 'client'>,
  agent: StreamingAgent,
  utterances: AsyncIterable<Utterance>,
  options: {
    conversation?: VoiceConversation
    signal?: AbortSignal
    playedSeconds?: () => number
    bufferSeconds?: number
    transcribe?: Omit<TranscribeStageOptions, 'client' | 'conversation' | 'signal'>
    speak?: Pick<SpeakStageOptions, 'failureSentence'>
  } = {},
): AsyncGenerator<VoiceEvent, void, undefined> {
  const { playedSeconds, bufferSeconds, conversation, signal, transcribe = {}, speak = {} } = options
  const shared = signal === undefined ? {} : { signal }
  const talk = conversation === undefined ? shared : { ...shared, conversation }
  const heard = transcribeStage(utterances, { client, ...talk, ...transcribe })
  const answered = agentStage(heard, { agent, ...talk })
  const position = playedSeconds === undefined ? {} : { playedSeconds }
  const player = bufferSeconds === undefined ? position : { ...position, bufferSeconds }
  return speakStage(answered, { client, voice_id: 'rms', ...talk, ...player, ...speak })
}

/** The texts that the service was asked to speak. */
export const speechInputs = ({ requests }: Pick<Upstream, 'requests'>): unknown[] =>
  requests.filter(({ route }) => route === 'POST /v1/audio/speech').map(({ json }) => (json as { input: string }).input)
