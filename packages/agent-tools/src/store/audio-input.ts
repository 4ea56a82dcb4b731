import { createReadStream } from 'node:fs'

/**
 * Audio to store: a path on this machine, a `Blob`, bytes, or a stream. Never pass a string of a stranger or a model: it
 * is a path.
 */
export type AudioInput = string | Blob | Uint8Array | AsyncIterable<Uint8Array>

/** The bytes of an {@link AudioInput} in pieces. For stores of your own. */
export function readAudio(audio: AudioInput): AsyncIterable<Uint8Array> {
  if (typeof audio === 'string') return createReadStream(audio)
  if (audio instanceof Blob) return audio.stream()
  if (audio instanceof Uint8Array) return once(audio)
  return audio
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
