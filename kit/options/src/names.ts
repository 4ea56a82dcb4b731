import { closest, distance } from 'fastest-levenshtein'

/**
 * Finds the name that a misspelt one probably means. Case and separators do not count: `baseURL` means `baseUrl`. Whole
 * words at the start or the end of one name come before a letter too few: `voice` means `voice_id`, not `voices`.
 *
 * @returns `undefined` when none is near: more than a third of its letters differ, and no single name begins with it.
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const alike = names.find((name) => plain(name) === plain(given)) ?? only(names, (name) => hasWords(name, given))
  if (alike !== undefined || names.length === 0) return alike
  const name = closest(given, names)
  const wrong = distance(given, name)
  if (wrong <= Math.max(1, Math.floor(name.length / 3)) && wrong < name.length) return name
  return plain(given).length < SHORTEST ? undefined : only(names, (one) => plain(one).startsWith(plain(given)))
}

/** Fewest letters of a beginning that stands for a name. */
const SHORTEST = 4

/** The single name that fits. */
function only(names: readonly string[], fits: (name: string) => boolean): string | undefined {
  const [first, ...more] = names.filter(fits)
  return more.length === 0 ? first : undefined
}

/** Whether a name begins or ends with the words of another one. */
function hasWords(name: string, given: string): boolean {
  const [all, some] = [wordsOf(name), wordsOf(given)]
  if (some.length === 0 || some.length >= all.length) return false
  const text = some.join(' ')
  return all.slice(0, some.length).join(' ') === text || all.slice(-some.length).join(' ') === text
}

/** The words of a name, in lower case. Names of commands, with spaces or dots, are no such names. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[_-]/)
  return words.every((word) => /^[a-z\d]+$/.test(word)) ? words : []
}

/**
 * The fault of a command line in one line. The message of Node's `parseArgs` adds advice about dashes and quotes.
 *
 * @param error What `parseArgs` threw.
 * @param names The names of all options, without dashes.
 */
export function commandLineFault(error: unknown, names: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error)
  const option = /'(?:-\w, )?(?<option>--?[^\s']+)/.exec(message)?.groups?.['option']
  if (option === undefined) return message
  const dashed = names.map((name) => `--${name}`)
  if (message.startsWith('Unknown')) return `Unknown option ${option}${nearHint(option, dashed)}`
  if (message.includes('does not take')) return `${option} takes no value`
  return `${option} needs a value, as ${option}=…`
}

/** The hint for a misspelt name of a command line: `; did you mean timeout?`, and nothing without a near name. */
export function nearHint(given: string, names: readonly string[]): string {
  const near = nearestName(given, names)
  return near === undefined ? '' : `; did you mean ${near}?`
}

/**
 * The message for a name that does not exist: ``Unknown option `timeuot`; did you mean `timeout`?`` Without a near name
 * it lists all names.
 *
 * @param what What the name names. @default 'option'
 */
export function unknownName(given: string, names: readonly string[], what: string = 'option'): string {
  const near = nearestName(given, names)
  const remedy = near === undefined ? `: use ${names.map(quoted).join(', ')}` : `; did you mean ${quoted(near)}?`
  return `Unknown ${what} ${quoted(given)}${remedy}`
}

function quoted(name: string): string {
  return `\`${name}\``
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, '')
}
