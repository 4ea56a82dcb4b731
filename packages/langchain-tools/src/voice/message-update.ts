import {
  AIMessage,
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
  isBaseMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'

/** What a step of a graph did to its messages. */
export interface MessageUpdate {
  /** New messages of the agent and its tools. */
  readonly added: readonly BaseMessage[]
  /** Ids of removed messages. */
  readonly removed: ReadonlySet<string>
  /** The whole history, when the step has written it again. */
  readonly history: readonly BaseMessage[] | undefined
}

/** Id of the message by which LangGraph removes the whole history: the messages after it are the new one. */
const REMOVE_ALL = '__remove_all__'

/** Types of messages that are streamed in pieces, as a served graph names them. */
const PIECES: Readonly<Record<string, string>> = { AIMessageChunk: 'ai', ToolMessageChunk: 'tool' }

/**
 * A message of a graph. A graph that is served, as `RemoteGraph` has it, gives plain objects.
 * @returns `undefined` for what is no message
 */
export function messageOf(value: unknown): BaseMessage | undefined {
  if (isBaseMessage(value)) return value
  if (typeof value !== 'object' || value === null || !('content' in value)) return undefined
  if (!('type' in value) || typeof value.type !== 'string') return undefined
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it throws for what is no message
    return coerceMessageLikeToMessage({ ...value, type: PIECES[value.type] ?? value.type } as BaseMessageLike)
  } catch {
    return undefined
  }
}

/** Reads an item of the stream mode `updates`. */
export function readUpdate(update: unknown): MessageUpdate {
  const added: BaseMessage[] = []
  const removed = new Set<string>()
  let history: readonly BaseMessage[] | undefined
  for (const list of listsOf(update)) {
    const messages = list.map(messageOf).filter((message) => message !== undefined)
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

function isKept(message: BaseMessage): boolean {
  return [AIMessage, HumanMessage, SystemMessage, ToolMessage].some((kind) => kind.isInstance(message))
}
