const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz')

let tags: ReadonlyMap<string, string> | undefined

/** The tags of two letters by their English names in lower case. */
function tagsByName(): ReadonlyMap<string, string> {
  tags ??= new Map(
    LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).flatMap((tag) => {
      const name = NAMES.of(tag)?.toLowerCase()
      return name === undefined ? [] : [[name, tag] as const]
    }),
  )
  return tags
}

/** Returns the primary tag of a language that a server names: `de`, `de-DE` or `german`. `undefined` for another name. */
export function languageTag(named: string | undefined): string | undefined {
  const name = named?.trim().toLowerCase() ?? ''
  return tagsByName().get(name) ?? /^[a-z]{2,3}(?=$|[-_])/.exec(name)?.[0]
}
