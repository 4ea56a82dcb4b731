import { UnspeakableTextError } from '@svc-audio/engine-ports'
import { languageOfScript, lettersIn, mainScript, scriptName } from './scripts.ts'
import { type ProgramVoice, speaks } from './voice-list.ts'

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
