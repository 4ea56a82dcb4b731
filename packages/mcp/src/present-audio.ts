import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { StoreAccess } from '@svc-audio/agent-tools'
import { pathOf } from './audio-paths.ts'
import { audioUri, readBase64 } from './audio-resources.ts'
import type { ServerContext } from './server-context.ts'

/** Largest audio inside of an answer: a client reads the whole answer at once. */
const MAX_BYTES = 8 * 1024 * 1024

type Content = CallToolResult['content']

/** An answer of a tool that speaks, as far as its form depends on `output`. */
export interface PresentedAudio {
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
  const data = await readBase64(audio, MAX_BYTES, access.signal)
  if (data === undefined) return { lines: ['The audio is too long for this answer: read its resource.'], blocks: [] }
  const mimeType = audio.contentType
  if (output === 'audio') return { lines: [], blocks: [{ type: 'audio', data, mimeType }] }
  return { lines: [], blocks: [{ type: 'resource', resource: { uri: audioUri(id), mimeType, blob: data } }] }
}
