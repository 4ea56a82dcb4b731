import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { checkOptions } from '@svc-audio/agent-tools'
import { abortSignal, callback, methods, object, optional, type OptionRule } from '#options'
import { voiceEvent, type VoiceEvent } from '@svc-audio/voice'
import { refuseCheckpointer } from './checkpointer.ts'
import type { VoiceConversation } from './conversation.ts'
import { type EventChannel, runStage } from './event-channel.ts'

/** The part of an agent that the stage uses: `createAgent()` and compiled graphs over messages have it. */
export interface StreamingAgent {
  // Their parameters depend on state and context schemas: any of them will do.
  /** Streams a run. The stage passes the messages, the stream modes `messages` and `updates`, and a signal. */
  readonly stream: (...args: never[]) => Promise<AsyncIterable<unknown>>
}

/** How the stage calls the agent. */
interface MessageAgent {
  stream(
    input: { messages: BaseMessage[] },
    config: { streamMode: ['messages', 'updates']; signal: AbortSignal } & Record<string, unknown>,
  ): Promise<AsyncIterable<unknown>>
}

/** Where in a graph a message comes from. */
export interface MessageSource {
  /** Node that made the message, such as `model_request` of `createAgent()`. */
  readonly node: string
  /** Nodes from the outermost graph to this one: several where graphs are nested. */
  readonly path: readonly string[]
  /** Tags of the call of the model. */
  readonly tags: readonly string[]
}

/** Options of {@link agentStage}. */
export interface AgentStageOptions {
  /** `createAgent({ … })`, or a compiled graph over messages. */
  readonly agent: StreamingAgent
  /** Passed to `agent.stream()`: `configurable`, `context`, `callbacks` and so on. */
  readonly config?: Readonly<Record<string, unknown>>
  /**
   * Holds the history, so that an interrupted answer is cut to what was heard. An agent with a checkpointer is refused
   * then.
   * @default only the new message is sent: the agent's checkpointer holds the history
   */
  readonly conversation?: VoiceConversation
  /**
   * Whether a message of a model is spoken. It is asked for each piece.
   * @default messages of all nodes but `tools` and the hooks of middleware before and after the model or the agent
   */
  readonly isSpoken?: (message: AIMessage | AIMessageChunk, source: MessageSource) => boolean
  /** Ends the pipeline. */
  readonly signal?: AbortSignal
}

const OPTIONS: Readonly<Record<keyof AgentStageOptions, OptionRule>> = {
  agent: methods('stream'),
  config: optional(object),
  conversation: optional(methods('begin', 'add')),
  isSpoken: optional(callback),
  signal: optional(abortSignal),
}

/**
 * Runs the agent for each `stt_output`. Its answer comes as `agent_chunk` events, with `agent_message` after each message,
 * then `agent_end`; its tools as `tool_call` and `tool_result`. The next `stt_output` aborts the run in flight. Its own run
 * begins when the stages behind this one have seen the event, so that the history holds what was heard of the last answer.
 * @throws ConfigurationError naming the option
 */
export function agentStage(
  events: AsyncIterable<VoiceEvent>,
  options: AgentStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  checkOptions(options, OPTIONS, 'agentStage()')
  if (options.conversation !== undefined) refuseCheckpointer(options.agent, 'agentStage()')
  return runStage(events, options.signal, async (source, out, signal) => {
    let turn: { readonly controller: AbortController; readonly done: Promise<void> } | undefined
    for await (const event of source) {
      if (event.type !== 'stt_output') {
        out.push(event)
        continue
      }
      turn?.controller.abort()
      await turn?.done
      out.push(event)
      await out.passed(signal)
      const controller = new AbortController()
      const both = AbortSignal.any([signal, controller.signal])
      turn = { controller, done: answer(event.transcript, options, out, both) }
    }
    await turn?.done
  })
}

async function answer(
  transcript: string,
  { agent, config, conversation, isSpoken = isSpokenByDefault }: AgentStageOptions,
  out: EventChannel,
  signal: AbortSignal,
): Promise<void> {
  const said = new HumanMessage(transcript)
  conversation?.begin(said)
  const messages = conversation === undefined ? [said] : [...conversation.messages]
  const made: BaseMessage[] = []
  const spoken = new SpokenAnswer(out)
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- agents and graphs over messages take these
    const caller = agent as unknown as MessageAgent
    const stream = await caller.stream({ messages }, { ...config, streamMode: ['messages', 'updates'], signal })
    for await (const item of stream) {
      signal.throwIfAborted()
      if (!Array.isArray(item)) continue
      const [mode, chunk]: readonly unknown[] = item
      if (mode === 'messages') speak(chunk, isSpoken, spoken)
      else if (mode === 'updates') tellUpdate(chunk, { made, conversation, out, spoken })
    }
    signal.throwIfAborted()
    conversation?.add(...made)
  } catch (error) {
    // A barge-in: `speakStage` reports what was heard.
    if (signal.aborted) return
    out.push(voiceEvent({ type: 'error', stage: 'agent', error }))
  }
  spoken.endMessage()
  out.push(voiceEvent({ type: 'agent_end', text: spoken.text }))
}

/** The answer of a turn, message by message. */
class SpokenAnswer {
  readonly #out: EventChannel
  readonly #complete: string[] = []
  #current = ''
  #id: string | undefined

