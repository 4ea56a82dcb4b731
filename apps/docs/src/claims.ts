import { outsideOfCode } from './site-links.ts'

/** A sentence that promises something of everything, and what proves it. */
export interface Claim {
  /** The sentence, or its part, as it stands on the page. */
  readonly claim: string
  /** A test, a case of the bench, or a program of the repository, from its root. */
  readonly proof: string
  /** Name of the test in that file. @default the whole file */
  readonly test?: string
}

/** Claims by the path of their page. */
export type Claims = Readonly<Record<string, readonly Claim[]>>

const WORD = /\b(?:every|never|exact|exactly|always)\b/i

/** Not claims: times such as `every ten minutes`, titles of links, names of buttons, headings and comments. */
const EXEMPT = [
  /^#.*$/gm,
  /<!--[^]*?-->/g,
  /\[[^\]]*\]\([^)]*\)/g,
  /\*\*[A-Z][\w ]*\*\*/g,
  /\bevery (?:\d[\d.]*|two|three|four|five|ten|second|minute|hour|day)\b/gi,
]

/** Sentences of a Markdown page that say every, never, exact or always. */
export function findClaims(markdown: string): readonly string[] {
  const prose: string[] = []
  // Front matter and code are no sentences.
  outsideOfCode(markdown.replace(/^---\n[^]*?\n---\n/, ''), (part) => {
    prose.push(part)
    return part
  })
  const text = EXEMPT.reduce((left, pattern) => left.replaceAll(pattern, ' '), prose.join(' '))
  const sentences = text.split(/(?<=[.!?:;])\s+|\n{2,}|\n\s*- |\|/)
  return sentences.map((one) => one.replaceAll(/\s+/g, ' ').replace(/^ ?- /, '').trim()).filter((one) => WORD.test(one))
}

/**
 * Claims of a page without a proof, and proofs of claims that the page does not make.
 * @param has Whether a file of the repository has a text. `undefined` for a file that is missing.
 */
export function findUnproved(
  page: { readonly path: string; readonly markdown: string },
  claims: readonly Claim[],
  has: (path: string, text: string) => boolean | undefined,
): readonly string[] {
  const { path, markdown } = page
  const proved = claims.flatMap(({ claim }) => findClaims(claim))
  const unproved = findClaims(markdown)
    .filter((sentence) => !proved.some((part) => sentence.includes(part)))
    .map((sentence) => `${path}: "${sentence}" has no proof in docs/claims.json: add a test, or say less`)
  const wrong = claims.flatMap(({ claim, proof, test = '' }) => {
    const found = has(proof, test)
    if (!markdown.includes(claim)) return [`${path} does not say "${claim}": remove it from docs/claims.json`]
    if (found === undefined) return [`docs/claims.json: there is no ${proof}`]
    return found ? [] : [`docs/claims.json: ${proof} has no test "${test}"`]
  })
  return [...unproved, ...wrong]
}

/**
 * Adds a link to its proof behind each claim of a page. Narrations leave the links out.
 * @param repository Address of the repository.
 */
export function linkClaims(markdown: string, claims: readonly Claim[], repository: string): string {
  return claims.reduce((text, { claim, proof, test = proof }) => {
    const title = test.replaceAll('"', '&quot;')
    const link = ` <sup class="skip-speech"><a href="${repository}/blob/main/${proof}" title="${title}">test</a></sup>`
    return text.replace(claim, (whole) => whole + link)
  }, markdown)
}
