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
export function scriptsOf(language: string): readonly string[] | undefined {
  const { script } = new Intl.Locale(language).maximize()
  return script === undefined ? undefined : (PARTS[script] ?? [script])
}

/** How many letters of a text belong to a script. */
export function lettersIn(text: string, script: string): number {
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
export function mainScript(text: string, scripts: Iterable<string>): string | undefined {
  let [found, max]: [string | undefined, number] = [undefined, 0]
  for (const script of scripts) {
    const letters = lettersIn(text, script)
    if (letters > 0 && TELLING[script] !== undefined) return script
    if (letters > max) [found, max] = [script, letters]
  }
  return found
}

/** Returns the language that most people write in a script. */
export function languageOfScript(script: string): string {
  return TELLING[script] ?? new Intl.Locale(`und-${script}`).maximize().language
}

/** The English name of a script. */
export function scriptName(script: string): string {
  return new Intl.DisplayNames('en', { type: 'script' }).of(script) ?? script
}
