import { setImmediate } from 'node:timers/promises'
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { checkOptions } from '@svc-audio/agent-tools'
import { unlessAborted } from '@svc-audio/core/adapter'
import { abortSignal, callback, flag, methods, object, optional, type OptionRule, timerSeconds } from '#options'
import { UNKNOWN_RESULT, voiceEvent, type VoiceEvent, type VoiceEventBody } from '@svc-audio/voice'
import { refuseCheckpointer } from './checkpointer.ts'
import type { VoiceConversation } from './conversation.ts'
import { type EventChannel, runStage } from './event-channel.ts'
import { messageOf, readUpdate } from './message-update.ts'

/** The part of an agent that the stage uses: `createAgent()`, compiled graphs over messages and `RemoteGraph` have it. */
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
  /** `createAgent({ … })`, a compiled graph over messages, or a `RemoteGraph` of one that is served. */
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
  /**
   * Seconds for which an interrupted run waits for tools that have begun, so that the history holds their results. Then
   * it is aborted, and the history says that the result is unknown. At most 2147483.
   * @default 10
   */
  readonly toolSeconds?: number
  /**
   * Begins an answer on `stt_early`, before the user's pause is over, and drops it if the user continues. Off where tools
   * have side effects: a tool of a dropped answer has worked.
   * @default false
   */
  readonly preemptive?: boolean
  /** Ends the pipeline. */
  readonly signal?: AbortSignal
}

const OPTIONS: Readonly<Record<keyof AgentStageOptions, OptionRule>> = {
  agent: methods('stream'),
  config: optional(object),
  conversation: optional(methods('begin', 'addTo')),
  isSpoken: optional(callback),
  toolSeconds: optional(timerSeconds),
  preemptive: optional(flag),
  signal: optional(abortSignal),
}

/**
 * Runs the agent for each `stt_output`. Its answer comes as `agent_chunk` events, with `agent_message` after each message,
 * then `agent_end`; its tools as `tool_call` and `tool_result`. The next `stt_output`, or `interrupt`, ends the run in
 * flight: at once, or when the tools that have begun return. The next run begins when the stages behind this one have seen
 * the event, so that the history holds what was heard of the last answer.
 * @throws ConfigurationError naming the option
 */
export function agentStage(
  events: AsyncIterable<VoiceEvent>,
  options: AgentStageOptions,
): AsyncGenerator<VoiceEvent, void, undefined> {
  checkOptions(options, OPTIONS, 'agentStage()')
  if (options.conversation !== undefined) refuseCheckpointer(options.agent, 'agentStage()')
  return runStage(events, options.signal, async (source, out, signal) => {
    let run: AgentRun | undefined
    let early: AgentRun | undefined
    for await (const event of source) {
      // A run that begins after the abort would not hear of it.
      signal.throwIfAborted()
      if (event.type === 'stt_early') {
        void early?.stop()
        const isFree = options.preemptive === true && options.conversation?.isAnswering !== true
        early = isFree ? new AgentRun(event.transcript, options, out, signal) : undefined
      } else if (event.type === 'stt_output') {
        const stopped = run?.stop()
        out.push(event)
        await out.passed(signal)
        await stopped
        signal.throwIfAborted()
        if (early?.transcript !== event.transcript) {
          void early?.stop()
          early = new AgentRun(event.transcript, options, out, signal)
        }
        run = early
        early = undefined
        run.confirm()
      } else {
        if (event.type === 'user_noise') {
          void early?.stop()
          early = undefined
        }
        if (event.type === 'interrupt') void run?.stop()
        out.push(event)
      }
    }
    void early?.stop()
    await run?.done
  })
}

/** One run of the agent: the answer to what the user said. */
class AgentRun {
  /** Resolves when the run has ended. It never rejects. */
  readonly done: Promise<void>
  /** What the user said. */
  readonly transcript: string
  readonly #options: AgentStageOptions
  readonly #out: EventChannel
  readonly #controller = new AbortController()
  readonly #spoken: SpokenAnswer
  /** Names of the tools that have no result yet, by their calls. */
  readonly #open = new Map<string, string>()
  /** Events and messages of a run that the user's pause has not confirmed yet. */
  #held: (() => void)[] | undefined = []
  #turn: number | undefined
  #isStopped = false
  /** Steps of the graph that were read. */
  #steps = 0
  #isOver = false
  #stopping: Promise<void> | undefined
  #wake: (() => void) | undefined

