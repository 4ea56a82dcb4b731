/** A call of a tool in a message of the agent. */
export interface TurnCall {
  /** Id of the call. Its result has the same. */
  readonly id: string
  /** Name of the tool. */
  readonly name: string
}

/** A message of a turn, as {@link keptAfterBargeIn} reads it. */
export type TurnMessage =
  | {
      readonly role: 'agent'
      /** Its speakable text, without markup. Empty for a message without text. */
      readonly spoken: string
      /** Its calls of tools. */
      readonly calls: readonly TurnCall[]
    }
  | {
      readonly role: 'tool'
      /** Id of the call whose result it is. */
      readonly callId: string
    }
  | { readonly role: 'other' }

/** A part of what stays of a turn, in order. */
export type KeptPart<Message> =
  | {
      readonly type: 'message'
      /** A message of the turn. Its calls stay. */
      readonly message: Message
      /** The text that replaces its own: what was heard. `undefined` leaves the message as it is. */
      readonly text: string | undefined
    }
  | {
      /** A result for a call that has none. */
      readonly type: 'result'
      /** The call. */
      readonly call: TurnCall
      /** What the model reads: the result is unknown. */
      readonly text: string
    }
  | {
      /** Text that was heard of a message that is not complete. */
      readonly type: 'said'
      /** The text, with its mark. */
      readonly text: string
    }

/** Stands behind text that the user did not hear to its end. */
export const INTERRUPTED = '[interrupted]'

/** The result of a call whose tool did not return before its run ended. */
export const UNKNOWN_RESULT =
  'The run ended before this tool returned. It may have had its effect: check before you call it again.'

/**
 * What stays of a turn that a user interrupted, or that failed. One rule for every framework:
 *
 * - A call of a tool stays with its result: what a tool has done is not forgotten.
 * - A call without a result gets {@link UNKNOWN_RESULT}. A result without its call is dropped.
 * - Spoken text is cut to what was heard, with {@link INTERRUPTED} behind it. Text of which nothing was heard is dropped.
 * - Text that was heard of a message that is not complete is added at the end.
 *
 * @param messages The turn behind the user's message, whole, in order.
 * @param read Reads a message.
 * @param heard The speakable text that the user heard, of all messages together. `undefined` cuts no text: the turn failed.
 */
export function keptAfterBargeIn<Message>(
  messages: readonly Message[],
  read: (message: Message) => TurnMessage,
  heard: string | undefined,
): KeptPart<Message>[] {
  const results = new Map<string, Message>()
  for (const message of messages) {
    const found = read(message)
    if (found.role === 'tool' && !results.has(found.callId)) results.set(found.callId, message)
  }
  const kept: KeptPart<Message>[] = []
  const text = heard === undefined ? undefined : new HeardText(heard)
  for (const message of messages) {
    const found = read(message)
    if (found.role === 'tool') continue
    if (found.role === 'other') {
      kept.push({ type: 'message', message, text: undefined })
      continue
    }
    const part = text?.take(found.spoken)
    if (part === '' && found.calls.length === 0) continue
    kept.push({ type: 'message', message, text: part })
    for (const call of found.calls) {
      const result = results.get(call.id)
      kept.push(
        result === undefined
          ? { type: 'result', call, text: UNKNOWN_RESULT }
          : { type: 'message', message: result, text: undefined },
      )
      results.delete(call.id)
    }
  }
  const rest = text?.rest ?? ''
  if (rest !== '') kept.push({ type: 'said', text: `${rest} ${INTERRUPTED}` })
  return kept
}

/** Characters that are heard: marks, spaces and case differ between a text and its sentences. */
const HEARD = /[\p{L}\p{N}\p{M}]/gu

/** The heard text, handed out message by message. */
class HeardText {
  readonly #text: string
  /** The characters that are heard, and where each stands in the text. */
  readonly #characters: string[] = []
  readonly #places: number[] = []
  /** Characters that belong to earlier messages. */
  #taken = 0

  constructor(text: string) {
    this.#text = text
    for (const { 0: character, index } of text.matchAll(HEARD)) {
      this.#characters.push(character.toLowerCase())
      this.#places.push(index)
    }
  }

  /** Text that belongs to no complete message. */
  get rest(): string {
    return this.#taken >= this.#characters.length ? '' : this.#text.slice(this.#places[this.#taken]).trim()
  }

  /**
   * Takes the part of a message.
   * @returns the heard part of a message that was cut, `''` when nothing of it was heard; `undefined` for a message that
   *   was heard to its end, has no text, or was not spoken
   */
  take(spoken: string): string | undefined {
    const wanted = Array.from(spoken.matchAll(HEARD), ([character]) => character.toLowerCase())
    if (wanted.length === 0) return undefined
    const left = this.#characters.length - this.#taken
    if (left === 0) return ''
    const length = Math.min(wanted.length, left)
    for (let at = 0; at < length; at += 1) {
      // Another message: this one was not for the user's ears.
      if (wanted[at] !== this.#characters[this.#taken + at]) return undefined
    }
    const rest = this.rest
    this.#taken += length
    return length === wanted.length ? undefined : `${rest} ${INTERRUPTED}`
  }
}
