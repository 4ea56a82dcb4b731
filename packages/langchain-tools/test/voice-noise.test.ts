import { type ResponseFunction, happy, hold, json } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import {
  agentStage,
  transcribeStage,
  type TranscribeStageOptions,
  VoiceConversation,
  type VoiceEvent,
} from '../src/voice/index.ts'
import { fails, startUpstream, type Upstream, WAV } from './support/upstream.ts'
import { microphone, pipeline, ScriptedAgent, speechInputs } from './support/voice.ts'

const TRANSCRIPTION = 'POST /v1/audio/transcriptions'
const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** Answers the transcriptions in this order. An answer of text is the transcript. */
function transcripts(...answers: readonly (string | ResponseFunction)[]): ResponseFunction {
  let asked = 0
  return (exchange) => {
    if (exchange.request.route !== TRANSCRIPTION) return happy(exchange)
    const answer = answers[asked] ?? 'hello'
    asked += 1
    return typeof answer === 'string' ? json({ text: answer }) : answer(exchange)
  }
}

/** Speaks a turn, makes a sound into its answer, and reads to the end of the last turn. */
async function interject(
  upstream: Upstream,
  sound: Uint8Array,
  options: {
    readonly transcribe?: Omit<TranscribeStageOptions, 'client' | 'conversation' | 'signal'>
    readonly onEvent?: (event: VoiceEvent) => void
    readonly turns?: number
  } = {},
): Promise<{ events: VoiceEvent[]; agent: ScriptedAgent; conversation: VoiceConversation }> {
  const { transcribe = {}, onEvent = () => {}, turns = 1 } = options
  const agent = new ScriptedAgent(async (say, turn) =>
    say(turn === 1 ? 'One is heard. Two is heard. Three is heard.' : 'Yes.'),
  )
  const conversation = new VoiceConversation()
  const mic = microphone()
  mic.say(WAV)
  const events: VoiceEvent[] = []
  let ended = 0
  for await (const event of pipeline(upstream, agent, mic.stream, { conversation, transcribe })) {
    events.push(event)
    onEvent(event)
    if (event.type === 'tts_sentence' && event.text.startsWith('Two')) mic.say(sound)
    if (event.type === 'turn_end' && (ended += 1) === turns) mic.hangUp()
  }
  return { events, agent, conversation }
}

const types = (events: readonly VoiceEvent[], pattern: RegExp): string[] =>
  events.map(({ type }) => type).filter((type) => pattern.test(type))

