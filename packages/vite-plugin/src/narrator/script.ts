import { hash } from 'node:crypto'
import type { AigcMetadata } from '@svc-audio/core'
import type { NarrationFormat } from '../audio/formats.ts'

/** Changes when pages joined by older versions cannot be used any more. Nothing is paid for that: pieces stay. */
const JOIN_VERSION = 1
/** Changes with the layout of the keys below. Entries with other keys are still found, by what their JSON says. */
const KEY_VERSION = 2

/** A part of a page that is spoken in one call. */
export interface ScriptSegment {
  /** The text for captions, without pause markers. */
  readonly written: string
  /** The text as it is sent: with terms respelled and with pause markers. */
  readonly spoken: string
  /** The heading that begins here, if one does. */
  readonly heading?: { readonly level: number; readonly id: string | undefined; readonly title: string }
}

/** How a voice speaks: everything that shapes the audio of a text besides the text. */
export interface Delivery {
  /** Name of the service, where the user gave one: another service may have another voice by the same id. */
  readonly endpoint: string | undefined
  readonly model: string
  readonly voice_id: string
  /** Format of what the service sends. */
  readonly pieceFormat: NarrationFormat
  readonly aigc_metadata: AigcMetadata | undefined
  /** Language hint, where it is sent. */
  readonly language: string | undefined
}

/** A page as it is spoken. */
export interface Script {
  readonly delivery: Delivery
  /** Format of the page's audio. */
  readonly format: NarrationFormat
  /** In order; at least one. */
  readonly segments: readonly ScriptSegment[]
  /** Silence between two segments, in seconds. */
  readonly gapSeconds: number
  /** Name of the encoder that makes the page from pieces of WAV, if one does. */
  readonly encoder: string | undefined
  /** The source, relative to the site: written into the cache, for anyone who looks there. */
  readonly source: string
}

/** The name of a piece of audio: 64 hexadecimal digits that change with whatever changes the audio. */
export function pieceKey(delivery: Delivery, spoken: string): string {
  const { endpoint = '', model, voice_id, pieceFormat, aigc_metadata, language = '' } = delivery
  return digest([KEY_VERSION, endpoint, model, voice_id, pieceFormat, marking(aigc_metadata), language, spoken])
}

/** Whether the audio of a page is the audio of its only segment, as the service sent it. */
export function isOnePiece({ delivery, format, segments, encoder }: Script): boolean {
  return segments.length === 1 && encoder === undefined && format === delivery.pieceFormat
}

/** The name of a page's audio. A page of one piece that no encoder changes is that piece. */
export function pageKey(script: Script): string {
  const { delivery, format, segments, gapSeconds, encoder = '' } = script
  const pieces = segments.map(({ spoken }) => pieceKey(delivery, spoken))
  const [only] = pieces
  if (isOnePiece(script) && only !== undefined) return only
  return digest([KEY_VERSION, 'page', JOIN_VERSION, format, gapSeconds, encoder, ...pieces])
}

/** What one call says, as the page was spoken before there were segments. */
export function wholeText(script: Script): string {
  return script.segments.map(({ spoken }) => spoken).join('\n\n')
}

/** Characters of text that a call is billed for. */
export function characters(spoken: string): number {
  let count = 0
  // By code point: an emoji is one character.
  for (const _ of spoken) count += 1
  return count
}

/** The same marking in the same order, whatever order it was given in; one that is not enabled is none. */
function marking(metadata: AigcMetadata | undefined): readonly unknown[] {
  if (metadata?.enabled !== true) return []
  return [metadata.content_propagator ?? '', metadata.propagate_id ?? '']
}

function digest(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts))
}
