import type { SpeakableBlock } from '@svc-audio/text'
import { applyLexicon, type Lexicon, splitSentences, splitText, withoutPauses } from '@svc-audio/text/sentences'
import type { ListSegments, SegmentBy } from '../options.ts'
import type { ScriptSegment } from '../script.ts'

/** Maximum characters of one call. A longer paragraph is divided at ends of sentences. */
const MAX_CHARACTERS = 4000

/** Options of {@link toSegments}. */
export interface SegmentOptions {
  readonly segmentBy: SegmentBy
  readonly lexicon: Lexicon | undefined
  readonly language: string | undefined
  /** @default 'items' */
  readonly lists?: ListSegments | undefined
  /** Voices of other languages. @default none */
  readonly voiceOf?: VoiceOfLanguage | undefined
}

/** Divides a page into segments, one call each. */
export function toSegments(blocks: readonly SpeakableBlock[], options: SegmentOptions): ScriptSegment[] {
  const groups = grouped(blocks, options)
  const segments = groups.flatMap((group) => {
    const [first] = group
    return runsOf(group, options.voiceOf ?? (() => undefined)).flatMap((run, order) =>
      divided(run.text, options).map((part, index) => {
        const own = { ...run, continues: run.continues && index === 0 }
        return segment(part, own, order + index === 0 ? first : undefined, options)
      }),
    )
  })
  return withoutLonePauses(segments)
}

function grouped(
  blocks: readonly SpeakableBlock[],
  { segmentBy, lists = 'items' }: SegmentOptions,
): readonly (readonly SpeakableBlock[])[] {
  if (segmentBy === 'page') return blocks.length === 0 ? [] : [blocks]
  if (segmentBy === 'sentence' || (segmentBy === 'paragraph' && lists === 'items'))
    return blocks.map((block) => [block])
  const groups: SpeakableBlock[][] = []
  for (const block of blocks) {
    const last = groups.at(-1)
    const joins = segmentBy === 'section' ? block.kind !== 'heading' : isItem(block) && isItem(last?.at(-1))
    if (last === undefined || !joins) groups.push([block])
    else last.push(block)
  }
  return groups
}

function isItem(block: SpeakableBlock | undefined): boolean {
  return block?.kind === 'list-item'
}

function divided(text: string, { segmentBy, language }: SegmentOptions): readonly string[] {
  // `segmentBy: 'page'` means one call, whatever its length.
  if (segmentBy === 'page') return [text]
  if (segmentBy === 'sentence') return splitSentences(text, { language })
  return text.length <= MAX_CHARACTERS ? [text] : splitText(text, { maxCharacters: MAX_CHARACTERS, language })
}

function segment(
  text: string,
  { voice, continues }: Run,
  block: SpeakableBlock | undefined,
  options: SegmentOptions,
): ScriptSegment {
  const { lexicon } = options
  const language = voice?.language ?? options.language
  const own = {
    ...(voice === undefined ? {} : { voice: { voice_id: voice.voice_id, language: voice.hint } }),
    ...(continues ? { continues } : {}),
  }
  const spoken = lexicon === undefined ? text : applyLexicon(text, lexicon, language).spoken
  const written = withoutPauses(text)
  if (block?.kind !== 'heading') return { written, spoken, ...own }
  return {
    written,
    spoken,
    ...own,
    heading: { level: block.level ?? 1, id: block.id, title: written.replace(/\.$/, '') },
  }
}

/** The service cannot speak a pause alone. Adds it to the segment before it, or else after it. */
function withoutLonePauses(segments: readonly ScriptSegment[]): ScriptSegment[] {
  const kept: ScriptSegment[] = []
  let before = ''
  for (const one of segments) {
    const last = kept.pop()
    if (one.written === '') {
      if (last === undefined) before += `${one.spoken} `
      else kept.push({ ...last, spoken: `${last.spoken} ${one.spoken}` })
      continue
    }
    if (last !== undefined) kept.push(last)
    kept.push(before === '' ? one : { ...one, spoken: before + one.spoken })
    before = ''
  }
  return kept
}

/** The voice of a language. */
export interface LanguageVoice {
  readonly voice_id: string
  readonly language: string
  /** Language hint; `undefined` where the service accepts none. */
  readonly hint: string | undefined
}

/** A text that one voice speaks. */
interface Run {
  readonly text: string
  /** Voice and language of the run, if they are not those of the page. */
  readonly voice: LanguageVoice | undefined
  /** Whether it continues the block of the run before it. */
  readonly continues: boolean
}

/** The voice of a language; `undefined` for one that the voice of the page speaks. */
type VoiceOfLanguage = (language: string) => LanguageVoice | undefined

/** Divides blocks into runs of one voice. Without another voice there is one run. */
function runsOf(blocks: readonly SpeakableBlock[], voiceOf: VoiceOfLanguage): readonly Run[] {
  const runs: Run[] = []
  for (const block of blocks) {
    for (const [index, { text, language }] of (block.spans ?? [{ text: block.text }]).entries()) {
      const voice = language === undefined ? undefined : voiceOf(language)
      const last = runs.at(-1)
      const isSame = last?.voice?.voice_id === voice?.voice_id && last?.voice?.language === voice?.language
      // The voice before a full stop speaks it too.
      const isMark = index > 0 && !/[\p{L}\p{N}]/u.test(text)
      if (last !== undefined && (isSame || isMark)) {
        const joint = index === 0 ? '\n\n' : ''
        runs.splice(-1, 1, { ...last, text: last.text + joint + text })
      } else runs.push({ text, voice, continues: index > 0 })
    }
  }
  return runs.flatMap((run) => {
    const text = run.text.trim()
    return text === '' ? [] : [{ ...run, text }]
  })
}
