import { appendFileSync, closeSync, openSync, readSync, statSync } from 'node:fs'

/** What a graph says about itself. */
export interface GraphFacts {
  readonly metadata: Readonly<Record<string, string>>
  /** Names of its inputs. */
  readonly inputs: readonly string[]
}

/** Numbers of fields in the format of ONNX, which is protobuf. */
const GRAPH = 7
const METADATA = 14
const GRAPH_INPUT = 11
const [FIRST, SECOND] = [1, 2]

/** Kinds of values in protobuf. */
const [VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES] = [0, 1, 2, 5]

/** Bytes that hold the largest head of a field: its number and its length. */
const HEAD_BYTES = 20

/** A field and the place of its value. */
interface Field {
  readonly number: number
  readonly start: number
  readonly end: number
}

/**
 * Reads the metadata of an ONNX file and the names of its inputs, without its weights.
 * @returns Nothing for a file of another format
 */
export function readGraph(path: string): GraphFacts {
  const metadata: Record<string, string> = {}
  const inputs: string[] = []
  const file = openSync(path, 'r')
  try {
    for (const field of fieldsOf(file, 0, statSync(path).size)) {
      if (field.number === METADATA) {
        const { [FIRST]: key = '', [SECOND]: value = '' } = textsOf(file, field)
        metadata[key] = value
      }
      if (field.number !== GRAPH) continue
      for (const part of fieldsOf(file, field.start, field.end)) {
        if (part.number === GRAPH_INPUT) inputs.push(textsOf(file, part)[FIRST] ?? '')
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { metadata: {}, inputs: [] }
  } finally {
    closeSync(file)
  }
  return { metadata, inputs }
}

/** Adds metadata to an ONNX file, at its end: a repeated field of protobuf may stand anywhere. */
export function appendMetadata(path: string, metadata: Readonly<Record<string, string | number>>): void {
  const entries = Object.entries(metadata).map(([key, value]) => {
    const entry = Buffer.concat([encode(FIRST, Buffer.from(key)), encode(SECOND, Buffer.from(String(value)))])
    return encode(METADATA, entry)
  })
  appendFileSync(path, Buffer.concat(entries))
}

function encode(number: number, value: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + BYTES), varint(value.length), value])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** The fields between two places. @throws RangeError where the bytes are no protobuf */
function* fieldsOf(file: number, start: number, end: number): Generator<Field> {
  for (let at = start; at < end;) {
    const head = Buffer.alloc(HEAD_BYTES)
    readSync(file, head, 0, HEAD_BYTES, at)
    const [tag, afterTag] = readVarint(head, 0)
    const number = Math.floor(tag / 8)
    const [length, from] = lengthOf(head, tag % 8, afterTag)
    const next = at + from + length
    if (number === 0 || next > end) throw new RangeError('The file is no ONNX graph')
    yield { number, start: at + from, end: next }
    at = next
  }
}

/** The length of a value and where it starts. */
function lengthOf(head: Buffer, kind: number, at: number): readonly [length: number, start: number] {
  switch (kind) {
    case VARINT:
      return [readVarint(head, at)[1] - at, at]
    case EIGHT_BYTES:
      return [8, at]
    case FOUR_BYTES:
      return [4, at]
    case BYTES:
      return readVarint(head, at)
    default:
      throw new RangeError('The file is no ONNX graph')
  }
}

/** Reads a number of 7 bits a byte. @returns It and the place behind it */
function readVarint(bytes: Buffer, start: number): readonly [value: number, end: number] {
  let value = 0
  for (let at = start; at < start + 10; at += 1) {
    const byte = bytes[at] ?? 0
    value += (byte % 128) * 128 ** (at - start)
    if (byte < 128) return [value, at + 1]
  }
  throw new RangeError('The file is no ONNX graph')
}

/** The texts of a message, by their numbers. */
function textsOf(file: number, { start, end }: Field): Readonly<Record<number, string>> {
  const texts: Record<number, string> = {}
  for (const part of fieldsOf(file, start, end)) {
    if (part.number !== FIRST && part.number !== SECOND) continue
    const bytes = Buffer.alloc(part.end - part.start)
    readSync(file, bytes, 0, bytes.length, part.start)
    texts[part.number] = bytes.toString('utf8')
  }
  return texts
}
