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

function isList(source: SpokenSource): source is readonly Spoken[] {
  return Array.isArray(source)
}
