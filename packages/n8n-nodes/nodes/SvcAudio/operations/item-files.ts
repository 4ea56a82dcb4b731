import { WavMeter } from '@svc-audio/core/audio'
import type { AudioBody, Call, CallOptions, PureAudioClient, SpeechResult, UploadFile } from '@svc-audio/core/pure'
import type { IBinaryData, IDataObject } from 'n8n-workflow'
import { toText } from '../form.ts'
import { fileNameFor, safeName } from './file-names.ts'
import type { FileTarget, Item, ItemOutput } from './operation.ts'

/** Size of one read of a stored file: large enough that a big upload is not bound by system calls. */
const READ_BYTES = 256 * 1024
/** Largest WAV file that is read to tell an agent its length, in bytes. */
const MEASURED_BYTES = 32 * 1024 * 1024
/** Times of the wire, in Unix seconds (interface: Resources and their fields). */
const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at'])

/** Size of the item's file in bytes; `undefined` if n8n does not tell. */
export async function binarySize(item: Item): Promise<number | undefined> {
  const { helpers } = item.context
  const { field, file } = namedFile(item)
  const { id } = file
  if (id === undefined) return (await helpers.getBinaryDataBuffer(item.index, field)).byteLength
  return (await helpers.getBinaryMetadata(id)).fileSize
}

/** The item's file. One that n8n stores outside of its memory is read while it is sent. */
export async function binaryInput(item: Item): Promise<UploadFile> {
  const { context, index } = item
  const { helpers } = context
  const { field, file } = namedFile(item)
  const { id, fileName, fileExtension, mimeType } = file
  const name = fileName ?? (fileExtension === undefined ? 'audio' : `audio.${fileExtension}`)
  if (id === undefined) return { data: await helpers.getBinaryDataBuffer(index, field), name, type: mimeType }
  const { fileSize } = await helpers.getBinaryMetadata(id)
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* await helpers.getBinaryStream(id ?? '', READ_BYTES)
  }
  return { data: read, name, type: mimeType, size: fileSize }
}

/**
 * The file in the field that the form names, or the only one that the item has.
 * @throws FormError naming the fields of the item that hold a file
 */
function namedFile(item: Item): { readonly field: string; readonly file: IBinaryData } {
  const { context, form, index, input } = item
  const named = form.required('binaryPropertyName')
  const fields = Object.keys(input.binary ?? {})
  const [only] = fields
  const field = fields.includes(named) || fields.length !== 1 || only === undefined ? named : only
  try {
    return { field, file: context.helpers.assertBinaryData(index, field) }
  } catch {
    const fault = `the item has no file in the field "${named}"`
    const found = fields.map((one) => `"${one}"`).join(', ')
    throw fields.length === 0
      ? form.error('binaryPropertyName', fault, 'The item holds no file. Connect a node that outputs one before it.')
      : form.error('binaryPropertyName', `${fault}, but in ${found}`, 'Enter one of these names.')
  }
}

/** The binary field and the file name that the form names. @param fallback Name of the file if it names none. */
export function fileTarget(item: Item, fallback: string = titleName(item)): FileTarget {
  const { form } = item
  return { field: form.required('binaryPropertyName'), fileName: form.optionalText('options.fileName') ?? fallback }
}

/** The title of the item as the name of a file, `speech` without one. Several of the same name are numbered. */
export function titleName({ index, run }: Item): string {
  return run.distinctName('title', index, ({ json: { title } }) => safeName(toText(title) ?? '') || 'speech')
}

/** Where the audio of an item goes to: always to its URL for an agent, since n8n drops binary fields of tools. */
export function outputOf(item: Item): string {
  return item.isToolCall ? 'url' : item.form.choice('output')
}

/** A resource of the client that speaks. */
interface Speaker<Body> {
  create(body: Body, options: CallOptions): Call<AudioBody>
  createUrl(body: Body, options: CallOptions): Call<SpeechResult>
}