describe('a sound into an answer', () => {
  test('without words pauses it, and it continues where it paused', async () => {
    const cough = hold(json({ text: ' ' }))
    const upstream = await startUpstream(transcripts('hello', cough))
    const held: string[] = []
    const { events, agent, conversation } = await interject(upstream, WAV, {
      onEvent({ type }) {
        if (type === 'paused') setTimeout(() => cough.release(), 50)
        else held.push(type)
      },
    })
    const paused = events.findIndex(({ type }) => type === 'paused')
    const resumed = events.findIndex(({ type }) => type === 'resumed')
    expect(paused).toBeGreaterThan(0)
    expect(types(events.slice(paused, resumed), /^tts|turn_end/)).toEqual([])
    expect(types(events, /^(?:user|paused|resumed|interrupted|turn|stt)/)).toEqual([
      'user_input',
      'stt_output',
      'user_input',
      'paused',
      'user_noise',
      'resumed',
      'turn_end',
    ])
    expect(speechInputs(upstream)).toEqual(['One is heard.', 'Two is heard.', 'Three is heard.'])
    expect(agent.inputs).toEqual([['hello']])
    expect(conversation.messages.map(({ text }) => text)).toEqual([
      'hello',
      'One is heard. Two is heard. Three is heard.',
    ])
  })

  test('with words ends it, and the history holds what was heard before the sound', async () => {
    const upstream = await startUpstream(transcripts('hello', 'stop please'))
    const { events, agent } = await interject(upstream, WAV, { turns: 1 })
    expect(types(events, /^(?:paused|resumed|interrupted|stt)/)).toEqual([
      'stt_output',
      'paused',
      'interrupted',
      'stt_output',
    ])
    expect(agent.inputs[1]).toEqual(['hello', 'One is heard. [interrupted]', 'stop please'])
  })

  test('whose transcription fails counts as no words', async () => {
    const upstream = await startUpstream(transcripts('hello', () => fails(400)))
    const { events } = await interject(upstream, WAV)
    expect(types(events, /^(?:paused|error|user_noise|resumed|turn_end)/)).toEqual([
      'paused',
      'error',
      'user_noise',
      'resumed',
      'turn_end',
    ])
  })

  test('with fewer words than bargeIn asks for continues it, and the words are told', async () => {
    const upstream = await startUpstream(transcripts('hello', 'mhm'))
    const { events } = await interject(upstream, WAV, { transcribe: { bargeIn: { words: 2 } } })
    expect(events.find(({ type }) => type === 'user_noise')).toMatchObject({ transcript: 'mhm' })
    expect(types(events, /^(?:resumed|interrupted)/)).toEqual(['resumed'])
  })

  test.each(['Stop!', 'Warte mal.', 'oh, hold on'])(
    'that is a command ends it, however few its words are: %s',
    async (words) => {
      const upstream = await startUpstream(transcripts('hello', words))
      const { events } = await interject(upstream, WAV, { transcribe: { bargeIn: { words: 4 } } })
      expect(types(events, /^(?:resumed|interrupted)/)).toEqual(['interrupted'])
    },
  )

  test('that is no command of the policy continues it', async () => {
    const upstream = await startUpstream(transcripts('hello', 'Stop!'))
    const { events } = await interject(upstream, WAV, { transcribe: { bargeIn: { words: 2, commands: ['enough'] } } })
    expect(types(events, /^(?:resumed|interrupted)/)).toEqual(['resumed'])
  })

  test('shorter than bargeIn asks for continues it, whatever its words', async () => {
    const upstream = await startUpstream(transcripts('hello', 'one two three'))
    const sound = new Uint8Array(16_000)
    // The first utterance of these tests is a tone.
    const transcribe = { format: FORMAT, ignoreMelodies: false, bargeIn: { seconds: 0.6 } }
    const { events } = await interject(upstream, sound, { transcribe })
    expect(types(events, /^(?:resumed|interrupted)/)).toEqual(['resumed'])
  })

  test('that goes on without words lets the answer continue after checkSeconds, and words at its end end it', async () => {
    const upstream = await startUpstream(transcripts('hello', '', 'stop please'))
    const agent = new ScriptedAgent(async (say, turn) =>
      say(turn === 1 ? 'One is heard. Two is heard. '.repeat(20) : 'Yes.'),
    )
    const conversation = new VoiceConversation()
    const mic = microphone()
    mic.say(new Uint8Array(3200))
    const music = new TransformStream<Uint8Array, Uint8Array>()
    const writer = music.writable.getWriter()
    const events: VoiceEvent[] = []
    const transcribe = { format: FORMAT, bargeIn: { checkSeconds: 1 } }
    for await (const event of pipeline(upstream, agent, mic.stream, { conversation, transcribe })) {
      events.push(event)
      if (event.type === 'tts_sentence' && event.text.startsWith('Two') && types(events, /^user_input/).length === 1) {
        mic.say(ReadableStream.from(music.readable))
        void writer.write(new Uint8Array(40_000))
      }
      if (event.type === 'resumed') void writer.close()
      if (event.type === 'turn_end') mic.hangUp()
    }
    expect(types(events, /^(?:user|paused|resumed|interrupted|stt)/)).toEqual([
      'user_input',
      'stt_output',
      'user_input',
      'paused',
      'user_noise',
      'resumed',
      'interrupted',
      'stt_output',
    ])
  })
})

test('few words are enough when no answer is spoken', async () => {
  const upstream = await startUpstream(transcripts('yes'))
  const conversation = new VoiceConversation()
  const mic = microphone()
  mic.say(WAV)
  mic.hangUp()
  const agent = new ScriptedAgent(async (say) => say('Good.'))
  const transcribe = { bargeIn: { words: 3 } }
  const events: VoiceEvent[] = []
  for await (const event of pipeline(upstream, agent, mic.stream, { conversation, transcribe })) events.push(event)
  expect(types(events, /^(?:stt|turn_end)/)).toEqual(['stt_output', 'turn_end'])
})

