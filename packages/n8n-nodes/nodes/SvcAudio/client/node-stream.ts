import type { IExecuteFunctions } from 'n8n-workflow'

/** A stream of Node's as n8n hands it out. A community node may not import `stream`, not even for its types. */
export type NodeStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>

/** What every class of Node's readable streams can do: make one of chunks. */
interface StreamClass {
  from(chunks: AsyncIterable<Uint8Array>, options: { readonly objectMode: false }): NodeStream
}

/** Whether a value is a readable stream of Node's. */
export function isNodeStream(value: unknown): value is NodeStream {
  return typeof value === 'object' && value !== null && 'on' in value && Symbol.asyncIterator in value
}

/**
 * Chunks as a stream of Node's, which n8n stores while it arrives. The class comes from another stream, since a community
 * node may not import it.
 * @returns `undefined` when the class of that stream makes none
 */
export function nodeStreamLike(stream: NodeStream, chunks: AsyncIterable<Uint8Array>): NodeStream | undefined {
  const made: unknown = stream.constructor
  return canMakeStreams(made) ? made.from(chunks, { objectMode: false }) : undefined
}

function canMakeStreams(value: unknown): value is StreamClass {
  return typeof value === 'function' && 'from' in value && typeof value.from === 'function'
}
