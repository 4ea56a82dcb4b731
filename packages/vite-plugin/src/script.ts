import { hash } from 'node:crypto'
import type { AigcMetadata } from '@svc-audio/core/interface'
import type { NarrationFormat, PieceEdges } from './audio/index.ts'

/** Raise it when joining changes. Pages are then joined again from their segments, without a call. */
const JOIN_VERSION = 3
/** Raise it with the layout of the keys below: every segment is then spoken again. */
const KEY_VERSION = 2

/** The voice of a segment in another language than its page. */
export interface SegmentVoice {
  readonly voice_id: string
  /** Language hint; `undefined` where the service accepts none. */
  readonly language: string | undefined
}

/** A part of a page. One call speaks it. */
export interface ScriptSegment {
  /** The text for captions, without pause markers. */
  readonly written: string
  /** The text as sent, with respelled terms and pause markers. */
  readonly spoken: string
  /** The heading that starts here, if any. */
  readonly heading?: { readonly level: number; readonly id: string | undefined; readonly title: string }
  /** The voice that speaks it. @default the voice of the page */
  readonly voice?: SegmentVoice
  /** Whether it continues a sentence or paragraph: it follows without the gap of a new paragraph. */
  readonly continues?: boolean
}

/** Everything besides the text that shapes its audio. */
export interface VoiceSettings {
  /** Name of the service, from the option `endpoint`: another service may have another voice by the same id. */
  readonly endpoint: string | undefined
  readonly model: string
  readonly voice_id: string
  /** Format of the service's responses. */
  readonly pieceFormat: NarrationFormat
  readonly aigc_metadata: AigcMetadata | undefined
  /** Language hint; `undefined` where the service accepts none. */
  readonly language: string | undefined
}

/** Everything needed to speak a page. */
export interface NarrationScript {
  readonly voice: VoiceSettings
  /** Format of the page's audio. */
  readonly format: NarrationFormat
  /** In order; at least one. */
  readonly segments: readonly ScriptSegment[]
  /** Silence between two segments, in seconds. */
  readonly gapSeconds: number
  /** Loudness of the page in LUFS, if its segments are WAV; `undefined` leaves that of the service. */
  readonly loudness?: number | undefined
  /** Language of the page, for the sentences of its captions. */
  readonly language?: string | undefined
  /** Name of the encoder, if any. Segments are then WAV. */
  readonly encoder: string | undefined
  /** The source, relative to the site. It is written into the cache, for people and for `collect`. */
  readonly source: string
}

/** Voice settings of a segment. */
export function voiceOf({ voice }: NarrationScript, segment: ScriptSegment): VoiceSettings {
  return segment.voice === undefined ? voice : { ...voice, ...segment.voice }
}

/** The cache key of a segment of a page. */
export function segmentKey(script: NarrationScript, segment: ScriptSegment): string {
  return pieceKey(voiceOf(script, segment), segment.spoken)
}

/** The cache key of a text: 64 hexadecimal digits. It changes with everything that shapes the audio. */
export function pieceKey(voice: VoiceSettings, spoken: string): string {
  const { endpoint = '', model, voice_id, pieceFormat, aigc_metadata, language = '' } = voice
  return digest([KEY_VERSION, endpoint, model, voice_id, pieceFormat, marking(aigc_metadata), language, spoken])
}

/** Whether a page has one segment whose audio stays as it is. */
export function isOnePiece({ voice, format, segments, encoder, loudness }: NarrationScript): boolean {
  return segments.length === 1 && encoder === undefined && loudness === undefined && format === voice.pieceFormat
}

/** The cache key of a page. A page of one segment that needs no encoding has the key of the segment. */
export function pageKey(script: NarrationScript): string {
  const { format, segments, gapSeconds, encoder = '', loudness } = script
  const pieces = segments.map((segment) => segmentKey(script, segment))
  const [only] = pieces
  if (isOnePiece(script) && only !== undefined) return only
  const continued = segments.flatMap(({ continues }, index) => (continues === true ? [index] : []))
  const joints = continued.length === 0 ? [] : [continued]
  const level = loudness === undefined ? [] : [`${loudness} LUFS`]
  return digest([KEY_VERSION, 'page', JOIN_VERSION, format, gapSeconds, encoder, ...level, ...joints, ...pieces])
}

/** The edges of a segment whose silence is clipped. The ends of the page and requested pauses stay. */
export function edgesOf(segments: readonly ScriptSegment[], index: number): PieceEdges {
  const spoken = segments[index]?.spoken ?? ''
  return {
    clipStart: index > 0 && !/^\s*\[pause [\d.]+s\]/.test(spoken),
    clipEnd: index < segments.length - 1 && !/\[pause [\d.]+s\]\s*$/.test(spoken.slice(-100)),
    continues: segments[index]?.continues === true,
  }
}

/** Billed characters of a text. */
export function characters(spoken: string): number {
  let count = 0
  // Count code points: an emoji is one character.
  for (const _ of spoken) count += 1
  return count
}

/** The marking in a fixed order; empty when it is not enabled. */
function marking(metadata: AigcMetadata | undefined): readonly unknown[] {
  if (metadata?.enabled !== true) return []
  return [metadata.content_propagator ?? '', metadata.propagate_id ?? '']
}

function digest(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts))
}