  constructor(transcript: string, options: AgentStageOptions, out: EventChannel, signal: AbortSignal) {
    this.transcript = transcript
    this.#options = options
    this.#out = out
    this.#spoken = new SpokenAnswer((event) => this.#tell(event))
    const onAbort = (): void => void this.stop(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.done = this.#run().finally(() => signal.removeEventListener('abort', onAbort))
  }

  /** The user has said this, and nothing else: the history gets it, and the events pass. */
  confirm(): void {
    this.#turn = this.#options.conversation?.begin(new HumanMessage(this.transcript))
    const held = this.#held ?? []
    this.#held = undefined
    for (const step of held) step()
  }

  /**
   * Ends the run. Tools that have begun return first, so that nothing that they have done is forgotten.
   * @returns when it has ended
   */
  stop(reason?: unknown): Promise<void> {
    return (this.#stopping ??= this.#stop(reason))
  }

  async #stop(reason: unknown): Promise<void> {
    this.#isStopped = true
    const abort = (): void => {
      this.#controller.abort(reason)
      this.#wake?.()
    }
    const timer = setTimeout(abort, (this.#options.toolSeconds ?? 10) * 1000)
    timer.unref()
    // What the graph has done so far is read first.
    await setImmediate()
    // What a step behind a network has begun is known at its end: a tool call may be on its way.
    const step = isServed(this.#options.agent) ? this.#steps : -1
    const isAtWork = (): boolean => this.#open.size > 0 || (this.#steps === step && !this.#isOver)
    while (isAtWork() && !this.#controller.signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
    clearTimeout(timer)
    abort()
    await this.done
  }

  async #run(): Promise<void> {
    const { conversation } = this.#options
    const { signal } = this.#controller
    try {
      await this.#read(signal)
      signal.throwIfAborted()
    } catch (error) {
      // A barge-in: `speakStage` reports what was heard.
      if (!signal.aborted) this.#tell({ type: 'error', stage: 'agent', error })
    }
    // Nothing comes any more.
    for (const [toolCallId, name] of this.#open)
      this.#tell({ type: 'tool_result', toolCallId, name, result: UNKNOWN_RESULT })
    this.#open.clear()
    this.#isOver = true
    this.#wake?.()
    this.#later(() => {
      if (this.#turn !== undefined) conversation?.end(this.#turn)
      if (this.#isStopped) return
      this.#spoken.endMessage()
      this.#tell({ type: 'agent_end', text: this.#spoken.text })
    })
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { agent, config, conversation, isSpoken = isSpokenByDefault } = this.#options
    const said = new HumanMessage(this.transcript)
    const messages = [...(conversation?.upcoming(said) ?? [said])]
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- agents and graphs over messages take these
    const caller = agent as unknown as MessageAgent
    const streaming = caller.stream({ messages }, { ...config, streamMode: ['messages', 'updates'], signal })
    // An agent that does not follow the signal does not hold the conversation.
    const stream = (await unlessAborted(streaming, signal))[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { value: item, done } = await unlessAborted(stream.next(), signal)
        if (done === true) return
        if (!Array.isArray(item)) continue
        const [mode, chunk]: readonly unknown[] = item
        if (mode === 'messages' && !this.#isStopped) speak(chunk, isSpoken, this.#spoken)
        else if (mode === 'updates') this.#update(chunk)
      }
    } finally {
      stream.return?.()?.then(undefined, () => {})
    }
  }

  /** Tells the tools of a step, and takes its messages over. */
  #update(update: unknown): void {
    const { added, removed, history } = readUpdate(update)
    this.#steps += 1
    for (const message of added) {
      // The user hears the message while its tools work.
      if (AIMessage.isInstance(message) && !this.#isStopped) this.#spoken.endMessage(message.id)
      this.#tellTools(message)
    }
    this.#later(() => {
      const { conversation } = this.#options
      if (this.#turn === undefined || conversation === undefined) return
      // The history of an interrupted turn belongs to the next one.
      const isCurrent = this.#turn === conversation.turns
      if (history !== undefined && isCurrent) conversation.replace(history)
      else if (removed.size > 0 && isCurrent) conversation.remove(removed)
      conversation.addTo(this.#turn, added)
    })
    this.#wake?.()
  }

  #tellTools(message: BaseMessage): void {
    if (AIMessage.isInstance(message)) {
      for (const { id = '', name, args } of message.tool_calls ?? []) {
        this.#open.set(id, name)
        this.#tell({ type: 'tool_call', id, name, args })
      }
    } else if (ToolMessage.isInstance(message)) {
      const { tool_call_id: toolCallId, name = '', text: result } = message
      this.#open.delete(toolCallId)
      this.#tell({ type: 'tool_result', toolCallId, name, result })
    }
  }

  #tell(body: VoiceEventBody): void {
    const event = voiceEvent(body)
    this.#later(() => this.#out.push(event))
  }

  /** Does a step now, or when the user has confirmed the run. */
  #later(step: () => void): void {
    if (this.#held === undefined) step()
    else this.#held.push(step)
  }
}

/** Whether a graph runs behind a server: `RemoteGraph` names it. */
function isServed(agent: StreamingAgent): boolean {
  return 'graphId' in agent
}

/** The answer of a turn, message by message. */
class SpokenAnswer {
  readonly #tell: (event: VoiceEventBody) => void
  readonly #complete: string[] = []
  #current = ''
  #id: string | undefined

  constructor(tell: (event: VoiceEventBody) => void) {
    this.#tell = tell
  }

  /** All messages so far. They never touch each other. */
  get text(): string {
    return [...this.#complete, this.#current].filter((text) => text !== '').join(' ')
  }

  add({ id, text }: AIMessage | AIMessageChunk): void {
    if (id !== this.#id) this.endMessage()
    this.#id = id
    this.#current += text
    this.#tell({ type: 'agent_chunk', text })
  }

  /** @param id The message that is complete. Another one, of a node beside it, ends nothing. @default the current one */
  endMessage(id = this.#id): void {
    if (this.#current === '' || id !== this.#id) return
    this.#tell({ type: 'agent_message', text: this.#current })
    this.#complete.push(this.#current)
    this.#current = ''
  }
}

function speak(chunk: unknown, isSpoken: NonNullable<AgentStageOptions['isSpoken']>, spoken: SpokenAnswer): void {
  const [given, metadata]: readonly unknown[] = Array.isArray(chunk) ? chunk : []
  const message = messageOf(given)
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
