import type { PcmFormat } from '@svc-audio/core'

/** Properties of audio known before its first byte. */
export interface RelayedAudioHead {
  /** MIME type. */
  readonly contentType: string
  /** Length in bytes, if the service announced it. */
  readonly contentLength?: number | undefined
}

/** Headers by lower-case name. */
export type RelayHeaders = Readonly<Record<string, string>>

/** A proxy must neither store a stream before forwarding it nor compress audio. */
const UNBUFFERED: RelayHeaders = {
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** Headers of a response with audio from the service. */
export function audioHeaders({ contentType, contentLength }: RelayedAudioHead): RelayHeaders {
  const length = contentLength === undefined ? {} : { 'content-length': String(contentLength) }
  return { 'content-type': contentType, ...length, ...UNBUFFERED }
}

/** Headers of a response with raw PCM: those of the interface (streaming speech, `X-Sample-Rate`). */
export function pcmHeaders({ sampleRate, channels, bitDepth }: PcmFormat): RelayHeaders {
  return {
    ...audioHeaders({ contentType: 'audio/pcm' }),
    'x-sample-rate': String(sampleRate),
    'x-channels': String(channels),
    'x-bit-depth': String(bitDepth),
  }
}

/** Headers of a response with server-sent events. */
export function eventHeaders(): RelayHeaders {
  return { 'content-type': 'text/event-stream; charset=utf-8', ...UNBUFFERED }
}
