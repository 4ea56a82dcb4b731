import { setImmediate } from 'node:timers/promises'
import { pcmSeconds } from '@svc-audio/core/audio'
import { happy, type ResponseFunction, status } from '@svc-audio/testing'
import { VoiceControl, type VoiceEvent, voiceEvent, type VoiceSettings } from '@svc-audio/voice'
import { describe, expect, test } from 'vitest'
import { voiceAgent, type VoiceAgentOptions, VoiceConversation } from '../src/voice/index.ts'
import { type PresenceOptions, presenceStage } from '../src/voice/presence-stage.ts'
import { fails, startUpstream, type Upstream, WAV } from './support/upstream.ts'
import { microphone, pipeline, ScriptedAgent, speechInputs } from './support/voice.ts'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** A call of a user who says nothing, with a player that plays at once. */
function silentCall(settings: () => VoiceSettings = () => ({}), resumed = false) {
  const control = new VoiceControl()
  const hangUp = new AbortController()
  const conversation = new VoiceConversation()
  let played = 0
  const call = {
    microphone: new ReadableStream<Uint8Array>(),
    format: FORMAT,
    playedSeconds: () => played,
    settings,
    control,
    resumed,
    signal: hangUp.signal,
    user: undefined,
    state: conversation,
    request: { url: '/voice', headers: new Headers() },
  }
  /** Reads until an event, and hangs up. */
  const until = async (
    events: AsyncIterable<VoiceEvent>,
    isLast: (event: VoiceEvent) => boolean,
  ): Promise<VoiceEvent[]> => {
    const read: VoiceEvent[] = []
    for await (const event of events) {
      read.push(event)
      if (event.type === 'agent_turn') played = 0
      if (event.type === 'tts_chunk') played += pcmSeconds(event.format, event.audio.byteLength)
      if (isLast(event)) break
    }
    hangUp.abort()
    return read
  }
  return { call, control, conversation, until }
}

const agentOptions = ({ client }: Upstream, options: Partial<VoiceAgentOptions> = {}): VoiceAgentOptions => ({
  client,
  voice_id: 'rms',
  agent: new ScriptedAgent(async (say) => say('Yes.')),
  speech: 'loudness',
  ...options,
})

const isEnd = ({ type }: VoiceEvent): boolean => type === 'turn_end'

