import type { LaunchRequest } from './launcher.ts'

const LENGTH_BYTES = 4

/** Exit code of a child that could not load ffmpeg. It says nothing about the input. */
export const CANNOT_LOAD = 71

/** Name of the input file inside the WebAssembly build, whatever its path on this machine. */
export const WASM_INPUT_PATH = '/input'

/**
 * Encodes a request: its length (32 bits, little-endian), then JSON. A child reads it first from its standard input;
 * ffmpeg's input follows. A child can therefore start before it has work. It exits by itself when its parent dies,
 * because its standard input ends.
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
 * @param readExactly Returns the next `length` bytes, or `undefined` when the input ends earlier.
 * @returns `undefined` when the input ended without a request.
 */
export function readRequest(readExactly: (length: number) => Buffer | undefined): LaunchRequest | undefined {
  const length = readExactly(LENGTH_BYTES)?.readUInt32LE()
  const json = length === undefined ? undefined : readExactly(length)
  if (json === undefined) return undefined
  const request: unknown = JSON.parse(json.toString())
  if (!isRequest(request)) throw new TypeError('This program needs a request from the service on standard input')
  return request
}

function isRequest(value: unknown): value is LaunchRequest {
  return typeof value === 'object' && value !== null && 'args' in value && Array.isArray(value.args)
}
