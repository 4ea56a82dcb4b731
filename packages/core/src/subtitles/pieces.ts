import { InvalidRequestError } from '../errors.ts'

/** A text with its time, e.g. a segment of a transcription or a cue. */
export interface SubtitlePiece {
  /** Seconds from the start of the audio. */
  readonly start: number
  /** Seconds from the start of the audio. */
  readonly end: number
  /** The text. */
  readonly text: string
  /** Label or name. */
  readonly speaker?: string | undefined
}

/**
 * Source of subtitles: the response of the multi-speaker model (interface: Transcription results), a task with that
 * answer, or any pieces.
 */
export type SubtitleSource =
  | {
      /** The whole text. */
      readonly text?: string | undefined
      /** The pieces with their times. */
      readonly segments?: readonly SubtitlePiece[] | undefined
    }
  | readonly SubtitlePiece[]

/** Larger numbers of seconds have no exact milliseconds. */
const MAX_SECONDS = Number.MAX_SAFE_INTEGER / 1000

/**
 * The pieces of a source, ordered by start, then by end.
 * @throws InvalidRequestError for text without segments, and for a piece with an invalid time or text
 */
export function readPieces(source: SubtitleSource): readonly SubtitlePiece[] {
  const pieces = isList(source) ? source : segmentsOf(source)
  for (const [index, piece] of pieces.entries()) checkPiece(piece, `segments[${index}]`)
  // A piece of zero length goes before other pieces with the same start, so they do not overlap.
  return pieces.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

function isList<Item>(source: readonly Item[] | object): source is readonly Item[] {
  return Array.isArray(source)
}

function segmentsOf(source: Exclude<SubtitleSource, readonly unknown[]>): readonly SubtitlePiece[] {
  // Without types, a caller may pass a string, or a field that is not a list.
  const fields: Partial<typeof source> = typeof source === 'object' && source !== null ? source : {}
  const { segments, text } = fields
  if (Array.isArray(segments) && (segments.length > 0 || typeof text !== 'string' || text.trim() === ''))
    return segments
  throw new InvalidRequestError(
    'missing_required_field',
    'segments',
    'subtitles need segments with times, and this has only text: transcribe with the model svc-transcribe-diarize-pro',
  )
}

function checkPiece(piece: SubtitlePiece, name: string): void {
  if (typeof piece !== 'object' || piece === null || typeof piece.text !== 'string') {
    throw new InvalidRequestError('invalid_type', name, 'must have a text')
  }
  for (const field of ['start', 'end'] as const) {
    const seconds = piece[field]
    if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= MAX_SECONDS)) {
      throw new InvalidRequestError('invalid_range', `${name}.${field}`, 'must be a time in seconds, 0 or greater')
    }
  }
  if (piece.end < piece.start) {
    throw new InvalidRequestError('invalid_range', `${name}.end`, `must not be before its start, ${piece.start}`)
  }
}

/** A text with a speaker: a segment, a cue, an event of a stream. */
export interface Spoken {
  /** Who speaks. */
  readonly speaker?: string | undefined
}

/** Source of {@link renameSpeakers}. */
type SpokenSource = readonly Spoken[] | { readonly segments?: readonly Spoken[] | undefined }

/**
 * Returns a copy of a result, cues or segments with names in place of labels. Other fields and labels without a name
 * stay unchanged.
 * @param names Names by label (interface: `segments[].speaker`).
 * @example renameSpeakers(transcription, { S01: 'Ann', S02: 'Ben' })
 */
export function renameSpeakers<Source extends SpokenSource>(
  source: Source,
  names: Readonly<Record<string, string>>,
): Source {
  const rename = (item: Spoken): Spoken => {
    const { speaker } = item
    // Only own properties: a label may equal the name of an inherited one.
    return typeof speaker === 'string' && Object.hasOwn(names, speaker) ? { ...item, speaker: names[speaker] } : item
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same shape, with other strings in `speaker`
  return mapSpoken(source, rename) as Source
}

function mapSpoken(source: SpokenSource, rename: (item: Spoken) => Spoken): unknown {
  if (isList(source)) return source.map(rename)
  return source.segments === undefined ? { ...source } : { ...source, segments: source.segments.map(rename) }
}