describe('an agent that speaks by itself', () => {
  test('greets at the beginning of a conversation, and the history begins with the user', async () => {
    const upstream = await startUpstream()
    const { call, conversation, until } = silentCall()
    const events = await until(voiceAgent(agentOptions(upstream, { greet: 'Good **day**.' })).converse(call), isEnd)
    expect(events.map(({ type }) => type).filter((type) => !type.startsWith('tts'))).toEqual(['agent_turn', 'turn_end'])
    expect(speechInputs(upstream)).toEqual(['Good day.'])
    expect(conversation.messages.map(({ type }) => type)).toEqual(['human', 'ai'])
  })

  test('does not greet again after a reconnect', async () => {
    const upstream = await startUpstream()
    const { call, control, until } = silentCall(undefined, true)
    control.say('Back again.')
    await until(voiceAgent(agentOptions(upstream, { greet: 'Good day.' })).converse(call), isEnd)
    expect(speechInputs(upstream)).toEqual(['Back again.'])
  })

  test('asks when nobody has spoken for idleSeconds, and counts', async () => {
    const upstream = await startUpstream()
    const { call, until } = silentCall()
    const counts: number[] = []
    const onIdle: VoiceAgentOptions['onIdle'] = ({ count }) => {
      counts.push(count)
      return count === 2 ? 'Are you still there?' : undefined
    }
    await until(voiceAgent(agentOptions(upstream, { onIdle, idleSeconds: 0.3 })).converse(call), isEnd)
    expect(counts).toEqual([1, 2])
    expect(speechInputs(upstream)).toEqual(['Are you still there?'])
  })

  test('hears the user while a greeting is looked up', async () => {
    const upstream = await startUpstream()
    const { call, until } = silentCall()
    const heard = Promise.withResolvers<string>()
    const silence = new ReadableStream<Uint8Array>({ pull: () => heard.resolve('Good day.') }, { highWaterMark: 0 })
    const agent = voiceAgent(agentOptions(upstream, { greet: () => heard.promise }))
    await until(agent.converse({ ...call, microphone: silence }), isEnd)
    expect(speechInputs(upstream)).toEqual(['Good day.'])
  })

  test('does not say what onIdle finds when the user has spoken meanwhile', async () => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<string>()
    const onIdle: PresenceOptions['onIdle'] = () => {
      asked.resolve()
      return answer.promise
    }
    async function* user(): AsyncGenerator<VoiceEvent> {
      await asked.promise
      yield voiceEvent({ type: 'user_input' })
      yield voiceEvent({ type: 'user_noise', transcript: '' })
      answer.resolve('Are you still there?')
      for (let turn = 0; turn < 3; turn += 1) await setImmediate()
    }
    const types: string[] = []
    for await (const { type } of presenceStage(user(), { call: silentCall().call, onIdle, idleSeconds: 0.01 }))
      types.push(type)
    expect(types).toEqual(['user_input', 'user_noise'])
  })

  test('says what the application says, one after the other, and interrupt() ends it', async () => {
    const upstream = await startUpstream()
    const { call, control, conversation, until } = silentCall()
    control.say('One.')
    control.say('Two. Three. '.repeat(40))
    let ends = 0
    const events = await until(voiceAgent(agentOptions(upstream)).converse(call), (event) => {
      if (event.type === 'tts_sentence' && event.text === 'Two.') control.interrupt()
      return event.type === 'turn_end' && (ends += 1) === 2
    })
    expect(events.filter(({ type }) => type === 'agent_turn')).toHaveLength(2)
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['interrupted', 'turn_end'])
    expect(speechInputs(upstream).length).toBeLessThan(20)
    expect(conversation.messages.at(1)?.text).toBe('One.')
    expect(conversation.isAnswering).toBe(false)
  })

  test('interrupt() in silence, and after an answer, ends no turn', async () => {
    const upstream = await startUpstream()
    const { call, control, until } = silentCall()
    control.interrupt()
    control.say('One.')
    let ends = 0
    const events = await until(voiceAgent(agentOptions(upstream)).converse(call), ({ type }) => {
      if (type !== 'turn_end') return false
      ends += 1
      if (ends > 1) return true
      control.interrupt()
      // What comes next tells that the interrupt is over.
      control.say('Two.')
      return false
    })
    const turns = events.map(({ type }) => type).filter((type) => !type.startsWith('tts'))
    expect(turns).toEqual(['agent_turn', 'turn_end', 'agent_turn', 'turn_end'])
    expect(speechInputs(upstream)).toEqual(['One.', 'Two.'])
  })

  test('speaks without a language where the service does not have the user’s, and asks for it once', async () => {
    const answer: ResponseFunction = async (exchange) => {
      await exchange.received()
      const isRefused = Reflect.get(Object(exchange.request.json), 'language') === 'ja'
      const error = { code: 'unsupported_language', param: 'language', message: 'language must be one of en' }
      return isRefused ? status(400, { error }) : happy(exchange)
    }
    const upstream = await startUpstream(answer)
    const { call, control, until } = silentCall(() => ({ locale: 'ja' }))
    const warnings: string[] = []
    const note = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', note)
    control.say('One. Two.')
    control.say('Three.')
    let ends = 0
    const events = await until(
      voiceAgent(agentOptions(upstream)).converse(call),
      ({ type }) => type === 'turn_end' && (ends += 1) === 2,
    )
    process.off('warning', note)
    expect(events.filter(({ type }) => type === 'error')).toEqual([])
    const spoken = upstream.requests.map(({ json: body }) => [
      Reflect.get(Object(body), 'input'),
      Reflect.get(Object(body), 'language'),
    ])
    expect(spoken).toEqual([
      ['One.', 'ja'],
      ['One.', undefined],
      ['Two.', undefined],
      ['Three.', undefined],
    ])
    expect(warnings.filter((text) => text.includes('does not speak `ja`'))).toHaveLength(1)
  })

  test('speaks each turn with the voice and the language that the user has chosen by then', async () => {
    const upstream = await startUpstream()
    let settings: VoiceSettings = { locale: 'de-AT', voice: 'slt' }
    const { call, control, until } = silentCall(() => settings)
    const voice_id: VoiceAgentOptions['voice_id'] = ({ settings: chosen }) => chosen().voice ?? 'rms'
    control.say('Eins.')
    let ends = 0
    await until(voiceAgent(agentOptions(upstream, { voice_id })).converse(call), ({ type }) => {
      if (type !== 'turn_end') return false
      settings = { locale: 'fr' }
      if ((ends += 1) === 1) control.say('Deux.')
      return ends === 2
    })
    expect(upstream.requests.map(({ json: body }) => body)).toMatchObject([
      { voice_id: 'slt', language: 'de-AT' },
      { voice_id: 'rms', language: 'fr' },
    ])
  })
})