test('a sound while the agent thinks does not stop it, and its answer waits for the verdict', async () => {
  const cough = hold(json({ text: '' }))
  const upstream = await startUpstream(transcripts('hello', cough))
  const { promise: coughed, resolve: onCough } = Promise.withResolvers<void>()
  const agent = new ScriptedAgent(async (say) => {
    await coughed
    say('An answer.')
  })
  const mic = microphone()
  mic.say(WAV)
  const events: VoiceEvent[] = []
  let aborted = 0
  for await (const event of pipeline(upstream, agent, mic.stream)) {
    events.push(event)
    aborted = agent.aborted
    if (event.type === 'stt_output') mic.say(WAV)
    if (event.type === 'user_input' && events.length > 1) onCough()
    if (event.type === 'agent_end') cough.release()
    if (event.type === 'turn_end') mic.hangUp()
  }
  const order = types(events, /^(?:agent_end|user_noise|paused|resumed|tts_chunk|turn_end)/)
  expect(order.filter((type, index) => type !== order[index - 1])).toEqual([
    'agent_end',
    'user_noise',
    'tts_chunk',
    'turn_end',
  ])
  expect(aborted).toBe(0)
})

describe('bufferSeconds', () => {
  test('hands out no more audio than the player needs, and other events do not wait', async () => {
    const upstream = await startUpstream(transcripts('hello', 'stop'))
    const agent = new ScriptedAgent(async (say, turn) => say(turn === 1 ? 'One two three four. '.repeat(20) : 'Yes.'))
    const mic = microphone()
    mic.say(WAV)
    let played = 0
    let taken = 0
    let mostAhead = 0
    const events: VoiceEvent[] = []
    const options = { playedSeconds: () => played, bufferSeconds: 1 }
    const timer = setInterval(() => {
      // The player stands still: the interruption must pass nevertheless.
      if (taken > 1 && types(events, /^user_input/).length === 1) mic.say(WAV)
    }, 20)
    for await (const event of pipeline(upstream, agent, mic.stream, options)) {
      events.push(event)
      if (event.type === 'tts_chunk') {
        const { sampleRate, channels, bitDepth } = event.format
        const seconds = event.audio.byteLength / (sampleRate * channels * (bitDepth / 8))
        mostAhead = Math.max(mostAhead, taken - played)
        taken += seconds
      }
      if (event.type === 'interrupted') {
        clearInterval(timer)
        taken = 0
        played = 0
      }
      if (event.type === 'turn_end') mic.hangUp()
    }
    expect(mostAhead).toBeLessThan(1)
    expect(types(events, /^interrupted/)).toHaveLength(1)
  })
})

test.each<[option: string, options: object]>([
  ['`bargeIn` needs `conversation`', { bargeIn: {} }],
  ['bargeIn.words', { bargeIn: { words: 0 }, conversation: new VoiceConversation() }],
  [
    '`bargeIn.seconds` and `bargeIn.checkSeconds` need `format`',
    { bargeIn: { seconds: 1 }, conversation: new VoiceConversation() },
  ],
  [
    '`bargeIn`: Unknown field `word`; did you mean `words`?',
    { bargeIn: { word: 1 }, conversation: new VoiceConversation() },
  ],
])('a wrong policy is refused at once: %s', async (message, options) => {
  const { client } = await startUpstream()
  expect(() => transcribeStage(new ReadableStream<never>(), { client, ...options })).toThrow(message)
})

test('an agent begins when the stages behind it have seen the transcript', async () => {
  const order: string[] = []
  const agent = new ScriptedAgent(async () => void order.push('agent'))
  const events: VoiceEvent[] = [{ type: 'stt_output', ts: 0, transcript: 'hello' }]
  for await (const { type } of agentStage(ReadableStream.from(events), { agent })) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    order.push(type)
  }
  expect(order.slice(0, 2)).toEqual(['stt_output', 'agent'])
})