  constructor(out: EventChannel) {
    this.#out = out
  }

  /** All messages so far. They never touch each other. */
  get text(): string {
    return [...this.#complete, this.#current].filter((text) => text !== '').join(' ')
  }

  add({ id, text }: AIMessage | AIMessageChunk): void {
    if (id !== this.#id) this.endMessage()
    this.#id = id
    this.#current += text
    this.#out.push(voiceEvent({ type: 'agent_chunk', text }))
  }

  /** @param id The message that is complete. Another one, of a node beside it, ends nothing. @default the current one */
  endMessage(id = this.#id): void {
    if (this.#current === '' || id !== this.#id) return
    this.#out.push(voiceEvent({ type: 'agent_message', text: this.#current }))
    this.#complete.push(this.#current)
    this.#current = ''
  }
}

function speak(chunk: unknown, isSpoken: NonNullable<AgentStageOptions['isSpoken']>, spoken: SpokenAnswer): void {
  const [message, metadata]: readonly unknown[] = Array.isArray(chunk) ? chunk : []
  if (!(AIMessageChunk.isInstance(message) || AIMessage.isInstance(message)) || message.text === '') return
  if (isSpoken(message, sourceOf(metadata))) spoken.add(message)
}

/** Reads LangGraph's metadata. Its namespace is `node:id`, joined by `|` where graphs are nested. */
function sourceOf(metadata: unknown): MessageSource {
  const read = (name: string): unknown =>
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, name) : undefined
  const readText = (name: string): string => {
    const value = read(name)
    return typeof value === 'string' ? value : ''
  }
  const node = readText('langgraph_node')
  const namespace = readText('langgraph_checkpoint_ns')
  const tags = read('tags')
  return {
    node,
    path: namespace === '' ? [node] : namespace.split('|').map((part) => part.split(':', 1).join('')),
    tags: Array.isArray(tags) ? tags.map(String) : [],
  }
}

/** Hooks of middleware are nodes such as `SummarizationMiddleware.before_model`. */
const HOOK = /\.(?:before|after)_(?:model|agent)$/

function isSpokenByDefault(_message: unknown, { node, path }: MessageSource): boolean {
  return ![node, ...path].some((name) => name === 'tools' || HOOK.test(name))
}

/** Tells the tools of a step, and takes its messages over. */
function tellUpdate(
  update: unknown,
  turn: {
    readonly made: BaseMessage[]
    readonly conversation: VoiceConversation | undefined
    readonly out: EventChannel
    readonly spoken: SpokenAnswer
  },
): void {
  const { made, conversation, out, spoken } = turn
  const { added, removed, history } = readUpdate(update)
  for (const message of added) {
    // The user hears the message while its tools work.
    if (AIMessage.isInstance(message)) spoken.endMessage(message.id)
    tellTools(message, out)
  }
  if (history !== undefined) {
    // It holds the messages of this turn so far.
    conversation?.replace(history)
    made.length = 0
  } else if (removed.size > 0) {
    conversation?.remove(removed)
  }
  made.push(...added)
}

function tellTools(message: BaseMessage, out: EventChannel): void {
  if (AIMessage.isInstance(message)) {
    for (const { id = '', name, args } of message.tool_calls ?? []) {
      out.push(voiceEvent({ type: 'tool_call', id, name, args }))
    }
  } else if (ToolMessage.isInstance(message)) {
    const { tool_call_id: toolCallId, name = '', text: result } = message
    out.push(voiceEvent({ type: 'tool_result', toolCallId, name, result }))
  }
}

/** What a step of a graph did to its messages. */
interface MessageUpdate {
  /** New messages of the agent and its tools. */
  readonly added: readonly BaseMessage[]
  /** Ids of removed messages. */
  readonly removed: ReadonlySet<string>
  /** The whole history, when the step has written it again. */
  readonly history: readonly BaseMessage[] | undefined
}

/** Id of the message by which LangGraph removes the whole history: the messages after it are the new one. */
const REMOVE_ALL = '__remove_all__'

/** Reads an item of the stream mode `updates`. */
function readUpdate(update: unknown): MessageUpdate {
  const added: BaseMessage[] = []
  const removed = new Set<string>()
  let history: readonly BaseMessage[] | undefined
  for (const messages of listsOf(update)) {
    const start = messages.findLastIndex((message) => RemoveMessage.isInstance(message) && message.id === REMOVE_ALL)
    if (start !== -1) {
      history = messages.slice(start + 1).filter((message) => isKept(message))
      continue
    }
    for (const message of messages) {
      if (RemoveMessage.isInstance(message) && message.id !== undefined) removed.add(message.id)
      else if (AIMessage.isInstance(message) || ToolMessage.isInstance(message)) added.push(message)
    }
  }
  return { added, removed, history }
}

/** The messages that each node of a step returned. */
function listsOf(update: unknown): (readonly unknown[])[] {
  if (typeof update !== 'object' || update === null) return []
  return Object.values(update).flatMap((node: unknown) => {
    const messages: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, 'messages') : undefined
    return Array.isArray(messages) ? [messages] : []
  })
}

function isKept(message: unknown): message is BaseMessage {
  return [AIMessage, HumanMessage, SystemMessage, ToolMessage].some((kind) => kind.isInstance(message))
}
