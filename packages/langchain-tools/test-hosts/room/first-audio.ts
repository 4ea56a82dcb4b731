import { FakeListChatModel } from '@langchain/core/utils/testing'
import { AudioClient, nodeTransport } from '@svc-audio/core'
import { encodeWav } from '@svc-audio/core/audio'
import { type DetectedUtterance, detectUtterances } from '@svc-audio/voice'
import { createAgent } from 'langchain'
import { agentStage, speakStage, transcribeStage, VoiceConversation } from '../../src/voice/index.ts'
import { RoomMicrophone } from './microphone.ts'
import { noting } from './noted-utterance.ts'
import { ANSWERS } from './script.ts'
import { FORMAT } from './sounds.ts'

/** Milliseconds per character of the scripted model. */
const PACE = 15
/** The silence that ends an utterance, in seconds: the default. */
const PAUSE_SECONDS = 0.6
/** Audible loudness of a 16-bit sample: about −50 dB of the full scale. */
const AUDIBLE = 100

const QUESTION = 'When does the train to the coast leave?'
const ANSWER = ANSWERS[0] ?? ''
const [FIRST_SENTENCE = ''] = ANSWER.split(/(?<=\.) /)
const SPEECH = { model: 'svc-tts-1.5-flash', voice_id: 'rms' } as const

/** Milliseconds from the end of the user's speech to the first audible sample, and what they consist of. */
export interface FirstAudioParts {
  /** The pause that ends an utterance, and its detection. */
  readonly endOfSpeech: number
  readonly transcript: number
  /** The model writes it. */
  readonly firstSentence: number
  readonly firstSample: number
}

/** Asks a question in real time, and hears the first sample of the answer. Then does the same by hand. */
export class FirstAudio {
  readonly #client: AudioClient
  readonly #question: Uint8Array
  #spokeAt = 0

  private constructor(client: AudioClient, question: Uint8Array) {
    this.#client = client
    this.#question = question
  }

  /** Records the question. */
  static async prepare(connection: { readonly apiKey: string; readonly baseUrl: string }): Promise<FirstAudio> {
    const inner = nodeTransport()
    const meter: { sent: () => void } = { sent: () => {} }
    const client = new AudioClient({
      ...connection,
      transport: {
        send(request) {
          if (request.url.endsWith('/v1/audio/speech')) meter.sent()
          return inner.send(request)
        },
        close: async () => inner.close?.(),
      },
    })
    const pieces: Uint8Array[] = []
    for await (const piece of await client.speech.stream({ ...SPEECH, input: QUESTION })) pieces.push(piece)
    const measured = new FirstAudio(client, withoutSilence(Buffer.concat(pieces)))
    meter.sent = () => (measured.#spokeAt ||= performance.now())
    return measured
  }

  /** By the pipeline. @param early Whether recognition begins in the user's pause. */
  async ofPipeline(early = true): Promise<FirstAudioParts> {
    const microphone = new RoomMicrophone()
    const conversation = new VoiceConversation()
    const agent = createAgent({ model: new FakeListChatModel({ responses: [ANSWER], sleep: PACE }), tools: [] })
    const client = this.#client
    let foundAt = 0
    async function* utterances(): AsyncGenerator<DetectedUtterance> {
      for await (const utterance of detectUtterances(microphone, { format: FORMAT, pauseSeconds: PAUSE_SECONDS }))
        yield noting(utterance, () => (foundAt = performance.now()))
    }
    const heard = transcribeStage(utterances(), { client, conversation, format: FORMAT, early })
    const answered = agentStage(heard, { agent, conversation })
    this.#spokeAt = 0
    let [askedAt, transcriptAt] = [0, 0]
    // The room is heard for a moment, as in a conversation.
    const ask = async (): Promise<void> => {
      await microphone.play(new Uint8Array(FORMAT.sampleRate))
      await microphone.play(this.#question)
      askedAt = performance.now()
    }
    const asking = ask()
    for await (const event of speakStage(answered, { client, conversation, voice_id: SPEECH.voice_id })) {
      if (event.type === 'error') throw event.error
      if (event.type === 'stt_output') transcriptAt = performance.now()
      if (event.type !== 'tts_chunk' || !isAudible(event.audio)) continue
      const now = performance.now()
      microphone.close()
      await asking
      return {
        endOfSpeech: foundAt - askedAt,
        transcript: transcriptAt - foundAt,
        firstSentence: this.#spokeAt - transcriptAt,
        firstSample: now - this.#spokeAt,
      }
    }
    throw new Error('The pipeline ended without a sound')
  }

  /** The same requests one after the other, without a pipeline. */
  async byHand(): Promise<FirstAudioParts> {
    const file = encodeWav(FORMAT, [this.#question, new Uint8Array(FORMAT.sampleRate * 2 * PAUSE_SECONDS)])
    const start = performance.now()
    await this.#client.transcriptions.create({ model: 'svc-transcribe-1.0', file })
    const transcript = performance.now() - start
    const spoken = performance.now()
    const stream = await this.#client.speech.stream({ ...SPEECH, input: FIRST_SENTENCE })
    let firstSample: number | undefined
    for await (const piece of stream) if (isAudible(piece)) firstSample ??= performance.now() - spoken
    if (firstSample === undefined) throw new Error('The speech was silent')
    const firstSentence = FIRST_SENTENCE.length * PACE
    return { endOfSpeech: PAUSE_SECONDS * 1000, transcript, firstSentence, firstSample }
  }

  /** Closes the client. */
  close(): Promise<void> {
    return this.#client.close()
  }
}

function isAudible(audio: Uint8Array): boolean {
  const view = new DataView(audio.buffer, audio.byteOffset, audio.byteLength)
  for (let at = 0; at + 1 < audio.byteLength; at += 2) if (Math.abs(view.getInt16(at, true)) >= AUDIBLE) return true
  return false
}

/** Without the silence at the end: it is part of the pause. */
function withoutSilence(audio: Buffer): Uint8Array {
  let end = audio.byteLength & ~1
  while (end > 0 && !isAudible(audio.subarray(end - 2, end))) end -= 2
  return audio.subarray(0, end)
}
