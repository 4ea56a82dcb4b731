import { type ResponseFunction, happy, hold, silence, stall } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { transcribeStage, VoiceConversation, type VoiceEvent } from '../src/voice/index.ts'
import { fails, startUpstream, WAV } from './support/upstream.ts'
import { microphone, pipeline, ScriptedAgent, speechInputs } from './support/voice.ts'

const SPEECH = 'POST /v1/audio/speech'
const TRANSCRIPTION = 'POST /v1/audio/transcriptions'

/** Answers the speech of some sentences otherwise. */
function speechOf(answers: Readonly<Record<string, ResponseFunction>>): ResponseFunction {
  return async (exchange) => {
    if (exchange.request.route !== SPEECH) return happy(exchange)
    await exchange.received()
    const { input } = exchange.request.json as { input: string }
    return (answers[input] ?? happy)(exchange)
  }
}

/** Resolves when the client has closed the request of an answer. */
function watched(
  answer: ResponseFunction,
): ResponseFunction & { readonly asked: Promise<void>; readonly cut: Promise<void> } {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: cut, resolve: end } = Promise.withResolvers<void>()
  const watching: ResponseFunction = (exchange) => {
    void exchange.request.closed().then((ending) => (ending === 'closedByClient' ? end() : undefined))
    ask()
    return answer(exchange)
  }
  return Object.assign(watching, { asked, cut })
}

async function readAll(events: AsyncIterable<VoiceEvent>, onEvent: (event: VoiceEvent) => void): Promise<VoiceEvent[]> {
  const read: VoiceEvent[] = []
  for await (const event of events) {
    read.push(event)
    onEvent(event)
  }
  return read
}

describe('the next sentence', () => {
  test('the next sentence is requested while the current one is read, and no other', async () => {
    const first = stall({ afterBytes: 2000 })
    const second = watched(stall({ afterBytes: 2000 }))
    const third = watched(silence)
    const upstream = await startUpstream(speechOf({ 'One.': first, 'Two.': second, 'Three.': third }))
    const agent = new ScriptedAgent(async (say) => say('One. Two. Three. Four. '))
    const mic = microphone()
    mic.say(WAV)
    mic.hangUp()
    const controller = new AbortController()
    const { signal } = controller
    const reading = readAll(pipeline(upstream, agent, mic.stream, { signal }), () => {})
    await second.asked
    expect(speechInputs(upstream)).toEqual(['One.', 'Two.'])
    first.release()
    await third.asked
    expect(speechInputs(upstream)).toEqual(['One.', 'Two.', 'Three.'])
    controller.abort()
    await expect(reading).rejects.toBe(signal.reason)
    await Promise.all([second.cut, third.cut])
  })

  test('the next sentence is spoken after the current one, whichever answer is there first', async () => {
    const first = hold()
    const second = watched(happy)
    const stalled = stall({ afterBytes: 2000 })
    const upstream = await startUpstream(speechOf({ 'One.': stalled, 'Two.': second, 'Three.': first }))
    const agent = new ScriptedAgent(async (say) => say('One. Two. Three. '))
    const mic = microphone()
    mic.say(WAV)
    mic.hangUp()
    void second.asked.then(() => stalled.release())
    const events = await readAll(pipeline(upstream, agent, mic.stream), (event) => {
      if (event.type === 'tts_sentence' && event.text === 'Two.') first.release()
    })
    const order = events.map(({ type, ...event }) => ('text' in event && type === 'tts_sentence' ? event.text : type))
    expect(order.filter((type) => /\.$|tts_chunk/.test(type)).filter((type, at, all) => type !== all[at - 1])).toEqual([
      'One.',
      'tts_chunk',
      'Two.',
      'tts_chunk',
      'Three.',
      'tts_chunk',
    ])
  })

  test('the next sentence is aborted upstream with the current one by a barge-in, and does not count as heard', async () => {
    const current = watched(stall({ afterBytes: 2000 }))
    const ahead = watched(stall({ afterBytes: 2000 }))
    const upstream = await startUpstream(speechOf({ 'Two is cut.': current, 'Three is cut.': ahead }))
    const agent = new ScriptedAgent(async (say, turn) => say(turn === 1 ? 'One. Two is cut. Three is cut. ' : 'Yes.'))
    const conversation = new VoiceConversation()
    const mic = microphone()
    mic.say(WAV)
    // All that is sent of the second sentence is there once the third is requested, and all of the first is read.
    const cut = Promise.all([current.cut, ahead.cut])
    let turns = 0
    const events = await readAll(pipeline(upstream, agent, mic.stream, { conversation }), (event) => {
      if (event.type === 'tts_sentence' && event.text === 'Two is cut.') void ahead.asked.then(() => mic.say(WAV))
      if (event.type === 'turn_end' && (turns += 1) === 1) mic.hangUp()
    })
    await cut
    expect(events.find(({ type }) => type === 'interrupted')).toMatchObject({ heard: 'One.' })
    expect(speechInputs(upstream)).toEqual(['One.', 'Two is cut.', 'Three is cut.', 'Yes.'])
    expect(agent.inputs[1]).toEqual(['hello there', 'One. [interrupted]', 'hello there'])
  })

  test('the next sentence that fails is an error after the audio of the current one', async () => {
    const second = watched(() => fails(400))
    const first = stall({ afterBytes: 2000 })
    const upstream = await startUpstream(speechOf({ 'One.': first, 'Two.': second }))
    const agent = new ScriptedAgent(async (say) => say('One. Two. Three. '))
    const mic = microphone()
    mic.say(WAV)
    mic.hangUp()
    void second.asked.then(() => first.release())
    const events = await readAll(pipeline(upstream, agent, mic.stream), () => {})
    const types = events.map(({ type }) => type).filter((type) => /tts_sentence|error|turn_end/.test(type))
    expect(types).toEqual(['tts_sentence', 'error', 'turn_end'])
    expect(types.lastIndexOf('tts_sentence')).toBeLessThan(types.indexOf('error'))
    expect(speechInputs(upstream)).toEqual(['One.', 'Two.'])
  })

  test('the next sentence is aborted upstream when the current one fails', async () => {
    const ahead = watched(silence)
    const upstream = await startUpstream(speechOf({ 'One.': stall({ afterBytes: 2000 }), 'Two.': ahead }))
    const agent = new ScriptedAgent(async (say) => say('One. Two. '))
    const mic = microphone()
    mic.say(WAV)
    mic.hangUp()
    void ahead.asked.then(() => upstream.requests.find(({ route }) => route === SPEECH)?.cut())
    const events = await readAll(pipeline(upstream, agent, mic.stream), () => {})
    await ahead.cut
    expect(events.slice(-2)).toMatchObject([{ type: 'error', stage: 'speak' }, { type: 'turn_end' }])
  })
})

