import { type VoiceCall, voiceEvent, type VoiceEvent } from '@svc-audio/voice'
import type { VoiceConversation } from './conversation.ts'
import { type EventChannel, runStage } from './event-channel.ts'

/** A conversation of `voiceAgent`. */
export type VoiceAgentCall = VoiceCall<unknown, VoiceConversation>

/** Nobody speaks. */
export interface VoiceIdle {
  /** The conversation. */
  readonly call: VoiceAgentCall
  /** How often in a row: 1 for the first time after the user has spoken. */
  readonly count: number
}

/** Options of {@link presenceStage}. */
export interface PresenceOptions {
  readonly call: VoiceAgentCall
  readonly greet?: string | ((call: VoiceAgentCall) => string | undefined | Promise<string | undefined>)
  readonly onIdle?: (idle: VoiceIdle) => string | undefined | Promise<string | undefined>
  readonly idleSeconds?: number
}

/** Milliseconds between two looks at the silence. */
const LOOK_INTERVAL = 250

/**
 * What the agent says by itself: adds `say` and `interrupt` of the application, a greeting when a conversation begins, and
 * what `onIdle` says into a silence. A function that throws is an `error` event.
 */
export function presenceStage(
  events: AsyncIterable<VoiceEvent>,
  options: PresenceOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  const { call, greet } = options
  return runStage(events, call.signal, async (source, out) => {
    const silence = new Silence(options, out)
    const commands = (async () => {
      for await (const command of call.control) {
        silence.isBroken()
        out.push(command)
      }
    })()
    commands.catch(() => {})
    // The user is heard in the meantime.
    if (!call.resumed) void say(out, () => (typeof greet === 'function' ? greet(call) : greet))
    try {
      for await (const event of source) {
        silence.follow(event)
        out.push(event)
      }
    } finally {
      silence.stop()
    }
  })
}

async function say(out: EventChannel, text: () => string | undefined | Promise<string | undefined>): Promise<void> {
  try {
    const said = await text()
    if (said !== undefined && said.trim() !== '') out.push(voiceEvent({ type: 'say', text: said }))
  } catch (error) {
    out.push(voiceEvent({ type: 'error', stage: 'agent', error }))
  }
}

/** Watches how long nobody has spoken. */
class Silence {
  readonly #options: PresenceOptions
  readonly #out: EventChannel
  readonly #timer: NodeJS.Timeout | undefined
  #since = performance.now()
  #count = 0
  #isUserHeard = false
  /** How often the user has begun to speak. */
  #inputs = 0
  #isAsking = false

  constructor(options: PresenceOptions, out: EventChannel) {
    this.#options = options
    this.#out = out
    if (options.onIdle !== undefined) this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL)
  }

  follow({ type }: VoiceEvent): void {
    if (type === 'user_input') {
      this.#isUserHeard = true
      this.#inputs += 1
    } else if (type === 'stt_output') this.#count = 0
    if (type !== 'stt_output' && type !== 'user_noise') return
    this.#isUserHeard = false
    this.isBroken()
  }

  /** Somebody speaks. */
  isBroken(): void {
    this.#since = performance.now()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const { call, onIdle, idleSeconds = 20 } = this.#options
    if (this.#isUserHeard || call.state.isAnswering) {
      this.isBroken()
      return
    }
    if (onIdle === undefined || this.#isAsking || performance.now() - this.#since < idleSeconds * 1000) return
    void this.#ask(onIdle)
  }

  /** Asks what is said. The answer is for this silence alone. */
  async #ask(onIdle: NonNullable<PresenceOptions['onIdle']>): Promise<void> {
    const inputs = this.#inputs
    const count = (this.#count += 1)
    this.#isAsking = true
    await say(this.#out, async () => {
      const text = await onIdle({ call: this.#options.call, count })
      return this.#inputs === inputs ? text : undefined
    })
    this.#isAsking = false
    this.isBroken()
  }
}
