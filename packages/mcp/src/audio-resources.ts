import {
  type CallToolResult,
  ErrorCode,
  McpError,
  type ReadResourceResult,
  type Resource,
  type ResourceLink,
  type ResourceTemplate,
} from '@modelcontextprotocol/sdk/types.js'
import {
  type AudioStore,
  type CreatedOperations,
  isAudioId,
  type ReadableAudio,
  readableTranscript,
  type StoreAccess,
} from '@svc-audio/agent-tools'
import { type Extra, runContext, type ServerContext } from './server-context.ts'

const AUDIO = 'svc-audio://audio/'
const TRANSCRIPT = 'svc-audio://transcripts/'

/** Largest number of resources in `resources/list`: the newest. */
const MAX_LISTED = 100

/** Largest audio that is read as a resource: the protocol carries it as one Base64 string. */
const MAX_BYTES = 32 * 1024 * 1024

/** JSON-RPC code of the protocol for an unknown resource. */
const NOT_FOUND = -32002

/** The URI of stored audio. */
export function audioUri(id: string): string {
  return `${AUDIO}${id}`
}

/** The reference in the URI of a resource. `undefined` for any other text. */
export function referenceOf(uri: string): string | undefined {
  const text = uri.trim()
  for (const start of [AUDIO, TRANSCRIPT]) if (text.startsWith(start)) return text.slice(start.length)
  return undefined
}

/** Audio and transcripts as resources of one session. Only its user can read a resource. */
export class AudioResources {
  readonly #created: CreatedOperations
  readonly #changed: () => void
  readonly #listed = new Map<string, Resource>()

  /** @param changed Is called when the list has grown. */
  constructor(created: CreatedOperations, changed: () => void) {
    this.#created = created
    this.#changed = changed
  }

