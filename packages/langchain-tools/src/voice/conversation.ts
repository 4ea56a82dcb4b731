import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'

/**
 * The messages of a spoken conversation. Give the same one to the stages: after a barge-in the history holds only the
 * part of the answer that the user heard. The roles of user and agent alternate.
 */
export class VoiceConversation {
  #messages: BaseMessage[]
  /** Message of the user in each turn. */
  readonly #turns: BaseMessage[] = []
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

  /** Begins a turn. A message that has no answer yet is continued. @param said The user's message. */
  begin(said: BaseMessage): void {
    const last = this.#messages.at(-1)
    const message = HumanMessage.isInstance(last) ? joinMessages(last, said) : said
    if (message !== said) this.#messages.pop()
    this.#turns.push(message)
    this.#messages.push(message)
    this.#isAnswering = () => true
  }

  /** The answer is complete. @param isHeard Whether the user still hears it. @default no */
  answered(isHeard: () => boolean = () => false): void {
    this.#isAnswering = isHeard
  }

  /** Adds messages of the agent to the current turn. */
  add(...messages: readonly BaseMessage[]): void {
    this.#messages.push(...messages)
  }

  /** The agent has written its history again, for example as a summary and the last messages. */
  replace(messages: readonly BaseMessage[]): void {
    const said = messages.findLast((message) => HumanMessage.isInstance(message))
    if (said === undefined) return
    this.#messages = [...messages]
    if (this.#turns.length > 0) this.#turns[this.#turns.length - 1] = said
  }

  /** The agent has removed messages from its history. The message of the current turn stays. */
  remove(ids: ReadonlySet<string>): void {
    const current = this.#turns.at(-1)
    this.#messages = this.#messages.filter(
      (message) => message === current || message.id === undefined || !ids.has(message.id),
    )
  }

  /**
   * Replaces the answer of a turn by the text that was heard. Without any, the next message of the user continues this
   * one.
   * @param turn 1 for the first turn. An unknown turn, or one that is not in the history any more, changes nothing.
   */
  heard(text: string, turn: number): void {
    const said = this.#turns[turn - 1]
    const start = said === undefined ? 0 : this.#messages.indexOf(said) + 1
    if (start === 0) return
    const next = this.#turns[turn]
    const end = next === undefined ? this.#messages.length : this.#messages.indexOf(next)
    if (end < start) return
    this.#messages.splice(start, end - start, ...(text === '' ? [] : [new AIMessage(`${text} [interrupted]`)]))
  }
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
