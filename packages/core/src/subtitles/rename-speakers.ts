/** Something that a speaker said: a segment, a cue, an event of a stream. */
export interface Spoken {
  readonly speaker?: string | undefined
}

/** What has speakers to rename. */
type SpokenSource = readonly Spoken[] | { readonly segments?: readonly Spoken[] | undefined }

/**
 * The same result, cues or segments with names in place of labels. Nothing is changed in place, other fields stay as they
 * are, and a label without a name stays.
 * @param names Names by label (interface: `segments[].speaker`).
 * @example renameSpeakers(transcription, { S01: 'Ann', S02: 'Ben' })
 */
export function renameSpeakers<Source extends SpokenSource>(
  source: Source,
  names: Readonly<Record<string, string>>,
): Source {
  const rename = (item: Spoken): Spoken => {
    const { speaker } = item
    // Own names only: a label may well be spelled like something that every object has.
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
