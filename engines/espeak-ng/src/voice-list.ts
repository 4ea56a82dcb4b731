import type { EngineVoice } from '@svc-audio/engine-ports'
import { scriptsOf } from './scripts.ts'

/** A voice that the program lists. */
export interface ProgramVoice extends EngineVoice {
  /** Its file below the program's data: the value of `-v`. */
  readonly file: string
  /** Its own language tag, in lower case, e.g. `en-gb-x-rp`. */
  readonly tag: string
  /** Its rank for each language tag. A lower number is the program's earlier choice. */
  readonly ranks: ReadonlyMap<string, number>
  readonly languages: readonly string[]
  /** Scripts that it reads beside Latin. @default unknown: it may read every script */
  readonly scripts: readonly string[] | undefined
}

/** Options of {@link readVoiceList}. */
export interface VoiceListOptions {
  /** Start of the public voice ids. */
  readonly idPrefix: string
  /** Only voices of these languages, as BCP 47 tags. @default all */
  readonly languages?: readonly string[] | undefined
}

/** A row: priority, language, age and gender, name, file, and other languages in brackets. */
const ROW = /^\s*(\d+)\s+(\S+)\s+(?:\S+\/)?([MF-])\s+(\S+)\s+(\S+)\s*(.*)$/
const OTHER = /\(([\w-]+) (\d+)\)/g
const PRIMARY = /^[a-z]{2,3}$/

/** Reads the table that `espeak-ng --voices` prints. Leaves out voices whose language has no BCP 47 tag. */
export function readVoiceList(table: string, { idPrefix, languages }: VoiceListOptions): ProgramVoice[] {
  const voices = table.split('\n').flatMap((line) => voiceOf(line, idPrefix) ?? [])
  const distinct = [...new Map(voices.map((voice) => [voice.id, voice])).values()]
  return languages === undefined ? distinct : distinct.filter((voice) => languages.some((tag) => speaks(voice, tag)))
}

/** Whether a voice speaks a language, of whichever region. */
export function speaks(voice: ProgramVoice, tag: string): boolean {
  const wanted = tag.toLowerCase()
  return voice.ranks.has(wanted) || voice.languages.includes(wanted)
}

function voiceOf(line: string, idPrefix: string): ProgramVoice | undefined {
  const [, priority, language, gender, name, file, others = ''] = ROW.exec(line) ?? []
  if (language === undefined || name === undefined || file === undefined) return undefined
  const tag = language.toLowerCase()
  const more = Array.from(
    others.matchAll(OTHER),
    ([, other = '', rank]) => [other.toLowerCase(), Number(rank)] as const,
  )
  const ranks = new Map([...more, [tag, Number(priority)] as const])
  const languages = [...new Set([...ranks.keys()].toReversed().map(primaryTag))].filter((one) => PRIMARY.test(one))
  const own = primaryTag(tag)
  if (!languages.includes(own)) return undefined
  // `zh` for `cmn`: the tag that people use.
  const usual = new Intl.Locale(own).maximize().language
  const primary = languages.includes(usual) ? usual : own
  return {
    id: `${idPrefix}${file.slice(file.lastIndexOf('/') + 1).toLowerCase()}`,
    name: `eSpeak ${name.replaceAll('_', ' ').trim()}`,
    language: primary,
    languages,
    ...(gender === 'F' ? { gender: 'female' } : gender === 'M' ? { gender: 'male' } : {}),
    description: 'Robotic, from rules: for languages that no other voice speaks.',
    file,
    tag,
    ranks,
    scripts: scriptsOf(primary),
  }
}

function primaryTag(tag: string): string {
  const [primary = ''] = tag.split('-')
  return primary
}
