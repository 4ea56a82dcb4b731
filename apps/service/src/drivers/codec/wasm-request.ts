import type { LaunchRequest } from './launcher.ts'

const LENGTH_BYTES = 4

/** Exit code of the child when ffmpeg itself could not be loaded, which says nothing about the input. */
export const CANNOT_LOAD = 71

/** Name that the input file has inside the WebAssembly build, whatever its path on this machine. */
export const WASM_INPUT_PATH = '/input'

/**
 * What a child reads first from its standard input: the request as JSON after its length (32 bits, little-endian).
 * The input of ffmpeg follows. So a child can be started before there is anything to do, and it ends by itself when
 * its parent is gone, because then its input ends.
 */
export function encodeRequest(request: LaunchRequest): Buffer {
  const json = Buffer.from(JSON.stringify(request))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(json.byteLength)
  return Buffer.concat([length, json])
}

/**
 * Reads a request.
 *
 * @param readExactly Gives the next `length` bytes, or `undefined` when the input ends before.
 * @returns `undefined` when the input ended: there is nothing to do any more.
 */
export function readRequest(readExactly: (length: number) => Buffer | undefined): LaunchRequest | undefined {
  const length = readExactly(LENGTH_BYTES)?.readUInt32LE()
  const json = length === undefined ? undefined : readExactly(length)
  if (json === undefined) return undefined
  const request: unknown = JSON.parse(json.toString())
  if (!isRequest(request)) throw new TypeError('This program is started by the service only')
  return request
}

function isRequest(value: unknown): value is LaunchRequest {
  return typeof value === 'object' && value !== null && 'args' in value && Array.isArray(value.args)
}
