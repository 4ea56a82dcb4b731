import type { AudioBody, PureAudioClient, SpeechResult } from '@svc-audio/core/pure'
import { WavMeter } from '@svc-audio/core/audio'
import { fileNameFor } from './file-name.ts'
import { type FileTarget, fileTarget } from './file-target.ts'
import type { Item } from './item.ts'
import type { ItemOutput } from './operation.ts'
import { outputJson } from './output-json.ts'

/** Largest WAV file that is read to tell an agent its length, in bytes. */
const MEASURED_BYTES = 32 * 1024 * 1024

/** Where the audio of an item goes to: always to its URL for an agent, since n8n drops binary fields of tools. */
export function outputOf(item: Item): string {
  return item.isToolCall ? 'url' : item.form.choice('output')
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
  const measured = durationSeconds === undefined ? {} : { durationSeconds }
  return { json: { ...outputJson(result), ...measured } }
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