describe('the transcription of an utterance', () => {
  test('the transcription of an utterance is aborted upstream when the reading ends', async () => {
    const transcription = watched(silence)
    const upstream = await startUpstream(transcription)
    const mic = microphone()
    mic.say(WAV)
    for await (const { type } of transcribeStage(mic.stream, { client: upstream.client })) {
      expect(type).toBe('user_input')
      await transcription.asked
      break
    }
    await transcription.cut
  })

  test('the transcription of an utterance goes on when the user speaks again, and one message has the words of both', async () => {
    const first = hold()
    let asked = 0
    const upstream = await startUpstream(({ request, ...exchange }) => {
      if (request.route !== TRANSCRIPTION) return happy({ request, ...exchange })
      return ((asked += 1) === 1 ? first : happy)({ request, ...exchange })
    })
    const agent = new ScriptedAgent(async (say) => say('Yes.'))
    const mic = microphone()
    mic.say(WAV)
    let begun = 0
    const events = await readAll(pipeline(upstream, agent, mic.stream), ({ type }) => {
      if (type !== 'user_input') return
      begun += 1
      if (begun === 1) mic.say(WAV)
      else {
        first.release()
        mic.hangUp()
      }
    })
    expect(events.filter(({ type }) => type === 'stt_output')).toMatchObject([
      { transcript: 'hello there hello there' },
    ])
    expect(agent.inputs).toEqual([['hello there hello there']])
  })

  test('the transcription of an utterance that fails does not lose the words of the utterance before', async () => {
    const first = hold()
    let asked = 0
    const upstream = await startUpstream((exchange) => ((asked += 1) === 1 ? first(exchange) : fails(400)))
    const mic = microphone()
    mic.say(WAV)
    let begun = 0
    const events = await readAll(transcribeStage(mic.stream, { client: upstream.client }), ({ type }) => {
      if (type === 'user_input' && (begun += 1) === 1) mic.say(WAV)
      if (type !== 'error') return
      first.release()
      mic.hangUp()
    })
    expect(events.map(({ type }) => type)).toEqual(['user_input', 'user_input', 'error', 'stt_output'])
    expect(events.at(-1)).toMatchObject({ transcript: 'hello there' })
  })
})
