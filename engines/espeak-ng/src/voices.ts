import { type EngineVoice, UnspeakableTextError } from '@svc-audio/engine-ports'

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

/** Every voice reads it: the program reads Latin letters of other languages as English. */
const LATIN = 'Latn'

/** Chooses voices by language and by the script of a text. */
export class VoiceChoice {
  readonly #voices: readonly ProgramVoice[]
  readonly #scripts: ReadonlySet<string>

  /** @param voices At least one. */
  constructor(voices: readonly ProgramVoice[]) {
    this.#voices = voices
    this.#scripts = new Set([...voices.flatMap(({ scripts = [] }) => scripts), LATIN])
  }

  /** Returns the program's first choice for a language: one of exactly this tag, or of its primary tag. */
  forLanguage(tag: string): ProgramVoice | undefined {
    const wanted = tag.toLowerCase()
    const [primary = wanted] = wanted.split('-')
    return this.#best(wanted) ?? this.#best(primary) ?? this.#voices.find((voice) => speaks(voice, primary))
  }

  /**
   * Returns the voice for a text: that of its language if that reads the text, else one for the script of most letters.
   * @throws UnspeakableTextError when no voice reads it, with the languages that there are
   */
  forText(text: string, language?: string): ProgramVoice {
    const asked = language === undefined ? undefined : this.forLanguage(language)
    if (asked !== undefined && this.reads(asked, text)) return asked
    const script = mainScript(text, this.#scripts)
    const found = script === undefined ? this.#withoutLetters(text) : this.#forScript(script)
    if (found !== undefined) return found
    throw new UnspeakableTextError(
      `No voice of espeak-ng reads the letters of the input. Languages to be had: ${this.#languages(this.#voices)}`,
    )
  }

  /** Whether a voice reads any letter of a text. A text of digits is read by every voice. */
  reads(voice: ProgramVoice, text: string): boolean {
    if (voice.scripts === undefined || !/\p{L}/u.test(text)) return true
    return [...voice.scripts, LATIN].some((script) => lettersIn(text, script) > 0)
  }

  /** The error for a text whose letters a voice does not read. It names the languages that could be had. */
  unreadable(voice: ProgramVoice, text: string): UnspeakableTextError {
    const script = mainScript(text, this.#scripts)
    const others = this.#voices.filter(({ scripts = [] }) => script !== undefined && scripts.includes(script))
    const letters = script === undefined ? 'the letters of the input' : `${scriptName(script)} letters`
    const remedy =
      others.length > 0 ? `Choose a voice of: ${this.#languages(others)}` : 'No voice of espeak-ng reads them'
    return new UnspeakableTextError(`The voice ${voice.id} does not read ${letters}. ${remedy}`)
  }

  #best(tag: string): ProgramVoice | undefined {
    const ranked = this.#voices.flatMap((voice) => {
      const rank = voice.ranks.get(tag)
      return rank === undefined ? [] : [{ voice, rank }]
    })
    return ranked.toSorted((a, b) => a.rank - b.rank)[0]?.voice
  }

  #forScript(script: string): ProgramVoice | undefined {
    return (
      this.forLanguage(languageOfScript(script)) ??
      this.#voices.find(({ scripts }) => scripts?.includes(script)) ??
      (script === LATIN ? this.#voices[0] : undefined)
    )
  }

  #withoutLetters(text: string): ProgramVoice | undefined {
    return /\p{L}/u.test(text) ? this.#voices.find(({ scripts }) => scripts === undefined) : this.#forScript(LATIN)
  }

  #languages(voices: readonly ProgramVoice[]): string {
    return [...new Set(voices.map(({ language }) => language))].toSorted().join(', ')
  }
}

/** Scripts that ICU names as one, and their parts. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Hani'],
  Hant: ['Hani'],
  Jpan: ['Hira', 'Kana', 'Hani'],
  Kore: ['Hang', 'Hani'],
}

/** A script that only one language of several uses decides before the number of letters. */
const TELLING: Readonly<Record<string, string>> = { Hira: 'ja', Kana: 'ja', Hang: 'ko' }

const patterns = new Map<string, RegExp>()

/** Returns the scripts of a language as ISO 15924 codes, `undefined` when they are unknown. */
function scriptsOf(language: string): readonly string[] | undefined {
  const { script } = new Intl.Locale(language).maximize()
  return script === undefined ? undefined : (PARTS[script] ?? [script])
}

/** How many letters of a text belong to a script. */
function lettersIn(text: string, script: string): number {
  let pattern = patterns.get(script)
  if (pattern === undefined) {
    pattern = new RegExp(`\\p{Script=${script}}`, 'gu')
    patterns.set(script, pattern)
  }
  return text.match(pattern)?.length ?? 0
}

/**
 * Returns the script of most letters of a text, one of these scripts.
 * @returns `undefined` for a text without a letter of them
 */
function mainScript(text: string, scripts: Iterable<string>): string | undefined {
  let [found, max]: [string | undefined, number] = [undefined, 0]
  for (const script of scripts) {
    const letters = lettersIn(text, script)
    if (letters > 0 && TELLING[script] !== undefined) return script
    if (letters > max) [found, max] = [script, letters]
  }
  return found
}

/** Returns the language that most people write in a script. */
function languageOfScript(script: string): string {
  return TELLING[script] ?? new Intl.Locale(`und-${script}`).maximize().language
}

/** The English name of a script. */
function scriptName(script: string): string {
  return new Intl.DisplayNames('en', { type: 'script' }).of(script) ?? script
}