  /** Results of this session, and the audio that the store has from earlier ones, the newest first. */
  async list(extra: Extra): Promise<Resource[]> {
    const { store } = this.#created.options
    const access = this.#access(extra)
    const stored = (await store.list?.({ ...access, limit: MAX_LISTED }).catch(hidden)) ?? []
    const listed = new Map([...this.#listed].toReversed())
    for (const { id, contentType, bytes } of stored) {
      const uri = audioUri(id)
      if (!listed.has(uri)) listed.set(uri, { uri, name: id, mimeType: contentType, size: bytes })
    }
    return [...listed.values()].slice(0, MAX_LISTED)
  }

  templates(): ResourceTemplate[] {
    const { names } = this.#created.options
    return [
      { uriTemplate: `${AUDIO}{reference}`, name: 'audio', description: `Audio by the reference of ${names.speak}.` },
      {
        uriTemplate: `${TRANSCRIPT}{reference}`,
        name: 'transcript',
        description: `A whole transcript by the reference of ${names.transcribe}.`,
        mimeType: 'text/plain',
      },
    ]
  }

  /** Lists the results of a call. @returns Links for the call's result. */
  note(artifact: object): ResourceLink[] {
    const type: unknown = Reflect.get(artifact, 'type')
    const id: unknown = Reflect.get(artifact, 'id')
    if (typeof id !== 'string' || (type !== 'audio' && type !== 'transcript')) return []
    const contentType: unknown = Reflect.get(artifact, 'contentType')
    const resource: Resource =
      type === 'audio'
        ? { uri: audioUri(id), name: id, ...(typeof contentType === 'string' ? { mimeType: contentType } : {}) }
        : { uri: `${TRANSCRIPT}${id}`, name: id, mimeType: 'text/plain' }
    this.#listed.delete(resource.uri)
    this.#listed.set(resource.uri, resource)
    const [oldest] = this.#listed.keys()
    if (this.#listed.size > MAX_LISTED && oldest !== undefined) this.#listed.delete(oldest)
    this.#changed()
    return [{ type: 'resource_link', ...resource }]
  }

  /** @throws McpError when there is none, or it is too large to be read */
  async read(uri: string, extra: Extra): Promise<ReadResourceResult> {
    const access = this.#access(extra)
    const transcript = await this.#transcript(uri, access)
    if (transcript !== undefined) return { contents: [{ uri, mimeType: 'text/plain', text: transcript }] }
    const id = uri.startsWith(AUDIO) ? uri.slice(AUDIO.length) : ''
    const audio = isAudioId(id) ? await this.#created.options.store.open(id, access).catch(hidden) : undefined
    if (audio === undefined || !('stream' in audio)) throw new McpError(NOT_FOUND, 'There is no such resource')
    const blob = await readBase64(audio, MAX_BYTES, extra.signal)
    if (blob === undefined) {
      throw new McpError(ErrorCode.InvalidRequest, `The audio is larger than ${MAX_BYTES} bytes: open it in the store`)
    }
    return { contents: [{ uri, mimeType: audio.contentType, blob }] }
  }

  async #transcript(uri: string, access: StoreAccess): Promise<string | undefined> {
    const id = uri.startsWith(TRANSCRIPT) ? uri.slice(TRANSCRIPT.length) : ''
    if (!isAudioId(id)) return undefined
    const found = await this.#created.transcripts.get(id, access).catch(hidden)
    return found?.status === 'ready' ? readableTranscript(found.text, found.segments) : undefined
  }

  #access(extra: Extra): StoreAccess {
    try {
      return this.#created.accessOf({ signal: extra.signal, context: runContext(extra) })
    } catch (error) {
      return hidden(error)
    }
  }
}

/** Errors of a store or of the application may contain paths. */
function hidden(_error: unknown): never {
  throw new McpError(ErrorCode.InternalError, 'The resource cannot be read at the moment')
}

/** Stored audio in Base64. `undefined` if it has more bytes. */
export async function readBase64(
  audio: ReadableAudio,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of audio.stream()) {
    signal?.throwIfAborted()
    bytes += chunk.byteLength
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('base64')
}

/** A store whose audio has paths on this machine, as `folderAudioStore` is. */
interface StoreWithPaths extends AudioStore {
  pathOf(id: string, access?: StoreAccess): Promise<string | undefined>
}

/** Whether the audio of a store has paths on this machine. */
export function hasPaths(store: AudioStore): store is StoreWithPaths {
  return typeof Reflect.get(store, 'pathOf') === 'function'
}

/** The path of stored audio. `undefined` if there is none. */
export async function pathOf(store: AudioStore, id: string, access: StoreAccess): Promise<string | undefined> {
  return hasPaths(store) ? store.pathOf(id, access) : undefined
}

/** Largest audio inside of an answer: a client reads the whole answer at once. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

type Content = CallToolResult['content']

/** An answer of a tool that speaks, as far as its form depends on `output`. */
interface PresentedAudio {
  /** Further lines for the model. */
  readonly lines: readonly string[]
  readonly blocks: Content
  /** The path of the audio, if `output` is `file`. */
  readonly path?: string
}

/** What an answer has beside the reference and the link. Audio that cannot be presented is still in the store. */
export async function presentAudio(
  id: string,
  { created, output }: Pick<ServerContext, 'created' | 'output'>,
  access: StoreAccess,
): Promise<PresentedAudio> {
  const { store } = created.options
  if (output === 'reference') return { lines: [], blocks: [] }
  if (output === 'file') {
    const path = await pathOf(store, id, access)
    return path === undefined ? { lines: [], blocks: [] } : { lines: [`File: ${path}`], blocks: [], path }
  }
  const audio = await store.open(id, access)
  if (audio === undefined || !('stream' in audio)) return { lines: [], blocks: [] }
  const data = await readBase64(audio, MAX_ANSWER_BYTES, access.signal)
  if (data === undefined) return { lines: ['The audio is too long for this answer: read its resource.'], blocks: [] }
  const mimeType = audio.contentType
  if (output === 'audio') return { lines: [], blocks: [{ type: 'audio', data, mimeType }] }
  return { lines: [], blocks: [{ type: 'resource', resource: { uri: audioUri(id), mimeType, blob: data } }] }
}