/** Speaks, and outputs the audio as the form says: as a binary field, or as its URL. */
export async function speak<Body extends { readonly response_format?: string }>(
  item: Item,
  speaker: Speaker<Body>,
  body: Body,
  fileName?: string,
): Promise<ItemOutput> {
  if (outputOf(item) === 'url') return audioReference(item, await speaker.createUrl(body, await item.billableCall()))
  const target = fileTarget(item, fileName)
  const audio = await speaker.create(body, await item.billableCall())
  return audioFile(item, audio, body.response_format ?? 'wav', target)
}

/**
 * Audio as a binary field. n8n stores it while it arrives.
 * @throws StreamTruncatedError when it ends before the length that the service announced
 */
export async function audioFile(
  item: Item,
  audio: AudioBody,
  format: string,
  { field, fileName: name }: FileTarget = fileTarget(item),
): Promise<ItemOutput> {
  const meter = new WavMeter()
  let bytes = 0
  async function* measured(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of audio) {
      bytes += chunk.byteLength
      meter.add(chunk)
      yield chunk
    }
  }
  const { transport } = await item.client()
  const { helpers } = item.context
  const { contentType } = audio
  const fileName = fileNameFor(name, format, contentType)
  const stored = transport.toStream(measured()) ?? (await collect(measured()))
  const file = await helpers.prepareBinaryData(stored, fileName, contentType)
  const { durationSeconds } = meter
  const json = { fileName, contentType, bytes, ...(durationSeconds === undefined ? {} : { durationSeconds }) }
  return { json, binary: { [field]: file } }
}

/** What {@link bytesFile} makes of the bytes. */
export interface BytesFileOptions {
  readonly format: string
  /** Media type. */
  readonly type: string
  readonly target: FileTarget
}

/** Bytes that are at hand as a binary field. */
export async function bytesFile(
  { context }: Item,
  bytes: Uint8Array,
  { format, type, target }: BytesFileOptions,
): Promise<ItemOutput> {
  const fileName = fileNameFor(target.fileName, format, type)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const file = await context.helpers.prepareBinaryData(buffer, fileName, type)
  const json = { fileName, contentType: type, bytes: bytes.byteLength }
  return { json, binary: { [target.field]: file } }
}

/** A result by its URL, with what an agent needs to know: the length of a WAV file, and when the URL expires. */
export async function audioReference(item: Item, result: SpeechResult): Promise<ItemOutput> {
  const durationSeconds = await durationOf(await item.audio(), result, item.signal)
  return { json: { ...outputJson(result), ...(durationSeconds === undefined ? {} : { durationSeconds }) } }
}

/** Without it, the result is still a success: the audio is there and billed. */
async function durationOf(
  audio: PureAudioClient,
  result: SpeechResult,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (result.response_format !== 'wav') return undefined
  try {
    const body = await audio.download(result, { signal, maxRetries: 0 })
    if ((body.contentLength ?? Infinity) > MEASURED_BYTES) {
      body.cancel()
      return undefined
    }
    const meter = new WavMeter()
    for await (const chunk of body) meter.add(chunk)
    return meter.durationSeconds
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const collected: Uint8Array[] = []
  for await (const chunk of chunks) collected.push(chunk)
  return Buffer.concat(collected)
}

/**
 * An object of the service as an item: names in camel case, as everywhere in the output of the node, times as ISO dates,
 * and when its URL expires.
 */
export function outputJson(object: object): IDataObject {
  const entries = Object.entries(object).map(([name, value]: [string, unknown]) => [
    name === 'filename' ? 'fileName' : name.replaceAll(/_([a-z])/g, (_found, letter: string) => letter.toUpperCase()),
    TIMES.has(name) && typeof value === 'number' ? isoDate(value) : value,
  ])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was JSON
  return { ...(Object.fromEntries(entries) as IDataObject), ...expiryOf(Reflect.get(object, 'url')) }
}

/** When a signed URL expires, where it tells so. */
function expiryOf(url: unknown): IDataObject {
  if (typeof url !== 'string' || !URL.canParse(url)) return {}
  const { searchParams } = new URL(url)
  const seconds = Number(searchParams.get('expires') ?? searchParams.get('Expires') ?? Number.NaN)
  const expiresAt = isoDate(seconds)
  return expiresAt === '' ? {} : { expiresAt }
}

/** Unix seconds as an ISO date, which n8n's date nodes read. */
export function isoDate(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