describe('a turn without an answer', () => {
  /** Speaks one turn. */
  async function turn(
    agent: ConstructorParameters<typeof ScriptedAgent>[0],
    failureSentence: VoiceAgentOptions['failureSentence'],
    answer: ResponseFunction = happy,
  ): Promise<{ types: string[]; spoken: unknown[] }> {
    const upstream = await startUpstream(answer)
    const mic = microphone()
    mic.say(WAV)
    mic.hangUp()
    const types: string[] = []
    const options = failureSentence === undefined ? {} : { failureSentence }
    for await (const { type } of pipeline(upstream, new ScriptedAgent(agent), mic.stream, { speak: options }))
      types.push(type)
    return { types: types.filter((type) => !/^tts|chunk/.test(type)), spoken: speechInputs(upstream) }
  }

  test.each([
    ['that is empty', async () => {}],
    ['of nothing but a picture', async (say: (text: string) => void) => say('👍')],
  ])('ends, also one %s', async (_name, agent) => {
    expect((await turn(agent, undefined)).types.at(-1)).toBe('turn_end')
  })

  test('ends when the model fails, and a sentence is said in its place', async () => {
    const model = (): Promise<void> => Promise.reject(new Error('down'))
    const without = await turn(model, undefined)
    expect(without.types.slice(-3)).toEqual(['error', 'agent_end', 'turn_end'])
    const said = await turn(model, ({ stage, reason }) => `Sorry. The ${stage} has ${reason}.`)
    expect(said.types.slice(-3)).toEqual(['error', 'agent_end', 'turn_end'])
    expect(said.spoken).toEqual(['Sorry.', 'The agent has failed.'])
  })

  test('that is empty, or whose budget is spent, is told apart', async () => {
    const reason: VoiceAgentOptions['failureSentence'] = (failure) => `It is ${failure.reason}.`
    expect((await turn(async () => {}, reason)).spoken).toEqual(['It is empty.'])
    const spent = (): Promise<void> => Promise.reject(Object.assign(new Error('pay'), { status: 402 }))
    expect((await turn(spent, reason)).spoken).toEqual(['It is budget.'])
  })

  test('is told when the words of the user cannot be understood', async () => {
    const broken: ResponseFunction = (exchange) =>
      exchange.request.route === 'POST /v1/audio/transcriptions' ? fails(400) : happy(exchange)
    const { types, spoken } = await turn(async () => {}, 'Please say it again.', broken)
    expect(spoken).toEqual(['Please say it again.'])
    expect(types.at(-1)).toBe('turn_end')
  })
})
