/** A step of a start page, in the order of the page. */
export type StartStep =
  /** A file to write: its path stands as code in the paragraph above its block. */
  | { readonly kind: 'file'; readonly path: string; readonly content: string }
  /** A line for a shell. */
  | { readonly kind: 'command'; readonly line: string }

const BLOCK = /^```(?<language>\w*)\n(?<code>[^]*?)^```$/gm

/** A path as code, at the start of the last paragraph before a block. */
const PATH = /(?:^|\n\n)`(?<path>[\w./-]+)`[^\n]*\n*(?:<!--[^\n]*-->\n*)?$/

const NUMBERS = 'No One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve'.split(' ')

/** Reads the files and the commands of a start page. @throws Error for a block of code without a path */
export function readStartPage(markdown: string): readonly StartStep[] {
  return blocksOf(markdown).flatMap(({ language, code, path }): readonly StartStep[] => {
    if (language === 'sh') return linesOf(code).map((line) => ({ kind: 'command' as const, line }))
    if (path === undefined) throw new Error(`the block of ${language} has no path above it: ${code.split('\n')[0]}`)
    return [{ kind: 'file', path, content: code }]
  })
}

/** The lines for a shell of a start page. */
export function commandsOf(markdown: string): readonly string[] {
  return blocksOf(markdown).flatMap(({ language, code }) => (language === 'sh' ? linesOf(code) : []))
}

/** How many commands a start page says that it has. @returns `undefined` for a page that does not say it */
export function promisedCommands(markdown: string): number | undefined {
  const word = /^(?<word>\w+) commands?\b/m.exec(markdown)?.groups?.['word']
  return word !== undefined && NUMBERS.includes(word) ? NUMBERS.indexOf(word) : undefined
}

/** A block of code of a page. */
export interface CodeBlock {
  readonly language: string
  readonly code: string
  /** The file that the page names above the block. */
  readonly path: string | undefined
}

/** The blocks of code of a page, in their order. */
export function blocksOf(markdown: string): readonly CodeBlock[] {
  let end = 0
  return Array.from(markdown.matchAll(BLOCK), ({ 0: whole, index, groups }) => {
    const { language = '', code = '' } = groups ?? {}
    const path = PATH.exec(markdown.slice(end, index))?.groups?.['path']
    end = index + whole.length
    return { language, code, path }
  })
}

function linesOf(code: string): readonly string[] {
  return code.trim().split('\n')
}
