import { contentTypeOf } from '../domain/formats.ts'
import { unixSeconds } from '../domain/ids.ts'
import type { ResultLinks } from '../domain/result-links.ts'
import type { AudioFormat } from '../ports/codec.ts'
import type { OwnObjects } from '../ports/tenant-objects.ts'

/** What an audio file is a result of, as `object` on the wire. */
type AudioKind = 'audio.speech' | 'audio.voice_generation'

/** A finished audio file with its URL (interface: Speech result). */
export interface AudioResult<Kind extends AudioKind> {
  readonly id: string
  readonly object: Kind
  readonly status: 'SUCCESS'
  readonly url: string
  readonly response_format: AudioFormat
  readonly content_type: string
  readonly created_at: number
}

/**
 * Keeps audio as it is made, and answers with its URL once it is whole.
 * @param options.own The tenant's way into the results.
 */
export async function keepAudio<Kind extends AudioKind>(
  { own, links }: { readonly own: OwnObjects; readonly links: ResultLinks },
  { id, object, format }: { readonly id: string; readonly object: Kind; readonly format: AudioFormat },
  audio: AsyncIterable<Uint8Array>,
): Promise<AudioResult<Kind>> {
  const name = `${id}.${format}`
  await own.put(name, audio)
  return {
    id,
    object,
    status: 'SUCCESS',
    url: links.create(name),
    response_format: format,
    content_type: contentTypeOf(format),
    created_at: unixSeconds(),
  }
}
