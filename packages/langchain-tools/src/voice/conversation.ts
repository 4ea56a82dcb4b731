import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { answerSentences } from '@svc-audio/text'
import { keptAfterBargeIn, type TurnMessage } from '@svc-audio/voice'

/** A turn of a conversation. */
interface Turn {
  /** The user's message, by which the turn is found in the history. */
  said: BaseMessage
  /** What the agent and its tools have made, whole. */
  made: BaseMessage[]
  /** What the user heard of it, once it was interrupted. */
  heard: string | undefined
  /** Whether its run has ended: a call without a result gets none any more. */
  hasEnded: boolean
}

/** Stands in the history for the user, before something that the agent says by itself. */
const SILENT = '[The user says nothing.]'

/**
 * The messages of a spoken conversation. Give the same one to the stages: after a barge-in the history holds the part of
 * the answer that the user heard, and every call of a tool with its result. The roles of user and agent alternate.
 */
export class VoiceConversation {
  #messages: BaseMessage[]
  readonly #turns: Turn[] = []
  #isAnswering: () => boolean = () => false

  /** @param messages Earlier messages. */
  constructor(messages: readonly BaseMessage[] = []) {
    this.#messages = [...messages]
  }

  /** The messages so far. */
  get messages(): readonly BaseMessage[] {
    return this.#messages
  }

  /** Number of turns so far. */
  get turns(): number {
    return this.#turns.length
  }

  /** Whether an answer is made or heard at the moment. */
  get isAnswering(): boolean {
    return this.#isAnswering()
  }

  /** The messages as they are when a turn begins with this message. The turn before ends. */
  upcoming(said: BaseMessage): readonly BaseMessage[] {
    this.end()
    const last = this.#messages.at(-1)
    return HumanMessage.isInstance(last)
      ? [...this.#messages.slice(0, -1), joinMessages(last, said)]
      : [...this.#messages, said]
  }

  /**
   * Begins a turn. A message that has no answer yet is continued. The turn before ends.
   * @param said The user's message.
   * @returns the number of the turn, from 1
   */
  begin(said: BaseMessage): number {
    this.end()
    const last = this.#messages.at(-1)
    const message = HumanMessage.isInstance(last) ? joinMessages(last, said) : said
    if (message !== said) this.#messages.pop()
    this.#turns.push({ said: message, made: [], heard: undefined, hasEnded: false })
    this.#messages.push(message)
    this.#isAnswering = () => true
    return this.#turns.length
  }

  /**
   * The agent says something by itself: a turn without words of the user.
   * @returns the number of the turn
   */
  say(text: string): number {
    const turn = this.begin(new HumanMessage(SILENT))
    this.add(new AIMessage(text))
    this.end()
    return turn
  }

  /** The answer is complete. @param isHeard Whether the user still hears it. @default no */
  answered(isHeard: () => boolean = () => false): void {
    this.#isAnswering = isHeard
  }

  /** Adds messages of the agent and its tools to the current turn. */
  add(...messages: readonly BaseMessage[]): void {
    this.addTo(this.#turns.length, messages)
  }

  /**
   * Adds messages to a turn, also to an earlier one: a tool may return after the user has interrupted its turn. Its result
   * then takes the place of the one that says that it is unknown.
   */
  addTo(turn: number, messages: readonly BaseMessage[]): void {
    const found = this.#turns[turn - 1]
    if (found === undefined) {
      this.#messages.push(...messages)
      return
    }
    found.made.push(...messages)
    this.#write(turn)
  }

  /**
   * The run of a turn has ended. A call that has no result gets one that says so, because models refuse a history
   * without it.
   * @param turn 1 for the first turn. @default the current one
   */
  end(turn: number = this.#turns.length): void {
    const found = this.#turns[turn - 1]
    if (found === undefined || found.hasEnded) return
    found.hasEnded = true
    this.#write(turn)
  }

  /** The agent has written its history again, for example as a summary and the last messages. */
  replace(messages: readonly BaseMessage[]): void {
    const place = messages.findLastIndex((message) => HumanMessage.isInstance(message))
    const said = messages[place]
    if (said === undefined) return
    this.#messages = [...messages]
    const turn = this.#turns.at(-1)
    if (turn !== undefined) Object.assign(turn, { said, made: messages.slice(place + 1) })
  }

  /** The agent has removed messages from its history. The message of the current turn stays. */
  remove(ids: ReadonlySet<string>): void {
    const turn = this.#turns.at(-1)
    const stays = (message: BaseMessage): boolean =>
      message === turn?.said || message.id === undefined || !ids.has(message.id)
    this.#messages = this.#messages.filter(stays)
    if (turn !== undefined) turn.made = turn.made.filter(stays)
  }

  /**
   * Cuts the answer of a turn to the text that was heard. Calls of tools and their results stay. If nothing is left, the
   * next message of the user continues this one.
   * @param text Speakable text.
   * @param turn 1 for the first turn. An unknown turn, or one that is not in the history any more, changes nothing.
   */
  heard(text: string, turn: number): void {
    const found = this.#turns[turn - 1]
    if (found === undefined) return
    found.heard = text
    this.#write(turn)
  }

  /** Writes what stays of a turn into the history. */
  #write(number: number): void {
    const turn = this.#turns[number - 1]
    const start = turn === undefined ? 0 : this.#messages.indexOf(turn.said) + 1
    if (turn === undefined || start === 0) return
    const next = this.#turns[number]
    const end = next === undefined ? this.#messages.length : this.#messages.indexOf(next.said)
    if (end < start) return
    const isWhole = turn.heard === undefined && !turn.hasEnded
    const kept = isWhole ? turn.made : keptMessages(turn.made, turn.heard)
    this.#messages.splice(start, end - start, ...kept)
  }
}

/**
 * The messages that stay of a turn, by the rule of `keptAfterBargeIn`.
 * @param messages The turn behind the user's message.
 * @param heard The speakable text that was heard. `undefined` cuts no text.
 */
export function keptMessages(messages: readonly BaseMessage[], heard: string | undefined): BaseMessage[] {
  return keptAfterBargeIn(messages, readMessage, heard).map((part) => {
    if (part.type === 'said') return new AIMessage(part.text)
    if (part.type === 'result') {
      const { id, name } = part.call
      return new ToolMessage({ content: part.text, tool_call_id: id, name, status: 'error' })
    }
    const { message, text } = part
    if (text === undefined || !AIMessage.isInstance(message)) return message
    const { id, name, tool_calls = [] } = message
    const names = { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) }
    return new AIMessage({ content: text, tool_calls, ...names })
  })
}

function readMessage(message: BaseMessage): TurnMessage {
  if (ToolMessage.isInstance(message)) return { role: 'tool', callId: message.tool_call_id }
  if (!AIMessage.isInstance(message)) return { role: 'other' }
  const calls = (message.tool_calls ?? []).map(({ id = '', name }) => ({ id, name }))
  return { role: 'agent', spoken: answerSentences(message.text).join(' '), calls }
}

/** One message with the content of both. */
function joinMessages(first: BaseMessage, second: BaseMessage): BaseMessage {
  if (typeof first.content === 'string' && typeof second.content === 'string') {
    return new HumanMessage(`${first.content} ${second.content}`)
  }
  return new HumanMessage({ content: [...blocksOf(first), ...blocksOf(second)] })
}

type Blocks = Exclude<BaseMessage['content'], string>

function blocksOf({ content }: BaseMessage): Blocks {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
